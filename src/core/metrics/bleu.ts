/**
 * Reference and candidate texts → BLEU, in [0, 1] (sacrebleu's own scale is 100 times that).
 *
 * `corpusBleu` and `sentenceBleu` give sacrebleu 2.6.0's values (13a tokens, exponential smoothing, case kept),
 * `nltkBleu` those of NLTK's sentence_bleu with smoothing method 1 on lower-cased words.
 * K. Papineni et al., "BLEU", 2002; M. Post, "A call for clarity in reporting BLEU scores", 2018.
 */

import { countNgrams, countShared } from './ngrams.js';
import { splitWhitespace, trimTrailing } from './whitespace.js';

const MAX_ORDER = 4;
const ORDERS = [1, 2, 3, 4] as const;

/** What NLTK's method 1 puts in the place of no match. */
const NLTK_EPSILON = 0.1;

/** One text to be scored and the texts that it is scored against, one at least. */
export interface BleuSegment {
  readonly candidate: string;
  readonly references: readonly string[];
}

export interface BleuScore {
  /** In [0, 1]. */
  readonly score: number;
  /** By order 1 to 4, in [0, 1], smoothed; 0 from the first order on that no candidate is long enough for. */
  readonly precisions: readonly number[];
  /** Clipped matches by order, before smoothing. */
  readonly matches: readonly number[];
  /** Candidate n-grams by order. */
  readonly totals: readonly number[];
  /** In [0, 1]. */
  readonly brevityPenalty: number;
  /** In 13a tokens. */
  readonly candidateLength: number;
  /** In 13a tokens; of several references, the one closest in length counts. */
  readonly referenceLength: number;
}

export interface BleuOptions {
  /** Averages over the orders that the candidates are long enough for, instead of over 4. Default false. */
  readonly effectiveOrder?: boolean;
}

/** Counts are summed over the segments before they are divided: not the mean of sentence scores. */
export function corpusBleu(segments: readonly BleuSegment[], options: BleuOptions = {}): BleuScore {
  const matches = [0, 0, 0, 0];
  const totals = [0, 0, 0, 0];
  let candidateLength = 0;
  let referenceLength = 0;
  for (const segment of segments) {
    const candidate = tokenize13a(segment.candidate);
    const references = segment.references.map(tokenize13a);
    candidateLength += candidate.length;
    referenceLength += closestLength(references, candidate.length);
    for (const n of ORDERS) {
      const limits = maxCounts(references.map((reference) => countNgrams(reference, n)));
      matches[n - 1]! += countShared(countNgrams(candidate, n), limits);
      totals[n - 1]! += Math.max(0, candidate.length - n + 1);
    }
  }
  const precisions = smoothExponentially(matches, totals);
  const brevityPenalty = toBrevityPenalty(candidateLength, referenceLength);
  const reached = totals.filter((total) => total > 0).length;
  const orders = options.effectiveOrder === true ? reached : MAX_ORDER;
  const score = matches.every((count) => count === 0)
    ? 0
    : brevityPenalty * geometricMean(precisions.slice(0, orders));
  return { score, precisions, matches, totals, brevityPenalty, candidateLength, referenceLength };
}

/** With effective order, as sacrebleu's sentence_bleu has it. */
export function sentenceBleu(reference: string, candidate: string): BleuScore {
  return corpusBleu([{ candidate, references: [reference] }], { effectiveOrder: true });
}

/** NLTK's BLEU-4 of lower-cased, blank-separated words, smoothing method 1; in [0, 1], 0 where no word matches. */
export function nltkBleu(reference: string, candidate: string): number {
  const referenceWords = splitWhitespace(reference.toLowerCase());
  const candidateWords = splitWhitespace(candidate.toLowerCase());
  const precisions: number[] = [];
  for (const n of ORDERS) {
    const matched = countShared(countNgrams(candidateWords, n), countNgrams(referenceWords, n));
    if (n === 1 && matched === 0) return 0;
    const total = Math.max(1, candidateWords.length - n + 1);
    precisions.push((matched === 0 ? NLTK_EPSILON : matched) / total);
  }
  return toBrevityPenalty(candidateWords.length, referenceWords.length) * geometricMean(precisions);
}

/** The `13a` tokens of mteval: ASCII symbols stand alone, full stops and commas inside numbers do not. */
export function tokenize13a(text: string): string[] {
  const line = trimTrailing(text)
    .replaceAll('<skipped>', '')
    .replaceAll('-\n', '')
    .replaceAll('\n', ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>');
  const separated = ` ${line} `
    .replace(/[!-&(-+/:-@[-`{-~]/gu, ' $& ')
    .replace(/([^0-9])([.,])/gu, '$1 $2 ')
    .replace(/([.,])([^0-9])/gu, ' $1 $2')
    .replace(/([0-9])-/gu, '$1 - ');
  return splitWhitespace(separated);
}

/** Each order without a match gets half the chance of the one before it. */
function smoothExponentially(matches: readonly number[], totals: readonly number[]): number[] {
  let factor = 1;
  return totals.map((total, order) => {
    const matched = matches[order] ?? 0;
    if (total === 0) return 0;
    if (matched > 0) return matched / total;
    factor *= 2;
    return 1 / (factor * total);
  });
}

/** Of several counts of one n-gram, the largest: what a candidate may match at most. */
function maxCounts(counts: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const limits = new Map<string, number>();
  for (const map of counts) {
    for (const [ngram, count] of map) limits.set(ngram, Math.max(count, limits.get(ngram) ?? 0));
  }
  return limits;
}

/** Of two equally close lengths the shorter one. */
function closestLength(references: readonly (readonly string[])[], length: number): number {
  const distance = (other: number): number => Math.abs(other - length);
  const [closest] = references
    .map((reference) => reference.length)
    .sort((a, b) => distance(a) - distance(b) || a - b);
  if (closest === undefined) throw new RangeError('BLEU needs a reference for every candidate');
  return closest;
}

function toBrevityPenalty(candidateLength: number, referenceLength: number): number {
  if (candidateLength === 0) return 0;
  return candidateLength < referenceLength ? Math.exp(1 - referenceLength / candidateLength) : 1;
}

/** Rounding must not lift a perfect score over 1. */
function geometricMean(values: readonly number[]): number {
  const logs = values.reduce((sum, value) => sum + Math.log(value), 0);
  return Math.min(1, Math.exp(logs / values.length));
}
