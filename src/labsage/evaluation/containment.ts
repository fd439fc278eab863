/** Quotes and contexts → whether the words of one stand in the other, however they are wrapped, bulleted or cased. */

import { countWords } from '../../core/text.js';
import type { Question } from './questions.js';

/** A text that a system would read or print, and the document it is of. */
export interface ContextText {
  readonly document: string;
  readonly text: string;
}

/** How a DOCX's references to footnotes are written in its text. */
export const NOTE_MARKS = /(?<=\p{L})\[\d{1,3}\]/gu;

/** Letters and digits only, one blank between words; without marks of footnotes such as `[1]`. */
export function bareWords(text: string): string {
  return ` ${text
    .toLowerCase()
    .replace(/\u03bc/gu, 'µ')
    .replace(NOTE_MARKS, '')
    .replace(/[^\p{L}\p{N}µ%]+/gu, ' ')
    .trim()} `;
}

/** Share of the question's evidence quotes that the contexts contain; a quote counts only in its own document. */
export function evidenceRecall(
  { evidence }: Pick<Question, 'evidence'>,
  contexts: readonly ContextText[],
): number {
  const found = evidence.filter(({ document, quote }) =>
    wordsOf(contexts, document).includes(bareWords(quote)),
  );
  return found.length / evidence.length;
}

/** The bare words of all contexts of one document; words of two contexts never stand side by side in it. */
export function wordsOf(contexts: readonly ContextText[], document: string): string {
  return contexts
    .filter((context) => context.document === document)
    .map(({ text }) => bareWords(text))
    .join('');
}

/**
 * The contexts that fit into a budget of words: added in rank order until the next does not fit; the first always goes
 * in, cut to the budget.
 */
export function fitWords<Context extends ContextText>(ranked: readonly Context[], budget: number): Context[] {
  const kept: Context[] = [];
  let left = budget;
  for (const context of ranked) {
    const words = countWords(context.text);
    if (words > left) {
      if (kept.length === 0) kept.push({ ...context, text: firstWords(context.text, budget) });
      break;
    }
    kept.push(context);
    left -= words;
  }
  return kept;
}

function firstWords(text: string, count: number): string {
  let words = 0;
  for (const match of text.matchAll(/\S+/gu)) {
    if (++words === count) return text.slice(0, match.index + match[0].length);
  }
  return text;
}
