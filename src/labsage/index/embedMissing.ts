/** Texts by hash → their vectors: from the old index, from an interrupted run's checkpoint, and the rest from the model. */

import { embedBatches } from '../../core/embedBatches.js';
import { openVectorCheckpoint, removeCheckpoints } from '../../core/store/vectorCheckpoint.js';
import { sha256Hex } from '../../core/text.js';
import type { VectorStore } from '../../core/store/vectorStore.js';
import type { Embedder, EmbedderFingerprint } from '../../core/types.js';

export interface EmbedMissingOptions {
  readonly folder: string;
  readonly fingerprint: EmbedderFingerprint;
  /** Called only if something has to be embedded. */
  readonly openEmbedder: () => Promise<Embedder>;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Texts embedded between two checkpoints. */
const TEXTS_PER_CHECKPOINT = 16;

export interface EmbeddedTexts {
  /** Throws if the hash was not among the wanted texts. */
  readonly vectorOf: (hash: string) => Float32Array;
  /** How many texts the model read. */
  readonly embedded: number;
  /** Removes all checkpoints, once the index is published. */
  readonly finish: () => Promise<void>;
}

/** `wanted`: text by hash; `undefined` for a text whose vector must be in one of the `stores`. */
export async function embedMissing(
  wanted: ReadonlyMap<string, string | undefined>,
  options: EmbedMissingOptions & { stores: readonly VectorStore[] },
): Promise<EmbeddedTexts> {
  const vectors = new Map<string, Float32Array>();
  for (const store of options.stores) {
    for (const { metadata, vector } of await store.items()) vectors.set(metadata.hash, vector);
  }
  const { dims } = options.fingerprint;
  const key = sha256Hex(JSON.stringify(options.fingerprint)).slice(0, 16);
  const checkpoint = await openVectorCheckpoint(options.folder, { key, dims });
  try {
    for (const [hash, vector] of checkpoint.vectors) vectors.set(hash, vector);
    const missing = [...wanted].filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !vectors.has(entry[0]),
    );
    const embedder = missing.length === 0 ? undefined : await options.openEmbedder();
    try {
      const batches = embedder && embedBatches(missing, { ...options, embedder, size: TEXTS_PER_CHECKPOINT });
      for await (const entries of batches ?? []) {
        for (const { hash, vector } of entries) vectors.set(hash, vector);
        await checkpoint.append(entries);
      }
    } finally {
      await embedder?.close();
    }
    return {
      vectorOf(hash) {
        const vector = vectors.get(hash);
        if (vector === undefined) throw new Error(`no vector for the text with hash ${hash}`);
        return vector;
      },
      embedded: missing.length,
      finish: () => removeCheckpoints(options.folder),
    };
  } finally {
    await checkpoint.close();
  }
}
