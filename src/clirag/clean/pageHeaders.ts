/** Text → edits that take out page furniture which the printing system pasted into the middle of sentences, and rules. */

import type { Span } from '../../core/types.js';
import { sortDisjoint, type Edit } from './offsetMap.js';

/** Radiology: everything from `(Over)` to `(Cont)` repeats the report's head. */
const OVER_TO_CONT = /\(over\)[ \t]*\n(?:[^\n]{0,200}\n){0,12}?[ \t]{0,80}\(cont\)/giu;
const LONE_OVER = /^[ \t]*\((?:over|cont(?:inued)?)\)[ \t]*$\n?/gimu;
/** `Page 2 of 3  [hospital]  MRN [id]`, on its own line or inside one. */
const PAGE_OF =
  /\bpage:?[ \t]*\d{1,3}[ \t]*(?:of|\/)[ \t]*\d{1,3}(?:[ \t|,:#-]{0,40}(?:\[[a-z ]+\]|\[\*\*[^\]\n]{0,60}\*\*\]|mrn|med(?:ical)?\.?\s+rec(?:ord)?(?:\s+(?:no|number))?|unit\s+no|acct|account|printed|dob|name|patient|\d{4}-\d{2}-\d{2}|\d{1,2}\/\d{1,2}(?:\/\d{2,4})?|\d{1,2}:\d{2}(?:\s?[ap]m)?|\d{5,})\.?)*/giu;
/** Over every radiology report; that it is preliminary is said otherwise, and kept. */
const FINAL_REPORT = /^[ \t]*FINAL REPORT[ \t]*$/gimu;
/** Rules of underscores, dashes, equals signs or asterisks. */
const RULE = /^[ \t]*(?:[_=*~]{4,}|-{4,})[ \t]*$/gmu;
/** Most notes hold nothing of all this. */
const HINTS = ['(over)', '(cont', 'page', 'final report', '____', '====', '****', '~~~~', '----'];

export function pageHeaderEdits(text: string): Edit[] {
  const lower = text.toLowerCase();
  if (!HINTS.some((hint) => lower.includes(hint))) return [];
  const find = (pattern: RegExp, options: { isSeam: boolean }): Edit[] =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => {
      const own = { start: index, end: index + found.length };
      if (!options.isSeam) return { ...own, text: '' };
      const span = withBlanks(text, own);
      return { ...span, text: seam(text, span) };
    });
  return sortDisjoint([
    ...find(OVER_TO_CONT, { isSeam: true }),
    ...find(PAGE_OF, { isSeam: true }),
    ...find(LONE_OVER, { isSeam: false }),
    ...find(FINAL_REPORT, { isSeam: false }),
    ...find(RULE, { isSeam: false }),
  ]);
}

/** With the blanks around it and at most one line break on each side. */
function withBlanks(text: string, span: Span): Span {
  const isBlank = (at: number): boolean => text[at] === ' ' || text[at] === '\t';
  let { start, end } = span;
  while (isBlank(start - 1)) start--;
  if (text[start - 1] === '\n') {
    start--;
    while (isBlank(start - 1)) start--;
  }
  while (isBlank(end)) end++;
  if (text[end] === '\n') {
    end++;
    while (isBlank(end)) end++;
  }
  return { start, end };
}

/** Inside a sentence the two halves are joined by a blank, between two sentences or blocks by a line break. */
function seam(text: string, { start, end }: Span): string {
  const before = text
    .slice(Math.max(0, start - 200), start)
    .trimEnd()
    .at(-1);
  const after = text
    .slice(end, end + 200)
    .trimStart()
    .at(0);
  if (before === undefined || after === undefined) return '';
  const isInside = /[\p{L}\p{N},;(-]/u.test(before) && /[\p{Ll}\p{N}(]/u.test(after);
  return isInside ? ' ' : '\n';
}
