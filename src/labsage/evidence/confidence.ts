/** What an answer quotes and how well it fitted → how likely the quotes hold the whole answer, calibrated on development questions. */

import { keywordTerms } from '../../core/keywordIndex.js';
import { holdsTerm, shareOfWeight, type QuestionTerm } from '../question/questionTerms.js';
import type { Judgement } from './answerable.js';
import type { Evidence } from './evidence.js';
import type { ScoredEvidence } from './selectEvidence.js';

export interface ConfidenceFeatures {
  /** Log odds that the SOPs answer the question at all. */
  readonly fit: number;
  /** As in `AnswerFeatures`. */
  readonly nearest: number;
  /** How far the best piece is ahead of the best one of another section, a tenth of the scores' difference. */
  readonly lead: number;
  /** Share of the question's weight in words that stand in the quotes, their headings or titles. */
  readonly held: number;
  /** Parts of a question that asks several things; 0 where it asks one. */
  readonly parts: number;
}

/**
 * Logistic weights for both models, fitted on the answered development questions (bench/calibration); right is an answer that
 * quotes the whole ground truth.
 */
const BIAS = -0.48;
const WEIGHTS: ConfidenceFeatures = { fit: 0.16, nearest: 0.46, lead: 1.6, held: 0.2, parts: -0.57 };

/** Below this an answer is flagged for a person to review. */
export const REVIEW_CONFIDENCE = 0.6;

export function measureConfidence(answer: {
  readonly judged: Judgement;
  readonly terms: readonly QuestionTerm[];
  readonly parts: readonly string[];
  readonly scored: readonly ScoredEvidence[];
  /** What is quoted. */
  readonly chosen: readonly Evidence[];
}): ConfidenceFeatures {
  const { judged, terms, parts, scored, chosen } = answer;
  const { answerable, features } = judged;
  const best = scored[0];
  const second = scored
    .filter(({ evidence }) => evidence.ranked !== best?.evidence.ranked)
    .reduce((most, { score }) => Math.max(most, score), 0);
  const words = chosen.flatMap(({ document, text, ranked, subheadings }) => [
    document.title,
    ...ranked.context.headingPath,
    ...subheadings,
    text,
  ]);
  const stems = new Set(keywordTerms(words.join('\n')));
  return {
    fit: Math.log(answerable / (1 - answerable)),
    nearest: features.nearest,
    lead: ((best?.score ?? 0) - second) / 10,
    held: shareOfWeight(terms, (term) => holdsTerm(stems, term)),
    parts: parts.length,
  };
}

/** In (0, 1). */
export function confidenceOf(features: ConfidenceFeatures): number {
  const names = Object.keys(WEIGHTS) as (keyof ConfidenceFeatures)[];
  const logit = names.reduce((sum, name) => sum + WEIGHTS[name] * features[name], BIAS);
  return 1 / (1 + Math.exp(-logit));
}
