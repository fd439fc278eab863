/**
 * A named collection + an embedder → unit vectors on a server, each under a key and in one group (a document, a patient).
 * The server holds keys, groups and vectors alone; texts stay here.
 */

import { ExitCode, ToolError } from '../errors.js';
import { sha256Hex } from '../text.js';
import type { EmbedderFingerprint } from '../types.js';
import type { ChromaCollection, ChromaOptions, ChromaRecord, Where } from './chromaClient.js';
import type { ServerPlace } from './storeName.js';

export interface KeyedVector {
  readonly key: string;
  readonly group: string;
  readonly vector: Float32Array;
}

export interface NearKey {
  readonly key: string;
  /** 1 - cosine, as the server computed it. */
  readonly distance: number;
}

export interface ServerVectors {
  readonly place: ServerPlace;
  count(): Promise<number>;
  /** Which of the keys have no vector there. */
  missing(keys: readonly string[]): Promise<string[]>;
  /**
   * What is there of the keys. With `group`, the server is asked for that group alone.
   * Throws (exit 3) for a record that was not asked for, of another group, or damaged.
   */
  read(keys: readonly string[], options?: { group?: string }): Promise<Map<string, Float32Array>>;
  /** Approximate and nearest first; `groups` limits the search on the server. */
  nearest(
    vector: Float32Array,
    options: {
      top: number;
      groups?: { readonly only: boolean; readonly names: readonly string[] } | undefined;
    },
  ): Promise<NearKey[]>;
  /** Adds or replaces; safe to repeat. */
  write(entries: readonly KeyedVector[]): Promise<void>;
  /** Deletes everything else. */
  keepOnly(keys: ReadonlySet<string>): Promise<number>;
  /** Deletes the whole collection. */
  drop(): Promise<void>;
}

export interface ServerVectorsOptions extends ChromaOptions {
  readonly fingerprint: EmbedderFingerprint;
  /** What a group is called in the records' metadata. */
  readonly groupField: 'document' | 'patient';
  /** Whose vectors they are, where only one may write and delete. */
  readonly owner?: string | undefined;
  /** False: throws (exit 3) where there is no such collection yet. */
  readonly create: boolean;
}

/** Ids in one request. */
const PAGE = 1000;

/** 32 hex digits of what was embedded and for whom: equal texts of two groups are two records. */
export function vectorKey(group: string, hash: string): string {
  return sha256Hex(`${group}\n${hash}`).slice(0, 32);
}

/** Vectors of two embedders never meet: each has a collection of its own, whose name ends in its fingerprint's hash. */
export function collectionName({ collection }: ServerPlace, fingerprint: EmbedderFingerprint): string {
  return `${collection}-${sha256Hex(JSON.stringify(fingerprint)).slice(0, 16)}`;
}

/** Throws (exit 3) where the server is down or another version, or the collection is another program's or owner's. */
export async function openServerVectors(
  place: ServerPlace,
  options: ServerVectorsOptions,
): Promise<ServerVectors> {
  const { openChroma } = await import('./chromaClient.js');
  const server = await openChroma(place.url, options);
  const name = collectionName(place, options.fingerprint);
  const metadata = {
    program: options.groupField === 'patient' ? 'clirag' : 'labsage',
    embedder: JSON.stringify(options.fingerprint),
    ...(options.owner === undefined ? {} : { owner: options.owner }),
  };
  const collection = options.create ? await server.create(name, metadata) : await server.find(name);
  if (collection === undefined) {
    throw new ToolError(ExitCode.input, `there is no collection ${name} on ${place.url}`, {
      hint: 'run the index command with the same --store: it makes it',
    });
  }
  for (const [field, value] of Object.entries(metadata)) {
    if (collection.metadata[field] === value) continue;
    const whose = field === 'owner' ? 'belongs to another index' : `was not made by ${metadata.program}`;
    throw new ToolError(ExitCode.input, `the collection ${name} on ${place.url} ${whose}`, {
      hint: 'name another collection with --store, or delete that one on the server',
    });
  }
  return {
    place,
    ...recordsOf(collection, { ...options, where: `${name} on ${place.url}` }),
    drop: () => server.drop(name),
  };
}

function recordsOf(
  collection: ChromaCollection,
  { groupField, where, signal }: ServerVectorsOptions & { where: string },
): Omit<ServerVectors, 'place' | 'drop'> {
  const check = (
    { id, vector, metadata }: ChromaRecord,
    { asked, group }: { asked: ReadonlySet<string>; group: string | undefined },
  ): void => {
    const fault =
      group !== undefined && metadata[groupField] !== group
        ? `gave a record of another ${groupField}`
        : !asked.has(id)
          ? 'gave a record that was not asked for'
          : metadata['check'] !== checkOf(vector)
            ? 'holds a damaged vector'
            : undefined;
    if (fault === undefined) return;
    throw new ToolError(ExitCode.input, `the collection ${where} ${fault}`, {
      hint: 'delete the collection on the server and run the index command again',
    });
  };
  return {
    count: () => collection.count(),
    async missing(keys) {
      const found = new Set<string>();
      for (const part of pages(keys)) {
        signal?.throwIfAborted();
        for (const id of await collection.present(part)) found.add(id);
      }
      return keys.filter((key) => !found.has(key));
    },
    async read(keys, { group } = {}) {
      const found = new Map<string, Float32Array>();
      const asked = new Set(keys);
      const filter: Where | undefined = group === undefined ? undefined : { [groupField]: { $in: [group] } };
      for (const part of pages(keys)) {
        signal?.throwIfAborted();
        for (const record of await collection.get(part, filter)) {
          check(record, { asked, group });
          found.set(record.id, record.vector);
        }
      }
      return found;
    },
    async nearest(vector, { top, groups }) {
      const names = groups?.names ?? [];
      const filter: Where | undefined =
        groups === undefined ? undefined : { [groupField]: groups.only ? { $in: names } : { $nin: names } };
      const found = await collection.query(vector, { top, where: filter });
      return found.map(({ id, distance }) => ({ key: id, distance }));
    },
    write: (entries) =>
      collection.upsert(
        entries.map(({ key, group, vector }) => ({
          id: key,
          vector,
          metadata: { [groupField]: group, check: checkOf(vector) },
        })),
      ),
    async keepOnly(keys) {
      const gone: string[] = [];
      for (let offset = 0; ; offset += PAGE) {
        const page = await collection.page({ offset, limit: PAGE });
        gone.push(...page.filter((id) => !keys.has(id)));
        if (page.length < PAGE) break;
      }
      await collection.delete(gone);
      return gone.length;
    },
  };
}

function* pages(keys: readonly string[]): Generator<readonly string[]> {
  const distinct = [...new Set(keys)];
  for (let from = 0; from < distinct.length; from += PAGE) yield distinct.slice(from, from + PAGE);
}

/** 16 hex digits of the vector's bytes: a server that rounds, scales or mixes up is found out. */
function checkOf(vector: Float32Array): string {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return sha256Hex(bytes).slice(0, 16);
}
