/** Text → its lines that are not blank, with what finding headers needs to know of each. */

import { findWrapWidth, isWrapped } from './wrapWidth.js';

export interface NoteLine {
  /** Of the line without the blanks around it. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly isBlankBefore: boolean;
  /** The break before it is no break: the line goes on with a sentence. */
  readonly continues: boolean;
}

export function splitNoteLines(text: string): NoteLine[] {
  const width = findWrapWidth(text);
  const lines: NoteLine[] = [];
  let isBlankBefore = true;
  for (let start = 0; start <= text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const raw = text.slice(start, end);
    const trimmed = raw.trim();
    if (trimmed === '') isBlankBefore = true;
    else {
      const from = start + raw.indexOf(trimmed);
      const before = isBlankBefore ? undefined : lines.at(-1);
      const continues =
        before !== undefined && isWrapped(before.text, trimmed, width) && !/[.!?:;]$/u.test(before.text);
      lines.push({ start: from, end: from + trimmed.length, text: trimmed, isBlankBefore, continues });
      isBlankBefore = false;
    }
    start = end + 1;
  }
  return lines;
}

export function countWords(words: string): number {
  return words.match(/\S+/gu)?.length ?? 0;
}

export function isAllCapitals(words: string): boolean {
  return /\p{Lu}/u.test(words) && !/\p{Ll}/u.test(words);
}
