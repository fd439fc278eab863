/** A store's folder + an embedder that is opened when needed → one that knows the vectors of the questions that every visit is asked. */

import { access, constants, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '../../core/text.js';
import type { Embedder, EmbedderFingerprint } from '../../core/types.js';
import { keepVectors, readVectors } from '../store/keptVectors.js';

/** Beside the patients' folders: it holds nothing of a patient. */
const QUESTIONS_FOLDER = 'questions';

/**
 * Queries are looked up in the store and kept there once the model has read them; where the store can't be written, the
 * process alone remembers them. Passages go to the model. The model is opened at the first text that is not known.
 */
export function openQuestionVectors(
  store: string,
  { fingerprint, open }: { fingerprint: EmbedderFingerprint; open: () => Promise<Embedder> },
): Embedder {
  const folder = join(store, QUESTIONS_FOLDER);
  let read: Promise<Map<string, Float32Array>> | undefined;
  return {
    fingerprint,
    async embed(texts, role) {
      if (role !== 'query') return (await open()).embed(texts, role);
      const known = await (read ??= readVectors(folder, fingerprint));
      const missing = [...new Set(texts)].filter((text) => !known.has(hashOf(text)));
      if (missing.length > 0) {
        const vectors = await (await open()).embed(missing, role);
        const made = new Map(missing.map((text, at) => [hashOf(text), vectors[at] ?? new Float32Array()]));
        for (const [hash, vector] of made) known.set(hash, vector);
        await keepIn(store, folder, { made, fingerprint });
      }
      return texts.map((text) => known.get(hashOf(text)) ?? new Float32Array());
    },
    close: () => Promise.resolve(),
  };
}

function hashOf(question: string): string {
  return sha256Hex(question).slice(0, 32);
}

async function keepIn(
  store: string,
  folder: string,
  vectors: { made: ReadonlyMap<string, Float32Array>; fingerprint: EmbedderFingerprint },
): Promise<void> {
  try {
    await access(store, constants.W_OK);
    await mkdir(folder, { recursive: true });
  } catch {
    return;
  }
  await keepVectors(folder, vectors);
}
