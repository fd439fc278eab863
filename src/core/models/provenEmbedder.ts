/** A model's name → an embedder that this machine was shown to compute right. */

import { resolvePaths } from '../config.js';
import { createEmbedder } from '../embedder.js';
import type { Embedder, EmbedderFingerprint } from '../types.js';
import { findModel, fingerprintOf, type ModelFiles } from './modelFiles.js';
import { checkReferenceVectors, hasReferenceMark, writeReferenceMark } from './referenceVectors.js';

export interface NamedEmbedder {
  readonly fingerprint: EmbedderFingerprint;
  /** Starts loading; the same embedder at every call. Throws (exit 4) where the model is damaged or computes wrong here. */
  open(): Promise<Embedder>;
  /** Does nothing if it was never opened. */
  close(): Promise<void>;
}

/** Finds the model (exit 4 if there is none) and opens it only when it is needed. */
export async function nameEmbedder(
  name: string,
  options: { env: Readonly<Record<string, string | undefined>>; threads?: number | undefined },
): Promise<NamedEmbedder> {
  const paths = await resolvePaths(options.env);
  const model = await findModel(name, paths);
  let opened: Promise<Embedder> | undefined;
  const open = async (): Promise<Embedder> => {
    const embedder = await createEmbedder(model, { threads: options.threads });
    try {
      await proveModel(model, { embedder, stateFolder: paths.state });
      return embedder;
    } catch (error) {
      await embedder.close();
      throw error;
    }
  };
  return {
    fingerprint: fingerprintOf(model),
    open: () => (opened ??= open()),
    async close() {
      await opened?.then((embedder) => embedder.close()).catch(() => undefined);
    },
  };
}

/** Compares with the reference vectors unless this machine passed before. Throws (exit 4) where the model computes wrong. */
export async function proveModel(
  model: ModelFiles,
  options: { embedder: Embedder; stateFolder: string },
): Promise<void> {
  if (await hasReferenceMark(model, options.stateFolder)) return;
  await checkReferenceVectors(model, options.embedder);
  await writeReferenceMark(model, options.stateFolder);
}
