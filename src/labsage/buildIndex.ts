/** SOP files + an embedder → a published index; only what changed is read, cut and embedded again. */

import { join } from 'node:path';
import { ExitCode, ToolError } from '../core/errors.js';
import type { Shard } from '../core/shard.js';
import { withFolderLock, type AssertHeld, type LockOptions } from '../core/store/folderLock.js';
import { DamagedError, publish } from '../core/store/publication.js';
import type { ChromaOptions } from '../core/store/chromaClient.js';
import { vectorKey, type ServerVectors } from '../core/store/serverVectors.js';
import type { ServerPlace } from '../core/store/storeName.js';
import { timed } from '../core/trace.js';
import { removeCheckpoints } from '../core/store/vectorCheckpoint.js';
import type { VectorStore } from '../core/store/vectorStore.js';
import { SPECIAL_TOKENS } from '../core/tokenCounter.js';
import type { Embedder, EmbedderFingerprint } from '../core/types.js';
import { cutSopFiles } from './cutFiles.js';
import { hashFiles } from './index/hashedFiles.js';
import { embedMissing, type EmbedMissingOptions } from './index/embedMissing.js';
import { dropOldCollection, keysOf, openServerToWrite, uploadMissing } from './index/indexServer.js';
import {
  distinctHeadings,
  encodeCorpus,
  prepareCut,
  recordOf,
  textHash,
  type PreparedDocument,
} from './index/encodeIndex.js';
import { FORMAT_VERSION, type Chunking, type IndexedDocument, type Manifest } from './index/indexFormat.js';
import {
  hasSameSettings,
  openSopIndex,
  readAllDocuments,
  readSopManifest,
  sameFingerprint,
  type SopIndex,
} from './sopIndex.js';
import { compareText, type Skipped, type SopFile } from './documents/sopFiles.js';
import type { CutDocument } from './units.js';

export interface BuildOptions {
  readonly folder: string;
  readonly chunking: Chunking;
  readonly fingerprint: EmbedderFingerprint;
  /** Called only if something has to be embedded. */
  readonly openEmbedder: () => Promise<Embedder>;
  /** Where the units' vectors go, if not into the folder. */
  readonly store?: ServerPlace | undefined;
  /** How that server, or the one that the old index is on, is reached. */
  readonly access?: ChromaOptions;
  /** With a server: embeds this part of the texts alone and publishes nothing. */
  readonly shard?: Shard | undefined;
  /** Other vectors of the same embedder: texts that are in them are not embedded again. */
  readonly reuse?: readonly VectorStore[];
  readonly signal?: AbortSignal;
  readonly onProgress?: (stage: 'reading' | 'embedding', done: number, total: number) => void;
  readonly onWait?: () => void;
}

export interface BuildReport {
  readonly changed: boolean;
  readonly documents: number;
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly removed: readonly string[];
  readonly skipped: readonly Skipped[];
  /** Why the index that was there could not be used and was written anew. */
  readonly damage?: string;
  /** Why the vectors of the index that was there are still on its server. */
  readonly leftBehind?: string;
  readonly contextUnits: number;
  readonly searchUnits: number;
  /** Texts that the model read in this run, headings included. */
  readonly embedded: number;
}

/** Makes the index in `folder` equal to the given files. Throws (exit 3) and changes nothing if none can be read. */
export async function buildSopIndex(files: readonly SopFile[], options: BuildOptions): Promise<BuildReport> {
  if (files.length === 0) throw nothingFound([]);
  return withOldIndex(options, async (old, assertHeld) => {
    const skipped: Skipped[] = [];
    const hashed = await timed('read files', () => hashFiles(files, { ...options, skipped }));
    const changed = hashed.filter((file) => !isKept(file, old));
    const fresh = await timed('cut SOPs', () =>
      cutSopFiles(changed, {
        chunking: options.chunking,
        signal: options.signal,
        onProgress: (done, total) => options.onProgress?.('reading', done, total),
      }),
    );
    skipped.push(...fresh.skipped);
    const isFresh = new Set(changed.map(({ id }) => id));
    const order = hashed.map(({ id }) => id);
    const kept = new Set(order.filter((id) => !isFresh.has(id)));
    return publishCorpus({ cut: fresh.cut, kept, old, skipped, order, assertHeld }, options);
  });
}

/** As `buildSopIndex`, from documents that were cut elsewhere (`labsage index -`). */
export async function buildSopIndexFromUnits(
  documents: readonly CutDocument[],
  options: BuildOptions,
): Promise<BuildReport> {
  if (documents.length === 0) throw nothingFound([]);
  checkLengths(documents, options.fingerprint);
  return withOldIndex(options, (old, assertHeld) => {
    const order = documents.map(({ document }) => document.id);
    const cut = documents.filter(({ document }) => !isKept(document, old));
    const changed = new Set(cut.map(({ document }) => document.id));
    const kept = new Set(order.filter((id) => !changed.has(id)));
    return publishCorpus({ cut, kept, old, skipped: [], order, assertHeld }, options);
  });
}

/** Found by the unit's name here, where the model could only name it by number. */
function checkLengths(documents: readonly CutDocument[], { id, maxTokens }: EmbedderFingerprint): void {
  for (const { units } of documents) {
    const long = units.find(({ tokens }) => tokens + SPECIAL_TOKENS > maxTokens);
    if (long === undefined) continue;
    throw new ToolError(
      ExitCode.input,
      `search unit ${long.id} has ${long.tokens + SPECIAL_TOKENS} tokens, ${id} reads ${maxTokens} at most`,
      { hint: 'cut it into smaller search units' },
    );
  }
}

/** The index that is there. */
interface OldIndex {
  /** If its vectors are of the same embedder. */
  readonly index: SopIndex | undefined;
  /** If its documents were also cut as this run would do it: unchanged ones are taken as they are. */
  readonly isSameCut: boolean;
  /** Also of another embedder; absent where there is none, or a damaged one. */
  readonly manifest?: Manifest;
  readonly damage?: string;
}

/** Opens the old index under the lock and closes it afterwards; a damaged one counts as none. */
async function withOldIndex(
  options: BuildOptions,
  work: (old: OldIndex, assertHeld: AssertHeld) => Promise<BuildReport>,
): Promise<BuildReport> {
  return withFolderLock(options.folder, lockOptions(options), async (assertHeld) => {
    const old = await openOldIndex(options);
    try {
      return await work(old, assertHeld);
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error;
      return await work({ index: undefined, isSameCut: false, damage: error.message }, assertHeld);
    } finally {
      await old.index?.close();
    }
  });
}

async function openOldIndex(options: BuildOptions): Promise<OldIndex> {
  try {
    const manifest = await readSopManifest(options.folder);
    if (manifest === undefined) return { index: undefined, isSameCut: false };
    if (!sameFingerprint(manifest.embedder, options.fingerprint))
      return { index: undefined, isSameCut: false, manifest };
    const index = await openSopIndex(options.folder, { server: options.access ?? {} });
    return { index, isSameCut: hasSameSettings(index.manifest, options), manifest };
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
    return { index: undefined, isSameCut: false, damage: error.message };
  }
}

function isKept(document: { id: string; sha256: string; path: string }, old: OldIndex): boolean {
  const before = old.isSameCut ? old.index?.document(document.id) : undefined;
  return before?.sha256 === document.sha256 && before.path === document.path;
}

function lockOptions({ onWait, signal, shard }: BuildOptions): LockOptions {
  return {
    // Shards write to the server alone, side by side.
    name: shard === undefined ? 'write' : `shard-${shard.number}-of-${shard.count}`,
    ...(onWait === undefined ? {} : { onWait }),
    ...(signal === undefined ? {} : { signal }),
  };
}

interface Corpus {
  readonly cut: readonly CutDocument[];
  /** Ids of documents that are taken from the old index as they are. */
  readonly kept: ReadonlySet<string>;
  readonly old: OldIndex;
  readonly skipped: readonly Skipped[];
  readonly order: readonly string[];
  readonly assertHeld: AssertHeld;
}

function nothingFound(skipped: readonly Skipped[]): ToolError {
  const why = skipped.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
  return new ToolError(
    ExitCode.input,
    why === '' ? 'found no SOP (.md .txt .html .docx .pdf)' : `no SOP could be read (${why})`,
    { hint: 'name a folder or file with SOPs' },
  );
}

async function publishCorpus(corpus: Corpus, options: BuildOptions): Promise<BuildReport> {
  const { cut, kept, skipped } = corpus;
  const { index: old, isSameCut, damage } = corpus.old;
  if (cut.length + kept.size === 0) throw nothingFound(skipped);
  const before = new Set(old?.documents.map(({ id }) => id) ?? []);
  const present = new Set([...kept, ...cut.map(({ document }) => document.id)]);
  const removed = (old?.documents ?? []).filter(({ id }) => !present.has(id)).map(({ path }) => path);
  const pathsOf = (wasThere: boolean): string[] =>
    cut.filter(({ document }) => before.has(document.id) === wasThere).map(({ document }) => document.path);
  const report = {
    added: pathsOf(false),
    updated: pathsOf(true),
    removed,
    skipped: [...skipped].sort((a, b) => compareText(a.path, b.path)),
    documents: present.size,
    ...(damage === undefined ? {} : { damage }),
  };
  const server = await openServer(options);
  const isSamePlace = old?.manifest.store === options.store?.name;
  const isUnchanged = isSameCut && isSamePlace && cut.length === 0 && removed.length === 0;
  if (old !== undefined && isUnchanged && options.shard === undefined) {
    // "Unchanged" is only true of a whole index.
    for (const role of Object.keys(old.manifest.files)) await old.files.readAll(role);
    if (server !== undefined) await checkServer(old, server);
    await removeCheckpoints(options.folder);
    return { ...report, ...countUnits(old.documents), changed: false, embedded: 0 };
  }
  const prepared = await prepareDocuments(corpus);
  const embedding: EmbedMissingOptions & { stores: readonly VectorStore[] } = {
    ...options,
    onProgress: (done, total) => options.onProgress?.('embedding', done, total),
    // What is on the server already need not come from there.
    stores: [
      ...(old === undefined ? [] : vectorStores(old)).filter(
        (store) => server === undefined || !isSamePlace || store !== old?.vectors,
      ),
      ...(options.reuse ?? []),
    ],
  };
  const uploaded =
    server === undefined ? 0 : await uploadMissing(prepared, { ...embedding, server, shard: options.shard });
  if (options.shard !== undefined) {
    const units = countUnits(prepared.map(({ indexed }) => indexed));
    return { ...report, ...units, changed: false, embedded: uploaded };
  }
  const headings = options.chunking.preset === 'labsage' ? distinctHeadings(prepared) : [];
  const wanted = new Map(
    server !== undefined
      ? []
      : prepared.flatMap(({ hashes, texts }) => hashes.map((hash, at) => [hash, texts[at]] as const)),
  );
  for (const heading of headings) wanted.set(textHash(heading), heading);
  const { vectorOf, embedded, finish } = await embedMissing(wanted, embedding);
  const { files, documents } = encodeCorpus({
    prepared,
    headings,
    vectorOf,
    onServer: server !== undefined,
  });
  options.signal?.throwIfAborted();
  const listed = documents.map(({ id, path, sha256, units }) => ({ id, path, sha256, units: units.length }));
  await timed('write index', () =>
    publish(options.folder, {
      files,
      assertHeld: corpus.assertHeld,
      rest: {
        formatVersion: FORMAT_VERSION,
        embedder: options.fingerprint,
        chunking: options.chunking,
        ...(options.store === undefined ? {} : { store: options.store.name }),
        documents: listed,
      },
    }),
  );
  await finish();
  await server?.keepOnly(new Set(keysOf(prepared)));
  const leftBehind = await dropOldCollection(options, corpus.old.manifest);
  return {
    ...report,
    ...countUnits(documents),
    changed: true,
    embedded: embedded + uploaded,
    ...(leftBehind === undefined ? {} : { leftBehind }),
  };
}

async function openServer({
  folder,
  store,
  fingerprint,
  access = {},
}: BuildOptions): Promise<ServerVectors | undefined> {
  return store && openServerToWrite(folder, { place: store, fingerprint, access });
}

/** Every vector of the index is there, and nothing that a killed run left. */
async function checkServer(index: SopIndex, server: ServerVectors): Promise<void> {
  const hashes = await index.vectors.hashes();
  const keys = index.documents.flatMap(({ id, units }) =>
    units.map((unit) => vectorKey(id, hashes.get(unit.id) ?? '')),
  );
  if ((await server.missing(keys)).length > 0)
    throw new DamagedError(server.place.name, 'vectors are missing there');
  await server.keepOnly(new Set(keys));
}

/** All vectors of an index, to be used again for the same texts. */
export function vectorStores({ vectors, headings }: SopIndex): VectorStore[] {
  return headings === undefined ? [vectors] : [vectors, headings];
}

function countUnits(
  documents: readonly Pick<IndexedDocument, 'contexts' | 'units'>[],
): Pick<BuildReport, 'contextUnits' | 'searchUnits'> {
  return {
    contextUnits: documents.reduce((sum, { contexts }) => sum + contexts.length, 0),
    searchUnits: documents.reduce((sum, { units }) => sum + units.length, 0),
  };
}

async function prepareDocuments(corpus: Corpus): Promise<PreparedDocument[]> {
  const { cut, kept, order } = corpus;
  const { index: old } = corpus.old;
  const byId = new Map<string, PreparedDocument>();
  for (const one of cut) byId.set(one.document.id, prepareCut(one));
  if (old !== undefined && kept.size > 0) {
    const hashOf = await old.vectors.hashes();
    const documents = await readAllDocuments(old);
    documents.forEach((document, at) => {
      const indexed = old.documents[at];
      if (indexed === undefined || !kept.has(document.id)) return;
      const hashes = indexed.units.map(({ id }) => hashOf.get(id) ?? '');
      byId.set(document.id, {
        indexed,
        record: recordOf(document),
        hashes,
        texts: hashes.map(() => undefined),
      });
    });
  }
  return order.flatMap((id) => byId.get(id) ?? []);
}

/** Where the index remembers which folders it was made from, for `labsage index` without a path. */
export function sourcesPath(folder: string): string {
  return join(folder, 'sources.json');
}
