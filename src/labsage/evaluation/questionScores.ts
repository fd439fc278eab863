/** What a system retrieved or printed for one question + its ground truth → the metrics that need no judge. */

import { contextEntityRecall, contextPrecision } from '../../core/metrics/ragas.js';
import { countWords } from '../../core/text.js';
import type { CountTokens } from '../../core/tokenCounter.js';
import type { Document, Span } from '../../core/types.js';
import type { IndexedDocument } from '../index/indexFormat.js';
import { bareWords, type ContextText } from './containment.js';
import { listEntities } from './entities.js';
import { findStatements, type GroundTruth } from './groundTruth.js';
import type { MetricName } from './metricNames.js';
import type { Question } from './questions.js';
import type { RetrievedContext } from './systems.js';

/** Undefined: the metric has no meaning for this question. */
export type Scores = Partial<Readonly<Record<MetricName, number | undefined>>>;

/** What a question's scores rest on, looked up once. */
export interface PreparedQuestion {
  readonly question: Question;
  readonly truth: GroundTruth;
  /** Distinct entities of the ground truth. */
  readonly entities: readonly string[];
  /** The sections that hold the quotes; undefined for a quote that its document lacks. */
  readonly sections: readonly ({ readonly document: string; readonly span: Span } | undefined)[];
}

export function prepareQuestion(
  question: Question,
  truth: GroundTruth,
  indexed: ReadonlyMap<string, IndexedDocument>,
): PreparedQuestion {
  return {
    question,
    truth,
    entities: listEntities(question.evidence.map(({ quote }) => quote).join('\n')),
    sections: truth.places.map(({ document, span }) => {
      const contexts = indexed.get(document)?.contexts ?? [];
      const holder = contexts.find((unit) => unit.span.start <= span.start && span.start < unit.span.end);
      return holder === undefined ? undefined : { document, span: holder.span };
    }),
  };
}

/** Scores of the contexts at one k; `context-precision` of the whole list in rank order. */
export function scoreContexts(
  { truth, entities, sections }: PreparedQuestion,
  contexts: readonly RetrievedContext[],
  { countTokens }: { countTokens: CountTokens },
): Scores {
  const useful = contexts.map((context) =>
    findStatements(truth.statements, [context]).includes(true) ? 1 : 0,
  );
  const precision = contextPrecision(useful).score ?? 0;
  const known = sections.filter((section) => section !== undefined);
  const retrieved = known.filter((section) => contexts.some((context) => isOfSection(context, section)));
  const text = contexts.map((context) => context.text).join('\n');
  return {
    'context-recall': share(findStatements(truth.statements, contexts)),
    'context-precision': precision,
    'entity-recall': entities.length === 0 ? undefined : contextEntityRecall(entities, listEntities(text)),
    'section-recall': known.length === 0 ? undefined : retrieved.length / known.length,
    'context-words': countWords(text),
    'context-tokens': countTokens(text),
  };
}

/** Half of the section or half of the context at least is the other's. */
function isOfSection(context: RetrievedContext, section: { document: string; span: Span }): boolean {
  if (context.document !== section.document) return false;
  const common =
    Math.min(context.span.end, section.span.end) - Math.max(context.span.start, section.span.start);
  const shorter = Math.min(context.span.end - context.span.start, section.span.end - section.span.start);
  return common * 2 >= shorter;
}

/** What was printed, without marks and closing line. `texts` are quotes, or one text of a language model. */
export interface PrintedAnswer {
  readonly texts: readonly ContextText[];
  readonly answered: boolean;
  /** The texts are a model's own words, so that a statement counts wherever it stands. */
  readonly isModelText: boolean;
}

/** A refused question has said nothing: its recall and F1 are 0, its precision and length have no meaning. */
export function scoreAnswer({ question, truth }: PreparedQuestion, printed: PrintedAnswer): Scores {
  if (!printed.answered) {
    return {
      'answer-recall': 0,
      'answer-complete': 0,
      'answer-precision': undefined,
      'answer-f1': 0,
      'answer-words': undefined,
    };
  }
  const found = findStatements(truth.statements, printed.texts, { anyDocument: printed.isModelText });
  const text = printed.texts.map((part) => part.text).join('\n');
  const { precision, f1 } = compareTokens(text, question.evidence.map(({ quote }) => quote).join('\n'));
  return {
    'answer-recall': share(found),
    'answer-complete': found.every(Boolean) ? 1 : 0,
    'answer-precision': precision,
    'answer-f1': f1,
    'answer-words': countWords(text),
  };
}

/** Token multisets: what both have, per token printed (precision) and wanted (recall), and their harmonic mean. */
export function compareTokens(
  printed: string,
  wanted: string,
): { precision: number; recall: number; f1: number } {
  const tokensOf = (text: string): string[] =>
    bareWords(text)
      .split(' ')
      .filter((word) => word !== '');
  const [have, want] = [tokensOf(printed), tokensOf(wanted)];
  const left = new Map<string, number>();
  for (const word of want) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of have) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    common++;
    left.set(word, count - 1);
  }
  if (common === 0) return { precision: 0, recall: 0, f1: 0 };
  return {
    precision: common / have.length,
    recall: common / want.length,
    f1: (2 * common) / (have.length + want.length),
  };
}

/** The documents of a whole-corpus question against those that were listed. */
export function scoreList(wanted: readonly string[], listed: readonly string[]): Scores {
  const [want, have] = [new Set(wanted), new Set(listed)];
  const common = [...want].filter((path) => have.has(path)).length;
  return {
    'list-recall': want.size === 0 ? undefined : common / want.size,
    'list-precision': have.size === 0 ? undefined : common / have.size,
  };
}

export function documentsByPath(documents: readonly Document[]): ReadonlyMap<string, Document> {
  return new Map(documents.map((document) => [document.path, document]));
}

function share(found: readonly boolean[]): number {
  return found.length === 0 ? 0 : found.filter(Boolean).length / found.length;
}
