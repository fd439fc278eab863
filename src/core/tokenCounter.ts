/** Text → number of WordPiece tokens of the bundled models, special tokens not counted: the one measure of unit sizes. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from './config.js';

export type CountTokens = (text: string) => number;

/** Special tokens that an embedder adds to every text ([CLS] and [SEP]). */
export const SPECIAL_TOKENS = 2;

/** What is used of @huggingface/tokenizers, whose own types do not resolve. */
export interface TokenizerLibrary {
  readonly Tokenizer: new (
    tokenizer: object,
    config: object,
  ) => { tokenize(text: string, options: { add_special_tokens: boolean }): string[] };
}

let counter: Promise<CountTokens> | undefined;

/**
 * Loads the counter once a process. WordPiece never joins what white space separates, so a text's count is the sum
 * over its words, and each distinct word is tokenised once.
 */
export function loadTokenCounter(): Promise<CountTokens> {
  counter ??= createTokenCounter();
  return counter;
}

async function createTokenCounter(): Promise<CountTokens> {
  const folder = join(packageRoot, 'models', 'all-MiniLM-L6-v2');
  const [library, tokenizerJson, configJson] = await Promise.all([
    import('@huggingface/tokenizers') as Promise<unknown>,
    readFile(join(folder, 'tokenizer.json'), 'utf8'),
    readFile(join(folder, 'tokenizer_config.json'), 'utf8'),
  ]);
  const { Tokenizer } = library as TokenizerLibrary;
  const tokenizer = new Tokenizer(JSON.parse(tokenizerJson) as object, JSON.parse(configJson) as object);
  const countOf = new Map<string, number>();
  return (text) => {
    let total = 0;
    for (const word of text.match(/\S+/gu) ?? []) {
      const count = countOf.get(word) ?? tokenizer.tokenize(word, { add_special_tokens: false }).length;
      countOf.set(word, count);
      total += count;
    }
    return total;
  };
}
