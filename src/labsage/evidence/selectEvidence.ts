/** A question + pieces of the retrieved sections → the few pieces that answer it, scored and explained. */

import { byScore, type Scored } from '../../core/rank.js';
import { countWords, sliceSpan } from '../../core/text.js';
import type { Embedder } from '../../core/types.js';
import { antecedentsOf, type Evidence } from './evidence.js';
import { signalPieces, type PieceSignals } from './pieceSignals.js';
import { splitQuestion } from '../question/questionParts.js';
import { correctedQuestion, type QuestionTerm } from '../question/questionTerms.js';

/** Most words that an answer quotes, unless a single piece is longer. */
export const ANSWER_WORDS = 80;
/** More of them where more than one thing is asked, or a story told before the question. */
export const FURTHER_WORDS = 40;
/** Pieces that the model compares with the question; the rest are told apart by words alone. */
const COMPARED_PIECES = 80;

/** Addends of a piece's score. */
export interface EvidenceWeights extends PieceSignals {
  /** Cosine of the question and the piece under its heading. */
  readonly dense: number;
}

/**
 * Fitted by listwise softmax on the development questions (a question counts 1 with mpnet, 0.7 with MiniLM) and on
 * shared/public (MiniLM, 1); one set for both models. `limit` is set by hand: a value to judge must meet its threshold, and too few
 * questions have one to fit it. bench/answers shows what they reach.
 */
export const EVIDENCE_WEIGHTS: EvidenceWeights = {
  dense: 6.2,
  unit: 6.2,
  context: 4.2,
  around: 6.7,
  inside: 1.6,
  asking: 0.7,
  section: 3.8,
  precise: 3.1,
  label: 1.5,
  sameUnit: 1.0,
  limit: 4.0,
  follows: 2.8,
  kind: 1.3,
  aside: -1.0,
  condition: 0.7,
  row: -0.9,
  short: -2.2,
  long: 1.4,
};

/** A piece that scores so much less than the best is no part of the answer, whatever room is left (bench/answers). */
const MAX_GAP = 5;

export interface ScoredEvidence extends Scored {
  readonly evidence: Evidence;
  readonly parts: Readonly<Record<string, number>>;
  /** Cosine of the question and the piece. */
  readonly cosine: number;
  /** The score for each part of the question alone; empty where one thing is asked. */
  readonly partScores: readonly number[];
}

export interface SelectOptions {
  readonly terms: readonly QuestionTerm[];
  readonly embedder: Embedder | undefined;
  readonly weights?: EvidenceWeights;
}

/** The pieces that can answer, best first. Scores are comparable within one question only. */
export async function scoreEvidence(
  question: string,
  pieces: readonly Evidence[],
  options: SelectOptions,
): Promise<ScoredEvidence[]> {
  const { terms, embedder, weights = EVIDENCE_WEIGHTS } = options;
  const text = correctedQuestion(question, terms);
  const { asking, parts: asked } = splitQuestion(text);
  const cheap = signalPieces({ text, asking, terms }, pieces).map((signals, at) => {
    const parts = Object.fromEntries(
      Object.entries(signals).map(([name, value]: [string, number]) => [
        name,
        weights[name as keyof PieceSignals] * value,
      ]),
    );
    return { evidence: pieces[at], parts, score: sum(parts) };
  });
  const compared = cheap
    .sort((a, b) => b.score - a.score)
    .slice(0, COMPARED_PIECES)
    .flatMap(({ evidence, ...rest }) => (evidence === undefined ? [] : [{ ...rest, evidence }]));
  const cosines = await cosinesTo([text, ...asked], {
    pieces: compared.map(({ evidence }) => evidence),
    embedder,
  });
  return compared
    .map(({ evidence, parts }, at) => {
      const [cosine = 0, ...ofParts] = cosines[at] ?? [];
      const all = { dense: weights.dense * cosine, ...parts };
      const score = sum(all);
      const partScores = ofParts.map((part) => score + weights.dense * (part - cosine));
      return { evidence, parts: all, score, id: pieceKey(evidence), cosine, partScores };
    })
    .sort(byScore);
}

function sum(parts: Readonly<Record<string, number>>): number {
  return Object.values(parts).reduce((total, part) => total + part, 0);
}

/**
 * The best piece, the best for each part of the question, then the next best that are not far from it up to
 * `ANSWER_WORDS`, each with what governs it, in reading order section by section; the section of the best piece comes first.
 */
export function selectEvidence(
  scored: readonly ScoredEvidence[],
  siblings: readonly Evidence[],
  options: { readonly question: string },
): Evidence[] {
  const { asking, parts } = splitQuestion(options.question);
  const isLong = parts.length > 1 || asking !== options.question;
  const budget = ANSWER_WORDS + (isLong ? FURTHER_WORDS : 0);
  const chosen = new Map<string, Evidence>();
  const headers = new Set<string>();
  let words = 0;
  const needed = 1 + (scored[0]?.partScores.length ?? 0);
  const least = (scored[0]?.score ?? 0) - MAX_GAP;
  for (const [at, { evidence, score }] of inOrderOfChoice(scored).entries()) {
    if (chosen.has(pieceKey(evidence)) || (at >= needed && score < least)) continue;
    const inContext = siblings.filter(({ ranked }) => ranked === evidence.ranked);
    const group = [...antecedentsOf(evidence, inContext), evidence].filter(
      (piece) => !chosen.has(pieceKey(piece)),
    );
    const header = headerOf(evidence);
    const headerWords = header === undefined || headers.has(header.key) ? 0 : header.words;
    const groupWords = group.reduce((all, { text }) => all + countWords(text), headerWords);
    if (chosen.size > 0 && words + groupWords > budget) continue;
    for (const piece of group) chosen.set(pieceKey(piece), piece);
    if (header !== undefined) headers.add(header.key);
    words += groupWords;
    if (words >= budget) break;
  }
  const order = [...new Set(scored.map(({ evidence }) => evidence.ranked))];
  return [...chosen.values()].sort(
    (a, b) => order.indexOf(a.ranked) - order.indexOf(b.ranked) || a.span.start - b.span.start,
  );
}

/** Best first, but the best piece for each part of the question before all others; some stand twice. */
export function inOrderOfChoice(scored: readonly ScoredEvidence[]): ScoredEvidence[] {
  const partCount = scored[0]?.partScores.length ?? 0;
  const first = scored.slice(0, 1);
  for (let part = 0; part < partCount; part++) {
    const best = [...scored].sort((a, b) => (b.partScores[part] ?? 0) - (a.partScores[part] ?? 0))[0];
    if (best !== undefined) first.push(best);
  }
  return [...first, ...scored];
}

/** A table's header row is quoted with the first of its rows. */
function headerOf({ document, header }: Evidence): { key: string; words: number } | undefined {
  if (header === undefined) return undefined;
  return { key: `${document.id}:${header.start}`, words: countWords(sliceSpan(document.text, header)) };
}

export function pieceKey({ document, span }: Evidence): string {
  return `${document.id}:${span.start.toString().padStart(9, '0')}`;
}

async function cosinesTo(
  questions: readonly string[],
  { pieces, embedder }: { pieces: readonly Evidence[]; embedder: Embedder | undefined },
): Promise<number[][]> {
  if (embedder === undefined || pieces.length === 0) return [];
  const queries = await embedder.embed(questions, 'query');
  const vectors = await embedder.embed(pieces.map(embeddedText), 'passage');
  return vectors.map((vector) =>
    queries.map((query) => vector.reduce((total, value, dim) => total + value * (query[dim] ?? 0), 0)),
  );
}

/** A piece says what it is about only together with its heading. Cut to stay under every embedder's limit. */
function embeddedText({ heading, text }: Evidence): string {
  const joined = heading === '' ? text : `${heading}: ${text}`;
  return joined.length <= MAX_PIECE_CHARS ? joined : joined.slice(0, MAX_PIECE_CHARS);
}

/** Never more tokens than MiniLM's 256: a token of laboratory text has 2 characters or more on average. */
const MAX_PIECE_CHARS = 480;
