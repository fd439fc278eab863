/** A question, its sections and its evidence → how likely the evidence answers it, and why it is refused if it is. */

import { keywordTerms } from '../core/keywordIndex.js';
import type { QuestionTerm } from './questionTerms.js';
import type { RankedContext } from './retrieve.js';
import type { ScoredEvidence } from './selectEvidence.js';

export interface AnswerFeatures {
  /** Cosine of the question and its best search unit. */
  readonly unitCosine: number;
  /** Best cosine of the question and a piece. */
  readonly pieceCosine: number;
  /** Share of the question's weight found in the best section, its headings and its title. */
  readonly coverage: number;
  /** Share of the question's weight that the corpus does not know. */
  readonly unknown: number;
  /** Lead of the best document over the next one. */
  readonly margin: number;
}

export interface Judgement {
  readonly confidence: number;
  readonly features: AnswerFeatures;
  /** Absent if the question is answered. */
  readonly refusal?: string;
  readonly missingTerms: readonly string[];
}

/** Below this the question is refused; chosen on the development questions, see bench/answers. */
export const MIN_CONFIDENCE = 0.35;
/** Below this an answer is flagged for a person to review. */
export const REVIEW_CONFIDENCE = 0.6;

/** Logistic weights, fitted on the development questions (bench/fitConfidence). */
const BIAS = -4.2;
const WEIGHTS: AnswerFeatures = { unitCosine: 3.2, pieceCosine: 2.4, coverage: 4.2, unknown: -5, margin: 1 };

export function judgeAnswerable(evidence: {
  readonly terms: readonly QuestionTerm[];
  readonly contexts: readonly RankedContext[];
  readonly scored: readonly ScoredEvidence[];
  /** Words of the best section with its title and headings. */
  readonly bestText: string;
}): Judgement {
  const { terms, contexts, scored, bestText } = evidence;
  const missing = terms.filter(({ known, word }) => !known && isSpecific(word));
  const features: AnswerFeatures = {
    unitCosine: contexts[0]?.hits[0]?.parts?.['dense'] ?? 0,
    pieceCosine: Math.max(0, ...scored.map(({ parts }) => parts['dense'] ?? 0)),
    coverage: coverageOf(terms, bestText),
    unknown: shareOf(terms, ({ known }) => !known),
    margin: marginOf(contexts),
  };
  const confidence = logistic(
    BIAS +
      (Object.keys(WEIGHTS) as (keyof AnswerFeatures)[]).reduce(
        (sum, name) => sum + WEIGHTS[name] * features[name],
        0,
      ),
  );
  const missingTerms = missing.map(({ word }) => word);
  const refusal = refusalOf({ missingTerms, confidence, isEmpty: scored.length === 0 });
  return { confidence, features, missingTerms, ...(refusal === undefined ? {} : { refusal }) };
}

function refusalOf(state: {
  missingTerms: readonly string[];
  confidence: number;
  isEmpty: boolean;
}): string | undefined {
  if (state.missingTerms.length > 0) {
    const words = state.missingTerms.map((word) => `"${word}"`).join(', ');
    return `The SOPs do not answer this: ${words} ${state.missingTerms.length === 1 ? 'stands' : 'stand'} in none of them.`;
  }
  if (state.isEmpty || state.confidence < MIN_CONFIDENCE) {
    return 'The SOPs do not seem to answer this: no section fits the question well enough.';
  }
  return undefined;
}

/** Names of things (analytes, instruments, ids), as opposed to the words in which people ask. */
function isSpecific(word: string): boolean {
  return /\d/u.test(word) || /^\p{Lu}{2,}/u.test(word) || word.length >= 5;
}

function coverageOf(terms: readonly QuestionTerm[], text: string): number {
  const words = new Set(keywordTerms(text));
  return shareOf(terms, ({ term }) => words.has(term));
}

function shareOf(terms: readonly QuestionTerm[], holds: (term: QuestionTerm) => boolean): number {
  const all = terms.reduce((sum, { weight }) => sum + weight, 0);
  return all === 0 ? 0 : terms.filter(holds).reduce((sum, { weight }) => sum + weight, 0) / all;
}

function marginOf(contexts: readonly RankedContext[]): number {
  const best = contexts[0];
  const other = contexts.find(({ document }) => document.id !== best?.document.id);
  return best === undefined ? 0 : best.score - (other?.score ?? 0);
}

function logistic(value: number): number {
  return 1 / (1 + Math.exp(-value));
}
