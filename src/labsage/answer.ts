/** A question + an index → a proven answer or an honest refusal: the whole flow from top to bottom. */

import { sliceSpan } from '../core/text.js';
import { loadTokenCounter } from '../core/tokenCounter.js';
import { timed } from '../core/trace.js';
import type { Answer, Citation, Document, Embedder, Quote, Source } from '../core/types.js';
import { judgeAnswerable, type Judgement } from './evidence/answerable.js';
import {
  confidenceOf,
  measureConfidence,
  REVIEW_CONFIDENCE,
  type ConfidenceFeatures,
} from './evidence/confidence.js';
import { documentReference } from './describe.js';
import { locate } from './document.js';
import { isReviewOverdue } from './documents/documentControl.js';
import { listEvidence, type Evidence } from './evidence/evidence.js';
import { carriedWords, sectionWarnings } from './evidence/sectionWords.js';
import { splitQuestion } from './question/questionParts.js';
import { correctedQuestion, readQuestionTerms, type QuestionTerm } from './question/questionTerms.js';
import { DEFAULT_K, retrieveContexts, type RankedContext, type RetrieveOptions } from './retrieve.js';
import {
  inOrderOfChoice,
  scoreEvidence,
  selectEvidence,
  type ScoredEvidence,
} from './evidence/selectEvidence.js';
import type { SopIndex } from './sopIndex.js';

/** Sections looked at, or k if more: the best piece of each decides which k are read (bench/answers). */
const POOL_SECTIONS = 10;
/** Of each part of the question that asks two things: sections that join the pool if the whole question has them in reach. */
const PART_SECTIONS = 3;
const PART_REACH = 40;

/** Ends every answer. */
export const CLOSING_LINE = 'Verify against the controlled copy before acting.';

export interface AnswerSource {
  readonly index: SopIndex;
  readonly embedder: Embedder | undefined;
}

export interface AnswerOptions extends RetrieveOptions {
  /** An answer of less confidence is refused. */
  readonly minConfidence?: number;
}

/** What an answer was made of, for `--explain` and for evaluation. */
export interface ExplainedAnswer {
  readonly answer: Answer;
  readonly contexts: readonly RankedContext[];
  /** What governs a section of `contexts`; only a language model is told, so it is looked up when asked for. */
  readonly governing: (ranked: RankedContext) => Governing;
  readonly judgement: Judgement;
  readonly signals: ConfidenceFeatures;
  readonly terms: readonly QuestionTerm[];
  readonly scored: readonly ScoredEvidence[];
  /** There if a language model wrote the answer. */
  readonly written?: WrittenParts;
}

export interface Governing {
  /** Repeated from the section that it was cut from. */
  readonly carried: string;
  readonly warnings: readonly Quote[];
}

export interface WrittenParts {
  readonly reply: string;
  /** Sentences that no section proves, left out. */
  readonly withheld: readonly string[];
  /** Of `--strict`. */
  readonly fallsShort: boolean;
}

/** Retrieve, judge, quote. Never throws for a question that the SOPs do not answer: that is an answer too. */
export async function answerQuestion(
  question: string,
  source: AnswerSource,
  options: AnswerOptions,
): Promise<ExplainedAnswer> {
  const startMs = performance.now();
  const terms = await readQuestionTerms(question, await source.index.readTerms());
  const text = correctedQuestion(question, terms);
  const k = options.k ?? DEFAULT_K;
  const isPaper = options.preset === 'paper';
  const pool = await timed('retrieve', () =>
    isPaper
      ? retrieveContexts(question, source, { ...options, k })
      : retrievePool(text, source, { ...options, k }),
  );
  const retrievedMs = performance.now();
  const pieces = (await Promise.all(pool.map((ranked) => listPieces(ranked, source.index)))).flat();
  const all = await scoreEvidence(question, pieces, { terms, embedder: source.embedder });
  const contexts = isPaper ? pool : rerankContexts(pool, all).slice(0, k);
  const scored = all.filter(({ evidence }) => contexts.includes(evidence.ranked));
  const documents = await Promise.all(contexts.map(({ document }) => source.index.readDocument(document.id)));
  const { asking, parts } = splitQuestion(text);
  const judged = judgeAnswerable({
    asking,
    terms,
    document: documents[0],
    scored,
    bestText: wordsOf(contexts[0], documents[0]),
    countTokens: await loadTokenCounter(),
  });
  const quotable = selectEvidence(scored, pieces, { question: text });
  const signals = measureConfidence({ judged, terms, parts, scored, chosen: quotable });
  const confidence = confidenceOf(signals);
  const judgement = refuseBelow(judged, { confidence, least: options.minConfidence ?? 0 });
  const isAnswered = judgement.refusal === undefined;
  const chosen = isAnswered ? quotable : [];
  const sources = contexts.flatMap((ranked, at) => {
    const document = documents[at];
    return document === undefined ? [] : [toSource(ranked, { document, key: `S${at + 1}` })];
  });
  const citations = citationsOf(chosen, { contexts });
  const rendered = renderText(judgement, citations);
  const answer: Answer = {
    question,
    text: rendered.text,
    answered: isAnswered,
    confidence,
    needsReview: isAnswered && confidence < REVIEW_CONFIDENCE,
    warnings: warningsOf({ chosen, terms, today: options.today }),
    missingTerms: judgement.missingTerms,
    citations,
    grounding: rendered.grounding,
    sources,
    omitted: { intended: 0, sent: 0 },
    model: { embedder: source.index.manifest.embedder.id, generator: 'extractive' },
    timingsMs: {
      retrieve: Math.round(retrievedMs - startMs),
      answer: Math.round(performance.now() - retrievedMs),
    },
  };
  const governing = (ranked: RankedContext): Governing => {
    const document = documents[contexts.indexOf(ranked)];
    if (document === undefined) return { carried: '', warnings: [] };
    return {
      carried: carriedWords(document, ranked.context),
      warnings: sectionWarnings(document, { ranked, pieces }),
    };
  };
  return { answer, contexts, governing, judgement, signals, terms, scored };
}

/** What was refused already stays refused for its own reason. */
function refuseBelow(
  judgement: Judgement,
  { confidence, least }: { confidence: number; least: number },
): Judgement {
  if (judgement.refusal !== undefined || confidence >= least) return judgement;
  const refusal = `Not answered: the confidence is ${confidence.toFixed(3)}, and at least ${least} was asked for.`;
  return { ...judgement, refusal };
}

/** The best sections for the whole question, and those in reach of it that are among the best for a part. */
async function retrievePool(
  question: string,
  source: AnswerSource,
  options: RetrieveOptions & { readonly k: number },
): Promise<RankedContext[]> {
  const size = Math.max(options.k, POOL_SECTIONS);
  const { parts } = splitQuestion(question);
  if (parts.length === 0) return retrieveContexts(question, source, { ...options, k: size });
  const reach = await retrieveContexts(question, source, { ...options, k: Math.max(size, PART_REACH) });
  const wanted = new Set<string>();
  for (const part of parts) {
    const found = await retrieveContexts(part, source, { ...options, k: PART_SECTIONS });
    for (const { context } of found) wanted.add(context.id);
  }
  return reach.filter(({ context, rank }) => rank <= size || wanted.has(context.id));
}

async function listPieces(ranked: RankedContext, index: SopIndex): Promise<Evidence[]> {
  return listEvidence(await index.readDocument(ranked.document.id), ranked);
}

/**
 * Sections in the order of their best piece, those that answer a part of the question first: what is quoted decides which
 * sections are read.
 */
function rerankContexts(pool: readonly RankedContext[], scored: readonly ScoredEvidence[]): RankedContext[] {
  const ordered = new Set(inOrderOfChoice(scored).map(({ evidence }) => evidence.ranked));
  return [...ordered, ...pool.filter((ranked) => !ordered.has(ranked))];
}

function wordsOf(ranked: RankedContext | undefined, document: Document | undefined): string {
  if (ranked === undefined || document === undefined) return '';
  const number = document.control.number ?? '';
  return [
    number,
    document.title,
    ...ranked.context.headingPath,
    sliceSpan(document.text, ranked.context.span),
  ].join('\n');
}

function toSource(
  { context, hits }: RankedContext,
  { document, key }: { document: Document; key: string },
): Source {
  return {
    key,
    unitId: context.id,
    hits,
    span: context.span,
    text: sliceSpan(document.text, context.span),
    location: locate(document, context.span),
  };
}

/** One citation a section, in the order in which the pieces stand in the answer. */
function citationsOf(
  chosen: readonly Evidence[],
  { contexts }: { contexts: readonly RankedContext[] },
): Citation[] {
  return [...new Set(chosen.map(({ ranked }) => ranked))].map((ranked) => {
    const pieces = chosen.filter((piece) => piece.ranked === ranked);
    const document = pieces[0]?.document;
    return {
      key: `S${contexts.indexOf(ranked) + 1}`,
      unitId: ranked.context.id,
      document: documentReference(ranked.document),
      headingPath: ranked.context.headingPath,
      quotes: document === undefined ? [] : quotesOf(document, pieces),
    };
  });
}

/** A table row is quoted under its header row. */
function quotesOf(document: Document, pieces: readonly Evidence[]): Citation['quotes'] {
  const quotes = new Map<number, Quote>();
  for (const { header, span, subheadings } of pieces) {
    for (const part of header === undefined ? [span] : [header, span]) {
      quotes.set(part.start, {
        text: sliceSpan(document.text, part),
        span: part,
        location: locate(document, part),
        ...(subheadings.length === 0 ? {} : { subheadings }),
      });
    }
  }
  return [...quotes.values()].sort((a, b) => a.span.start - b.span.start);
}

/** Each quote on its own line with its mark; every sentence is a verbatim quote, so each is supported by its source. */
function renderText(
  judgement: Judgement,
  citations: readonly Citation[],
): Pick<Answer, 'text' | 'grounding'> {
  if (judgement.refusal !== undefined) return { text: judgement.refusal, grounding: { sentences: [] } };
  let text = '';
  const sentences: Answer['grounding']['sentences'][number][] = [];
  for (const { key, quotes } of citations) {
    for (const quote of quotes) {
      const start = text === '' ? 0 : text.length + 1;
      text = `${text}${text === '' ? '' : '\n'}${quote.text} [${key}]`;
      sentences.push({
        span: { start, end: text.length },
        citations: [key],
        verdict: 'supported',
        reasons: ['quoted verbatim'],
      });
    }
  }
  return { text, grounding: { sentences } };
}

/** One line a document. */
export function overdueWarnings(
  documents: readonly Pick<Document, 'control' | 'title'>[],
  today: string,
): string[] {
  return [...new Set(documents)]
    .filter(({ control }) => isReviewOverdue(control, today))
    .map(
      ({ control, title }) =>
        `${control.number ?? title} is overdue for review since ${control.review ?? ''}.`,
    );
}

function warningsOf(state: {
  chosen: readonly Evidence[];
  terms: readonly QuestionTerm[];
  today: string;
}): string[] {
  const warnings = overdueWarnings(
    state.chosen.map(({ document }) => document),
    state.today,
  );
  const corrected = state.terms.filter((term) => term.corrected !== undefined);
  if (corrected.length > 0) {
    warnings.push(
      `Read ${corrected.map(({ word, corrected: as }) => `"${word}" as "${as ?? ''}"`).join(', ')}.`,
    );
  }
  return warnings;
}
