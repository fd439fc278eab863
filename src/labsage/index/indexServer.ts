/** An index whose vectors lie on a server → them as a `VectorStore`; and the units of a corpus → what the server lacks. */

import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { embedBatches } from '../../core/embedBatches.js';
import { ToolError, systemCode } from '../../core/errors.js';
import { takeShard, type Shard } from '../../core/shard.js';
import { createPrivateFolder } from '../../core/store/atomicFiles.js';
import type { ChromaOptions } from '../../core/store/chromaClient.js';
import { DamagedError, readManifest, type OpenFiles } from '../../core/store/publication.js';
import { openServerStore } from '../../core/store/serverStore.js';
import {
  collectionName,
  openServerVectors,
  vectorKey,
  type ServerVectors,
} from '../../core/store/serverVectors.js';
import { parseStore, type ServerPlace } from '../../core/store/storeName.js';
import type { VectorStore } from '../../core/store/vectorStore.js';
import type { Embedder, EmbedderFingerprint } from '../../core/types.js';
import type { PreparedDocument } from './encodeIndex.js';
import type { IndexedDocument, Manifest } from './indexFormat.js';

/** How a server is reached; `place` where it is another than the manifest says. */
export interface ServerAccess extends ChromaOptions {
  readonly place?: ServerPlace | undefined;
}

/** The store of an index that was opened. */
export async function openIndexServer(
  folder: string,
  content: {
    manifest: Manifest;
    files: OpenFiles;
    documents: readonly IndexedDocument[];
    access: ServerAccess;
  },
): Promise<VectorStore> {
  const { manifest, files, documents, access } = content;
  const hashes = JSON.parse((await files.readAll('hashes')).toString('utf8')) as string[];
  const units = documents.flatMap(({ id, units: own }) => own.map((unit) => ({ id: unit.id, group: id })));
  const items = units.map((unit, at) => ({ ...unit, hash: hashes[at] ?? '' }));
  const sealed = JSON.stringify(manifest);
  return openServerStore(
    async () => {
      const place = access.place ?? parseStore(manifest.store ?? '');
      if (place === undefined) throw new Error('the manifest names no server');
      const owner = await readIndexId(folder);
      return openServerVectors(place, { ...access, ...serverRules(manifest.embedder, owner), create: false });
    },
    items,
    {
      dims: manifest.embedder.dims,
      isCurrent: async () => JSON.stringify(await readManifest(folder)) === sealed,
    },
  );
}

/** For writing: makes the collection where there is none. */
export async function openServerToWrite(
  folder: string,
  {
    place,
    fingerprint,
    access,
  }: { place: ServerPlace; fingerprint: EmbedderFingerprint; access: ChromaOptions },
): Promise<ServerVectors> {
  const owner = await indexId(folder);
  return openServerVectors(place, { ...access, ...serverRules(fingerprint, owner), create: true });
}

function serverRules(
  fingerprint: EmbedderFingerprint,
  owner: string | undefined,
): { fingerprint: EmbedderFingerprint; groupField: 'document'; owner: string | undefined } {
  return { fingerprint, groupField: 'document', owner };
}

/** What tells an index from every other, so that no collection gets two writers who delete each other's vectors. */
function idPath(folder: string): string {
  return join(folder, 'index-id');
}

/** Another shard may be writing it. */
const ID_ATTEMPTS = 20;
const ID_WAIT_MS = 50;

async function readIndexId(folder: string): Promise<string | undefined> {
  try {
    for (let attempt = 1; ; attempt++) {
      const id = (await readFile(idPath(folder), 'utf8')).trim();
      if (id !== '' || attempt === ID_ATTEMPTS) return id;
      await sleep(ID_WAIT_MS);
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Made at the first call. */
async function indexId(folder: string): Promise<string> {
  const known = await readIndexId(folder);
  if (known !== undefined) return known;
  await createPrivateFolder(folder);
  // Of two shards that start at once, the second takes the first one's.
  await writeFile(idPath(folder), `${randomUUID()}\n`, { mode: 0o600, flag: 'wx' }).catch(
    (error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw error;
    },
  );
  return indexId(folder);
}

/** Deletes the collection that the index was on and is no more; returns why it could not. */
export async function dropOldCollection(
  now: {
    folder: string;
    fingerprint: EmbedderFingerprint;
    store?: ServerPlace | undefined;
    access?: ChromaOptions;
  },
  before: Manifest | undefined,
): Promise<string | undefined> {
  const place = before?.store === undefined ? undefined : parseStore(before.store);
  if (before === undefined || place === undefined) return undefined;
  const isSame =
    now.store !== undefined &&
    now.store.url === place.url &&
    collectionName(now.store, now.fingerprint) === collectionName(place, before.embedder);
  if (isSame) return undefined;
  try {
    const rules = serverRules(before.embedder, await readIndexId(now.folder));
    await (await openServerVectors(place, { ...now.access, ...rules, create: true })).drop();
    return undefined;
  } catch (error) {
    if (error instanceof ToolError) return error.message;
    throw error;
  }
}

/** What the units of a corpus are stored under. */
export function keysOf(prepared: readonly PreparedDocument[]): string[] {
  return prepared.flatMap(({ indexed, hashes }) => hashes.map((hash) => vectorKey(indexed.id, hash)));
}

export interface UploadOptions {
  readonly server: ServerVectors;
  /** Vectors that need not be made again. */
  readonly stores: readonly VectorStore[];
  readonly openEmbedder: () => Promise<Embedder>;
  /** Only this part of the texts. */
  readonly shard?: Shard | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Texts embedded between two writes: what an interrupted run loses at most. */
const TEXTS_AT_A_TIME = 64;

/**
 * Writes what the server lacks; an interrupted run goes on there. Returns how many texts the model read.
 * Throws `DamagedError` where a vector is gone whose text is not at hand.
 */
export async function uploadMissing(
  prepared: readonly PreparedDocument[],
  options: UploadOptions,
): Promise<number> {
  const { server, signal } = options;
  const wanted = new Map<string, { text: string | undefined; groups: Set<string> }>();
  for (const { indexed, hashes, texts } of prepared) {
    hashes.forEach((hash, at) => {
      const entry = wanted.get(hash) ?? { text: undefined, groups: new Set() };
      wanted.set(hash, { text: entry.text ?? texts[at], groups: entry.groups.add(indexed.id) });
    });
  }
  const own = options.shard === undefined ? [...wanted] : takeShard([...wanted], options.shard);
  const placesOf = ([hash, { groups }]: (typeof own)[number]): { key: string; group: string }[] =>
    [...groups].map((group) => ({ key: vectorKey(group, hash), group }));
  const missing = new Set(
    await server.missing(own.flatMap((entry) => placesOf(entry).map(({ key }) => key))),
  );
  if (missing.size === 0) return 0;
  const lacking = own.filter((entry) => placesOf(entry).some(({ key }) => missing.has(key)));
  const known = new Map<string, Float32Array>();
  for (const store of options.stores)
    for (const { metadata, vector } of await store.items()) known.set(metadata.hash, vector);
  const places = new Map(lacking.map((entry) => [entry[0], placesOf(entry)]));
  const write = (vectors: readonly { hash: string; vector: Float32Array }[]): Promise<void> =>
    server.write(
      vectors.flatMap(({ hash, vector }) => (places.get(hash) ?? []).map((place) => ({ ...place, vector }))),
    );
  const toEmbed: [string, string][] = [];
  let batch: { hash: string; vector: Float32Array }[] = [];
  for (const [hash, { text }] of lacking) {
    const vector = known.get(hash);
    if (vector !== undefined) batch.push({ hash, vector });
    else if (text !== undefined) toEmbed.push([hash, text]);
    else throw new DamagedError(server.place.name, 'vectors of unchanged SOPs are missing there');
    if (batch.length === TEXTS_AT_A_TIME) {
      signal?.throwIfAborted();
      await write(batch);
      batch = [];
    }
  }
  await write(batch);
  if (toEmbed.length === 0) return 0;
  const embedder = await options.openEmbedder();
  try {
    const batches = embedBatches(toEmbed, { ...options, embedder, size: TEXTS_AT_A_TIME });
    for await (const made of batches) await write(made);
  } finally {
    await embedder.close();
  }
  return toEmbed.length;
}
