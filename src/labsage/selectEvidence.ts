/** A question + pieces of the retrieved sections → the few pieces that answer it, scored and explained. */

import { byScore, type Scored } from '../core/rank.js';
import { keywordTerms } from '../core/keywordIndex.js';
import { countWords } from '../core/text.js';
import type { Embedder } from '../core/types.js';
import { antecedentsOf, type Evidence } from './evidence.js';
import { askedKinds, fitsKind } from './questionKind.js';
import type { QuestionTerm } from './questionTerms.js';

/** Most words that an answer quotes, unless a single piece is longer. */
export const ANSWER_WORDS = 75;
/** Pieces that the model compares with the question; the rest are told apart by words alone. */
const COMPARED_PIECES = 60;
/** A piece of fewer words is a fragment. */
const FRAGMENT_WORDS = 8;

/** Addends of a piece's score; fitted on the development questions (bench/answers). */
export interface EvidenceWeights {
  /** Cosine of the question and the piece under its heading. */
  readonly dense: number;
  /** Share of the question's weight in the piece's own words. */
  readonly words: number;
  /** Share in its headings, title and column names, where the piece itself has not got it. */
  readonly around: number;
  /** Share of what tells the pieces of its section apart. */
  readonly inside: number;
  /** It has the kind of words that the question asks for. */
  readonly kind: number;
  /** Its search unit's score against the best section's. */
  readonly unit: number;
  /** Its section's score against the best section's. */
  readonly context: number;
  /** Fewer than 8 words: a fragment. */
  readonly short: number;
}
export const EVIDENCE_WEIGHTS: EvidenceWeights = {
  dense: 1,
  words: 0.15,
  around: 1,
  inside: 0.2,
  kind: 0.2,
  unit: 1.4,
  context: 0.7,
  short: -0.25,
};

export interface ScoredEvidence extends Scored {
  readonly evidence: Evidence;
  readonly parts: Readonly<Record<string, number>>;
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
  const weights = options.weights ?? EVIDENCE_WEIGHTS;
  const kinds = askedKinds(question);
  const worded = wordSignals(pieces, options.terms);
  const best = Math.max(...pieces.map(({ ranked }) => ranked.score), 0.001);
  const cheap = pieces.map((evidence, at) => {
    const { words, around, inside } = worded[at] ?? { words: 0, around: 0, inside: 0 };
    return {
      evidence,
      parts: {
        words: weights.words * words,
        around: weights.around * around,
        inside: weights.inside * inside,
        kind: kinds.some((kind) => fitsKind(evidence.text, kind)) ? weights.kind : 0,
        unit: weights.unit * (unitScore(evidence) / best - 1),
        context: weights.context * (evidence.ranked.score / best - 1),
        short: weights.short * Math.max(0, Math.log(FRAGMENT_WORDS / Math.max(1, countWords(evidence.text)))),
      },
    };
  });
  const compared = cheap.sort((a, b) => sum(b.parts) - sum(a.parts)).slice(0, COMPARED_PIECES);
  const cosines = await cosinesTo(
    question,
    compared.map(({ evidence }) => evidence),
    options.embedder,
  );
  return compared
    .map(({ evidence, parts }, at) => {
      const all = { dense: weights.dense * (cosines[at] ?? 0), ...parts };
      return { evidence, parts: all, score: sum(all), id: pieceKey(evidence) };
    })
    .sort(byScore);
}

function sum(parts: Readonly<Record<string, number>>): number {
  return Object.values(parts).reduce((total, part) => total + part, 0);
}

/** The best search unit that holds the piece; a piece that no scored unit holds counts like a weak one of its section. */
function unitScore({ ranked, span, holders }: Evidence): number {
  const scores = ranked.hits.filter(({ unitId }) => holders.includes(unitId)).map(({ score }) => score);
  return scores.length === 0 || span.end === span.start ? 0.6 * ranked.score : Math.max(...scores);
}

/**
 * The best pieces up to `ANSWER_WORDS`, each with what governs it, in reading order section by section; the section of the
 * best piece comes first.
 */
export function selectEvidence(scored: readonly ScoredEvidence[], siblings: readonly Evidence[]): Evidence[] {
  const chosen = new Map<string, Evidence>();
  let words = 0;
  for (const { evidence } of scored) {
    if (chosen.has(pieceKey(evidence))) continue;
    const inContext = siblings.filter(({ ranked }) => ranked === evidence.ranked);
    const group = [...antecedentsOf(evidence, inContext), evidence].filter(
      (piece) => !chosen.has(pieceKey(piece)),
    );
    const groupWords = group.reduce((sum, { text }) => sum + countWords(text), 0);
    if (chosen.size > 0 && words + groupWords > ANSWER_WORDS) continue;
    for (const piece of group) chosen.set(pieceKey(piece), piece);
    words += groupWords;
    if (words >= ANSWER_WORDS) break;
  }
  const order = [...new Set(scored.map(({ evidence }) => evidence.ranked))];
  return [...chosen.values()].sort(
    (a, b) => order.indexOf(a.ranked) - order.indexOf(b.ranked) || a.span.start - b.span.start,
  );
}

export function pieceKey({ document, span }: Evidence): string {
  return `${document.id}:${span.start.toString().padStart(9, '0')}`;
}

interface WordSignals {
  readonly words: number;
  readonly around: number;
  readonly inside: number;
}

/** What the question's words say of each piece; see `EvidenceWeights`. */
function wordSignals(pieces: readonly Evidence[], terms: readonly QuestionTerm[]): WordSignals[] {
  const stems = pieces.map(({ text }) => new Set(keywordTerms(text)));
  const counts = new Map<string, number>();
  for (const { term } of terms) counts.set(term, stems.filter((own) => own.has(term)).length);
  const all = terms.reduce((total, { weight }) => total + weight, 0);
  const insideWeight = ({ term, weight }: QuestionTerm): number => {
    const count = counts.get(term) ?? 0;
    return count === 0 ? 0 : weight * Math.log(1 + (pieces.length - count + 0.5) / (count + 0.5));
  };
  const allInside = terms.reduce((total, term) => total + insideWeight(term), 0);
  return pieces.map((piece, at) => {
    const own = stems[at] ?? new Set();
    const near = new Set([piece.heading, piece.document.title, piece.columns].flatMap(keywordTerms));
    let [words, around, inside] = [0, 0, 0];
    for (const term of terms) {
      if (own.has(term.term)) {
        words += term.weight;
        inside += insideWeight(term);
      } else if (near.has(term.term)) around += term.weight;
    }
    const share = (value: number, total: number): number => (total === 0 ? 0 : value / total);
    return { words: share(words, all), around: share(around, all), inside: share(inside, allInside) };
  });
}

async function cosinesTo(
  question: string,
  pieces: readonly Evidence[],
  embedder: Embedder | undefined,
): Promise<number[]> {
  if (embedder === undefined || pieces.length === 0) return [];
  const [query] = await embedder.embed([question], 'query');
  const vectors = await embedder.embed(pieces.map(embeddedText), 'passage');
  return vectors.map((vector) => vector.reduce((sum, value, dim) => sum + value * (query?.[dim] ?? 0), 0));
}

/** A piece says what it is about only together with its heading. Cut to stay under every embedder's limit. */
function embeddedText({ heading, text }: Evidence): string {
  const joined = heading === '' ? text : `${heading}: ${text}`;
  return joined.length <= MAX_PIECE_CHARS ? joined : joined.slice(0, MAX_PIECE_CHARS);
}

/** Never more tokens than MiniLM's 256: a token of laboratory text has 2 characters or more on average. */
const MAX_PIECE_CHARS = 480;
