/** A store → vectors of every chunk of every patient, kept patient by patient, so that an interrupted run goes on. */

import { ExitCode, ToolError } from '../../core/errors.js';
import { takeShard, type Shard } from '../../core/shard.js';
import { loadTokenCounter } from '../../core/tokenCounter.js';
import type { ChartStore } from '../chartStore.js';
import { embedChunks, embedOntoServer, type EmbedChunksOptions } from './chartVectors.js';
import { chunkNote } from '../chunks.js';

export interface EmbedStoreResult {
  readonly patients: number;
  readonly chunks: number;
  /** What the model had to read. */
  readonly embedded: number;
}

/** `onProgress` counts patients. Throws (exit 3) where the store can't be written: the work would be lost. */
export async function embedStore(
  store: ChartStore,
  options: EmbedChunksOptions & {
    /** With a server: only this part of the patients. */
    readonly shard?: Shard | undefined;
  },
): Promise<EmbedStoreResult> {
  const countTokens = await loadTokenCounter();
  const all = await store.patients();
  const patients = options.shard === undefined ? all : takeShard(all, options.shard);
  let chunkCount = 0;
  let embedded = 0;
  for (const [at, { id }] of patients.entries()) {
    options.signal?.throwIfAborted();
    options.onProgress?.(at, patients.length);
    const chart = await store.openPatient(id);
    const chunks = chart.notes.flatMap((note) => chunkNote(note, { countTokens }).chunks);
    chunkCount += chunks.length;
    const { fingerprint, openEmbedder, signal, server } = options;
    const rest = { fingerprint, openEmbedder, ...(signal === undefined ? {} : { signal }) };
    if (server !== undefined) {
      embedded += await embedOntoServer(chart.folder, chunks, { ...rest, server });
      continue;
    }
    const result = await embedChunks(chart.folder, chunks, rest);
    if (result.notKept !== undefined) {
      throw new ToolError(ExitCode.input, `the vectors of patient ${id} can't be kept: ${result.notKept}`, {
        hint: 'free some space or change the permissions, and run the command again',
      });
    }
    embedded += result.embedded;
  }
  return { patients: patients.length, chunks: chunkCount, embedded };
}
