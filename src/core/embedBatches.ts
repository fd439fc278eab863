/** Texts by hash → their vectors, some at a time, so that the caller can keep what there is and stop in between. */

import type { Embedder } from './types.js';

export interface EmbeddedText {
  readonly hash: string;
  readonly vector: Float32Array;
}

export interface BatchOptions {
  readonly embedder: Embedder;
  /** Texts of a batch: between two of them the signal is looked at and progress told. */
  readonly size: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

export async function* embedBatches(
  texts: readonly (readonly [hash: string, text: string])[],
  { embedder, size, signal, onProgress }: BatchOptions,
): AsyncGenerator<EmbeddedText[]> {
  for (let from = 0; from < texts.length; from += size) {
    signal?.throwIfAborted();
    onProgress?.(from, texts.length);
    const batch = texts.slice(from, from + size);
    const vectors = await embedder.embed(
      batch.map(([, text]) => text),
      'passage',
    );
    yield batch.flatMap(([hash], at) => {
      const vector = vectors[at];
      return vector === undefined ? [] : [{ hash, vector }];
    });
  }
}
