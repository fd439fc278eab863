/** Text → its words as terms that are equal for equal meaning: stems, one spelling, one name for all aliases. */

import { isFunctionWord, termOf } from '../keywordIndex.js';
import { splitWords } from '../text.js';
import type { Span } from '../types.js';
import { ABBREVIATIONS } from './abbreviations.js';
import { ALIASES, EXACT_ALIASES, IRREGULAR } from './aliases.js';
import { DRUGS } from './drugs.js';
import { DENYING_UN, DENYING_WORDS } from './negationTriggers.js';

/** One written word. */
export interface RawWord extends Span {
  readonly text: string;
  readonly stem: string;
}

/** One or more words of one meaning. */
export interface TermWord extends Span {
  readonly text: string;
  readonly term: string;
  readonly isContent: boolean;
  /** Named in the tables of other names. */
  readonly isAlias: boolean;
  /** Index of its first raw word, and how many it spans. */
  readonly first: number;
  readonly count: number;
}

/** A phrase table: first stem → the phrases that start with it, longest first. */
export type PhraseTable<T> = ReadonlyMap<
  string,
  readonly { readonly stems: readonly string[]; readonly value: T }[]
>;

/** Words that stand in every text of their kind and so support nothing. */
const GENERIC = new Set(
  [
    'patient',
    'note',
    'also',
    'please',
    'per',
    'via',
    'etc',
    'today',
    'time',
    'well',
    'since',
    'while',
    'although',
    'still',
    'yet',
    'there',
    'another',
    'within',
    'upon',
    'later',
    'case',
    'whether',
    'via',
    'currently',
    'now',
    'noted',
    'day',
    'reveal',
    'demonstrate',
    'undergo',
    'underwent',
    'receive',
    'remain',
    'become',
    'consider',
    'regard',
    'gently',
    'fully',
    'approximately',
    'additionally',
    'respectively',
    'thereafter',
    'overall',
    'presently',
    'requirement',
    'task',
    'anything',
    'moment',
    'individual',
    'individuals',
  ].map(stemOf),
);

/** Hyphens, dots and slashes part words, and so do line breaks; an apostrophe's tail goes. */
export function readWords(text: string): RawWord[] {
  const words: RawWord[] = [];
  for (const whole of splitWords(text)) {
    let at = whole.start;
    const isKept = /^b\/l$/iu.test(whole.text);
    for (const part of isKept ? [whole.text] : whole.text.split(/(?<!^non)([-./])/iu)) {
      if (part !== '' && !/^[-./]$/u.test(part)) {
        words.push({ start: at, end: at + part.length, text: part, stem: stemOf(part) });
      }
      at += part.length;
    }
  }
  return words;
}

/** Lower case, American spelling, regular form, stem. */
export function stemOf(word: string): string {
  const lower = word
    .toLowerCase()
    .replace(/^non-/u, 'non')
    .replace(/['’]s?$/u, '')
    .replace(/\u03bc/gu, 'µ')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '');
  const regular = IRREGULAR[lower] ?? lower;
  const american = regular
    .replace(/ae|oe/gu, 'e')
    .replace(/our(?=s?$|ed$|ing$|less$)/u, 'or')
    .replace(/(?<=[a-z]{3})is(?=e[sdr]?$|ing$|ations?$)/u, 'iz')
    .replace(/(?<=[a-z]{2})ys(?=e[sdr]?$|ing$)/u, 'yz')
    .replace(/(?<=[a-z]{3})ll(?=ed$|ing$)/u, 'l')
    .replace(/(?<=[bdtn])re$/u, (ending) =>
      regular.length > 4 && /(?:cent|lit|met|fib|tit)re$/u.test(regular) ? 'er' : ending,
    );
  return termOf(american);
}

export function phraseTable<T>(entries: Iterable<readonly [phrase: string, value: T]>): PhraseTable<T> {
  const table = new Map<string, { stems: readonly string[]; value: T }[]>();
  for (const [phrase, value] of entries) {
    const stems = readWords(phrase).map(({ stem }) => stem);
    const [first] = stems;
    if (first === undefined) continue;
    const list = table.get(first) ?? [];
    list.push({ stems, value });
    table.set(first, list);
  }
  for (const list of table.values()) list.sort((a, b) => b.stems.length - a.stems.length);
  return table;
}

/** The phrases of a line ` | ` apart. */
export function alternatives(line: string): string[] {
  return line.split('|').map((phrase) => phrase.trim());
}

/** All longest phrases at each word, left to right without overlap (`isOverlapping`: every value at every word). */
export function findPhrases<T>(
  words: readonly RawWord[],
  table: PhraseTable<T>,
  { isOverlapping = false } = {},
): { first: number; count: number; value: T }[] {
  const found: { first: number; count: number; value: T }[] = [];
  for (let at = 0; at < words.length; at++) {
    const matches = (table.get(words[at]?.stem ?? '') ?? []).filter(({ stems }) =>
      stems.every((stem, i) => words[at + i]?.stem === stem),
    );
    const longest = matches[0]?.stems.length ?? 0;
    if (longest === 0) continue;
    for (const { stems, value } of isOverlapping ? matches : matches.slice(0, 1))
      found.push({ first: at, count: stems.length, value });
    if (!isOverlapping) at += longest - 1;
  }
  return found;
}

const ALIAS_TABLE = phraseTable(
  [...ALIASES, ...ABBREVIATIONS, ...DRUGS].flatMap((line) => {
    const phrases = alternatives(line);
    return phrases.map((phrase): [string, string] => [phrase, phrases[0] ?? phrase]);
  }),
);

/** The alias groups' name for a word or phrase, else its stem. */
export function canonicalTerm(phrase: string): string {
  const words = readWords(phrase);
  const exact = EXACT_ALIASES[phrase];
  if (exact !== undefined) return exact;
  const [match] = findPhrases(words, ALIAS_TABLE);
  return match?.count === words.length ? match.value : words.map(({ stem }) => stem).join(' ');
}

/** Raw words merged to terms. */
export function readTerms(words: readonly RawWord[], text: string): TermWord[] {
  const phrases = new Map(findPhrases(words, ALIAS_TABLE).map((phrase) => [phrase.first, phrase]));
  const terms: TermWord[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) continue;
    const phrase = phrases.get(at);
    const exact = EXACT_ALIASES[word.text];
    const count = exact !== undefined && (phrase?.count ?? 1) === 1 ? 1 : (phrase?.count ?? 1);
    const end = words[at + count - 1]?.end ?? word.end;
    const denied = deniedWord(word.text);
    const plainTerm = phrase?.value ?? (denied === undefined ? word.stem : canonicalTerm(denied));
    const term = count === 1 && exact !== undefined ? exact : plainTerm;
    const isContent =
      !isGeneric(term) &&
      (phrase !== undefined || exact !== undefined || !isFunctionWord(word.text)) &&
      !/^[a-z]$/u.test(word.text);
    terms.push({
      start: word.start,
      end,
      text: text.slice(word.start, end),
      term,
      isContent,
      isAlias: phrase !== undefined || exact !== undefined,
      first: at,
      count,
    });
    at += count - 1;
  }
  return terms;
}

/** The word that a word denies by itself ("afebrile": "fever", "nontender": "tender"), or undefined. */
export function deniedWord(word: string): string | undefined {
  const lower = word.toLowerCase().replace(/^non-/u, 'non');
  const known = DENYING_WORDS[lower];
  if (known !== undefined) return known;
  if (DENYING_UN.has(lower)) return lower.slice(2);
  return /^non[a-z]{5,}$/u.test(lower) && !/^non(?:rebreather|invasive|steroid|stick)/u.test(lower)
    ? lower.slice(3)
    : undefined;
}

function isGeneric(term: string): boolean {
  return GENERIC.has(term);
}

/** Shared letters at the start that make two stems one word ("hemolyz", "hemolysi"), at least and as a share of the longer. */
const SHARED_LETTERS = 5;
const SHARED_PART = 0.7;

export function isSameStem(a: string, b: string): boolean {
  if (a === b) return true;
  const longer = Math.max(a.length, b.length);
  if (Math.min(a.length, b.length) < SHARED_LETTERS || a[0] !== b[0] || /[\d #]/u.test(a + b)) return false;
  let shared = 0;
  while (shared < longer && a[shared] === b[shared]) shared++;
  return shared >= SHARED_LETTERS && shared >= SHARED_PART * longer;
}
