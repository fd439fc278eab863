/** Text → edits that write columns with ` | ` and take out blanks and blank lines that carry nothing. */

import type { Edit } from './offsetMap.js';

const TABLE_RULE = /^\|?(?:[ \t]*:?-{2,}:?[ \t]*\|?)+$/u;
/** Two blanks after a sentence are typing, all other wide gaps are columns. */
const COLUMN_GAP = /(?<=[^\s.!?:;,])[ \t]{2,}(?=\S)|[ \t]{3,}(?=\S)/gu;

export function layoutEdits(text: string): Edit[] {
  const edits: Edit[] = [];
  // Where what was kept last ends; all up to the next line's first character is replaced.
  let from = 0;
  let isBlank = false;
  for (let at = 0; at <= text.length;) {
    const newline = text.indexOf('\n', at);
    const lineEnd = newline === -1 ? text.length : newline;
    const raw = text.slice(at, lineEnd).trimEnd();
    const line = raw.trimStart();
    if (line === '') isBlank = true;
    else if (!TABLE_RULE.test(line)) {
      const start = at + raw.length - line.length;
      edits.push({ start: from, end: start, text: from === 0 ? '' : isBlank ? '\n\n' : '\n' });
      for (const edit of gapEdits(line, start)) edits.push(edit);
      from = start + line.length;
      isBlank = false;
    }
    at = lineEnd + 1;
  }
  edits.push({ start: from, end: text.length, text: '' });
  return edits;
}

/** Blanks inside a line: two or more gaps are columns, all else is one blank. */
function gapEdits(line: string, offset: number): Edit[] {
  if (!/[ \t]{2}|\t/u.test(line)) return [];
  const isSentence = /[.!?;,]\s{2}\S/u.test(line);
  const isColumns = (line.match(COLUMN_GAP)?.length ?? 0) >= 2 && !isSentence && !line.includes('|');
  return [...line.matchAll(/[ \t]{2,}|\t/gu)].map(({ 0: gap, index }) => ({
    start: offset + index,
    end: offset + index + gap.length,
    text: isColumns && gap.length >= 2 ? ' | ' : ' ',
  }));
}

export function isTableRow(line: string): boolean {
  return (line.match(/\|/gu)?.length ?? 0) >= 2 || (line.match(COLUMN_GAP)?.length ?? 0) >= 2;
}
