/** A question and the chunks that may answer it → hits: BM25 and cosine, each min-max scaled over the same chunks (paper 001, 2.3). */

import type { KeywordIndex } from '../../core/keywordIndex.js';
import { byScore } from '../../core/rank.js';
import { splitWords } from '../../core/text.js';
import type { Chunk, Hit, SoapPart } from '../../core/types.js';
import { SYMPTOM_WORDS } from './symptomWords.js';

/** Share of the cosine in the linear sum; the rest is BM25's. Chosen on the development patients. */
export const DENSE_WEIGHT = 0.6;
/** Pairwise cosine from which the lower of two hits says nothing new. */
export const DUPLICATE_COSINE = 0.93;
/** Most that the symptom rerank adds to a score of 0 to 1. */
export const SYMPTOM_BONUS = 0.1;
/** Different symptoms that earn all of it. */
const SYMPTOMS_FOR_ALL = 3;

/** The chunks of one visit with all that scoring needs; every stage draws on the same. */
export interface Candidates {
  readonly chunks: readonly Chunk[];
  /** Unit vector by chunk id. */
  readonly vectors: ReadonlyMap<string, Float32Array>;
  readonly keywords: KeywordIndex;
}

/** What can be switched off or set. */
export interface ScoringOptions {
  /** 0 to 1, see `DENSE_WEIGHT`. */
  readonly denseWeight?: number;
  readonly useKeywords?: boolean;
  readonly useRerank?: boolean;
  readonly useDedup?: boolean;
  /** Hits kept for a question. */
  readonly top?: number;
}

export interface QuestionHits {
  readonly id: string;
  readonly question: string;
  readonly soap: SoapPart;
  /** Best first; `unitId` is the chunk's. */
  readonly hits: readonly Hit[];
  readonly dropped: readonly { readonly unitId: string; readonly like: string; readonly cosine: number }[];
}

/** Scores 0 to 1 before the rerank. Chunks of other `types` are no candidates, so they take no part in the scaling. */
export function scoreChunks(
  query: { readonly text: string; readonly vector: Float32Array },
  candidates: Candidates,
  options: ScoringOptions & { among?: (chunk: Chunk) => boolean } = {},
): Hit[] {
  const chunks = candidates.chunks.filter(options.among ?? (() => true));
  const dense = scaleMinMax(
    chunks.map(({ id }) => dotProduct(query.vector, candidates.vectors.get(id) ?? new Float32Array())),
  );
  const found = new Map(candidates.keywords.search(query.text).map(({ id, score }) => [id, score]));
  const keyword = scaleMinMax(chunks.map(({ id }) => found.get(id) ?? 0));
  const weight = options.useKeywords === false ? 1 : (options.denseWeight ?? DENSE_WEIGHT);
  const scored = chunks.map((chunk, at) => {
    const parts = {
      dense: weight * (dense[at] ?? 0),
      keyword: (1 - weight) * (keyword[at] ?? 0),
      symptoms: options.useRerank === false ? 0 : symptomBonus(chunk.text),
    };
    return { id: chunk.id, score: parts.dense + parts.keyword + parts.symptoms, parts };
  });
  return scored.sort(byScore).map(({ id, score, parts }, at) => ({
    unitId: id,
    score,
    rank: at + 1,
    via: parts.symptoms > 0 ? 'reranked' : 'fused',
    parts,
  }));
}

/** The rerank: what a chunk earns for the symptoms that it names. */
export function symptomBonus(text: string): number {
  const words = new Set(splitWords(text.toLowerCase()).map((word) => word.text));
  const named = SYMPTOM_WORDS.filter((symptom) => words.has(symptom)).length;
  return SYMPTOM_BONUS * Math.min(1, named / SYMPTOMS_FOR_ALL);
}

/**
 * The best `top` hits without those that say the same as a better one. Two chunks that differ in a figure are never the
 * same, however near their vectors: `Hct 25.8` and `Hct 27.1` are two findings.
 */
export function dropDuplicates(
  hits: readonly Hit[],
  candidates: Candidates,
  { top, useDedup = true }: { top: number; useDedup?: boolean },
): Pick<QuestionHits, 'hits' | 'dropped'> {
  const textOf = new Map(candidates.chunks.map(({ id, text }) => [id, text]));
  const kept: Hit[] = [];
  const dropped: { unitId: string; like: string; cosine: number }[] = [];
  for (const hit of hits) {
    if (kept.length === top) break;
    const vector = candidates.vectors.get(hit.unitId) ?? new Float32Array();
    const figures = figuresOf(textOf.get(hit.unitId) ?? '');
    const twin = !useDedup
      ? undefined
      : kept
          .map(({ unitId }) => ({
            unitId,
            cosine: dotProduct(vector, candidates.vectors.get(unitId) ?? new Float32Array()),
          }))
          .find(({ unitId, cosine }) => {
            if (cosine < DUPLICATE_COSINE) return false;
            const known = figuresOf(textOf.get(unitId) ?? '');
            return [...figures].every((figure) => known.has(figure));
          });
    if (twin === undefined) kept.push({ ...hit, rank: kept.length + 1 });
    else dropped.push({ unitId: hit.unitId, like: twin.unitId, cosine: twin.cosine });
  }
  return { hits: kept, dropped };
}

function figuresOf(text: string): Set<string> {
  return new Set(text.match(/\d+(?:[.,:/-]\d+)*/gu) ?? []);
}

/** All equal: all 0, for then the signal tells nothing. */
export function scaleMinMax(values: readonly number[]): number[] {
  const low = Math.min(...values);
  const range = Math.max(...values) - low;
  return values.map((value) => (range > 0 ? (value - low) / range : 0));
}

export function dotProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
