/** Text → edits that write every header that was found in title case with a colon; its words stay the author's. */

import { findHeaders, type FoundHeader } from '../headers/headerLines.js';
import type { Edit } from './offsetMap.js';

export function headerEdits(text: string): Edit[] {
  return findHeaders(text).map((header) => {
    const gap = /\S([ \t]+)$/u.exec(
      text.slice(text.lastIndexOf('\n', header.span.start - 1) + 1, header.span.start),
    )?.[1];
    // A further header on the line, behind columns or a sentence, gets a line of its own; a list number stays.
    const isInner =
      gap !== undefined && !/(?:^|\n)[ \t]*[\dIVX]{1,4}\.?[ \t]+$/u.test(text.slice(0, header.span.start));
    return {
      start: header.span.start - (isInner ? gap.length : 0),
      end: header.span.end + separatorLength(text, header),
      text: `${isInner ? '\n' : ''}${titleCase(header.words)}:${needsBlank(text, header) ? ' ' : ''}`,
    };
  });
}

/** `Plan - continue …`: the dash was the colon. */
function separatorLength(text: string, { span, hasColon, isAlone }: FoundHeader): number {
  if (isAlone || hasColon) return /^[ \t]*/u.exec(text.slice(span.end))?.[0].length ?? 0;
  return /^[ \t]*(?:-(?=\s))?[ \t]*/u.exec(text.slice(span.end))?.[0].length ?? 0;
}

function needsBlank(text: string, { span }: FoundHeader): boolean {
  return /^[ \t-]*[^\s-]/u.test(text.slice(span.end));
}

const SMALL_WORDS = new Set([
  'a',
  'an',
  'and',
  'at',
  'by',
  'for',
  'from',
  'in',
  'of',
  'on',
  'or',
  'the',
  'to',
  'with',
  'as',
]);
/** Words of four letters and fewer that are no abbreviation; all other short words in capitals are left so. */
const SHORT_WORDS = new Set(
  'a all am an and any are as at back bed by care cell code data date day days deep diet done drug each exam eyes face fall feed feet flow follow for foot from full gait goal hand has head heart hip home hour hours hx in is its knee labs last left legs lines lung main mass meal meds mood name near neck need new next no nodes node none nose not note notes of old on open or oral order other out pain past plan pm poor post prep pulse rate ray re reason rest right risk role scan sex shift side site skin soft stay stool team test tests the this time to tone tube type up us use view vein viewed visit vital walk week work yes you'.split(
    ' ',
  ),
);

const ABBREVIATIONS = new Set(
  'bipap cc ct cv cvs cxr ecg ekg ent ercp fen fh gi gu heent hpi id mri mskel nsaid ob ot pe pmh psh pt ros rt sh vs'.split(
    ' ',
  ),
);

/** `ASSESSMENT AND PLAN` becomes `Assessment and Plan`; `HPI` and `GI/GU` stay; what is in mixed case is left alone. */
export function titleCase(words: string): string {
  const isCapitals = /\p{Lu}/u.test(words) && !/\p{Ll}/u.test(words.replace(/\[[^\]]*\]/gu, ''));
  const trimmed = words.trim();
  if (!isCapitals) {
    const shaped = /\p{Lu}/u.test(trimmed)
      ? trimmed
      : trimmed.replace(/\p{L}+/gu, (word) => (ABBREVIATIONS.has(word) ? word.toUpperCase() : word));
    return shaped.charAt(0).toUpperCase() + shaped.slice(1);
  }
  let isFirst = true;
  return trimmed.replace(/\[[^\]]*\]|[\p{L}\p{M}'’]+/gu, (word) => {
    if (word.startsWith('[')) return word;
    const lower = word.toLowerCase();
    const keeps =
      ABBREVIATIONS.has(lower) || (word.length <= 4 && !SHORT_WORDS.has(lower) && !SMALL_WORDS.has(lower));
    const shaped = keeps
      ? word
      : SMALL_WORDS.has(lower) && !isFirst
        ? lower
        : lower.charAt(0).toUpperCase() + lower.slice(1);
    isFirst = false;
    return shaped;
  });
}
