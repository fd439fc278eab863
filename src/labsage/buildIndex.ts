/** SOP files + an embedder → a published index; only what changed is read, cut and embedded again. */

import { join } from 'node:path';
import { ExitCode, ToolError } from '../core/errors.js';
import { withFolderLock, type AssertHeld, type LockOptions } from '../core/store/folderLock.js';
import { DamagedError, publish } from '../core/store/publication.js';
import { timed } from '../core/trace.js';
import { removeCheckpoints } from '../core/store/vectorCheckpoint.js';
import type { VectorStore } from '../core/store/vectorStore.js';
import { sha256Hex } from '../core/text.js';
import { SPECIAL_TOKENS } from '../core/tokenCounter.js';
import type { Embedder, EmbedderFingerprint } from '../core/types.js';
import { cutSopFiles } from './cutFiles.js';
import { embedMissing } from './index/embedMissing.js';
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
  openSopIndex,
  readAllDocuments,
  readSopManifest,
  sameFingerprint,
  type SopIndex,
} from './sopIndex.js';
import { compareText, readSopFile, skipReason, type Skipped, type SopFile } from './documents/sopFiles.js';
import type { CutDocument } from './units.js';

export interface BuildOptions {
  readonly folder: string;
  readonly chunking: Chunking;
  readonly fingerprint: EmbedderFingerprint;
  /** Called only if something has to be embedded. */
  readonly openEmbedder: () => Promise<Embedder>;
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
  readonly contextUnits: number;
  readonly searchUnits: number;
  /** Texts that the model read in this run, headings included. */
  readonly embedded: number;
}

/** A file with its bytes' hash. */
interface HashedFile extends SopFile {
  readonly sha256: string;
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
    if (manifest === undefined || !sameFingerprint(manifest.embedder, options.fingerprint))
      return { index: undefined, isSameCut: false };
    const index = await openSopIndex(options.folder);
    return { index, isSameCut: hasSameSettings(index.manifest, options) };
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
    return { index: undefined, isSameCut: false, damage: error.message };
  }
}

function isKept(document: { id: string; sha256: string; path: string }, old: OldIndex): boolean {
  const before = old.isSameCut ? old.index?.document(document.id) : undefined;
  return before?.sha256 === document.sha256 && before.path === document.path;
}

/** Which documents `files` would change, by path; reads and hashes, loads no model. */
export async function compareWithIndex(
  files: readonly SopFile[],
  options: Pick<BuildOptions, 'folder' | 'chunking' | 'fingerprint' | 'signal'>,
): Promise<IndexComparison> {
  const manifest = await readSopManifest(options.folder);
  const skipped: Skipped[] = [];
  const hashed = await hashFiles(files, { skipped, signal: options.signal });
  const before = new Map((manifest?.documents ?? []).map(({ path, sha256 }) => [path, sha256]));
  const now = new Map(hashed.map(({ path, sha256 }) => [path, sha256]));
  const added = hashed.filter(({ path }) => !before.has(path));
  const readable = await cutSopFiles(added, options);
  skipped.push(...readable.skipped);
  const isSkipped = new Set(skipped.map(({ path }) => path));
  return {
    added: added.map(({ path }) => path).filter((path) => !isSkipped.has(path)),
    updated: [...now]
      .filter(([path, sha256]) => before.has(path) && before.get(path) !== sha256)
      .map(([path]) => path),
    removed: [...before.keys()].filter((path) => !now.has(path)),
    skipped,
    settings: manifest !== undefined && !hasSameSettings(manifest, options),
  };
}

/** Paths. */
export interface IndexComparison {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly removed: readonly string[];
  /** New files that no index could take. */
  readonly skipped: readonly Skipped[];
  /** True if the index was made with other settings. */
  readonly settings: boolean;
}

function lockOptions({ onWait, signal }: BuildOptions): LockOptions {
  return {
    name: 'write',
    ...(onWait === undefined ? {} : { onWait }),
    ...(signal === undefined ? {} : { signal }),
  };
}

async function hashFiles(
  files: readonly SopFile[],
  options: { skipped: Skipped[]; signal?: AbortSignal | undefined },
): Promise<HashedFile[]> {
  const hashed: HashedFile[] = [];
  for (const file of files) {
    options.signal?.throwIfAborted();
    await readSopFile(file.file).then(
      (bytes) => hashed.push({ ...file, sha256: sha256Hex(bytes) }),
      skipInto(options.skipped, file.path),
    );
  }
  return hashed;
}

/** Errors of one file do not stop the others. */
function skipInto(skipped: Skipped[], path: string): (error: unknown) => void {
  return (error) => void skipped.push({ path, reason: skipReason(path, error) });
}

function hasSameSettings(
  manifest: Manifest,
  options: Pick<BuildOptions, 'chunking' | 'fingerprint'>,
): boolean {
  return (
    sameFingerprint(manifest.embedder, options.fingerprint) &&
    JSON.stringify(manifest.chunking) === JSON.stringify(options.chunking)
  );
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
  if (old !== undefined && isSameCut && cut.length === 0 && removed.length === 0) {
    // "Unchanged" is only true of a whole index.
    for (const role of Object.keys(old.manifest.files)) await old.files.readAll(role);
    await removeCheckpoints(options.folder);
    return { ...report, ...countUnits(old.documents), changed: false, embedded: 0 };
  }
  const prepared = await prepareDocuments(corpus);
  const headings = options.chunking.preset === 'labsage' ? distinctHeadings(prepared) : [];
  const wanted = new Map(
    prepared.flatMap(({ hashes, texts }) => hashes.map((hash, at) => [hash, texts[at]] as const)),
  );
  for (const heading of headings) wanted.set(textHash(heading), heading);
  const { vectorOf, embedded, finish } = await embedMissing(wanted, {
    ...options,
    onProgress: (done, total) => options.onProgress?.('embedding', done, total),
    stores: [...(old === undefined ? [] : vectorStores(old)), ...(options.reuse ?? [])],
  });
  const { files, documents } = encodeCorpus({ prepared, headings, vectorOf });
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
        documents: listed,
      },
    }),
  );
  await finish();
  return { ...report, ...countUnits(documents), changed: true, embedded };
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
    const hashOf = new Map((await old.vectors.items()).map(({ id, metadata }) => [id, metadata.hash]));
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
