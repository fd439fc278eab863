/** Unit vectors under ids → the most similar ids to a query vector: the interface, and vectra behind it. */

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { LocalIndex, MetadataFilter } from 'vectra';
import { ExitCode, ToolError } from '../errors.js';
import { atomicFileStorage } from './atomicFiles.js';
import { float32Codec } from './float32Codec.js';

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
 * @param options.dims what the query vectors will have; another length is an error here, where vectra would answer NaN.
 * @param options.read reads and checks the file's bytes, also where its name is gone meanwhile.
 */
export function openVectraStore(
  path: { folder: string; file: string },
  options: { dims: number; read: () => Promise<Buffer> },
): VectorStore {
  let index: LocalIndex | undefined;
  const open = (): LocalIndex => {
    const { LocalIndex } = loadVectra();
    const storage = {
      ...atomicFileStorage(),
      readFile: options.read,
      pathExists: () => Promise.resolve(true),
    };
    index ??= new LocalIndex(path.folder, path.file, storage, float32Codec);
    return index;
  };
  return {
    async load() {
      await open().listItems();
    },
    async query(vector, { top, groups }) {
      checkDims(vector, options.dims);
      const filter: MetadataFilter | undefined =
        groups === undefined ? undefined : { group: { $in: [...groups] } };
      const results = await open().queryItems(vector as unknown as number[], '', top, filter);
      return results.map(({ item, score }) => ({ id: item.id, score }));
    },
    async items() {
      const items = await open().listItems();
      return items.map(({ id, vector, metadata }) => ({
        id,
        vector: vector as unknown as Float32Array,
        metadata: metadata as unknown as VectorItem['metadata'],
      }));
    },
  };
}

function checkDims(vector: Float32Array, dims: number): void {
  if (vector.length === dims) return;
  throw new ToolError(ExitCode.model, `the query has ${vector.length} dimensions, the index ${dims}`, {
    hint: 'use the embedder that the index was made with',
  });
}

/** vectra's package entry loads tokenizers and web parsers (0.7 s); its index class alone takes a fifth of that. */
function loadVectra(): { LocalIndex: typeof LocalIndex } {
  const require = createRequire(import.meta.url);
  const lib = dirname(require.resolve('vectra'));
  return require(join(lib, 'LocalIndex.js')) as { LocalIndex: typeof LocalIndex };
}
