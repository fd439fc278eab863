/**
 * Chunks of one patient → their vectors: kept in the patient's folder, and embedded at the first question about a visit.
 * A vector is found by the hash of what was embedded, so that changed notes or rules never meet old vectors.
 */

import { embedBatches } from '../../core/embedBatches.js';
import { sha256Hex } from '../../core/text.js';
import type { Chunk, Embedder, EmbedderFingerprint } from '../../core/types.js';
import { embedTextOf } from '../chunks.js';
import { keepVectors, readVectors } from './keptVectors.js';
import type { ServerCharts } from './serverCharts.js';

/** Texts embedded between two looks at the abort signal. */
const TEXTS_AT_A_TIME = 64;

export interface EmbeddedChunks {
  /** Unit vector by chunk id. */
  readonly vectors: ReadonlyMap<string, Float32Array>;
  /** How many texts the model read; the others were kept. */
  readonly embedded: number;
  /** The vectors could not be kept, for this reason. */
  readonly notKept?: string;
}

export interface EmbedChunksOptions {
  readonly fingerprint: EmbedderFingerprint;
  /** Called only if something has to be embedded. */
  readonly openEmbedder: () => Promise<Embedder>;
  /** Where vectors are kept, if not in the patient's folder. */
  readonly server?: ServerCharts | undefined;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** `folder` is the patient's. In a store that can't be written, the vectors are made and not kept. */
export async function embedChunks(
  folder: string,
  chunks: readonly Chunk[],
  options: EmbedChunksOptions,
): Promise<EmbeddedChunks> {
  const hashOf = new Map(chunks.map((chunk) => [chunk.id, embedHash(chunk)]));
  const { server, fingerprint } = options;
  const kept =
    server === undefined
      ? await readVectors(folder, fingerprint)
      : await server.read(patientOf(chunks), [...hashOf.values()]);
  const missing = new Map<string, string>();
  for (const chunk of chunks) {
    const hash = hashOf.get(chunk.id) ?? '';
    if (!kept.has(hash)) missing.set(hash, embedTextOf(chunk));
  }
  let notKept: string | undefined;
  let embedded = missing.size;
  if (missing.size > 0 && server !== undefined) {
    const sent = await fillServer(folder, missing, { ...options, server, patientId: patientOf(chunks) });
    embedded = sent.embedded;
    for (const [hash, vector] of sent.vectors) kept.set(hash, vector);
  } else if (missing.size > 0) {
    const made = new Map<string, Float32Array>();
    for await (const batch of embedTexts(missing, options))
      for (const [hash, vector] of batch) made.set(hash, vector);
    for (const [hash, vector] of made) kept.set(hash, vector);
    notKept = await keepVectors(folder, { made, fingerprint });
  }
  const vectors = new Map<string, Float32Array>();
  for (const [id, hash] of hashOf) {
    const vector = kept.get(hash);
    if (vector === undefined) throw new Error(`chunk ${id} got no vector`);
    vectors.set(id, vector);
  }
  return { vectors, embedded, ...(notKept === undefined ? {} : { notKept }) };
}

/** Writes what the server lacks of one patient's chunks, and fetches nothing. Returns how many texts the model read. */
export async function embedOntoServer(
  folder: string,
  chunks: readonly Chunk[],
  options: EmbedChunksOptions & { server: ServerCharts },
): Promise<number> {
  if (chunks.length === 0) return 0;
  const texts = new Map(chunks.map((chunk) => [embedHash(chunk), embedTextOf(chunk)]));
  const patientId = patientOf(chunks);
  const lacking = await options.server.missing(patientId, [...texts.keys()]);
  const missing = new Map(lacking.map((hash) => [hash, texts.get(hash) ?? '']));
  return (await fillServer(folder, missing, { ...options, patientId })).embedded;
}

/** From the patient's folder where it has the vectors, else from the model: written as they are made, so that a killed run goes on. */
async function fillServer(
  folder: string,
  texts: ReadonlyMap<string, string>,
  options: EmbedChunksOptions & { server: ServerCharts; patientId: string },
): Promise<{ vectors: ReadonlyMap<string, Float32Array>; embedded: number }> {
  const { server, patientId } = options;
  if (texts.size === 0) return { vectors: new Map(), embedded: 0 };
  const local = await readVectors(folder, options.fingerprint);
  const vectors = new Map([...local].filter(([hash]) => texts.has(hash)));
  await server.write(patientId, vectors);
  const missing = new Map([...texts].filter(([hash]) => !vectors.has(hash)));
  if (missing.size > 0) {
    for await (const batch of embedTexts(missing, options)) {
      await server.write(patientId, batch);
      for (const [hash, vector] of batch) vectors.set(hash, vector);
    }
  }
  return { vectors, embedded: missing.size };
}

/** Chunks of two patients in one call would be our fault. */
function patientOf(chunks: readonly Chunk[]): string {
  const [patientId, ...others] = new Set(chunks.map((chunk) => chunk.patientId));
  if (others.length > 0) throw new Error('chunks of more than one patient');
  return patientId ?? '';
}

/** What a vector is kept under: 32 hex digits of what was embedded. */
export function embedHash(chunk: Pick<Chunk, 'header' | 'text'>): string {
  return sha256Hex(embedTextOf(chunk)).slice(0, 32);
}

async function* embedTexts(
  texts: ReadonlyMap<string, string>,
  options: EmbedChunksOptions,
): AsyncGenerator<ReadonlyMap<string, Float32Array>> {
  const embedder = await options.openEmbedder();
  for await (const batch of embedBatches([...texts], { ...options, embedder, size: TEXTS_AT_A_TIME }))
    yield new Map(batch.map(({ hash, vector }) => [hash, vector]));
}
