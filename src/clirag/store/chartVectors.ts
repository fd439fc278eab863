/**
 * Chunks of one patient → their vectors: kept in the patient's folder, and embedded at the first question about a visit.
 * A vector is found by the hash of what was embedded, so that changed notes or rules never meet old vectors.
 */

import { access, constants } from 'node:fs/promises';
import { embedBatches } from '../../core/embedBatches.js';
import { ToolError, systemCode } from '../../core/errors.js';
import { withFolderLock } from '../../core/store/folderLock.js';
import {
  publish,
  openPublication,
  readManifest,
  readPublished,
  type OpenFiles,
  type Publication,
  type PublishedFile,
} from '../../core/store/publication.js';
import { float32Codec } from '../../core/store/float32Codec.js';
import { encodeVectraFile, type VectorItem } from '../../core/store/vectorStore.js';
import { sha256Hex } from '../../core/text.js';
import type { Chunk, Embedder, EmbedderFingerprint } from '../../core/types.js';
import { embedTextOf } from '../chunks.js';
import type { ServerCharts } from './serverCharts.js';

const VECTORS_FORMAT = 1;
/** Texts embedded between two looks at the abort signal. */
const TEXTS_AT_A_TIME = 64;

/** Manifest of a patient's folder: for each embedder that was used, its vectors; different ones are never mixed. */
interface VectorsManifest extends Publication {
  readonly formatVersion: number;
  readonly kind: 'clirag-vectors';
  /** Fingerprint by role in `files`. */
  readonly embedders: Readonly<Record<string, EmbedderFingerprint>>;
}

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

/** Kept vectors by hash. A damaged file counts as none: it can be made again from the notes. */
export async function readVectors(
  folder: string,
  fingerprint: EmbedderFingerprint,
): Promise<Map<string, Float32Array>> {
  try {
    const opened = await openVectors(folder);
    if (opened === undefined) return new Map();
    try {
      const role = roleOf(fingerprint);
      if (opened.manifest.files[role] === undefined) return new Map();
      // A visit has some hundred vectors, which are compared one by one: the file is vectra's, its library is not loaded.
      const { items } = float32Codec.deserializeIndex(await opened.files.readAll(role));
      return new Map(items.map(({ id, vector }) => [id, vector as unknown as Float32Array]));
    } finally {
      await opened.files.close();
    }
  } catch (error) {
    if (error instanceof ToolError) return new Map();
    throw error;
  }
}

async function* embedTexts(
  texts: ReadonlyMap<string, string>,
  options: EmbedChunksOptions,
): AsyncGenerator<ReadonlyMap<string, Float32Array>> {
  const embedder = await options.openEmbedder();
  for await (const batch of embedBatches([...texts], { ...options, embedder, size: TEXTS_AT_A_TIME }))
    yield new Map(batch.map(({ hash, vector }) => [hash, vector]));
}

/** Adds the vectors to the patient's, whole or not at all; returns why it could not. */
async function keepVectors(
  folder: string,
  { made, fingerprint }: { made: ReadonlyMap<string, Float32Array>; fingerprint: EmbedderFingerprint },
): Promise<string | undefined> {
  try {
    await access(folder, constants.W_OK);
    await withFolderLock(folder, { name: 'vectors' }, async (assertHeld) => {
      // Another process may have kept some meanwhile.
      const all = new Map([...(await readVectors(folder, fingerprint)), ...made]);
      const manifest = await readVectorsManifest(folder).catch(() => undefined);
      const role = roleOf(fingerprint);
      const others = Object.entries(manifest?.files ?? {}).filter(([other]) => other !== role);
      const files: Record<string, { data: Buffer; extension: string }> = {};
      for (const [other, file] of others) {
        const data = await readIfIntact(folder, file);
        if (data !== undefined) files[other] = { data, extension: extensionOf(file) };
      }
      const items: VectorItem[] = [...all].map(([hash, vector]) => ({
        id: hash,
        vector,
        metadata: { hash, group: '' },
      }));
      files[role] = { data: encodeVectraFile(items), extension: '.f32' };
      await publish(folder, {
        files,
        assertHeld,
        rest: {
          formatVersion: VECTORS_FORMAT,
          kind: 'clirag-vectors',
          embedders: { ...manifest?.embedders, [role]: fingerprint },
        },
      });
    });
    return undefined;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOSPC') return 'the disk is full';
    if (code !== undefined) return `${folder} can't be written (${code})`;
    throw error;
  }
}

/** Vectors of another embedder that are damaged are given up: they, too, can be made again. */
async function readIfIntact(folder: string, file: PublishedFile): Promise<Buffer | undefined> {
  try {
    return await readPublished(folder, file);
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

function extensionOf({ name }: PublishedFile): string {
  return name.slice(name.lastIndexOf('.'));
}

/** Letters, as the names of published files have: `vectors` and sixteen that stand for the fingerprint. */
function roleOf(fingerprint: EmbedderFingerprint): string {
  const digits = sha256Hex(JSON.stringify(fingerprint)).slice(0, 16);
  return `vectors${[...digits].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 16))).join('')}`;
}

async function openVectors(
  folder: string,
): Promise<{ manifest: VectorsManifest; files: OpenFiles } | undefined> {
  if ((await readVectorsManifest(folder)) === undefined) return undefined;
  return openPublication(folder, {
    async readNow() {
      const manifest = await readVectorsManifest(folder);
      if (manifest === undefined) throw new Error(`the vectors in ${folder} are gone`);
      return manifest;
    },
  });
}

async function readVectorsManifest(folder: string): Promise<VectorsManifest | undefined> {
  const manifest = await readManifest(folder);
  return manifest?.['kind'] === 'clirag-vectors' && manifest['formatVersion'] === VECTORS_FORMAT
    ? (manifest as unknown as VectorsManifest)
    : undefined;
}

/** The embedders that a patient's folder holds vectors of. */
export async function listEmbedders(folder: string): Promise<EmbedderFingerprint[]> {
  return Object.values((await readVectorsManifest(folder))?.embedders ?? {});
}
