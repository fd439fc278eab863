/** An embedder → the same, with every vector kept in a file, so that comparing again does not cost the model's time again. */

import { createPrivateFolder } from '../../core/store/atomicFiles.js';
import { openVectorCheckpoint } from '../../core/store/vectorCheckpoint.js';
import { sha256Hex } from '../../core/text.js';
import type { Embedder } from '../../core/types.js';

/** Texts embedded between two writes. */
const TEXTS_PER_WRITE = 64;

/**
 * Texts are embedded alone, so a kept vector is the vector that the model would give again, bit for bit. Times measured
 * through it mean nothing. `close` closes the file, not the embedder.
 */
export async function keepVectors(embedder: Embedder, folder: string): Promise<Embedder> {
  await createPrivateFolder(folder);
  const { fingerprint } = embedder;
  const key = sha256Hex(JSON.stringify(fingerprint)).slice(0, 16);
  const file = await openVectorCheckpoint(folder, { key, dims: fingerprint.dims });
  const known = new Map(file.vectors);
  return {
    fingerprint,
    async embed(texts, role) {
      const hashes = texts.map((text) => sha256Hex(`${role}\n${text}`).slice(0, 32));
      const missing = [...new Map(texts.map((text, at) => [hashes[at] ?? '', text]))].filter(
        ([id]) => !known.has(id),
      );
      for (let from = 0; from < missing.length; from += TEXTS_PER_WRITE) {
        const batch = missing.slice(from, from + TEXTS_PER_WRITE);
        const vectors = await embedder.embed(
          batch.map(([, text]) => text),
          role,
        );
        const entries = batch.flatMap(([hash], at) => {
          const vector = vectors[at];
          return vector === undefined ? [] : [{ hash, vector }];
        });
        for (const { hash, vector } of entries) known.set(hash, vector);
        await file.append(entries);
      }
      return hashes.map((hash) => {
        const vector = known.get(hash);
        if (vector === undefined) throw new Error(`the embedder gave no vector for a text`);
        return vector;
      });
    },
    close: () => file.close(),
  };
}
