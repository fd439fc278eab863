/** A language model + what the user said of its window → how many tokens prompt and reply may have, and how they are counted. */

import { loadTokenCounter, type CountTokens } from '../tokenCounter.js';
import type { LanguageModel } from './chat.js';

export interface PromptRoom {
  readonly countTokens: CountTokens;
  /** Prompt and reply, in tokens of that counter; undefined: everything is sent. */
  readonly contextTokens: number | undefined;
}

/** Where its own tokenizer is not at hand: so many of its tokens may be one of ours (measured: up to 1.21). */
const FOREIGN_TOKENS = 1.5;
/** What a chat template adds to a prompt, at the most. */
const TEMPLATE_TOKENS = 64;

/** The smaller of the stated window and the model's own. Throws (exit 4) where the model cannot be reached. */
export async function readPromptRoom(model: LanguageModel, stated: number | undefined): Promise<PromptRoom> {
  const window = await model.window?.();
  const countTokens = window?.countTokens ?? (await loadTokenCounter());
  if (window === undefined) return { countTokens, contextTokens: stated };
  const own =
    window.countTokens === undefined
      ? Math.floor(window.tokens / FOREIGN_TOKENS)
      : window.tokens - TEMPLATE_TOKENS;
  return { countTokens, contextTokens: Math.min(stated ?? Infinity, own) };
}
