/** A sentence → its citation marks: `[S3]`, `[S1, S4]`, `[S2][S5]`, `[S1-S3]`. */

import type { Span } from '../types.js';

export interface CitationMark extends Span {
  /** `S` and a number, in the order written. */
  readonly keys: readonly string[];
}

const KEY_LIST = String.raw`S\d{1,4}(?:\s*(?:[,;&]|and|-|–)\s*S\d{1,4})*`;
const MARK = new RegExp(String.raw`\[\s*${KEY_LIST}\s*\]`, 'giu');
const LEADING_MARKS = new RegExp(String.raw`^(?:\s*\[\s*${KEY_LIST}\s*\])+(?:[ \t]*\.)?`, 'iu');

/** A range with more keys than this is read as its two ends. */
const LONGEST_RANGE = 20;

export function findCitations(text: string): CitationMark[] {
  return [...text.matchAll(MARK)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    keys: readKeys(match[0].slice(1, -1)),
  }));
}

/** Distinct keys in the order of their first mark. */
export function citedKeys(marks: readonly CitationMark[]): string[] {
  return [...new Set(marks.flatMap(({ keys }) => keys))];
}

/** Length of the marks that stand at the start of `text` and so belong to the sentence before it; 0 without. */
export function leadingMarksLength(text: string): number {
  return LEADING_MARKS.exec(text)?.[0].length ?? 0;
}

/** The text with every mark blanked out, of the same length: spans stay true. */
export function blankCitations(text: string): string {
  return text.replace(MARK, (mark) => ' '.repeat(mark.length));
}

function readKeys(list: string): string[] {
  return list.split(/[,;&]|\band\b/iu).flatMap((item) => {
    const numbers = [...item.matchAll(/\d+/gu)].map(Number);
    const [first, last] = numbers;
    if (first === undefined) return [];
    if (last === undefined) return [`S${first}`];
    if (last < first || last - first >= LONGEST_RANGE) return [`S${first}`, `S${last}`];
    return Array.from({ length: last - first + 1 }, (_, step) => `S${first + step}`);
  });
}
