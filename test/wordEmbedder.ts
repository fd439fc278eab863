/** Texts in, vectors of their words out: an embedder for tests that is quick, the same everywhere, and counts its work. */

import { sha256Hex, splitWords } from '../src/core/text.js';
import type { Embedder, EmbedderFingerprint } from '../src/core/types.js';

export interface WordEmbedder extends Embedder {
  /** Every text that it was given, in order. */
  readonly texts: string[];
}

export function wordFingerprint(id = 'words', dims = 48): EmbedderFingerprint {
  return {
    id,
    dims,
    pooling: 'mean',
    prefixes: { query: '', passage: '' },
    weightsSha256: sha256Hex(id),
    maxTokens: 256,
  };
}

/** `failAfter`: throws when it was given so many texts, as an interrupted run would end. */
export function wordEmbedder(
  options: { fingerprint?: EmbedderFingerprint; failAfter?: number } = {},
): WordEmbedder {
  const fingerprint = options.fingerprint ?? wordFingerprint();
  const texts: string[] = [];
  return {
    fingerprint,
    texts,
    embed(given) {
      if (options.failAfter !== undefined && texts.length + given.length > options.failAfter) {
        return Promise.reject(new Error('the embedder was stopped'));
      }
      texts.push(...given);
      return Promise.resolve(given.map((text) => wordVector(text, fingerprint.dims)));
    },
    close: () => Promise.resolve(),
  };
}

function wordVector(text: string, dims: number): Float32Array {
  const vector = new Float32Array(dims);
  vector[0] = 0.1;
  for (const { text: word } of splitWords(text.toLowerCase())) {
    const hash = sha256Hex(word);
    const dim = Number.parseInt(hash.slice(0, 8), 16) % dims;
    vector[dim] = (vector[dim] ?? 0) + (Number.parseInt(hash.slice(8, 10), 16) % 2 === 0 ? 1 : -1);
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}
