/** A question + an index → the list of all documents that it asks for, or undefined where it asks for something else. */

import type { Answer, Citation, Source } from '../core/types.js';
import type { ExplainedAnswer } from './answer.js';
import { answerQuestion, type AnswerSource } from './answer.js';
import type { ControlFilters } from './controlFilters.js';
import { recognizeCorpusQuestion, type CorpusQuestion } from './corpusQuestion.js';
import { isGenericWord, type Segment } from './corpusTerms.js';
import {
  openListedCorpus,
  type DocumentList,
  type ListedCorpus,
  type ListedDocument,
} from './documentList.js';
import { nameDocument } from './describe.js';
import { questionTerms, type Vocabulary } from './questionTerms.js';
import type { RankedContext, RetrieveOptions } from './retrieve.js';
import type { SopIndex } from './sopIndex.js';
import { phraseOf, type TermQuery } from './termQuery.js';
import { versionAnswer } from './versionAnswer.js';

/** What `ask` answers with, of any kind. */
export interface AskedAnswer {
  readonly answer: Answer;
  /** Sections that it was made from, for the audit log. */
  readonly contexts: readonly RankedContext[];
  /** There if the question asked for documents; it is what a person is shown. */
  readonly list?: DocumentList;
  /** There if words were asked for. */
  readonly explained?: ExplainedAnswer;
}

/** A list of documents where documents are asked for, how a document stands where that is asked, else the words that answer. */
export async function answerAsked(
  question: string,
  source: AnswerSource,
  options: RetrieveOptions,
): Promise<AskedAnswer> {
  const special =
    (await answerCorpusQuestion(question, source.index, options)) ??
    (await versionAnswer(question, source.index, options));
  if (special !== undefined) return special;
  const explained = await answerQuestion(question, source, options);
  return { answer: explained.answer, contexts: explained.contexts, explained };
}

/** Reads the whole index. Filters on sections have no meaning for documents; with them no question is taken for one. */
export async function answerCorpusQuestion(
  question: string,
  index: SopIndex,
  options: RetrieveOptions,
): Promise<AskedAnswer | undefined> {
  const startMs = performance.now();
  if (options.filters?.sections !== undefined) return undefined;
  const asked = recognizeCorpusQuestion(question, {
    folders: folderNames(index),
    today: options.today,
  });
  if (asked === undefined) return undefined;
  const today = asked.control.asOf ?? options.today;
  const vocabulary = await index.readTerms();
  const corpus = await openListedCorpus(index, { mode: 'stemmed', today });
  const { filters, segments } = readFilters(asked, { index, today, options });
  const built = buildQuery(segments, { corpus, filters, vocabulary });
  if (built === undefined) return undefined;
  const { query, warnings } = built;
  const list = withoutOwn(corpus.list(query, filters), segments);
  const missing =
    list.documents.length > 0
      ? []
      : questionTerms(segments.flatMap(({ words }) => words).join(' '), vocabulary).filter(
          ({ known }) => !known,
        );
  const { text, grounding, citations } = renderList(list, asked);
  const answer: Answer = {
    question,
    text,
    answered: list.documents.length > 0,
    confidence: 1,
    warnings: [...warnings, ...listWarnings(list)],
    missingTerms: missing.map(({ word }) => word),
    citations,
    grounding,
    sources: citations.map((citation) => toSource(citation)),
    omitted: { intended: 0, sent: 0 },
    model: { embedder: index.manifest.embedder.id, generator: 'list' },
    timingsMs: { answer: Math.round(performance.now() - startMs) },
  };
  return { answer, contexts: contextsOf(list), list };
}

/** Every folder on the way to a document. */
function folderNames(index: SopIndex): string[] {
  const folders = index.documents.flatMap(({ path }) => path.split('/').slice(0, -1));
  return [...new Set(folders)].filter((name) => name.length > 2);
}

function readFilters(
  { control, segments }: CorpusQuestion,
  { index, today, options }: { index: SopIndex; today: string; options: RetrieveOptions },
): { filters: ControlFilters; segments: readonly Segment[] } {
  const { by } = control;
  const named = by === undefined ? undefined : takeName(segments, index, by);
  const folders = control.folders?.flatMap((name) => pathsOfFolder(index, name)) ?? options.filters?.folders;
  const reviewBefore = control.overdue === true ? today : control.reviewBefore;
  const { documents } = options.filters ?? {};
  return {
    filters: {
      ...(control.statuses === undefined ? {} : { statuses: control.statuses }),
      ...(control.allVersions === true ? { allVersions: true } : {}),
      ...(by === undefined || named === undefined ? {} : { [by]: named.name }),
      ...(control.effectiveFrom === undefined ? {} : { effectiveFrom: control.effectiveFrom }),
      ...(control.effectiveBefore === undefined ? {} : { effectiveBefore: control.effectiveBefore }),
      ...(control.reviewFrom === undefined ? {} : { reviewFrom: control.reviewFrom }),
      ...(control.missing === undefined ? {} : { missing: control.missing }),
      ...(reviewBefore === undefined ? {} : { reviewBefore }),
      ...(folders === undefined ? {} : { folders }),
      ...(documents === undefined ? {} : { documents }),
    },
    segments: named?.rest ?? segments,
  };
}

function pathsOfFolder(index: SopIndex, name: string): string[] {
  const paths = index.documents.flatMap(({ path }) => {
    const parts = path.split('/').slice(0, -1);
    const at = parts.indexOf(name);
    return at === -1 ? [] : [parts.slice(0, at + 1).join('/')];
  });
  return [...new Set(paths)];
}

/** The words that an owner's (approver's) entry of some document has; if none has any, the first segment is the name. */
function takeName(
  segments: readonly Segment[],
  index: SopIndex,
  by: 'owner' | 'approvedBy',
): { name: string; rest: readonly Segment[] } | undefined {
  const known = new Set(
    index.documents.flatMap(
      ({ control }) => (control[by] ?? '').toLowerCase().match(/[\p{L}\p{M}]{2,}/gu) ?? [],
    ),
  );
  const isKnown = (word: string): boolean => known.has(word.toLowerCase());
  const named = segments.filter(({ words }) => words.every(isKnown));
  const taken = named.length > 0 ? named : segments.slice(0, 1);
  if (taken.length === 0) return undefined;
  return {
    name: taken.flatMap(({ words }) => words).join(' '),
    rest: segments.filter((segment) => !taken.includes(segment)),
  };
}

interface QueryOptions {
  readonly corpus: ListedCorpus;
  readonly filters: ControlFilters;
  readonly vocabulary: Vocabulary;
}

/**
 * All segments in one document; if no document has all, the most telling one, and a warning that says so. Undefined where
 * even that one stands in most documents: such a list would answer nothing.
 */
function buildQuery(
  segments: readonly Segment[],
  options: QueryOptions,
): { query: TermQuery | undefined; warnings: string[] } | undefined {
  if (segments.length === 0) return { query: undefined, warnings: [] };
  const warnings: string[] = [];
  const parts = segments.map((segment) => ({ segment, ...segmentQuery(segment, { ...options, warnings }) }));
  const groups: TermQuery[] = [];
  for (const { segment, query } of parts) {
    const last = groups.at(-1);
    const part: TermQuery = segment.excluded ? { kind: 'not', part: query } : query;
    if (segment.joint === 'or' && last !== undefined)
      groups[groups.length - 1] = { kind: 'or', parts: [last, part] };
    else groups.push(part);
  }
  const [first] = groups;
  const all: TermQuery | undefined = groups.length === 1 ? first : { kind: 'and', parts: groups };
  const examined = options.corpus.list(undefined, options.filters).documents.length;
  const saysLittle = (part: (typeof parts)[number]): boolean =>
    part.segment.kind === 'words' && countDocuments(part.query, options) > examined / 2;
  if (parts.every((part) => part.isReduced && saysLittle(part))) return undefined;
  const isFound = groups.length === 1 || all === undefined || countDocuments(all, options) > 0;
  const isMeant = segments.some(({ excluded, joint }) => excluded || joint === 'and');
  if (isFound || isMeant) return { query: all, warnings };
  const rank = { code: 0, name: 1, words: 2 };
  const found = parts
    .map((part) => ({ ...part, documents: countDocuments(part.query, options) }))
    .filter(({ documents }) => documents > 0)
    .sort((a, b) => rank[a.segment.kind] - rank[b.segment.kind] || a.documents - b.documents);
  const [best] = found;
  if (best === undefined) return { query: all, warnings };
  if (saysLittle(best)) return undefined;
  const others = parts
    .filter(({ segment }) => segment !== best.segment)
    .map(({ segment }) => `"${segment.words.join(' ')}"`);
  warnings.push(
    `No document has ${others.join(', ')} as well: the list is of "${best.segment.words.join(' ')}" alone.`,
  );
  return { query: best.query, warnings };
}

/** The words close together; without those that only say what kind of thing it is, if no document has them too. */
function segmentQuery(
  segment: Segment,
  options: QueryOptions & { warnings: string[] },
): { query: TermQuery; isReduced: boolean } {
  const words = segment.words.map((word) => correctWord(word, options));
  const specific = words.filter((word) => !isGenericWord(word));
  const near = (chosen: readonly string[]): TermQuery => ({
    kind: 'near',
    phrases: [...(segment.negated ? ['no'] : []), ...chosen].map((word) => phraseOf(word, 'stemmed')),
  });
  const full = near(words);
  const canReduce = specific.length > 0 && specific.length < words.length;
  const isReduced = canReduce && (segment.negated || countDocuments(full, options) === 0);
  return { query: isReduced ? near(specific) : full, isReduced };
}

function correctWord(
  word: string,
  { vocabulary, warnings }: { vocabulary: Vocabulary; warnings: string[] },
): string {
  const [term, ...others] = questionTerms(word, vocabulary);
  if (term?.corrected === undefined || others.length > 0 || /[^\p{L}]/u.test(word)) return word;
  warnings.push(`Read "${word}" as "${term.corrected}".`);
  return term.corrected;
}

function countDocuments(query: TermQuery, { corpus, filters }: QueryOptions): number {
  return corpus.list(query, filters).documents.length;
}

/** A document that is asked about is not one of those that refer to it. */
function withoutOwn(list: DocumentList, segments: readonly Segment[]): DocumentList {
  const codes = segments.flatMap(({ kind, words }) =>
    kind === 'code' ? words.map((word) => word.toLowerCase()) : [],
  );
  const documents = list.documents.filter(
    ({ document }) => !codes.includes(document.control.number?.toLowerCase() ?? ''),
  );
  if (documents.length === list.documents.length) return list;
  return { ...list, documents, mentions: documents.reduce((sum, { mentions }) => sum + mentions, 0) };
}

/** `3 of 20 documents: calcium chloride, 16 mentions`. */
export function summarizeList(list: DocumentList): string {
  const { documents, examined, query, mentions } = list;
  const whole = `${examined} ${examined === 1 ? 'document' : 'documents'}`;
  if (query === undefined) return whole;
  if (documents.length === 0) return `None of ${whole}: ${query}.`;
  const times = mentions === 0 ? '' : `, ${mentions} ${mentions === 1 ? 'mention' : 'mentions'}`;
  return `${documents.length} of ${whole}: ${query}${times}`;
}

function renderList(
  list: DocumentList,
  asked: CorpusQuestion,
): Pick<Answer, 'text' | 'grounding' | 'citations'> {
  const citations = list.documents.flatMap((listed, at) => toCitation(listed, `S${at + 1}`));
  const isBare = list.query === undefined && list.documents.length === 0;
  let text = isBare ? 'No document is as asked.' : summarizeList(list);
  const sentences: Answer['grounding']['sentences'][number][] = [];
  for (const [at, { document, mentions }] of list.documents.entries()) {
    const start = text.length + 1;
    const count = mentions > 0 && asked.asks === 'list' ? ` (${mentions})` : '';
    text = `${text}\n${nameDocument(document)}${count} [S${at + 1}]`;
    sentences.push({
      span: { start, end: text.length },
      citations: [`S${at + 1}`],
      verdict: 'supported',
      reasons: ['found by reading the whole index'],
    });
  }
  return { text, citations, grounding: { sentences } };
}

/** One citation a document, with every line; its unit is the section of the first line. */
function toCitation({ document, lines }: ListedDocument, key: string): Citation[] {
  const { id, path, title, control } = document;
  const first = lines.find(({ context }) => context !== undefined);
  const unit = first?.context ?? document.contexts[0];
  return [
    {
      key,
      unitId: unit?.id ?? id,
      document: {
        id,
        path,
        title,
        ...(control.number === undefined ? {} : { number: control.number }),
        ...(control.version === undefined ? {} : { version: control.version }),
      },
      headingPath: first?.headingPath ?? [],
      quotes: lines.flatMap(({ text, span, location }) =>
        span === undefined ? [] : [{ text, span, location }],
      ),
    },
  ];
}

function toSource({ key, unitId, quotes, document }: Citation): Source {
  const first = quotes[0];
  return {
    key,
    unitId,
    hits: [],
    span: first?.span ?? { start: 0, end: 0 },
    text: first?.text ?? '',
    location: first?.location ?? { file: document.path },
  };
}

/** The sections that the lines stand in, for the audit log. */
function contextsOf(list: DocumentList): RankedContext[] {
  const contexts = list.documents.flatMap(({ document, lines }) => {
    const units = lines.flatMap(({ context }) => (context === undefined ? [] : [context]));
    const all = units.length > 0 ? [...new Set(units)] : document.contexts.slice(0, 1);
    return all.map((context) => ({ document, context }));
  });
  return contexts.map(({ document, context }, at) => ({
    document,
    context,
    score: 0,
    rank: at + 1,
    hits: [],
  }));
}

function listWarnings({ documents, undated }: DocumentList): string[] {
  const overdue = documents.filter(({ state }) => state.startsWith('review overdue'));
  return [
    ...overdue.map(({ document, state }) => `${document.control.number ?? document.title}: ${state}.`),
    ...(undated.length === 0 ? [] : [`${undated.join(', ')} state no such date and may belong in the list.`]),
  ];
}
