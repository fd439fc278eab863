/** A question, its sections and its evidence → how likely the evidence answers it, and why it is refused if it is. */

import { keywordTerms } from '../core/keywordIndex.js';
import type { CountTokens } from '../core/tokenCounter.js';
import type { QuestionTerm } from './questionTerms.js';
import type { RankedContext } from './retrieve.js';
import type { ScoredEvidence } from './selectEvidence.js';

/** All 0 to about 1. Shares are of the weight of the question's words that the corpus knows, plus its unknown names. */
export interface AnswerFeatures {
  /** Cosine of the question and the best section's best search unit. */
  readonly unit: number;
  /** Cosine of the question and the best piece. */
  readonly piece: number;
  /** Share in the best section, its headings and its title. */
  readonly section: number;
  /** Share in the best piece and what stands around it. */
  readonly words: number;
  /** Share in the best section's document. */
  readonly document: number;
  /** How much of that document is about the question's words; see `TermScores.documentFocus`. */
  readonly focus: number;
  /** Share in names that the corpus does not know. */
  readonly names: number;
  /** How short the question is: 1 for one content word, 0 for very many. */
  readonly short: number;
}

export interface Judgement {
  readonly confidence: number;
  readonly features: AnswerFeatures;
  /** Absent if the question is answered. */
  readonly refusal?: string;
  readonly missingTerms: readonly string[];
}

/** Below this the question is refused; chosen on the development questions (bench/answers). */
export const MIN_CONFIDENCE = 0.3;
/** Below this an answer is flagged for a person to review. */
export const REVIEW_CONFIDENCE = 0.6;

/** Logistic weights, fitted on the development questions and on the same with their document left out (bench/confidence). */
const BIAS = -1.8;
const WEIGHTS: AnswerFeatures = {
  unit: -0.4,
  piece: 4.2,
  section: 0.6,
  words: 0.3,
  document: 0.3,
  focus: 6.3,
  names: -2.3,
  short: -3,
};

/** A question that is to such a share about unknown names is refused whatever else fits. */
const MISSING_NAMES_SHARE = 0.3;

export function judgeAnswerable(evidence: {
  readonly terms: readonly QuestionTerm[];
  readonly contexts: readonly RankedContext[];
  readonly scored: readonly ScoredEvidence[];
  /** Words of the best section with its title and headings. */
  readonly bestText: string;
  readonly countTokens: CountTokens;
}): Judgement {
  const { terms, contexts, scored, bestText, countTokens } = evidence;
  const isMissingName = ({ known, word }: QuestionTerm): boolean => !known && isName(word, countTokens);
  const told = terms.filter((term) => term.known || isMissingName(term));
  const best = scored[0]?.evidence;
  const parts = contexts[0]?.hits[0]?.parts;
  const features: AnswerFeatures = {
    unit: parts?.['dense'] ?? 0,
    piece: Math.max(0, ...scored.map((piece) => piece.cosine)),
    section: shareIn(bestText, told),
    words:
      best === undefined
        ? 0
        : shareIn([best.text, best.heading, best.columns, best.document.title].join('\n'), told),
    document: parts?.['coverage'] ?? 0,
    focus: parts?.['focus'] ?? 0,
    names: shareOf(told, isMissingName),
    short: 1 / Math.max(1, terms.length),
  };
  const confidence = logistic(
    BIAS +
      (Object.keys(WEIGHTS) as (keyof AnswerFeatures)[]).reduce(
        (sum, name) => sum + WEIGHTS[name] * features[name],
        0,
      ),
  );
  const isRefused =
    scored.length === 0 || confidence < MIN_CONFIDENCE || features.names >= MISSING_NAMES_SHARE;
  const missingTerms = terms.filter(isMissingName).map(({ word }) => word);
  return {
    confidence,
    features,
    missingTerms,
    ...(isRefused ? { refusal: refusalLine(missingTerms) } : {}),
  };
}

function refusalLine(missing: readonly string[]): string {
  if (missing.length === 0)
    return 'The SOPs do not seem to answer this: no section fits the question well enough.';
  const words = missing.map((word) => `"${word}"`).join(', ');
  return `The SOPs do not answer this: ${words} ${missing.length === 1 ? 'stands' : 'stand'} in none of them.`;
}

/**
 * Analytes, instruments and ids are names; `fridge` and `coworker` are everyday words, `25.9` and `24h` values. WordPiece
 * has everyday English words whole or in two and takes the names of a laboratory to more pieces.
 */
function isName(word: string, countTokens: CountTokens): boolean {
  if (/^[\d.,]+\p{L}{0,3}$/u.test(word)) return false;
  if (/\d/u.test(word)) return true;
  return countTokens(word) >= NAME_PIECES || /^\p{Lu}{3,}$/u.test(word);
}

const NAME_PIECES = 3;

function shareIn(text: string, terms: readonly QuestionTerm[]): number {
  const words = new Set(keywordTerms(text));
  return shareOf(terms, ({ term }) => words.has(term));
}

function shareOf(terms: readonly QuestionTerm[], holds: (term: QuestionTerm) => boolean): number {
  const all = terms.reduce((sum, { weight }) => sum + weight, 0);
  return all === 0 ? 0 : terms.filter(holds).reduce((sum, { weight }) => sum + weight, 0) / all;
}

function logistic(value: number): number {
  return 1 / (1 + Math.exp(-value));
}
