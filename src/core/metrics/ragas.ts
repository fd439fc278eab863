/**
 * Contexts, ids and a judge's verdicts → the four RAGAS metrics of paper 000 and their forms that need no judge.
 *
 * Arithmetic only, that of ragas 0.4.3 (`ragas.metrics.collections` where it has two); asking the judge is the
 * caller's. Two departures: what ragas gives as NaN is undefined here, and a missing verdict is left out and
 * counted, where ragas lets the whole question fail.
 */

import { scoreJudged, type JudgedScore } from './judged.js';
import { stringSimilarity, type StringMeasure } from './stringSimilarity.js';

/** How often ragas asks for one rating before it gives up. */
export const RATING_ATTEMPTS = 5;

const MAX_RATING = 4;

/** ragas adds these to its denominators; a perfect score is therefore just under 1. */
const PRECISION_EPSILON = 1e-10;
const ENTITY_EPSILON = 1e-8;

/** Whether a statement is found in the context, or a context is of use: 1 or 0; undefined where the judge failed. */
export type JudgeVerdict = number | undefined;

/** How far an answer agrees with the reference: 0 not, 2 in part, 4 wholly. */
export type AccuracyRating = 0 | 2 | 4;

export interface ContextMatchOptions {
  /** In [0, 1]; default 0.5. */
  readonly threshold?: number;
  /** Default `levenshtein`. */
  readonly measure?: StringMeasure;
}

/** What a judge replied → a verdict; all but 0 and 1 is none (ragas would add a 2 to the sum). */
export function readVerdict(reply: unknown): JudgeVerdict {
  return reply === 0 || reply === 1 ? reply : undefined;
}

/** What a judge replied → a rating; all but 0, 2 and 4 is none and to be asked again. */
export function readRating(reply: unknown): AccuracyRating | undefined {
  return reply === 0 || reply === 2 || reply === 4 ? reply : undefined;
}

/** Paper 000, Context Recall: one verdict a statement of the reference answer; the share that the context supports. */
export function contextRecall(verdicts: readonly JudgeVerdict[]): JudgedScore {
  return scoreJudged(verdicts, (present) => sum(present) / present.length);
}

/**
 * Paper 000, Context Precision: one verdict a retrieved context, best rank first; the mean precision at the ranks of
 * the useful ones. Ranks count judged contexts (a condensed list: T. Sakai, 2007). Relevant contexts that were not
 * retrieved do not lower it: that is recall's part.
 */
export function contextPrecision(verdicts: readonly JudgeVerdict[]): JudgedScore {
  return scoreJudged(verdicts, meanPrecisionAtHits);
}

/**
 * Paper 000, Context Entity Recall: the share of the reference's distinct entities that the context has, letter by
 * letter. A reference without entities gives 0, as in ragas; undefined entities (extraction failed) give undefined.
 */
export function contextEntityRecall(
  referenceEntities: readonly string[] | undefined,
  contextEntities: readonly string[] | undefined,
): number | undefined {
  if (referenceEntities === undefined || contextEntities === undefined) return undefined;
  const wanted = new Set(referenceEntities);
  return countCommon(wanted, new Set(contextEntities)) / (wanted.size + ENTITY_EPSILON);
}

/**
 * Paper 000, Answer Accuracy: the two judges' ratings, the second of whom saw answer and reference in the opposite
 * order; their mean, scaled to [0, 1]. If one is missing the other stands alone.
 */
export function answerAccuracy(
  first: AccuracyRating | undefined,
  second: AccuracyRating | undefined,
): JudgedScore {
  return scoreJudged([first, second], (present) => sum(present) / present.length / MAX_RATING);
}

/**
 * The share of reference contexts to which some retrieved context is more similar than the threshold (>). Undefined
 * without references. Nothing retrieved gives 0, where ragas raises an error.
 */
export function textContextRecall(
  retrieved: readonly string[],
  references: readonly string[],
  options: ContextMatchOptions = {},
): number | undefined {
  const { threshold = 0.5 } = options;
  if (references.length === 0) return undefined;
  const found = references.filter((reference) => bestSimilarity(reference, retrieved, options) > threshold);
  return found.length / references.length;
}

/**
 * Context Precision where a retrieved context counts as useful if it is at least as similar to some reference as the
 * threshold (>=). Nothing retrieved gives 0; undefined without references, where ragas raises an error.
 */
export function textContextPrecision(
  retrieved: readonly string[],
  references: readonly string[],
  options: ContextMatchOptions = {},
): number | undefined {
  const { threshold = 0.5 } = options;
  if (retrieved.length === 0) return 0;
  if (references.length === 0) return undefined;
  return meanPrecisionAtHits(
    retrieved.map((context) => (bestSimilarity(context, references, options) >= threshold ? 1 : 0)),
  );
}

/** Distinct ids in both per distinct reference id; undefined without references. `1` and `'1'` are one id. */
export function idContextRecall(
  retrieved: readonly (string | number)[],
  references: readonly (string | number)[],
): number | undefined {
  const [found, wanted] = [new Set(retrieved.map(String)), new Set(references.map(String))];
  return wanted.size === 0 ? undefined : countCommon(wanted, found) / wanted.size;
}

/** Distinct ids in both per distinct retrieved id; undefined where nothing was retrieved. `1` and `'1'` are one id. */
export function idContextPrecision(
  retrieved: readonly (string | number)[],
  references: readonly (string | number)[],
): number | undefined {
  return idContextRecall(references, retrieved);
}

/** Undefined-free verdicts by rank → the mean, over the hits, of the precision at the hit's rank; no hit gives 0. */
function meanPrecisionAtHits(verdicts: readonly number[]): number {
  let hits = 0;
  let total = 0;
  for (const [at, verdict] of verdicts.entries()) {
    hits += verdict;
    total += (hits / (at + 1)) * verdict;
  }
  return total / (hits + PRECISION_EPSILON);
}

/** No other text gives a similarity below any threshold. */
function bestSimilarity(text: string, others: readonly string[], options: ContextMatchOptions): number {
  const { measure = 'levenshtein' } = options;
  return others.reduce(
    (best, other) => Math.max(best, stringSimilarity(text, other, { measure })),
    -Infinity,
  );
}

function countCommon(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const item of a) if (b.has(item)) common++;
  return common;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
