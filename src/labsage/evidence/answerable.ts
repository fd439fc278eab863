/** A question, its sections and its evidence → whether the SOPs answer it, and why it is refused if it is. */

import { keywordTerms, termOf } from '../../core/keywordIndex.js';
import type { CountTokens } from '../../core/tokenCounter.js';
import type { Document } from '../../core/types.js';
import { ANALYTES, DETAILS, PATIENTS, SPECIMENS, type Subject } from '../question/labSubjects.js';
import { holdsTerm, shareOfWeight, type QuestionTerm } from '../question/questionTerms.js';
import type { ScoredEvidence } from './selectEvidence.js';

/** Mostly 0 to 1. */
export interface AnswerFeatures {
  /** How far the nearest piece's cosine stands above the mean of all compared, in standard deviations: alike for all models. */
  readonly nearest: number;
  /** Score of the best piece, a tenth of it. */
  readonly best: number;
  /** Share of the question's weight that is in names that the corpus does not know. */
  readonly names: number;
  /** Of the analytes that the question names, how little the document is about the one that it is most about: 0 where it names none. */
  readonly foreign: number;
  /** 1 if it names a specimen that neither the title nor the best section names. */
  readonly specimen: number;
  /** 1 if it names patients whom the best section does not name. */
  readonly patients: number;
  /** 1 if it asks for a detail (a phone number, a price …) that the best pieces have not got. */
  readonly detail: number;
  /** How short the question is, 1 for one content word, less where a rare one of them stands in the best pieces. */
  readonly short: number;
}

export interface Judgement {
  /** 0 to 1: whether the SOPs answer the question at all. Not calibrated: see `confidence.ts`. */
  readonly answerable: number;
  readonly features: AnswerFeatures;
  /** Absent if the question is answered. */
  readonly refusal?: string;
  readonly missingTerms: readonly string[];
}

/**
 * Below this the question is refused. On development questions judged by weights fitted without their document
 * (bench/answerable, both models) it refused 3.6 % of those that have an answer; on test it refuses about half of the unanswerable.
 */
export const MIN_ANSWERABLE = 0.42;

/**
 * Logistic weights, one set for both models: fitted on development questions, near misses, and questions without their
 * document (bench/answerable).
 */
const BIAS = -1.55;
export const ANSWERABLE_WEIGHTS: AnswerFeatures = {
  nearest: 0.56,
  best: 2.06,
  names: -1.88,
  foreign: -3.25,
  specimen: -2.42,
  patients: -1.76,
  detail: -2.96,
  short: -2.7,
};

/** A question that is to such a share about unknown names is refused whatever else fits. */
const MISSING_NAMES_SHARE = 0.4;
/** `CH-019`, `K123456`: a document or a clearance that the corpus has not got. */
const DOCUMENT_ID = /^\p{Lu}{1,4}-?\d{3,}$/u;
/** Weight of a word that stands in one of about 150 documents. */
const RAREST = 5;
/** Pieces of the best section that are looked at together. */
const BEST_PIECES = 4;

export function judgeAnswerable(evidence: {
  /** The sentence that asks; what only the story before it names may be missing. */
  readonly asking: string;
  readonly terms: readonly QuestionTerm[];
  readonly scored: readonly ScoredEvidence[];
  /** Words of the best section with its title and headings. */
  readonly bestText: string;
  readonly document: Document | undefined;
  readonly countTokens: CountTokens;
}): Judgement {
  const { asking, terms, scored, bestText, document, countTokens } = evidence;
  const isMissingName = (term: QuestionTerm): boolean =>
    !term.known && (isAnalyte(term) || isName(term.word, countTokens));
  const best = scored[0]?.evidence;
  const pieces = scored
    .filter((piece) => piece.evidence.ranked === best?.ranked)
    .slice(0, BEST_PIECES)
    .map((piece) => piece.evidence);
  const title = `${document?.control.number ?? ''} ${document?.title ?? ''}`;
  const near = [title, ...pieces.flatMap(({ text, heading, columns }) => [text, heading, columns])].join(
    '\n',
  );
  const quoted = pieces.map(({ text, columns }) => `${text}\n${columns}`).join('\n');
  const features: AnswerFeatures = {
    nearest: standOut(scored.map(({ cosine }) => cosine)),
    best: (scored[0]?.score ?? 0) / 10,
    names: shareOfWeight(terms, isMissingName),
    foreign: foreignness(terms, document),
    specimen: lacksOneOf(SPECIMENS, asking, bestText) ? 1 : 0,
    patients: lacksOneOf(PATIENTS, asking, bestText) ? 1 : 0,
    detail: DETAILS.some(({ asked, answered }) => asked.test(asking) && !answered.test(quoted)) ? 1 : 0,
    short: (1 - rarestHeld(terms, stemsOf(near)) / RAREST) / Math.max(1, terms.length),
  };
  const answerable = logistic(
    BIAS +
      (Object.keys(ANSWERABLE_WEIGHTS) as (keyof AnswerFeatures)[]).reduce(
        (sum, name) => sum + ANSWERABLE_WEIGHTS[name] * features[name],
        0,
      ),
  );
  const lacksSubject = terms.some((term) => !term.known && (isAnalyte(term) || DOCUMENT_ID.test(term.word)));
  const isRefused =
    scored.length === 0 ||
    answerable < MIN_ANSWERABLE ||
    lacksSubject ||
    features.names >= MISSING_NAMES_SHARE;
  const missingTerms = terms.filter(isMissingName).map(({ word }) => word);
  return {
    answerable,
    features,
    missingTerms,
    ...(isRefused ? { refusal: refusalLine(missingTerms) } : {}),
  };
}

/** Median of the development questions: says neither yes nor no where nothing was compared. */
const USUAL_STAND_OUT = 2.3;

/** Of the greatest value, in standard deviations above the mean. */
function standOut(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const spread = Math.sqrt(
    values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length),
  );
  return spread === 0 ? USUAL_STAND_OUT : (Math.max(...values) - mean) / spread;
}

const ANALYTE_STEMS = new Set(ANALYTES.map(termOf));

function rarestHeld(terms: readonly QuestionTerm[], near: ReadonlySet<string>): number {
  return Math.min(
    RAREST,
    Math.max(0, ...terms.filter((term) => holdsTerm(near, term)).map(({ weight }) => weight)),
  );
}

function isAnalyte({ term, also }: QuestionTerm): boolean {
  return [term, ...also.flat()].some((stem) => ANALYTE_STEMS.has(stem));
}

/** A document is about an analyte of its title, or one that a tenth of its blocks name. */
const SUBJECT_SHARE = 1 / 10;

function foreignness(terms: readonly QuestionTerm[], document: Document | undefined): number {
  const analytes = terms.filter(isAnalyte);
  if (analytes.length === 0 || document === undefined) return 0;
  const title = stemsOf(document.title);
  const blocks = document.blocks.map(({ text }) => stemsOf(text));
  const shares = analytes.map((term) =>
    holdsTerm(title, term)
      ? 1
      : blocks.filter((stems) => holdsTerm(stems, term)).length / Math.max(1, blocks.length) / SUBJECT_SHARE,
  );
  return 1 - Math.min(1, Math.max(...shares));
}

/** The question names a subject, and nothing that the text names can be it. */
function lacksOneOf(subjects: readonly Subject[], question: string, text: string): boolean {
  const asks = stemsOf(question);
  const has = stemsOf(text);
  const names = (stems: ReadonlySet<string>, phrase: string): boolean =>
    keywordTerms(phrase).every((stem) => stems.has(stem));
  return subjects.some(
    ({ asked, answered }) =>
      asked.some((phrase) => names(asks, phrase)) && !answered.some((phrase) => names(has, phrase)),
  );
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

function stemsOf(text: string): Set<string> {
  return new Set(keywordTerms(text));
}

function logistic(value: number): number {
  return 1 / (1 + Math.exp(-value));
}
