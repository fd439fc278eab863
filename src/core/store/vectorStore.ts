/** Unit vectors under ids → the most similar ids to a query vector: the interface, and vectra behind it. */

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { LocalIndex } from 'vectra';
import { ExitCode, ToolError } from '../errors.js';
import { atomicFileStorage } from './atomicFiles.js';
import { float32Codec, readFloat32File } from './float32Codec.js';
import { allocateRows, scanRows, SCAN_ERROR } from './simdScan.js';

/** What is stored beside a vector; `hash` is of the embedded text, so that equal texts need no second embedding. */
export interface VectorItem {
  readonly id: string;
  readonly vector: Float32Array;
  readonly metadata: { readonly hash: string; readonly group: string };
}

export interface VectorHit {
  readonly id: string;
  /** Cosine, -1 to 1. */
  readonly score: number;
}

export interface VectorStore {
  /** Reads the file, so that the first query need not; to be called while the query is embedded. */
  load(): Promise<void>;
  /** The `top` most similar items, best first; `groups` limits the search to items of those groups. */
  query(vector: Float32Array, options: { top: number; groups?: readonly string[] }): Promise<VectorHit[]>;
  /** Every item, in stored order. */
  items(): Promise<VectorItem[]>;
  /** The hash of each item's embedded text, by id. */
  hashes(): Promise<ReadonlyMap<string, string>>;
}

/** The file that `openVectraStore` reads, built in one piece (vectra's own insert is quadratic). */
export function encodeVectraFile(items: readonly VectorItem[]): Buffer {
  return float32Codec.serializeIndex({
    version: 1,
    metadata_config: {},
    items: items.map(({ id, vector, metadata }) => ({
      id,
      metadata: { hash: metadata.hash, group: metadata.group },
      vector: vector as unknown as number[],
      norm: 1,
    })),
  });
}

/**
 * Opens a vectra index file; nothing is read before the first call.
 * A query scans the file's matrix here: vectra loads its keyword search's language model for every query (0.3 s of a
 * cold start) and makes an object of each vector. The cosines are vectra's (a test compares them).
 * @param options.dims what the query vectors will have; another length is an error here, where vectra would answer NaN.
 * @param options.read reads and checks the file's bytes, also where its name is gone meanwhile; into a buffer that
 *   `allocate` makes, if it can.
 */
export function openVectraStore(
  path: { folder: string; file: string },
  options: { dims: number; read: (allocate?: (bytes: number) => Buffer) => Promise<Buffer> },
): VectorStore {
  let matrix: Promise<Matrix> | undefined;
  const readMatrix = (): Promise<Matrix> => (matrix ??= options.read(allocateRows).then(toMatrix));
  return {
    async load() {
      await readMatrix();
    },
    async query(vector, { top, groups }) {
      checkDims(vector, options.dims);
      return nearest(vector, { matrix: await readMatrix(), top, groups });
    },
    async hashes() {
      const { ids, metadata } = readFloat32File(await options.read());
      return new Map(ids.map((id, at) => [id, String(metadata[at]?.['hash'])]));
    },
    async items() {
      const items = await openWithVectra(path, options.read).listItems();
      return items.map(({ id, vector, metadata }) => ({
        id,
        vector: vector as unknown as Float32Array,
        metadata: metadata as unknown as VectorItem['metadata'],
      }));
    },
  };
}

/** `vectors`: a row of `dims` values for each id. */
export interface Matrix {
  readonly ids: readonly string[];
  readonly groups: readonly string[];
  readonly vectors: Float32Array;
  readonly dims: number;
}

function toMatrix(buffer: Buffer): Matrix {
  const { ids, metadata, vectors, dims } = readFloat32File(buffer);
  return { ids, groups: metadata.map(({ group }) => String(group)), vectors, dims };
}

/** Below so many rows a first look saves nothing. */
const FEW_ROWS = 4096;
/** Steps in which the first look's scores are counted. */
const STEPS = 4096;

/** Equal scores keep the stored order. */
export function nearest(
  query: Float32Array,
  { matrix, top, groups }: { matrix: Matrix; top: number; groups: readonly string[] | undefined },
): VectorHit[] {
  const all = rowsOf(matrix, groups);
  const rows = all.length > FEW_ROWS && top < all.length ? bestRows(query, { matrix, rows: all, top }) : all;
  const scores = Float64Array.from(rows, (row) => dotWithRow(query, matrix, row));
  const least = top < rows.length ? (scores.toSorted()[rows.length - top] ?? -Infinity) : -Infinity;
  return Array.from(rows, (row, at) => ({ id: matrix.ids[row] ?? '', score: scores[at] ?? NaN }))
    .filter(({ score }) => score >= least)
    .sort((a, b) => b.score - a.score)
    .slice(0, top);
}

function rowsOf({ ids, groups }: Matrix, wanted: readonly string[] | undefined): Uint32Array {
  const rows = new Uint32Array(ids.length);
  const isWanted = wanted && new Set(wanted);
  let count = 0;
  // Rows of a group stand together.
  let [group, isIn]: [string | undefined, boolean] = [undefined, true];
  for (let row = 0; row < ids.length; row++) {
    if (isWanted !== undefined && groups[row] !== group) {
      group = groups[row];
      isIn = isWanted.has(group ?? '');
    }
    if (isIn) rows[count++] = row;
  }
  return rows.subarray(0, count);
}

/** A first look: a few rows more than the `top` best, so that none of these is missing. */
function bestRows(
  query: Float32Array,
  { matrix, rows, top }: { matrix: Matrix; rows: Uint32Array; top: number },
): Uint32Array {
  const scores = scanRows(query, matrix.vectors);
  if (scores === undefined) return rows;
  const counts = new Uint32Array(STEPS);
  const stepOf = (score: number): number =>
    Math.min(STEPS - 1, Math.max(0, Math.floor(((score + 1) * STEPS) / 2)));
  for (const row of rows) counts[stepOf(scores[row] ?? NaN)]!++;
  let step = STEPS;
  for (let found = 0; found < top && step > 0;) found += counts[--step] ?? 0;
  const least = step === 0 ? -Infinity : (step * 2) / STEPS - 1 - 2 * SCAN_ERROR;
  return rows.filter((row) => !((scores[row] ?? NaN) < least));
}

/** The cosine: all vectors have length 1. Four sums side by side, which the processor adds at the same time. */
function dotWithRow(query: Float32Array, { vectors, dims }: Matrix, row: number): number {
  const start = row * dims;
  const whole = dims - (dims % 4);
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let dim = 0; dim < whole; dim += 4) {
    a += query[dim]! * vectors[start + dim]!;
    b += query[dim + 1]! * vectors[start + dim + 1]!;
    c += query[dim + 2]! * vectors[start + dim + 2]!;
    d += query[dim + 3]! * vectors[start + dim + 3]!;
  }
  for (let dim = whole; dim < dims; dim++) a += query[dim]! * vectors[start + dim]!;
  return a + b + c + d;
}

export function checkDims(vector: Float32Array, dims: number): void {
  if (vector.length === dims) return;
  throw new ToolError(ExitCode.model, `the query has ${vector.length} dimensions, the index ${dims}`, {
    hint: 'use the embedder that the index was made with',
  });
}

function openWithVectra(path: { folder: string; file: string }, read: () => Promise<Buffer>): LocalIndex {
  const { LocalIndex } = loadVectra();
  const storage = { ...atomicFileStorage(), readFile: () => read(), pathExists: () => Promise.resolve(true) };
  return new LocalIndex(path.folder, path.file, storage, float32Codec);
}

/** vectra's package entry loads tokenizers and web parsers (0.7 s); its index class alone takes a fifth of that. */
function loadVectra(): { LocalIndex: typeof LocalIndex } {
  const require = createRequire(import.meta.url);
  const lib = dirname(require.resolve('vectra'));
  return require(join(lib, 'LocalIndex.js')) as { LocalIndex: typeof LocalIndex };
}
