/** A question + an index → the list of all documents that it asks for, or undefined where it asks for something else. */

import type { Answer, Citation, Source } from '../../core/types.js';
import type { ExplainedAnswer } from '../answer.js';
import { answerQuestion, type AnswerOptions, type AnswerSource } from '../answer.js';
import { recognizeCorpusQuestion, type CorpusQuestion } from './corpusQuestion.js';
import { folderNames, readFilters } from './corpusFilters.js';
import { buildQuery } from './corpusQuery.js';
import type { Segment } from './corpusTerms.js';
import { openListedCorpus, type DocumentList, type ListedDocument } from './documentList.js';
import { documentReference, nameDocument } from '../describe.js';
import { questionTerms } from '../question/questionTerms.js';
import type { RankedContext, RetrieveOptions } from '../retrieve.js';
import type { SopIndex } from '../sopIndex.js';
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
  options: AnswerOptions,
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
    needsReview: false,
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

/** A document whose number is asked for is not one of those that refer to it. */
function withoutOwn(list: DocumentList, segments: readonly Segment[]): DocumentList {
  const codes = segments.flatMap(({ kind, words }) =>
    kind === 'code' ? words.map((word) => word.toLowerCase()) : [],
  );
  if (codes.length > 1) return list;
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
  const first = lines.find(({ context }) => context !== undefined);
  const unit = first?.context ?? document.contexts[0];
  return [
    {
      key,
      unitId: unit?.id ?? document.id,
      document: documentReference(document),
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

function listWarnings({ query, documents, undated }: DocumentList): string[] {
  // A list by control data shows the standing of each.
  const overdue =
    query === undefined ? [] : documents.filter(({ state }) => state.startsWith('review overdue'));
  return [
    ...overdue.map(({ document, state }) => `${document.control.number ?? document.title}: ${state}.`),
    ...(undated.length === 0 ? [] : [`${undated.join(', ')} state no such date and may belong in the list.`]),
  ];
}
