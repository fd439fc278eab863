/** SOP files + an embedder → a published index; only what changed is read, cut and embedded again. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitCode, ToolError } from '../core/errors.js';
import { publish } from '../core/store/publication.js';
import type { VectorStore } from '../core/store/vectorStore.js';
import { withFolderLock } from '../core/store/folderLock.js';
import { sha256Hex } from '../core/text.js';
import type { Document, Embedder, EmbedderFingerprint } from '../core/types.js';
import { documentId, readDocument } from './document.js';
import { embedMissing } from './embedMissing.js';
import {
  distinctHeadings,
  encodeCorpus,
  prepareCut,
  recordOf,
  textHash,
  type PreparedDocument,
} from './encodeIndex.js';
import { FORMAT_VERSION, type Chunking, type IndexedDocument, type Manifest } from './indexFormat.js';
import {
  openSopIndex,
  readAllDocuments,
  readSopManifest,
  sameFingerprint,
  type SopIndex,
} from './sopIndex.js';
import { reasonOf, type SopFile } from './sopFiles.js';
import { cutDocument, type CutDocument } from './units.js';

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
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly contextUnits: number;
  readonly searchUnits: number;
  /** Texts that the model read in this run, headings included. */
  readonly embedded: number;
}

/** A file with its bytes' hash and the id that it will have. */
interface HashedFile extends SopFile {
  readonly id: string;
  readonly sha256: string;
}

/** Makes the index in `folder` equal to the given files. Throws (exit 3) and changes nothing if none can be read. */
export async function buildSopIndex(files: readonly SopFile[], options: BuildOptions): Promise<BuildReport> {
  return withFolderLock(options.folder, lockOptions(options), async () => {
    const skipped: { path: string; reason: string }[] = [];
    const hashed = withIds(await hashFiles(files, { ...options, skipped }));
    const old = await openReusable(options);
    const oldById = new Map(old?.documents.map((document) => [document.id, document]));
    const isUnchanged = (file: HashedFile): boolean => {
      const before = oldById.get(file.id);
      return before?.sha256 === file.sha256 && before.path === file.path;
    };
    const cut: CutDocument[] = [];
    const kept = new Set<string>();
    for (const [at, file] of hashed.entries()) {
      options.signal?.throwIfAborted();
      options.onProgress?.('reading', at, hashed.length);
      if (isUnchanged(file)) kept.add(file.id);
      else await cutFile(file, options.chunking).then((done) => cut.push(done), skipInto(skipped, file.path));
    }
    return publishCorpus({ cut, kept, old, skipped, order: hashed.map(({ id }) => id) }, options);
  });
}

/** As `buildSopIndex`, from documents that were cut elsewhere (`labsage index -`). */
export async function buildSopIndexFromUnits(
  cut: readonly CutDocument[],
  options: BuildOptions,
): Promise<BuildReport> {
  return withFolderLock(options.folder, lockOptions(options), async () => {
    const old = await openReusable(options);
    const order = cut.map(({ document }) => document.id);
    return publishCorpus({ cut, kept: new Set(), old, skipped: [], order }, options);
  });
}

/** Reads and cuts files as `buildSopIndex` does, with the same ids, for a comparison that needs no index. */
export async function cutSopFiles(
  files: readonly SopFile[],
  options: Pick<BuildOptions, 'chunking' | 'signal'>,
): Promise<{ cut: CutDocument[]; skipped: { path: string; reason: string }[] }> {
  const skipped: { path: string; reason: string }[] = [];
  const cut: CutDocument[] = [];
  for (const file of withIds(await hashFiles(files, { ...options, skipped }))) {
    options.signal?.throwIfAborted();
    await cutFile(file, options.chunking).then((done) => cut.push(done), skipInto(skipped, file.path));
  }
  return { cut, skipped };
}

/** Which documents `files` would change, by path; reads and hashes, loads no model. */
export async function compareWithIndex(
  files: readonly SopFile[],
  options: Pick<BuildOptions, 'folder' | 'chunking' | 'fingerprint'>,
): Promise<{ added: string[]; updated: string[]; removed: string[]; settings: boolean }> {
  const manifest = await readSopManifest(options.folder);
  const hashed = withIds(await hashFiles(files, { skipped: [] }));
  const before = new Map((manifest?.documents ?? []).map(({ path, sha256 }) => [path, sha256]));
  const now = new Map(hashed.map(({ path, sha256 }) => [path, sha256]));
  return {
    added: [...now.keys()].filter((path) => !before.has(path)),
    updated: [...now]
      .filter(([path, sha256]) => before.has(path) && before.get(path) !== sha256)
      .map(([path]) => path),
    removed: [...before.keys()].filter((path) => !now.has(path)),
    settings: manifest !== undefined && !hasSameSettings(manifest, options),
  };
}

function lockOptions({ onWait }: BuildOptions): { name: string; onWait?: () => void } {
  return { name: 'write', ...(onWait === undefined ? {} : { onWait }) };
}

async function hashFiles(
  files: readonly SopFile[],
  options: { skipped: { path: string; reason: string }[]; signal?: AbortSignal },
): Promise<(SopFile & { sha256: string })[]> {
  const hashed: (SopFile & { sha256: string })[] = [];
  for (const file of files) {
    options.signal?.throwIfAborted();
    await readFile(file.file).then(
      (bytes) => hashed.push({ ...file, sha256: sha256Hex(bytes) }),
      skipInto(options.skipped, file.path),
    );
  }
  return hashed;
}

/** Files whose names give the same id each get a piece of their path's hash. */
function withIds(files: readonly (SopFile & { sha256: string })[]): HashedFile[] {
  const byId = new Map<string, number>();
  for (const { path } of files) byId.set(documentId(path), (byId.get(documentId(path)) ?? 0) + 1);
  return files.map((file) => {
    const id = documentId(file.path);
    return { ...file, id: byId.get(id) === 1 ? id : `${id}~${sha256Hex(file.path).slice(0, 6)}` };
  });
}

async function cutFile(file: HashedFile, chunking: Chunking): Promise<CutDocument> {
  const bytes = await readFile(file.file);
  const read = await readDocument(bytes, { path: file.path });
  const document: Document = {
    ...read,
    id: file.id,
    blocks: read.blocks.map((block) => ({ ...block, docId: file.id })),
  };
  return cutDocument(document, chunking);
}

/** Errors of one file do not stop the others. */
function skipInto(skipped: { path: string; reason: string }[], path: string): (error: unknown) => void {
  return (error) => {
    const isExpected = error instanceof ToolError || (error as { code?: unknown }).code !== undefined;
    if (!isExpected) throw error;
    skipped.push({ path, reason: reasonOf(error) });
  };
}

/** The index that is there, if its documents were cut and embedded as this run would do it. */
async function openReusable(options: BuildOptions): Promise<SopIndex | undefined> {
  const manifest = await readSopManifest(options.folder);
  if (manifest === undefined || !hasSameSettings(manifest, options)) return undefined;
  return openSopIndex(options.folder);
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
  readonly old: SopIndex | undefined;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly order: readonly string[];
}

async function publishCorpus(corpus: Corpus, options: BuildOptions): Promise<BuildReport> {
  const { cut, kept, old, skipped } = corpus;
  if (cut.length + kept.size === 0) {
    const why = skipped.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
    throw new ToolError(
      ExitCode.input,
      why === '' ? 'found no SOP (.md .txt .html .docx .pdf)' : `no SOP could be read (${why})`,
      {
        hint: 'name a folder or file with SOPs',
      },
    );
  }
  const before = new Set(old?.documents.map(({ id }) => id) ?? []);
  const present = new Set([...kept, ...cut.map(({ document }) => document.id)]);
  const removed = (old?.documents ?? []).filter(({ id }) => !present.has(id)).map(({ path }) => path);
  const pathsOf = (wasThere: boolean): string[] =>
    cut.filter(({ document }) => before.has(document.id) === wasThere).map(({ document }) => document.path);
  const report = { added: pathsOf(false), updated: pathsOf(true), removed, skipped, documents: present.size };
  if (old !== undefined && cut.length === 0 && removed.length === 0) {
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
  await publish(options.folder, {
    files,
    rest: {
      formatVersion: FORMAT_VERSION,
      embedder: options.fingerprint,
      chunking: options.chunking,
      documents: documents.map(({ id, path, sha256, units }) => ({ id, path, sha256, units: units.length })),
    },
  });
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

async function prepareDocuments({ cut, kept, old, order }: Corpus): Promise<PreparedDocument[]> {
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
