/**
 * Reference and candidate text → ROUGE-1, -2, -L and -Lsum, each with precision, recall and F1.
 *
 * The values are those of Google's `rouge_score` 0.1.2 (C.-Y. Lin, "ROUGE", 2004; paper 001 reports 1, 2 and L).
 */

import { countNgrams, countShared } from './ngrams.js';
import { porterStem } from './porterStemmer.js';

/** Each in [0, 1]. */
export interface OverlapScore {
  /** Share of the candidate that the reference has. */
  readonly precision: number;
  /** Share of the reference that the candidate has. */
  readonly recall: number;
  readonly f1: number;
}

export interface RougeScores {
  readonly rouge1: OverlapScore;
  readonly rouge2: OverlapScore;
  /** Longest common subsequence of the two texts as one sentence each. */
  readonly rougeL: OverlapScore;
  /** Longest common subsequences line by line, united: lines are what `\n` separates. */
  readonly rougeLsum: OverlapScore;
}

export interface RougeOptions {
  /** Compares Porter stems of words longer than three characters. Default false. */
  readonly stem?: boolean;
}

const STEMMED_FROM_LENGTH = 4;

export function rouge(reference: string, candidate: string, options: RougeOptions = {}): RougeScores {
  const tokenize = (text: string): string[] => tokenizeRouge(text, options);
  const referenceTokens = tokenize(reference);
  const candidateTokens = tokenize(candidate);
  const overlap = (n: number): OverlapScore => {
    const [inReference, inCandidate] = [countNgrams(referenceTokens, n), countNgrams(candidateTokens, n)];
    return toScore(countShared(inReference, inCandidate), {
      reference: Math.max(0, referenceTokens.length - n + 1),
      candidate: Math.max(0, candidateTokens.length - n + 1),
    });
  };
  return {
    rouge1: overlap(1),
    rouge2: overlap(2),
    rougeL: toScore(lcsMatches(referenceTokens, candidateTokens).length, {
      reference: referenceTokens.length,
      candidate: candidateTokens.length,
    }),
    rougeLsum: summaryScore(splitLines(reference).map(tokenize), splitLines(candidate).map(tokenize)),
  };
}

/** Lower-case runs of a-z and 0-9; every other character separates (`µL` gives `l`). */
export function tokenizeRouge(text: string, { stem = false }: RougeOptions = {}): string[] {
  const tokens = text.toLowerCase().match(/[a-z0-9]+/gu) ?? [];
  return stem
    ? tokens.map((token) => (token.length < STEMMED_FROM_LENGTH ? token : porterStem(token)))
    : tokens;
}

function splitLines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

/** No token on a side gives 0, not a division by 0. */
function toScore(
  matches: number,
  totals: { readonly reference: number; readonly candidate: number },
): OverlapScore {
  const precision = matches / Math.max(1, totals.candidate);
  const recall = matches / Math.max(1, totals.reference);
  const f1 = matches === 0 ? 0 : (2 * precision * recall) / (precision + recall);
  return { precision, recall, f1 };
}

/**
 * For each reference line, the positions that any candidate line matches; a matched token counts only while both
 * whole texts still have one left, so that no token is counted twice.
 */
function summaryScore(reference: readonly string[][], candidate: readonly string[][]): OverlapScore {
  const leftInReference = countNgrams(reference.flat(), 1);
  const leftInCandidate = countNgrams(candidate.flat(), 1);
  let matches = 0;
  for (const line of reference) {
    const united = new Set(candidate.flatMap((candidateLine) => lcsMatches(line, candidateLine)));
    for (const at of united) {
      const token = line[at] ?? '';
      const [inReference, inCandidate] = [leftInReference.get(token) ?? 0, leftInCandidate.get(token) ?? 0];
      if (inReference === 0 || inCandidate === 0) continue;
      leftInReference.set(token, inReference - 1);
      leftInCandidate.set(token, inCandidate - 1);
      matches++;
    }
  }
  return toScore(matches, { reference: reference.flat().length, candidate: candidate.flat().length });
}

/**
 * Positions in the reference of one longest common subsequence, last first. Which one is part of ROUGE-Lsum's
 * definition: walking back, the candidate is stepped in only where that neighbour is strictly longer.
 */
function lcsMatches(reference: readonly string[], candidate: readonly string[]): number[] {
  const width = candidate.length;
  /** Per pair of positions, 1 where stepping back in the candidate keeps the longer subsequence. */
  const stepsInCandidate = new Uint8Array(reference.length * width);
  let above = new Uint32Array(width + 1);
  let lengths = new Uint32Array(width + 1);
  for (const [row, token] of reference.entries()) {
    for (let column = 0; column < width; column++) {
      const left = lengths[column]!;
      const up = above[column + 1]!;
      if (left > up) stepsInCandidate[row * width + column] = 1;
      lengths[column + 1] = token === candidate[column] ? above[column]! + 1 : left > up ? left : up;
    }
    [above, lengths] = [lengths, above];
  }
  const positions: number[] = [];
  let row = reference.length - 1;
  let column = width - 1;
  while (row >= 0 && column >= 0) {
    if (reference[row] === candidate[column]) {
      positions.push(row--);
      column--;
    } else if (stepsInCandidate[row * width + column] === 1) column--;
    else row--;
  }
  return positions;
}
