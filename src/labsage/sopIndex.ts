/** An index folder → its manifest, units, vectors and document words, each checked and read only when needed. */

import { dirname } from 'node:path';
import { ExitCode, ToolError, shellWord } from '../core/errors.js';
import { sha256Hex } from '../core/text.js';
import { DamagedError, openPublication, readManifest, type OpenFiles } from '../core/store/publication.js';
import { openVectraStore, type VectorStore } from '../core/store/vectorStore.js';
import { openIndexServer, type ServerAccess } from './index/indexServer.js';
import { decodeTermTable, type TermTable } from './index/termTable.js';
import type { Document, EmbedderFingerprint } from '../core/types.js';
import { FORMAT_VERSION } from './index/indexFormat.js';
import type {
  Chunking,
  DocumentRecord,
  FileRole,
  IndexedDocument,
  IndexedUnit,
  Manifest,
} from './index/indexFormat.js';

export interface SopIndex {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly documents: readonly IndexedDocument[];
  readonly vectors: VectorStore;
  /** Distinct headings; absent in an index of the paper preset. */
  readonly headings: VectorStore | undefined;
  unit(id: string): LocatedUnit | undefined;
  document(id: string): IndexedDocument | undefined;
  /** The document with its words, blocks and origins; read once and kept. */
  readDocument(id: string): Promise<Document>;
  /** Which stems stand where; read once and kept. */
  readTerms(): Promise<TermTable>;
  /** Position of a unit in the whole index, as the term table counts them. */
  readonly layout: IndexLayout;
  /** The index's data files: open, so that a writer who publishes anew takes nothing away. */
  readonly files: OpenFiles;
  /** Nothing can be read after it. */
  close(): Promise<void>;
}

/** Positions: units and documents are counted from 0 in index order. */
export interface IndexLayout {
  readonly documentOf: Uint32Array;
  readonly unitsOf: Uint32Array;
  readonly positionOf: ReadonlyMap<string, number>;
}

function layOut(documents: readonly IndexedDocument[]): IndexLayout {
  const units = documents.flatMap((document, at) => document.units.map(({ id }) => ({ id, at })));
  return {
    documentOf: Uint32Array.from(units, ({ at }) => at),
    unitsOf: Uint32Array.from(documents, (document) => document.units.length),
    positionOf: new Map(units.map(({ id }, position) => [id, position])),
  };
}

/** A search unit with the document that it is of. */
export interface LocatedUnit {
  readonly document: IndexedDocument;
  readonly unit: IndexedUnit;
}

export interface OpenOptions {
  /** If given, must be what the index was made with, else exit 4 with both names. */
  readonly embedder?: EmbedderFingerprint;
  /** Where the index's vectors are on a server, how it is reached. */
  readonly server?: ServerAccess;
}

/** Opens the index, and no connection before vectors are needed. Throws (exit 3) when there is none or a file is damaged. */
export async function openSopIndex(folder: string, options: OpenOptions = {}): Promise<SopIndex> {
  const { manifest, files } = await openPublication(folder, {
    mend: mendHint(folder),
    async readNow() {
      const found = await readSopManifest(folder);
      if (found === undefined) {
        throw new ToolError(ExitCode.input, `there is no index in ${folder}`, {
          hint: `make one with: labsage index FOLDER_WITH_SOPS --index ${shellWord(folder)}`,
        });
      }
      if (options.embedder !== undefined)
        checkFingerprint(folder, { made: found.embedder, asked: options.embedder });
      return found;
    },
  });
  try {
    const documents = JSON.parse((await files.readAll('units')).toString('utf8')) as IndexedDocument[];
    const vectors =
      manifest.store === undefined
        ? fileStore(folder, { manifest, files, role: 'vectors' })
        : await openIndexServer(folder, { manifest, files, documents, access: options.server ?? {} });
    return assembleIndex(folder, { manifest, files, documents, vectors });
  } catch (error) {
    await files.close();
    throw error;
  }
}

function mendHint(folder: string): string {
  return `write it anew from the SOPs with: labsage index --index ${shellWord(folder)}`;
}

/** The manifest, or undefined where there is no index. Throws (exit 3) for another format. */
export async function readSopManifest(folder: string): Promise<Manifest | undefined> {
  const manifest = await readManifest(folder, { mend: mendHint(folder) });
  if (manifest === undefined) return undefined;
  if (manifest['formatVersion'] !== FORMAT_VERSION) {
    throw new ToolError(
      ExitCode.input,
      `the index in ${folder} has format ${String(manifest['formatVersion'])}, this program reads format ${FORMAT_VERSION}`,
      { hint: 'make it anew in another folder with: labsage index FOLDER_WITH_SOPS --index NEW_FOLDER' },
    );
  }
  return manifest as unknown as Manifest;
}

export function sameFingerprint(a: EmbedderFingerprint, b: EmbedderFingerprint): boolean {
  return (
    describeFingerprint(a) === describeFingerprint(b) &&
    JSON.stringify(a.prefixes) === JSON.stringify(b.prefixes)
  );
}

/** Embedder and cutting: documents that did not change need not be read again. */
export function hasSameSettings(
  manifest: Manifest,
  options: { readonly chunking: Chunking; readonly fingerprint: EmbedderFingerprint },
): boolean {
  return (
    sameFingerprint(manifest.embedder, options.fingerprint) &&
    JSON.stringify(manifest.chunking) === JSON.stringify(options.chunking)
  );
}

/** `all-mpnet-base-v2 (768 dimensions, mean pooling, weights 803bc529)`. */
export function describeFingerprint({ id, dims, pooling, weightsSha256 }: EmbedderFingerprint): string {
  return `${id} (${dims} dimensions, ${pooling} pooling, weights ${weightsSha256.slice(0, 8)})`;
}

function checkFingerprint(
  folder: string,
  { made, asked }: { made: EmbedderFingerprint; asked: EmbedderFingerprint },
): void {
  if (sameFingerprint(made, asked)) return;
  throw new ToolError(
    ExitCode.model,
    `the index in ${folder} was made with ${describeFingerprint(made)} and can't be searched with ${describeFingerprint(asked)}`,
    {
      hint: `search with --embedder ${made.id}, or run: labsage index --index ${shellWord(folder)} --embedder ${asked.id}`,
    },
  );
}

function fileStore(
  folder: string,
  { manifest, files, role }: { manifest: Manifest; files: OpenFiles; role: FileRole },
): VectorStore {
  return openVectraStore(
    { folder, file: manifest.files[role]?.name ?? role },
    { dims: manifest.embedder.dims, read: (allocate) => files.readAll(role, allocate) },
  );
}

function assembleIndex(
  folder: string,
  content: {
    manifest: Manifest;
    files: OpenFiles;
    documents: readonly IndexedDocument[];
    vectors: VectorStore;
  },
): SopIndex {
  const { manifest, files, documents, vectors } = content;
  const byId = new Map(documents.map((document) => [document.id, document]));
  let units: Map<string, LocatedUnit> | undefined;
  const read = new Map<string, Promise<Document>>();
  let terms: Promise<TermTable> | undefined;
  let layout: IndexLayout | undefined;
  return {
    folder,
    manifest,
    documents,
    vectors,
    headings:
      manifest.files['headings'] === undefined
        ? undefined
        : fileStore(folder, { manifest, files, role: 'headings' }),
    files,
    close: () => files.close(),
    document: (id) => byId.get(id),
    unit(id) {
      units ??= new Map(
        documents.flatMap((document) => document.units.map((unit) => [unit.id, { document, unit }] as const)),
      );
      return units.get(id);
    },
    readDocument(id) {
      let document = read.get(id);
      if (document === undefined) {
        document = readDocumentRecord(files, byId.get(id));
        read.set(id, document);
      }
      return document;
    },
    readTerms: () => (terms ??= files.readAll('terms').then(decodeTermTable)),
    get layout() {
      return (layout ??= layOut(documents));
    },
  };
}

async function readDocumentRecord(files: OpenFiles, indexed: IndexedDocument | undefined): Promise<Document> {
  if (indexed === undefined) throw new Error('no document of that id');
  return restoreDocument(
    indexed,
    parseRecord(await files.readPart('documents', indexed.record), { files, indexed }),
  );
}

/** Checked by its own hash: what is quoted must be what was read from the SOP. */
function parseRecord(
  bytes: Buffer,
  { files, indexed }: { files: OpenFiles; indexed: IndexedDocument },
): DocumentRecord {
  if (sha256Hex(bytes) !== indexed.record.sha256) {
    throw new DamagedError(files.pathOf('documents'), `the words of ${indexed.id} have another checksum`, {
      mend: mendHint(dirname(files.pathOf('documents'))),
    });
  }
  return JSON.parse(bytes.toString('utf8')) as DocumentRecord;
}

export function restoreDocument(indexed: Omit<IndexedDocument, 'record'>, record: DocumentRecord): Document {
  const { id, path, title, sha256, control } = indexed;
  return {
    id,
    path,
    title,
    sha256,
    control,
    text: record.text,
    blocks: record.blocks.map((block) => ({
      ...block,
      docId: id,
      text: record.text.slice(block.span.start, block.span.end),
    })),
    origins: record.origins,
    boilerplate: record.boilerplate,
    notes: record.notes,
    ...(record.pages === undefined ? {} : { pages: record.pages }),
  };
}

/** Reads all document records at once, for work on the whole corpus. */
export async function readAllDocuments({ files, documents }: SopIndex): Promise<Document[]> {
  const data = await files.readAll('documents');
  return documents.map((indexed) => {
    const { at, bytes } = indexed.record;
    return restoreDocument(indexed, parseRecord(data.subarray(at, at + bytes), { files, indexed }));
  });
}
