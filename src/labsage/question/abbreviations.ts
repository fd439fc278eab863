/** The words of a document → the abbreviations that it explains, each with its long form. */

export interface Abbreviation {
  readonly short: string;
  readonly long: string;
}

/** Capitals or digits with at most a hyphen between: `CRR`, `HIL`, `CDP-1`, `AUC24`. */
const SHORT = String.raw`[A-Z][A-Za-z0-9]{0,4}[A-Z0-9](?:-[A-Z0-9]{1,3})?`;
/** `CRR (clinically reportable range)`. */
const SHORT_FIRST = new RegExp(String.raw`\b(${SHORT})\s*\(([^()\n]{4,60})\)`, 'gu');
/** `clinically reportable range (CRR)`. */
const LONG_FIRST = new RegExp(String.raw`((?:[\p{L}-]+\s+){1,6})\((${SHORT})\)`, 'gu');
/** A list item, table row or line: `CRR: …`, `CRR | …`, `CRR = …`, `CRR    …`, `CRR means …`. */
const ENTRY = new RegExp(
  String.raw`^[ \t]*(?:[-•*|]\s*)?(${SHORT})(?:\s*[:|=–]\s*|\s{2,}|\s+(?:means|is|stands for)\s+)([\p{L}][^\n]{3,})`,
  'gmu',
);
/** Most words of a long form. */
const MAX_LONG_WORDS = 7;

/** Each pair once, in the order of the text. A long form counts only if it spells the short one. */
export function findAbbreviations(text: string): Abbreviation[] {
  const found = new Map<string, Abbreviation>();
  const add = (short: string, long: string | undefined): void => {
    if (long === undefined) return;
    const key = `${short}\n${long.toLowerCase()}`;
    if (!found.has(key)) found.set(key, { short, long });
  };
  for (const [, short = '', rest = ''] of text.matchAll(SHORT_FIRST)) add(short, longFrom(short, rest));
  for (const [, rest = '', short = ''] of text.matchAll(LONG_FIRST)) add(short, longBefore(short, rest));
  for (const [, short = '', rest = ''] of text.matchAll(ENTRY)) add(short, longFrom(short, rest));
  return [...found.values()];
}

/** The words at the beginning that spell the short form. */
function longFrom(short: string, rest: string): string | undefined {
  const words = (rest.split(/[.;:,|(\n]/u)[0] ?? '').trim().split(/\s+/u).slice(0, MAX_LONG_WORDS);
  return shortestSpelling(short, (count) => words.slice(0, count), words.length);
}

/** The words before the bracket that spell the short form. */
function longBefore(short: string, rest: string): string | undefined {
  const words = rest.trim().split(/\s+/u);
  return shortestSpelling(short, (count) => words.slice(-count), words.length);
}

/** By the words' first letters if that can be, else by any of their letters; the fewest words. */
function shortestSpelling(
  short: string,
  take: (count: number) => readonly string[],
  most: number,
): string | undefined {
  for (const isLong of [spellsByInitials, spells]) {
    for (let count = 1; count <= most; count++) {
      const long = take(count).join(' ');
      if (isLong(short, long)) return long;
    }
  }
  return undefined;
}

function lettersOf(short: string): string {
  return short.toLowerCase().replace(/[^a-z]/gu, '');
}

function spellsByInitials(short: string, long: string): boolean {
  const initials = long
    .toLowerCase()
    .split(/[\s-]+/u)
    .map((word) => word[0] ?? '');
  return lettersOf(short).length > 1 && initials.join('') === lettersOf(short);
}

/** Both begin alike, and the short form's letters stand in the long one in their order. */
function spells(short: string, long: string): boolean {
  const letters = lettersOf(short);
  const text = long.toLowerCase();
  if (letters.length < 2 || text.length <= short.length || text[0] !== letters[0]) return false;
  let at = -1;
  for (const letter of letters) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}
