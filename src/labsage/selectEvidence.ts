/** A question + pieces of the retrieved sections → the few pieces that answer it, scored and explained. */

import { byScore } from '../core/rank.js';
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

export interface EvidenceWeights {
  readonly dense: number;
  readonly words: number;
  readonly context: number;
  readonly kind: number;
}
export const EVIDENCE_WEIGHTS: EvidenceWeights = { dense: 1, words: 0.4, context: 0.4, kind: 0.15 };

export interface ScoredEvidence {
  readonly evidence: Evidence;
  readonly score: number;
  readonly parts: Readonly<Record<string, number>>;
}

export interface SelectOptions {
  readonly terms: readonly QuestionTerm[];
  readonly embedder: Embedder | undefined;
  readonly weights?: EvidenceWeights;
}

/** All pieces, best first. Scores are comparable within one question only. */
export async function scoreEvidence(
  question: string,
  pieces: readonly Evidence[],
  options: SelectOptions,
): Promise<ScoredEvidence[]> {
  const weights = options.weights ?? EVIDENCE_WEIGHTS;
  const kinds = askedKinds(question);
  const best = Math.max(...pieces.map(({ ranked }) => ranked.score), 0.001);
  const worded = pieces.map((evidence) => ({
    evidence,
    words: wordOverlap(evidence, options.terms),
    context: evidence.ranked.score / best,
    kind: kinds.some((kind) => fitsKind(evidence.text, kind)) ? 1 : 0,
  }));
  const prescored = [...worded].sort((a, b) => b.words + b.context - a.words - a.context);
  const compared = prescored.slice(0, COMPARED_PIECES);
  const cosines = await cosinesTo(
    question,
    compared.map(({ evidence }) => evidence),
    options.embedder,
  );
  return compared
    .map(({ evidence, words, context, kind }, at) => {
      const dense = cosines[at] ?? 0;
      const parts = {
        dense: weights.dense * dense,
        words: weights.words * words,
        context: weights.context * context,
        kind: weights.kind * kind,
      };
      return { evidence, parts, score: parts.dense + parts.words + parts.context + parts.kind };
    })
    .sort((a, b) =>
      byScore({ id: pieceKey(a.evidence), score: a.score }, { id: pieceKey(b.evidence), score: b.score }),
    );
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

/** Share of the question's weight that the piece, its headings and title contain; what only title or heading say counts less. */
function wordOverlap({ text, heading, document }: Evidence, terms: readonly QuestionTerm[]): number {
  const own = new Set(keywordTerms(text));
  const around = new Set([...keywordTerms(heading), ...keywordTerms(document.title)]);
  let found = 0;
  let all = 0;
  for (const { term, weight } of terms) {
    all += weight;
    if (own.has(term)) found += weight;
    else if (around.has(term)) found += 0.6 * weight;
  }
  return all === 0 ? 0 : found / all;
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
