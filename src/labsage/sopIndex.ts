/** An index folder → its manifest, units, vectors and document words, each checked and read only when needed. */

import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitCode, ToolError } from '../core/errors.js';
import {
  readConsistently,
  readManifest,
  readPublished,
  type PublishedFile,
} from '../core/store/publication.js';
import { openVectraStore, type VectorStore } from '../core/store/vectorStore.js';
import { decodeTermTable, type TermTable } from './termTable.js';
import type { Document, EmbedderFingerprint } from '../core/types.js';
import { FORMAT_VERSION } from './indexFormat.js';
import type {
  DocumentRecord,
  FileRole,
  IndexedDocument,
  IndexedUnit,
  Manifest,
} from './indexFormat.js';

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

/**
 * Opens the index. Throws (exit 3) when there is none or a file is damaged.
 * @param options.embedder if given, must be what the index was made with, else exit 4 with both names.
 */
export async function openSopIndex(
  folder: string,
  options: { embedder?: EmbedderFingerprint } = {},
): Promise<SopIndex> {
  return readConsistently(async () => {
    const manifest = await readSopManifest(folder);
    if (manifest === undefined) {
      throw new ToolError(ExitCode.input, `there is no index in ${folder}`, {
        hint: 'make one with: labsage index FOLDER_WITH_SOPS',
      });
    }
    if (options.embedder !== undefined)
      checkFingerprint(folder, { made: manifest.embedder, asked: options.embedder });
    const documents = JSON.parse(
      (await readFileOf(folder, manifest, 'units')).toString('utf8'),
    ) as IndexedDocument[];
    return assembleIndex(folder, { manifest, documents });
  });
}

/** The manifest, or undefined where there is no index. Throws (exit 3) for another format. */
export async function readSopManifest(folder: string): Promise<Manifest | undefined> {
  const manifest = await readManifest(folder);
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
      hint: `search with --embedder ${made.id}, or run: labsage index --index ${folder} --embedder ${asked.id}`,
    },
  );
}

function assembleIndex(
  folder: string,
  content: { manifest: Manifest; documents: readonly IndexedDocument[] },
): SopIndex {
  const { manifest, documents } = content;
  const byId = new Map(documents.map((document) => [document.id, document]));
  let units: Map<string, LocatedUnit> | undefined;
  const read = new Map<string, Promise<Document>>();
  let terms: Promise<TermTable> | undefined;
  let layout: IndexLayout | undefined;
  const storeOf = (role: FileRole): VectorStore | undefined => {
    const file = manifest.files[role];
    if (file === undefined) return undefined;
    return openVectraStore(
      { folder, file: file.name },
      { dims: manifest.embedder.dims, read: () => readPublished(folder, file) },
    );
  };
  const vectors = storeOf('vectors');
  if (vectors === undefined) throw incomplete(folder, 'vectors');
  return {
    folder,
    manifest,
    documents,
    vectors,
    headings: storeOf('headings'),
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
        document = readDocumentRecord(folder, { manifest, indexed: byId.get(id) });
        read.set(id, document);
      }
      return document;
    },
    readTerms: () => (terms ??= readFileOf(folder, manifest, 'terms').then(decodeTermTable)),
    get layout() {
      return (layout ??= layOut(documents));
    },
  };
}

async function readDocumentRecord(
  folder: string,
  { manifest, indexed }: { manifest: Manifest; indexed: IndexedDocument | undefined },
): Promise<Document> {
  const file = manifest.files['documents'];
  if (file === undefined || indexed === undefined) throw incomplete(folder, 'documents');
  const handle = await open(join(folder, file.name), 'r');
  try {
    const bytes = Buffer.alloc(indexed.record.bytes);
    await handle.read(bytes, 0, bytes.length, indexed.record.at);
    return restoreDocument(indexed, parseRecord(bytes, join(folder, file.name)));
  } finally {
    await handle.close();
  }
}

function parseRecord(bytes: Buffer, path: string): DocumentRecord {
  try {
    return JSON.parse(bytes.toString('utf8')) as DocumentRecord;
  } catch (error) {
    throw new ToolError(ExitCode.input, `index file ${path} is damaged`, {
      hint: 'delete the index folder and run labsage index again; the documents themselves are not touched',
      cause: error,
    });
  }
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
export async function readAllDocuments(index: SopIndex): Promise<Document[]> {
  const data = await readFileOf(index.folder, index.manifest, 'documents');
  return index.documents.map((indexed) => {
    const { at, bytes } = indexed.record;
    return restoreDocument(indexed, parseRecord(data.subarray(at, at + bytes), index.folder));
  });
}

async function readFileOf(folder: string, manifest: Manifest, role: FileRole): Promise<Buffer> {
  const file: PublishedFile | undefined = manifest.files[role];
  if (file === undefined) throw incomplete(folder, role);
  return readPublished(folder, file);
}

function incomplete(folder: string, role: FileRole): ToolError {
  return new ToolError(ExitCode.input, `the index in ${folder} is incomplete: it has no ${role}`, {
    hint: 'delete the folder and run labsage index again; the documents themselves are not touched',
  });
}
