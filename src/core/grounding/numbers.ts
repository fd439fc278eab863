/** Text → the numbers written in it: digits with separators, decimal commas, fractions and words. */

import type { Span } from '../types.js';
import { readUnit } from './units.js';

export interface FoundNumber extends Span {
  readonly value: number;
  /** Half of the last written digit's place: what rounding may have taken. */
  readonly slack: number;
  readonly isWord: boolean;
  /** More than two parts (`4.2.1`): a section or version, compared part by part. */
  readonly parts?: readonly number[];
}

const WORD_VALUES: Readonly<Record<string, number>> = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  thirteen: 13,
  fourteen: 14,
  fifteen: 15,
  sixteen: 16,
  seventeen: 17,
  eighteen: 18,
  nineteen: 19,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
};
/** Spelled fractions and "an hour". */
const PHRASES: readonly (readonly [RegExp, number])[] = [
  [/^one and a half$/iu, 1.5],
  [/^two and a half$/iu, 2.5],
  [/^three and a half$/iu, 3.5],
  [/^four and a half$/iu, 4.5],
  [/^three[\s-]quarters?(?: of an)?$/iu, 0.75],
  [/^(?:one |a )?quarter(?: of an)?$/iu, 0.25],
  [/^two[\s-]thirds?$/iu, 2 / 3],
  [/^(?:one|a) third$/iu, 1 / 3],
  [/^(?:one )?half(?: (?:an?|of an?|the))?$/iu, 0.5],
  [/^an?$/iu, 1],
];
const TENS = 'twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety';
const ONES = 'one|two|three|four|five|six|seven|eight|nine';
const BELOW_HUNDRED = String.raw`(?:(?:${TENS})(?:[-\s](?:${ONES}))?|${Object.keys(WORD_VALUES).join('|')})`;
const BELOW_THOUSAND = String.raw`(?:(?:${ONES}|an?) hundred(?:(?: and)? ${BELOW_HUNDRED})?|${BELOW_HUNDRED})`;
const WORDS = String.raw`${BELOW_HUNDRED} point (?:${ONES}|zero)(?![\p{L}])|(?:${BELOW_THOUSAND}|an?) thousand(?:,? (?:and )?${BELOW_THOUSAND})?|${BELOW_THOUSAND}`;
/** A number that is written in words, from its beginning. */
export const WORD_NUMBER = String.raw`(?:${WORDS})(?![\p{L}])`;
const HALVES = String.raw`(?:an?|one) (?=(?:hour|day|minute|week|month|year)s? and a half)|(?:one|two|three|four) and a half`;
const QUARTERS = String.raw`(?:three[\s-]quarters|(?:(?:a|one) )?quarter)(?: of an)?(?= hours?(?![\p{L}]))`;
const HALF = String.raw`(?:one )?half(?: (?:an?|of an?|the))?(?= (?:hours?|days?|minutes?|lit(?:er|re)s?|gram|milligram|tablet|unit|dose)(?![\p{L}]))`;
const FRACTIONS: Readonly<Record<string, number>> = {
  '½': 0.5,
  '¼': 0.25,
  '¾': 0.75,
  '⅓': 1 / 3,
  '⅔': 2 / 3,
};

/** A letter or digit before is part of a name (`B12`, `CS-5100`), but for a multiplication sign, `v` of a version and vitals' letters. */
const START = String.raw`(?<=^|[^\p{L}\p{N}.,\u0001]|[^\p{L}\p{N}][.,](?=\d)|(?<![\p{L}\p{N}])(?:[xX×]|[vV]|POD|HD|(?:HR|RR|BP|T)(?=\d{2,3}(?:\.\d)?(?![\p{L}\d])))|[,;](?=\D?\d+[a-zµ]))`;
const DIGITS = String.raw`\d{1,3}(?:[,’'\u2009\u202f\u00a0]\d{3})+(?![\d])(?:\.\d+)?|\d+(?:\.\d+)*|\.\d+`;
const NUMBER = new RegExp(
  String.raw`${START}(?:(${DIGITS})(?:\s?([½¼¾⅓⅔]))?|([½¼¾⅓⅔])|(?<![\p{L}-])(${QUARTERS}|${HALF}|${HALVES}|three[\s-]quarters?|two[\s-]thirds?|(?:one|a) (?:quarter|third)(?= (?:full|of|filled))|${WORDS}|an?(?= (?:single )?(?:minute|hour|day|week|fortnight|month|year|lit(?:er|re))(?![\p{L}])))(?:\s+(hundred|thousand))?(?![\p{L}]))`,
  'giu',
);

/** A Roman numeral after one of these is a number. */
const ROMAN =
  /(?<=(?<![\p{L}])(?:grade|stage|class|type|phase|factor|NYHA|Killip|level|zone|axis|Mallampati|part)\s)(?=[IVX])(X{0,1})(IX|IV|V?I{0,3})(?=[abABC]?(?![\p{L}\p{N}]))/giu;
const ROMAN_DIGITS: Readonly<Record<string, number>> = {
  I: 1,
  II: 2,
  III: 3,
  IV: 4,
  V: 5,
  VI: 6,
  VII: 7,
  VIII: 8,
  IX: 9,
};

function findRomanNumbers(text: string): FoundNumber[] {
  return [...text.matchAll(ROMAN)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    value: (match[1] ?? '').length * 10 + (ROMAN_DIGITS[(match[2] ?? '').toUpperCase()] ?? 0),
    slack: 0,
    isWord: false,
  }));
}

/** In text order, no overlaps. Signs and units are the caller's. */
export function findNumbers(text: string): FoundNumber[] {
  const numbers: FoundNumber[] = findRomanNumbers(text);
  const romans = numbers.length;
  for (const match of text.matchAll(NUMBER)) {
    const start = match.index;
    let end = start + match[0].length;
    if (numbers.length > romans && start < (numbers.at(-1)?.end ?? 0)) continue;
    const [, digits, withFraction, fraction, word, power] = match;
    if (word !== undefined) {
      // "an hour and a half": the half stands behind the unit.
      const isAndHalf = /^\s?\p{L}+ and a half(?!\p{L})/iu.test(text.slice(end));
      const value =
        wordValue(word) * (power === undefined ? 1 : power.toLowerCase() === 'hundred' ? 100 : 1000) +
        (isAndHalf ? 0.5 : 0);
      numbers.push({ start, end, value, slack: 0, isWord: true });
      continue;
    }
    if (digits === undefined) {
      numbers.push({ start, end, value: FRACTIONS[fraction ?? ''] ?? 0, slack: 0, isWord: false });
      continue;
    }
    const parts = digits.split('.');
    if (parts.length > 2) {
      numbers.push({
        start,
        end,
        value: Number(parts[0]),
        slack: 0,
        isWord: false,
        parts: parts.map(Number),
      });
      continue;
    }
    let plain = digits.replace(/[,’'\u2009\u202f\u00a0]/gu, '');
    if (/^0[,]\d{3}$/u.test(digits)) plain = digits.replace(',', '.');
    // A decimal comma: digits of no thousands group with a unit behind them.
    const comma =
      withFraction === undefined && parts.length === 1 ? /^,\d{1,2}(?!\d)/u.exec(text.slice(end)) : null;
    if (
      comma !== null &&
      /^\d+$/u.test(digits) &&
      readUnit(text.slice(end + comma[0].length)) !== undefined
    ) {
      plain += comma[0].replace(',', '.');
      end += comma[0].length;
    }
    const decimals = plain.split('.')[1]?.length ?? 0;
    numbers.push({
      start,
      end,
      value: Number(plain) + (FRACTIONS[withFraction ?? ''] ?? 0),
      slack: 0.5 * 10 ** -decimals,
      isWord: false,
    });
  }
  return numbers.sort((a, b) => a.start - b.start);
}

function wordValue(word: string): number {
  const phrase = PHRASES.find(([pattern]) => pattern.test(word.trim()));
  if (phrase !== undefined) return phrase[1];
  const [whole = '', decimal] = word.toLowerCase().split(' point ');
  if (decimal !== undefined) return wordValue(whole) + (WORD_VALUES[decimal] ?? 0) / 10;
  let total = 0;
  let part = 0;
  for (const name of word.toLowerCase().split(/[-,\s]+/u)) {
    if (name === 'hundred') part = Math.max(part, 1) * 100;
    else if (name === 'thousand') {
      total += Math.max(part, 1) * 1000;
      part = 0;
    } else part += WORD_VALUES[name] ?? 0;
  }
  return total + part;
}
