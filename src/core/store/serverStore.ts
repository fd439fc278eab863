/** Vectors on a server + the list of what is stored → the same hits in the same order as the file gives (`VectorStore`). */

import { ExitCode, ToolError } from '../errors.js';
import { vectorKey, type ServerVectors } from './serverVectors.js';
import { checkDims, nearest, type VectorHit, type VectorItem, type VectorStore } from './vectorStore.js';

/** What an item is, in stored order; its vector lies on the server under `vectorKey(group, hash)`. */
export interface ServerItem {
  readonly id: string;
  readonly hash: string;
  readonly group: string;
}

export interface ServerStoreOptions {
  readonly dims: number;
  /** False once a writer published anew: what was listed here may be deleted there. */
  readonly isCurrent: () => Promise<boolean>;
}

/** The server is asked for so many times what is wanted, at least, and widens its search accordingly. */
const WIDER = 2;
/** How far the server's float32 sums may lie from ours. */
const DISTANCE_ERROR = 1e-5;
/** Vectors that a process keeps, so that the next question need not fetch them again. */
const KEPT_VECTORS = 20_000;

/**
 * Order and scores are those of the exact scan: the server's candidates are fetched and scored here, by the file's own
 * arithmetic. Where the server is asked for as many as there are (up to `WIDER` × `top` items), none can be missed;
 * above that, its approximate search decides which are candidates, and may miss some.
 */
export function openServerStore(
  open: () => Promise<ServerVectors>,
  items: readonly ServerItem[],
  options: ServerStoreOptions,
): VectorStore {
  let server: Promise<ServerVectors> | undefined;
  const connect = (): Promise<ServerVectors> => (server ??= open().then(checkComplete));
  const keys = items.map(({ group, hash }) => vectorKey(group, hash));
  const rowsOf = new Map<string, number[]>();
  keys.forEach((key, row) => {
    const rows = rowsOf.get(key);
    if (rows === undefined) rowsOf.set(key, [row]);
    else rows.push(row);
  });
  const kept = new Map<string, Float32Array>();

  async function checkComplete(opened: ServerVectors): Promise<ServerVectors> {
    if ((await opened.count()) < rowsOf.size) throw await incomplete(opened);
    return opened;
  }

  async function incomplete({ place }: ServerVectors): Promise<ToolError> {
    return (await options.isCurrent())
      ? new ToolError(ExitCode.input, `vectors of the index are missing in ${place.name}`, {
          hint: 'run the index command again: it writes what is missing',
        })
      : new ToolError(ExitCode.input, 'the index was written anew while it was being read', {
          hint: 'run the command again',
        });
  }

  async function vectorsOf(wanted: readonly string[]): Promise<ReadonlyMap<string, Float32Array>> {
    const opened = await connect();
    const unknown = wanted.filter((key) => !kept.has(key));
    const fetched = await opened.read(unknown);
    if (fetched.size < unknown.length) throw await incomplete(opened);
    const vectors = new Map(
      wanted.flatMap((key) => {
        const vector = kept.get(key) ?? fetched.get(key);
        return vector === undefined ? [] : [[key, vector] as const];
      }),
    );
    if (kept.size + fetched.size > KEPT_VECTORS) kept.clear();
    if (fetched.size <= KEPT_VECTORS) for (const [key, vector] of fetched) kept.set(key, vector);
    return vectors;
  }

  /** Keys among which the `top` nearest are, of the groups asked for. */
  async function candidates(
    vector: Float32Array,
    { top, groups }: { top: number; groups: ReadonlySet<string> | undefined },
  ): Promise<string[]> {
    const wanted = new Set(keys.filter((_, row) => groups?.has(items[row]?.group ?? '') ?? true));
    if (wanted.size <= top) return [...wanted];
    const opened = await connect();
    const stored = await opened.count();
    const limit = groupLimit(items, groups);
    for (let asked = WIDER * top; ; asked *= 2) {
      const found = await opened.nearest(vector, { top: Math.min(asked, stored), groups: limit });
      const ours = found.filter(({ key }) => wanted.has(key));
      // What another run put there and did not publish takes places.
      if (ours.length < top && found.length >= asked && asked < stored) continue;
      const farthest = (ours[top - 1]?.distance ?? Infinity) + DISTANCE_ERROR;
      const near = ours.filter(({ distance }) => distance <= farthest).map(({ key }) => key);
      if (wanted.size > asked && ours.length >= top) return near;
      const seen = new Set(ours.map(({ key }) => key));
      return [...near, ...[...wanted].filter((key) => !seen.has(key))];
    }
  }

  return {
    async load() {
      await connect();
    },
    async query(vector, { top, groups }): Promise<VectorHit[]> {
      checkDims(vector, options.dims);
      const near = await candidates(vector, {
        top,
        groups: groups === undefined ? undefined : new Set(groups),
      });
      const vectors = await vectorsOf(near);
      const opened = await connect();
      if (!(await options.isCurrent()) && (await opened.missing([...rowsOf.keys()])).length > 0)
        throw await incomplete(opened);
      const rows = near.flatMap((key) => (rowsOf.get(key) ?? []).map((row) => ({ row, key })));
      rows.sort((a, b) => a.row - b.row);
      const matrix = new Float32Array(rows.length * options.dims);
      rows.forEach(({ key }, at) => matrix.set(vectors.get(key) ?? [], at * options.dims));
      const found = rows.map(({ row }) => items[row]);
      return nearest(vector, {
        matrix: {
          ids: found.map((item) => item?.id ?? ''),
          groups: found.map((item) => item?.group ?? ''),
          vectors: matrix,
          dims: options.dims,
        },
        top,
        groups: undefined,
      });
    },
    async items(): Promise<VectorItem[]> {
      const vectors = await (await connect()).read([...rowsOf.keys()]);
      return items.flatMap(({ id, hash, group }, row) => {
        const vector = vectors.get(keys[row] ?? '');
        return vector === undefined ? [] : [{ id, vector, metadata: { hash, group } }];
      });
    },
    hashes: () => Promise.resolve(new Map(items.map(({ id, hash }) => [id, hash]))),
  };
}

/** The shorter of both lists. */
function groupLimit(
  items: readonly ServerItem[],
  groups: ReadonlySet<string> | undefined,
): { only: boolean; names: readonly string[] } | undefined {
  if (groups === undefined) return undefined;
  const others = [...new Set(items.map(({ group }) => group))].filter((group) => !groups.has(group));
  if (others.length === 0) return undefined;
  return others.length < groups.size ? { only: false, names: others } : { only: true, names: [...groups] };
}
