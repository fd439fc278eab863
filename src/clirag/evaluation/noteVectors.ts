/** Notes → their vectors: cut at the embedder's limit, as sentence-transformers does, and read to the end. */

import { splitSentences } from '../../core/text.js';
import { SPECIAL_TOKENS, type CountTokens } from '../../core/tokenCounter.js';
import type { Embedder } from '../../core/types.js';

export interface NoteVectors {
  /** Of the first tokens that the embedder takes. */
  readonly first: Float32Array;
  /** Mean of all pieces by their tokens, normalised. */
  readonly whole: Float32Array;
}

/** An imported model may count a little more than the bundled ones. */
const ROOM = 0.95;

/** Undefined for a text without words. */
export async function embedNote(
  text: string,
  { embedder, countTokens }: { embedder: Embedder; countTokens: CountTokens },
): Promise<NoteVectors | undefined> {
  const limit = Math.floor((embedder.fingerprint.maxTokens - SPECIAL_TOKENS) * ROOM);
  const pieces = cutText(text, { limit, countTokens });
  if (pieces.length === 0) return undefined;
  const vectors = await embedder.embed(pieces, 'passage');
  const [first] = vectors;
  if (first === undefined) return undefined;
  const whole = new Float32Array(first.length);
  for (const [at, vector] of vectors.entries()) {
    const weight = countTokens(pieces[at] ?? '');
    for (let dim = 0; dim < whole.length; dim++) whole[dim] = (whole[dim] ?? 0) + weight * (vector[dim] ?? 0);
  }
  const length = Math.hypot(...whole);
  return { first, whole: length === 0 ? whole : whole.map((value) => value / length) };
}

/** Pieces of whole sentences up to the limit; a sentence over it is cut between words. */
export function cutText(
  text: string,
  { limit, countTokens }: { limit: number; countTokens: CountTokens },
): string[] {
  const pieces: string[] = [];
  let piece = '';
  const add = (part: string): void => {
    const joined = piece === '' ? part : `${piece} ${part}`;
    if (countTokens(joined) <= limit) {
      piece = joined;
      return;
    }
    if (piece !== '') pieces.push(piece);
    piece = part;
  };
  for (const { start, end } of splitSentences(text)) {
    const sentence = text.slice(start, end);
    if (countTokens(sentence) <= limit) add(sentence);
    else for (const word of sentence.split(/\s+/u)) if (countTokens(word) <= limit) add(word);
  }
  if (piece !== '') pieces.push(piece);
  return pieces;
}

/** Of unit vectors. */
export function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}
