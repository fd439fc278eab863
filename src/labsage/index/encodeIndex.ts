/** Cut documents + their vectors → the bytes of an index's data files, in document order whatever was there before. */

import { encodeVectraFile, type VectorItem } from '../../core/store/vectorStore.js';
import { sha256Hex } from '../../core/text.js';
import type { Document } from '../../core/types.js';
import type { DocumentRecord, FileRole, IndexedDocument } from './indexFormat.js';
import { encodeTermTable, type TermSource } from './termTable.js';
import type { CutDocument } from '../units.js';

/** A document in the form that the index holds, with the texts that its units are embedded from. */
export interface PreparedDocument {
  readonly indexed: Omit<IndexedDocument, 'record'>;
  readonly record: DocumentRecord;
  readonly hashes: readonly string[];
  readonly texts: readonly (string | undefined)[];
}

export function prepareCut({ document, contexts, units }: CutDocument): PreparedDocument {
  const place = new Map(contexts.map(({ id }, at) => [id, at]));
  const { id, path, title, sha256, control } = document;
  return {
    indexed: {
      id,
      path,
      title,
      sha256,
      control,
      contexts,
      units: units.map((unit) => ({
        id: unit.id,
        context: place.get(unit.contextId) ?? 0,
        span: unit.span,
        carried: unit.carried,
        tokens: unit.tokens,
        headingPath: unit.headingPath,
      })),
    },
    record: recordOf(document),
    hashes: units.map(({ embedText }) => textHash(embedText)),
    texts: units.map(({ embedText }) => embedText),
  };
}

export function recordOf({ id, text, blocks, origins, boilerplate, notes, pages }: Document): DocumentRecord {
  return {
    id,
    text,
    blocks: blocks.map(({ kind, level, span, header }) => ({
      kind,
      ...(level === undefined ? {} : { level }),
      span,
      ...(header === undefined ? {} : { header }),
    })),
    origins,
    boilerplate,
    notes: notes ?? [],
    ...(pages === undefined ? {} : { pages }),
  };
}

export function distinctHeadings(prepared: readonly PreparedDocument[]): string[] {
  const headings = new Set<string>();
  for (const { indexed } of prepared) {
    for (const { headingPath } of indexed.units) {
      const last = headingPath.at(-1);
      if (last !== undefined) headings.add(last);
    }
  }
  return [...headings].sort();
}

export function textHash(text: string): string {
  return sha256Hex(text).slice(0, 32);
}

export interface EncodedCorpus {
  readonly files: Record<string, { data: Buffer; extension: string }>;
  readonly documents: readonly IndexedDocument[];
}

/**
 * Everything in document order, so that the same corpus gives the same bytes whatever was there before.
 * @param corpus.onServer the units' vectors are there: `vectorOf` is asked for those of the headings alone.
 */
export function encodeCorpus(corpus: {
  prepared: readonly PreparedDocument[];
  headings: readonly string[];
  vectorOf: (hash: string) => Float32Array;
  onServer: boolean;
}): EncodedCorpus {
  const { prepared, headings, vectorOf, onServer } = corpus;
  const lines: Buffer[] = [];
  const documents: IndexedDocument[] = [];
  const items: VectorItem[] = [];
  let at = 0;
  for (const { indexed, record, hashes } of prepared) {
    const line = Buffer.from(`${JSON.stringify(record)}\n`, 'utf8');
    lines.push(line);
    const { id, path, title, sha256, control, contexts, units } = indexed;
    const place = { at, bytes: line.length, sha256: sha256Hex(line) };
    documents.push({ id, path, title, sha256, control, record: place, contexts, units });
    at += line.length;
    if (onServer) continue;
    units.forEach((unit, unitAt) => {
      const hash = hashes[unitAt] ?? '';
      items.push({ id: unit.id, vector: vectorOf(hash), metadata: { hash, group: id } });
    });
  }
  const headingItems = headings.map((heading) => {
    const hash = textHash(heading);
    return { id: heading, vector: vectorOf(hash), metadata: { hash, group: '' } };
  });
  const json = (value: unknown): { data: Buffer; extension: string } => ({
    data: Buffer.from(`${JSON.stringify(value)}\n`, 'utf8'),
    extension: '.json',
  });
  const files: Partial<Record<FileRole, { data: Buffer; extension: string }>> = {
    units: json(documents),
    documents: { data: Buffer.concat(lines), extension: '.jsonl' },
    ...(onServer
      ? { hashes: json(prepared.flatMap(({ hashes }) => hashes)) }
      : { vectors: { data: encodeVectraFile(items), extension: '.f32' } }),
    ...(headings.length === 0
      ? {}
      : { headings: { data: encodeVectraFile(headingItems), extension: '.f32' } }),
    terms: { data: encodeTermTable(prepared.map(termSource)), extension: '.bin' },
  };
  return { files, documents };
}

/** The words that the index is searched by, unit by unit. */
function termSource({ indexed, record }: PreparedDocument): TermSource {
  return {
    title: `${indexed.control.number ?? ''} ${indexed.title}`,
    units: indexed.units.map(({ headingPath, span }) => ({
      headings: headingPath.join('\n'),
      words: record.text.slice(span.start, span.end),
    })),
  };
}
