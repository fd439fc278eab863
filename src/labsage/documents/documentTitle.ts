/** A document's entries in; its title, and where what belongs to its head ends, out. */

import { isKnownKey } from './controlKeys.js';
import { readLabel } from './labels.js';
import type { ReaderEntry } from './readerEntries.js';
import { isCapitals, isNameLike, isSectionName, isSignOff } from './sectionNames.js';
import { isKeyLine } from './textEntries.js';

export interface FoundTitle {
  readonly text?: string;
  /** First entry that may be a heading. */
  readonly after: number;
  /** The title's first entry, and how many entries hold its wrapped lines. */
  readonly at?: { readonly index: number; readonly count: number };
}

/** Longest title, in characters. */
const TITLE_CHARS = 300;
/** The head of a document has no more entries than this. */
const HEAD_ENTRIES = 40;

const TITLE_WORD =
  /\b(?:procedures?|protocol|sop|policy|methods?|test(?:ing)?|assay|analy[sz]er|analysis|guidelines?|maintenance|operation|calibration|determination|measurement|examination|collection|handling|quality|screen(?:ing)?|panel|culture|stain(?:ing)?|count|instructions?|manual|control|assessment|preparation|management|competency|verification|validation|serum|plasma|urine|blood)\b/i;
const GENERIC_TITLE =
  /^(?:(?:laboratory|clinical|standard|operating|procedure|procedures|sop|document|protocol|manual|department|of|medicine|pathology|hospital|medical|cent(?:er|re)|university|health|services?|laboratories|controlled|copy)[\s():/&,.–-]*)+$/i;

const LETTERHEAD =
  /\b(?:hospital|department of|medical cent(?:er|re)|clinics?|laborator(?:y|ies) (?:medicine|services)|university|health (?:system|services|network)|institute|inc\.|llc)\b/i;

export function findTitle(entries: readonly ReaderEntry[]): FoundTitle {
  const given = entries.findIndex((entry) => entry.given === 'heading');
  if (given >= 0 && given < HEAD_ENTRIES) return givenTitle(entries, given);
  return statedTitle(entries);
}

/** The first given heading is the title if it stands alone at its rank, or alone without a number, or heads only control data. */
function givenTitle(entries: readonly ReaderEntry[], index: number): FoundTitle {
  const first = entries[index];
  const headings = entries.filter((entry) => entry.given === 'heading');
  if (first === undefined) return { after: 0 };
  const rank = first.level ?? 1;
  const others = headings.slice(1).filter((entry) => (entry.level ?? 1) <= rank);
  const numbered = readLabel(first.words.text) !== undefined;
  const alone = others.length === 0 && headings.length > 1;
  const unlikeOthers =
    !numbered &&
    others.length > 0 &&
    others.every((entry) => readLabel(entry.words.text) !== undefined || isSectionName(entry.words.text));
  const sectionLike = isSectionName(first.words.text) && first.words.text.split(' ').length <= 3 && !alone;
  const only =
    headings.length === 1 && rank === 1 && !numbered && !isSectionName(first.words.text) && index === 0;
  if ((alone && !numbered) || (unlikeOthers && !sectionLike) || only) return titleAt(entries, [index]);
  return { after: index };
}

function isLetterhead(text: string): boolean {
  return GENERIC_TITLE.test(text) || (LETTERHEAD.test(text) && !/\b(?:procedure|sop|protocol)\b/i.test(text));
}

function statedTitle(entries: readonly ReaderEntry[]): FoundTitle {
  const largest = largestOf(entries);
  if (largest !== undefined) return titleAt(entries, [largest]);
  // What stands before the first sure major heading is the head.
  let end = 0;
  const names: number[] = [];
  for (; end < entries.length && end < HEAD_ENTRIES; end += 1) {
    const entry = entries[end];
    if (entry === undefined) break;
    if (entry.given === 'table') continue;
    const text = entry.words.text;
    const label = readLabel(text);
    const name = text.slice(label?.end ?? 0);
    if (label !== undefined && label.kind !== 'bullet') break;
    if (entry.given !== 'text' || label !== undefined || text.length > TITLE_CHARS) break;
    if (isKnownKey(text)) {
      const stated = /^(?:(?:sop|document|procedure|policy)\s+)?(?:title|name|subject)\s*:\s*(\S.*)$/i.exec(
        text,
      );
      if (stated?.[1] !== undefined) names.unshift(end);
      continue;
    }
    if (isSignOff(name)) continue;
    if (isHeadingOfBody(entry, entries[end + 1])) break;
    if (names.length > 0 && isBoldHeading(entry, entries[end + 1])) break;
    if (
      isKeyLine(text) &&
      !/^(?:standard operating|sop|protocol|procedure|policy|title|guideline|analytical)/i.test(text)
    )
      continue;
    if (/[.;]$/.test(text) && text.split(' ').length > 8) break;
    if (!/^\p{Ll}/u.test(text)) names.push(end);
  }
  if (names.length === 0) return { after: 0 };
  const textAt = (index: number): string => entries[index]?.words.text ?? '';
  const best =
    names.find((index) => /^(?:(?:sop|document|procedure|policy)\s+)?title\s*:/i.test(textAt(index))) ??
    names.find((index) => TITLE_WORD.test(textAt(index)) && !isLetterhead(textAt(index))) ??
    names.find((index) => !isLetterhead(textAt(index))) ??
    names.find((index) => !GENERIC_TITLE.test(textAt(index)));
  if (best === undefined) return { after: (names.at(-1) ?? -1) + 1 };
  // A document without headings whose first line is no name keeps that line as text only.
  return titleAt(entries, [best, ...names]);
}

/** What stands near the top in clearly larger type than everything else of the document but letterheads. */
function largestOf(entries: readonly ReaderEntry[]): number | undefined {
  const sizes = entries.map(({ size = 0, words }) => (isLetterhead(words.text) ? 0 : size));
  const largest = sizes.reduce((most, size) => Math.max(most, size), 0);
  const index = sizes.indexOf(largest);
  const entry = entries[index];
  if (largest === 0 || entry === undefined || index >= HEAD_ENTRIES) return undefined;
  const { text } = entry.words;
  if (
    entry.given !== 'text' ||
    readLabel(text) !== undefined ||
    isSectionName(text) ||
    text.length > TITLE_CHARS
  )
    return undefined;
  let end = index + 1;
  while (sizes[end] === largest) end += 1;
  return sizes.slice(end).every((size) => size * 1.12 < largest) ? index : undefined;
}

/** A title in larger type wraps before the width of the text: its lines follow each other without a blank line. */
function titleLines(entries: readonly ReaderEntry[], index: number): number {
  let count = 1;
  for (; count < 4; count += 1) {
    const next = entries[index + count];
    const before = entries[index + count - 1];
    if (
      next === undefined ||
      before === undefined ||
      next.apart ||
      next.given !== 'text' ||
      readLabel(next.words.text) !== undefined
    )
      break;
    if (
      isKeyLine(next.words.text) ||
      isKnownKey(next.words.text) ||
      isSignOff(next.words.text) ||
      /[.:;]$/.test(before.words.text)
    )
      break;
    if (
      isHeadingOfBody(next, entries[index + count + 1]) ||
      next.words.text.length > 90 ||
      /[.;]$/.test(next.words.text) ||
      next.lines > 2
    )
      break;
  }
  return count;
}

/** Bold on a line of its own over a paragraph that is not. */
function isBoldHeading(entry: ReaderEntry, next: ReaderEntry | undefined): boolean {
  return (
    entry.bold === true &&
    entry.apart &&
    next?.given === 'text' &&
    next.bold !== true &&
    next.words.text.length > 60 &&
    !isKnownKey(next.words.text)
  );
}

function isHeadingOfBody(entry: ReaderEntry, next: ReaderEntry | undefined): boolean {
  const text = entry.words.text.replace(/:$/, '');
  if (!isSectionName(text) || text.split(' ').length > 5) return false;
  const nextIsKey = next !== undefined && next.given === 'text' && isKnownKey(next.words.text);
  if (isCapitals(text) || entry.underlined !== undefined || entry.words.text.endsWith(':'))
    return !nextIsKey || /^(?:purpose|scope|principle)/i.test(text);
  return isNameLike(text) && entry.apart && text.split(' ').length <= 3;
}

function titleAt(entries: readonly ReaderEntry[], indexes: readonly number[]): FoundTitle {
  const text = entries[indexes[0] ?? 0]?.words.text ?? '';
  const value =
    /^(?:(?:sop|document|procedure|policy)\s+)?(?:title|name|subject)\s*:\s*(\S.*)$/i.exec(text)?.[1] ?? text;
  const index = indexes[0] ?? 0;
  const count = entries[index]?.given === 'text' && value === text ? titleLines(entries, index) : 1;
  const lines = entries.slice(index + 1, index + count).map((entry) => entry.words.text);
  return {
    text: [value, ...lines].join(' '),
    after: Math.max(index + count, Math.max(...indexes) + 1),
    at: { index, count },
  };
}
