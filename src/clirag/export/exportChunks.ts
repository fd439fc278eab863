/** Patients of a store → `chunks.jsonl` and `vectors.npy` in one folder: line and row of the same number belong together. */

import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createPrivateFolder } from '../../core/store/atomicFiles.js';
import type { CountTokens } from '../../core/tokenCounter.js';
import type { Embedder, EmbedderFingerprint } from '../../core/types.js';
import type { ChartStore } from '../chartStore.js';
import { chunkNote } from '../chunks.js';
import { embedChunks } from '../store/chartVectors.js';
import type { ServerCharts } from '../store/serverCharts.js';
import { createNpy } from './npyFile.js';

export interface ExportResult {
  readonly patients: number;
  readonly chunks: number;
  readonly dims: number;
  /** What the model had to read; the other vectors were kept. */
  readonly embedded: number;
}

export const CHUNKS_FILE = 'chunks.jsonl';
export const VECTORS_FILE = 'vectors.npy';

/** One patient in memory at a time. Files that are there are replaced once the new ones are whole. */
export async function exportChunks(
  store: ChartStore,
  options: {
    patients: readonly string[];
    folder: string;
    fingerprint: EmbedderFingerprint;
    openEmbedder: () => Promise<Embedder>;
    /** Where vectors are kept, if not in the patients' folders. */
    server?: ServerCharts | undefined;
    countTokens: CountTokens;
    signal: AbortSignal;
    onProgress?: (done: number, total: number) => void;
  },
): Promise<ExportResult> {
  const { patients, folder, fingerprint, signal } = options;
  await createPrivateFolder(folder);
  const beside = (name: string): string => join(folder, `${name}.tmp`);
  const lines = await open(beside(CHUNKS_FILE), 'w', 0o600);
  const vectors = await createNpy(beside(VECTORS_FILE), { dims: fingerprint.dims });
  let embedded = 0;
  try {
    for (const [at, patient] of patients.entries()) {
      signal.throwIfAborted();
      options.onProgress?.(at, patients.length);
      const chart = await store.openPatient(patient);
      const chunks = chart.notes.flatMap(
        (note) => chunkNote(note, { countTokens: options.countTokens }).chunks,
      );
      const made = await embedChunks(chart.folder, chunks, {
        fingerprint,
        openEmbedder: options.openEmbedder,
        server: options.server,
        signal,
      });
      embedded += made.embedded;
      await lines.appendFile(chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join(''));
      await vectors.add(
        chunks.map(({ id }) => {
          const vector = made.vectors.get(id);
          if (vector === undefined) throw new Error(`chunk ${id} got no vector`);
          return vector;
        }),
      );
    }
    await lines.sync();
    await lines.close();
    const { rows, dims } = await vectors.finish();
    await rename(beside(CHUNKS_FILE), join(folder, CHUNKS_FILE));
    await rename(beside(VECTORS_FILE), join(folder, VECTORS_FILE));
    return { patients: patients.length, chunks: rows, dims, embedded };
  } catch (error) {
    await Promise.all([lines.close().catch(() => undefined), vectors.abandon().catch(() => undefined)]);
    await Promise.all([CHUNKS_FILE, VECTORS_FILE].map((name) => rm(beside(name), { force: true })));
    throw error;
  }
}
