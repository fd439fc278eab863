/** Text → hashes, slugs, words, sentences with spans: what every other file needs to say where something stands. */

import { createHash } from 'node:crypto';
import type { Span } from './types.js';

export function sha256Hex(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Lower-case ASCII words joined by `-`; never empty. */
export function slugify(text: string): string {
  const slug = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return slug === '' ? 'section' : slug;
}

export function collapseBlanks(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}

export function countWords(text: string): number {
  return text.match(/\S+/gu)?.length ?? 0;
}

/** A word and where it stands. Words keep inner hyphens, dots, slashes and apostrophes (`CS-5100`, `2.5`, `mmol/L`). */
export interface Word extends Span {
  readonly text: string;
}

const WORD = /[\p{L}\p{N}\p{M}µ%°]+(?:[-./'’][\p{L}\p{N}\p{M}%]+)*/gu;

export function splitWords(text: string): Word[] {
  const words: Word[] = [];
  for (const match of text.matchAll(WORD)) {
    words.push({ start: match.index, end: match.index + match[0].length, text: match[0] });
  }
  return words;
}

/** Abbreviations after which a full stop ends no sentence. */
const ABBREVIATION =
  /(?:^|[\s(])(?:approx|ca|cat|cf|conc|dr|e\.g|eq|esp|est|et al|etc|ext|fig|figs|i\.e|incl|max|min|mr|mrs|ms|no|nos|p|pp|prof|ref|rev|sec|st|tab|temp|ver|viz|vol|vs|[A-Z])\.$/iu;

/** Doses, times and units, which may end a sentence: their full stop does so before a capitalised word alone. */
const DOSE_ABBREVIATION =
  /(?:^|[\s(])(?:a\.c|a\.m|b\.i\.d|h\.s|i\.m|i\.v|n\.p\.o|o\.d|p\.c|p\.m|p\.o|p\.r|p\.r\.n|q\.d|q\.h\.s|q\.i\.d|q\.o\.d|s\.c|s\.q|t\.i\.d|hrs?|mos?|wks?|yrs?)\.$/iu;

/** Longest step label (`xviii.` with the blanks before it) whose full stop ends no sentence. */
const MAX_LABEL = 12;

/**
 * The sentences of `text.slice(within)`, trimmed, in order; every non-blank character is in exactly one.
 * A line break always ends a sentence (canonical text has one only between blocks and table rows).
 */
export function splitSentences(text: string, within: Span = { start: 0, end: text.length }): Span[] {
  const sentences: Span[] = [];
  let start = within.start;
  const push = (end: number): void => {
    const sentence = trimSpan(text, { start, end });
    if (sentence.end > sentence.start) sentences.push(sentence);
    start = end;
  };
  for (let at = within.start; at < within.end; at++) {
    const char = text[at];
    if (char === '\n') push(at);
    else if (char === '.' || char === '!' || char === '?') {
      let end = at + 1;
      while (end < within.end && /["”’)\]]/u.test(text[end] ?? '')) end++;
      const next = /^\s+["“‘([]?[\p{Lu}\p{N}]/u.test(text.slice(end, end + 6));
      const isFirstLabel =
        at - start < MAX_LABEL && /^\s*(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})$/u.test(text.slice(start, at));
      const last = text.slice(Math.max(start, at - 8), at + 1);
      const isAbbreviation =
        char === '.' &&
        (ABBREVIATION.test(last) ||
          (DOSE_ABBREVIATION.test(last) && !/^\s+["“‘([]?\p{Lu}\p{Ll}/u.test(text.slice(end, end + 6))));
      if (next && !isFirstLabel && !isAbbreviation) push(end);
    }
  }
  push(within.end);
  return sentences;
}

export function trimSpan(text: string, span: Span): Span {
  let { start, end } = span;
  while (start < end && /\s/u.test(text[start] ?? '')) start++;
  while (end > start && /\s/u.test(text[end - 1] ?? '')) end--;
  return { start, end };
}

export function sliceSpan(text: string, span: Span): string {
  return text.slice(span.start, span.end);
}

export function overlaps(a: Span, b: Span): boolean {
  return a.start < b.end && b.start < a.end;
}

/** Of items in order that do not overlap each other, those that overlap the span. */
export function overlapping<Item extends { readonly span: Span }>(
  items: readonly Item[],
  span: Span,
): readonly Item[] {
  let from = 0;
  for (let end = items.length; from < end;) {
    const middle = (from + end) >>> 1;
    if ((items[middle]?.span.end ?? Infinity) <= span.start) from = middle + 1;
    else end = middle;
  }
  let to = from;
  while ((items[to]?.span.start ?? Infinity) < span.end) to++;
  return items.slice(from, to);
}

/** Ids given so far, each with how often it was asked for. */
export type GivenIds = Map<string, number>;

/** The id itself, or with the number of the copy: `x`, `x-2`, `x-3`. */
export function uniqueId(id: string, given: GivenIds): string {
  let copy = (given.get(id) ?? 0) + 1;
  let unique = copy === 1 ? id : `${id}-${copy}`;
  while (copy > 1 && given.has(unique)) unique = `${id}-${++copy}`;
  given.set(id, copy);
  if (copy > 1) given.set(unique, 1);
  return unique;
}
