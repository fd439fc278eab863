/** Text → edits that join the lines which a program wrapped, and keep the breaks which the author made. */

import { findHeaders } from '../headers/headerLines.js';
import { findWrapWidth, isWrapped } from '../headers/wrapWidth.js';
import { isTableRow } from './layout.js';
import type { Edit } from './offsetMap.js';

/** A line that ends mid-sentence and goes on in small letters was broken, if it is at least so long. */
const BROKEN_LINE = 60;
const ITEM = /^(?:[-*#|•·◦▪●‣✓✔]|\((?:done|no|open)\)|\d{1,2}[.)]\s|o\s)/u;
/** `Key: …` begins something. */
const KEY = /^[\p{L}/ ]{1,24}: /u;

/** Before anything is made shorter or longer: where a line was wrapped shows by its length. */
export function lineEdits(text: string): Edit[] {
  const width = findWrapWidth(text);
  const headers = findHeaders(text);
  const starts = new Set(headers.map(({ span }) => span.start));
  const bareEnds = new Set(headers.filter(({ isAlone }) => isAlone).map(({ span }) => span.end));
  const edits: Edit[] = [];
  let before: Line | undefined;
  for (let at = 0; at <= text.length;) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    const line = trimmedLine(text, { start: at, end });
    const beginsOrEndsHeader = starts.has(line.start) || (before !== undefined && bareEnds.has(before.end));
    if (
      before !== undefined &&
      line.text !== '' &&
      before.text !== '' &&
      !beginsOrEndsHeader &&
      isOneParagraph(before, { line, width })
    ) {
      edits.push({ start: before.end, end: line.start, text: ' ' });
    }
    before = line;
    at = end + 1;
  }
  return edits;
}

interface Line {
  readonly start: number;
  readonly end: number;
  /** Without the blanks around it. */
  readonly text: string;
  /** With the blanks before it. */
  readonly raw: string;
}

function trimmedLine(text: string, { start, end }: { start: number; end: number }): Line {
  const raw = text.slice(start, end).trimEnd();
  const trimmed = raw.trimStart();
  const from = start + raw.length - trimmed.length;
  return { start: from, end: from + trimmed.length, text: trimmed, raw };
}

function isOneParagraph(before: Line, { line, width }: { line: Line; width: number | undefined }): boolean {
  if (ITEM.test(line.text) || KEY.test(line.text) || isTableRow(before.text) || isTableRow(line.text))
    return false;
  if (isWrapped(before.raw, line.text, width)) return true;
  return (
    before.text.length >= BROKEN_LINE && /[\p{L}\p{N},(]$/u.test(before.text) && /^[\p{Ll}(]/u.test(line.text)
  );
}
