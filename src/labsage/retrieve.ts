/** A question + an index → the context units to read, best first, with every part of their scores. */

import { createKeywordIndex } from '../core/keywordIndex.js';
import { byScore, groupRanked, type Scored } from '../core/rank.js';
import { sliceSpan } from '../core/text.js';
import type { ContextUnit, Embedder, Hit } from '../core/types.js';
import { isSearchable } from './documents/documentControl.js';
import type { IndexedDocument } from './index/indexFormat.js';
import { correctedQuestion, readQuestionTerms } from './question/questionTerms.js';
import { scoreTerms } from './termScores.js';
import { readAllDocuments, type LocatedUnit, type SopIndex } from './sopIndex.js';

export type Mode = 'hybrid' | 'dense' | 'keyword';

/** Context units that are read to answer (paper 000: k = 3 unless stated). */
export const DEFAULT_K = 3;

/** What each signal adds to a unit's cosine; chosen on the development questions (bench/retrieval). */
export interface Weights {
  /** Cosine of the question and the heading alone. */
  readonly heading: number;
  /** `TermScores.documentCoverage`. */
  readonly coverage: number;
  /** `TermScores.documentFocus`. */
  readonly focus: number;
  /** `TermScores.unit`. */
  readonly terms: number;
}
export const DEFAULT_WEIGHTS: Weights = { heading: 0.3, coverage: 0.2, focus: 0.2, terms: 0.3 };

export interface Filters {
  /** Ids, paths or document numbers. */
  readonly documents?: readonly string[];
  readonly folders?: readonly string[];
  /** Words that the heading path must contain. */
  readonly sections?: readonly string[];
}

export interface RetrieveOptions {
  readonly k?: number;
  readonly mode?: Mode;
  /** `paper`: k counts search units, cosine alone. */
  readonly preset?: 'labsage' | 'paper';
  readonly filters?: Filters;
  readonly weights?: Weights;
  /** ISO date that decides which versions are in force. */
  readonly today: string;
}

/** A context unit with the search units that led to it, best first. */
export interface RankedContext {
  readonly document: IndexedDocument;
  readonly context: ContextUnit;
  readonly score: number;
  readonly rank: number;
  readonly hits: readonly Hit[];
}

/** Search units looked at by the dense search; the rest cannot reach the first places. */
const DENSE_CANDIDATES = 2000;

/**
 * R_k(q) and U_k(q) = {ψ(S)} of paper 000, with k counting distinct context units unless the preset is `paper`.
 * The score of a unit is its cosine, plus what finds the document (coverage, focus), plus what finds the section in it
 * (heading, terms); a context unit scores as its best unit.
 */
export async function retrieveContexts(
  question: string,
  source: { index: SopIndex; embedder: Embedder | undefined },
  options: RetrieveOptions,
): Promise<RankedContext[]> {
  const { index } = source;
  const k = options.k ?? DEFAULT_K;
  const allowed = allowedDocuments(index, options);
  if (allowed.length === 0) return [];
  const units =
    options.mode === 'keyword'
      ? await scoreByKeywords(question, { index, allowed })
      : await scoreByVectors(question, { index, embedder: source.embedder, allowed }, options);
  const inSection = units.filter(({ id }) => matchesSection(index.unit(id), options.filters?.sections));
  const ranked = inSection.sort(byScore);
  const considered = options.preset === 'paper' ? ranked.slice(0, k) : ranked;
  const groups = groupRanked(considered, ({ id }) => contextOf(index, id)?.context.id ?? '');
  const contexts: RankedContext[] = [];
  for (const [, members] of groups) {
    if (contexts.length === k) break;
    const best = members[0];
    const located = best === undefined ? undefined : contextOf(index, best.id);
    if (best === undefined || located === undefined) continue;
    const hits = members.map((unit, at) => toHit(unit, { rank: at + 1, mode: options.mode ?? 'hybrid' }));
    contexts.push({ ...located, score: best.score, rank: contexts.length + 1, hits });
  }
  return contexts;
}

interface ScoredUnit extends Scored {
  readonly parts: Readonly<Record<string, number>>;
}

async function scoreByVectors(
  question: string,
  source: { index: SopIndex; embedder: Embedder | undefined; allowed: readonly IndexedDocument[] },
  options: RetrieveOptions,
): Promise<ScoredUnit[]> {
  const { index, embedder, allowed } = source;
  if (embedder === undefined) throw new Error('a dense search needs an embedder');
  const groups = allowed.length === index.documents.length ? {} : { groups: allowed.map(({ id }) => id) };
  if (options.mode === 'dense' || options.preset === 'paper') {
    const vector = await embedQuestion(question, { index, embedder });
    const hits = await index.vectors.query(vector, { top: DENSE_CANDIDATES, ...groups });
    return hits.map(({ id, score }) => ({ id, score, parts: { dense: score } }));
  }
  const weights = options.weights ?? DEFAULT_WEIGHTS;
  const table = await index.readTerms();
  const asked = await readQuestionTerms(question, table);
  const vector = await embedQuestion(correctedQuestion(question, asked), { index, embedder });
  const dense = await index.vectors.query(vector, { top: DENSE_CANDIDATES, ...groups });
  const terms = scoreTerms(asked, table, index.layout);
  const headings = new Map(
    (await index.headings?.query(vector, { top: Number.MAX_SAFE_INTEGER }))?.map(({ id, score }) => [
      id,
      score,
    ]),
  );
  return dense.map(({ id, score }) => {
    const position = index.layout.positionOf.get(id) ?? 0;
    const document = index.layout.documentOf[position] ?? 0;
    const parts = {
      dense: score,
      heading: weights.heading * (headings.get(index.unit(id)?.unit.headingPath.at(-1) ?? '') ?? 0),
      coverage: weights.coverage * (terms.documentCoverage[document] ?? 0),
      focus: weights.focus * (terms.documentFocus[document] ?? 0),
      terms: weights.terms * (terms.unit[position] ?? 0),
    };
    return { id, score: parts.dense + parts.heading + parts.coverage + parts.focus + parts.terms, parts };
  });
}

/** The vectors are read meanwhile. */
async function embedQuestion(
  question: string,
  { index, embedder }: { index: SopIndex; embedder: Embedder },
): Promise<Float32Array> {
  const [[vector]] = await Promise.all([
    embedder.embed([question], 'query'),
    index.vectors.load(),
    index.headings?.load(),
  ]);
  if (vector === undefined) throw new Error('the embedder gave no vector');
  return vector;
}

async function scoreByKeywords(
  question: string,
  { index, allowed }: { index: SopIndex; allowed: readonly IndexedDocument[] },
): Promise<ScoredUnit[]> {
  const texts = new Map((await readAllDocuments(index)).map(({ id, text }) => [id, text]));
  const keywords = createKeywordIndex(
    allowed.flatMap((document) =>
      document.units.map((unit) => ({
        id: unit.id,
        text: [document.title, ...unit.headingPath, sliceSpan(texts.get(document.id) ?? '', unit.span)].join(
          '\n',
        ),
      })),
    ),
  );
  return keywords.search(question).map(({ id, score }) => ({ id, score, parts: { keyword: score } }));
}

function allowedDocuments(index: SopIndex, { filters, today }: RetrieveOptions): IndexedDocument[] {
  return index.documents.filter(
    (document) =>
      isSearchable(document.control, today) &&
      matchesDocument(document, filters?.documents) &&
      (filters?.folders === undefined || filters.folders.some((folder) => isInFolder(document.path, folder))),
  );
}

/** By id, path, file name or document number, without case. */
export function matchesDocument(
  { id, path, control }: IndexedDocument,
  wanted: readonly string[] | undefined,
): boolean {
  if (wanted === undefined) return true;
  const names = [id, path, control.number ?? '', path.split('/').at(-1) ?? ''].map((name) =>
    name.toLowerCase(),
  );
  return wanted.some((name) => names.includes(name.toLowerCase()));
}

/** A document or folder asked for that no document of the index is or lies in, most likely mistyped: a warning for each. */
export function unmatchedFilters(
  documents: readonly IndexedDocument[],
  { documents: names = [], folders = [] }: Pick<Filters, 'documents' | 'folders'>,
): string[] {
  return [
    ...names
      .filter((name) => !documents.some((document) => matchesDocument(document, [name])))
      .map(
        (name) => `no document of the index is ${name}; name its number or path as labsage status shows it`,
      ),
    ...folders
      .filter((folder) => !documents.some(({ path }) => isInFolder(path, folder)))
      .map((folder) => `no document of the index lies in ${folder}; labsage status shows their paths`),
  ];
}

export function isInFolder(path: string, folder: string): boolean {
  const prefix = folder.replaceAll('\\', '/').replace(/\/+$/u, '').toLowerCase();
  return prefix === '' || prefix === '.' || path.toLowerCase().startsWith(`${prefix}/`);
}

function matchesSection(located: LocatedUnit | undefined, sections: readonly string[] | undefined): boolean {
  if (sections === undefined) return true;
  const path = located?.unit.headingPath.join(' › ').toLowerCase() ?? '';
  return sections.some((section) => path.includes(section.toLowerCase()));
}

/** ψ: the context unit that a search unit is of. */
function contextOf(
  index: SopIndex,
  unitId: string,
): { document: IndexedDocument; context: ContextUnit } | undefined {
  const located = index.unit(unitId);
  const context = located?.document.contexts[located.unit.context];
  return located === undefined || context === undefined ? undefined : { document: located.document, context };
}

function toHit(unit: ScoredUnit, { rank, mode }: { rank: number; mode: Mode }): Hit {
  const via = mode === 'hybrid' ? 'fused' : mode;
  return { unitId: unit.id, score: unit.score, rank, via, parts: unit.parts };
}
