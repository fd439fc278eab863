/** A plain text file's bytes in; its entries, boilerplate and control hints out. */

import { decodeText } from '../decodedText.js';
import type { ReaderResult, SourceLine } from '../readerEntries.js';
import { takeRunningLines } from '../runningLines.js';
import { joinLines, wrapWidth } from '../textEntries.js';

/** Columns to the next tab stop. */
const TAB_COLUMNS = 8;

export function readPlainText(bytes: Uint8Array, options: { path: string }): ReaderResult {
  const { text, notes } = decodeText(bytes, options);
  const paged = splitLines(text);
  const { lines, boilerplate, running } = takeRunningLines(paged);
  const entries = joinLines(lines, { width: wrapWidth(lines) });
  return {
    entries,
    boilerplate,
    hints: { pairs: [], running },
    ...(paged.pageStarts.length > 1 && { pages: paged.pageStarts.length }),
    notes,
  };
}

/** Numbers lines as an editor does; a form feed starts a page and ends the line before it. */
export function splitLines(text: string): {
  lines: (SourceLine | undefined)[];
  pageStarts: number[];
} {
  const lines: (SourceLine | undefined)[] = [];
  const pageStarts: number[] = [0];
  let number = 0;
  for (const physical of text.split('\n')) {
    number += 1;
    physical.split('\f').forEach((part, index) => {
      if (index > 0) pageStarts.push(lines.length);
      lines.push(sourceLine(part, number));
    });
  }
  const last = pageStarts.at(-1) ?? 0;
  // A form feed at the end of the file starts no page.
  if (pageStarts.length > 1 && lines.slice(last).every((line) => line === undefined)) pageStarts.pop();
  return { lines, pageStarts };
}

function sourceLine(part: string, number: number): SourceLine | undefined {
  const text = part.trim();
  if (text === '' || !/[^\u0000-\u0020\u007f\u00a0\u00ad\u200b\u2060\ufeff]/u.test(text)) return undefined;
  let indent = 0;
  for (const sign of part) {
    if (sign === '\t') indent += TAB_COLUMNS - (indent % TAB_COLUMNS);
    else if (sign === ' ' || sign === '\u00a0') indent += 1;
    else break;
  }
  return {
    text: expandTabs(text.replaceAll('\u00a0', ' '), indent),
    position: { line: number },
    indent,
  };
}

/** Tabs become the blanks that they show as, two at least, so that they part columns. */
function expandTabs(text: string, indent: number): string {
  if (!text.includes('\t')) return text;
  let column = indent;
  return text
    .split('\t')
    .map((part, index, parts) => {
      if (index === parts.length - 1) return part;
      column += part.length;
      const blanks = Math.max(2, TAB_COLUMNS - (column % TAB_COLUMNS));
      column += blanks;
      return part + ' '.repeat(blanks);
    })
    .join('');
}
