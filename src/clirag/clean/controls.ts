/** Text → edits that take out control characters and write every line break as one line feed. */

import type { Edit } from './offsetMap.js';

// Line breaks in all spellings, then the other control characters (the tab is left to the layout step), then halves of
// surrogate pairs, which are no characters.
const CONTROL =
  /\r\n?|[\x0b\x0c\x85]|[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]+|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
const WORD_CHARACTER = /[\p{L}\p{N}]/u;

export function controlEdits(text: string): Edit[] {
  return [...text.matchAll(CONTROL)].map(({ 0: control, index }) => {
    const end = index + control.length;
    if (/^[\r\x0b\x0c\x85]/.test(control)) return { start: index, end, text: '\n' };
    // A control character that stands between two words was their separator.
    const separates = WORD_CHARACTER.test(text[index - 1] ?? '') && WORD_CHARACTER.test(text[end] ?? '');
    return { start: index, end, text: separates ? ' ' : '' };
  });
}
