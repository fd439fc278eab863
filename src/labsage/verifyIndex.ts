/** An index → the properties that every answer relies on, each checked over the whole of it. */

import { sha256Hex, sliceSpan } from '../core/text.js';
import type { Document, Span } from '../core/types.js';
import type { IndexedDocument } from './index/indexFormat.js';
import { readAllDocuments, type SopIndex } from './sopIndex.js';

export interface Check {
  readonly name: string;
  /** What was looked at, with its count. */
  readonly examined: string;
  readonly faults: readonly string[];
}

/** Checksums of all files are checked while they are read (a damaged one throws, exit 3). */
export async function verifyIndex(index: SopIndex): Promise<{ checks: Check[] }> {
  const documents = await readAllDocuments(index);
  const items = await index.vectors.items();
  const headings = (await index.headings?.items()) ?? [];
  await index.readTerms();
  const units = index.documents.flatMap((document) => document.units.map(({ id }) => id));
  const contexts = index.documents.reduce((sum, document) => sum + document.contexts.length, 0);
  const pairs = documents.flatMap((document, at) => {
    const indexed = index.documents[at];
    return indexed === undefined ? [] : [{ document, indexed }];
  });
  return {
    checks: [
      {
        name: 'files have the checksums of the manifest',
        examined: `${Object.keys(index.manifest.files).length} files`,
        faults: [],
      },
      {
        name: 'every word of a document is in exactly one context unit',
        examined: `${documents.length} documents, ${contexts} context units`,
        faults: pairs.flatMap(uncoveredWords),
      },
      {
        name: 'context units are unchanged',
        examined: `${contexts} hashes`,
        faults: pairs.flatMap(changedContexts),
      },
      {
        name: 'every word of a context unit is in a search unit of it',
        examined: `${units.length} search units`,
        faults: pairs.flatMap(unsearchedWords),
      },
      {
        name: 'ψ maps every search unit to the one context unit around it',
        examined: `${units.length} search units`,
        faults: pairs.flatMap(misplacedUnits),
      },
      {
        name: 'the manifest lists the documents that are there',
        examined: `${index.manifest.documents.length} documents`,
        faults: unlistedDocuments(index),
      },
      { name: 'ids are unique', examined: `${units.length + contexts} ids`, faults: repeatedIds(index) },
      {
        name: 'every search unit has one vector',
        examined: `${items.length} vectors`,
        faults: [
          ...missingFrom(
            units,
            items.map(({ id }) => id),
            'has no vector',
          ),
          ...missingFrom(
            items.map(({ id }) => id),
            units,
            'is a vector of no unit',
          ),
          ...repeated(items.map(({ id }) => id)).map((id) => `${id} has more than one vector`),
        ],
      },
      {
        name: "vectors have length 1 and the embedder's dimensions",
        examined: `${items.length + headings.length} vectors`,
        faults: [...items, ...headings]
          .filter(({ vector }) => !isUnit(vector) || vector.length !== index.manifest.embedder.dims)
          .map(({ id, vector }) => `${id} has a vector of another length (${vector.length} dimensions)`),
      },
    ],
  };
}

interface Pair {
  readonly document: Document;
  readonly indexed: IndexedDocument;
}

function uncoveredWords({ document, indexed }: Pair): string[] {
  const faults: string[] = [];
  let at = 0;
  for (const { id, span } of [...indexed.contexts].sort((a, b) => a.span.start - b.span.start)) {
    if (span.start < at) faults.push(`${id} overlaps the context unit before it`);
    faults.push(...lostWords(document, { start: at, end: Math.max(at, span.start) }));
    at = Math.max(at, span.end);
  }
  return [...faults, ...lostWords(document, { start: at, end: document.text.length })];
}

function lostWords(document: Document, span: Span): string[] {
  const words = sliceSpan(document.text, span).trim();
  return words === '' ? [] : [`${document.path}: "${words.slice(0, 60)}" is in no context unit`];
}

function changedContexts({ document, indexed }: Pair): string[] {
  return indexed.contexts
    .filter(({ span, sha256 }) => sha256Hex(sliceSpan(document.text, span)) !== sha256)
    .map(({ id }) => `${id} has another hash than its words`);
}

function unsearchedWords({ document, indexed }: Pair): string[] {
  return indexed.contexts.flatMap((context, place) => {
    const spans = indexed.units
      .filter((unit) => unit.context === place)
      .map(({ span }) => span)
      .sort((a, b) => a.start - b.start);
    const faults: string[] = [];
    let at = context.span.start;
    for (const span of [...spans, { start: context.span.end, end: context.span.end }]) {
      const words = document.text.slice(at, Math.max(at, span.start)).trim();
      if (words !== '') faults.push(`${context.id}: "${words.slice(0, 60)}" is in no search unit`);
      at = Math.max(at, span.end);
    }
    return faults;
  });
}

function misplacedUnits({ indexed }: Pair): string[] {
  return indexed.units
    .filter(({ context, span }) => {
      const around = indexed.contexts[context]?.span;
      return around === undefined || span.start < around.start || span.end > around.end;
    })
    .map(({ id }) => `${id} is not inside its context unit`);
}

function repeatedIds(index: SopIndex): string[] {
  const ids = index.documents.flatMap(({ id, contexts, units }) => [
    id,
    ...contexts.map((unit) => unit.id),
    ...units.map((unit) => unit.id),
  ]);
  return repeated(ids).map((id) => `${id} is there twice`);
}

function repeated(ids: readonly string[]): string[] {
  const seen = new Set<string>();
  return ids.filter((id) => seen.size === seen.add(id).size);
}

function unlistedDocuments({ manifest, documents }: SopIndex): string[] {
  const lineOf = (
    { id, path, sha256 }: { id: string; path: string; sha256: string },
    units: number,
  ): string => JSON.stringify([id, path, sha256, units]);
  const listed = manifest.documents.map((document) => lineOf(document, document.units));
  const there = documents.map((document) => lineOf(document, document.units.length));
  return [
    ...missingFrom(there, listed, 'is not in the manifest'),
    ...missingFrom(listed, there, 'is only in the manifest'),
  ];
}

function missingFrom(ids: readonly string[], others: readonly string[], what: string): string[] {
  const known = new Set(others);
  return ids.filter((id) => !known.has(id)).map((id) => `${id} ${what}`);
}

function isUnit(vector: Float32Array): boolean {
  const squares = vector.reduce((sum, value) => sum + value * value, 0);
  return Math.abs(squares - 1) < 1e-4;
}
