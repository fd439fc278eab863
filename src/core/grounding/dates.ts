/** Text → the calendar dates and clock times in it, whatever their format. */

import type { Span } from '../types.js';
import { readUnit } from './units.js';

/** What is written of a date; numeric forms whose order is open carry both readings. */
export interface DateReading {
  /** Two digits where it is written so. */
  readonly year?: number;
  readonly month?: number;
  readonly day?: number;
}

export interface FoundDate extends Span {
  readonly readings: readonly DateReading[];
}

export interface FoundTime extends Span {
  /** Minutes after midnight. */
  readonly minutes: number;
}

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const MONTH = String.raw`(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|JAN|FEB|MAR|APR|JUN|JUL|AUG|SEP|OCT|NOV|DEC)\.?`;
const DAY = String.raw`(\d{1,2})(?:st|nd|rd|th)?`;
const BEGIN = String.raw`(?<![\p{L}\p{N}.,/-])`;
const END = String.raw`(?![\p{L}\p{N}]|[-/.,]\d)`;

type Reader = (groups: readonly string[]) => readonly DateReading[];

const DATE_FORMS: readonly (readonly [RegExp, Reader])[] = [
  [
    form(String.raw`(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})`),
    ([year, month, day]) => [{ year: Number(year), month: Number(month), day: Number(day) }],
  ],
  [
    form(String.raw`${DAY}[\s-](?:of\s)?(${MONTH}),?[\s-](\d{4})`),
    ([day, month, year]) => [{ year: Number(year), month: monthOf(month), day: Number(day) }],
  ],
  [
    form(String.raw`(${MONTH})\s${DAY},?\s(\d{4})`),
    ([month, day, year]) => [{ year: Number(year), month: monthOf(month), day: Number(day) }],
  ],
  [
    form(String.raw`(${MONTH})\s(?:of\s)?(\d{4})`),
    ([month, year]) => [{ year: Number(year), month: monthOf(month) }],
  ],
  [
    form(String.raw`${DAY}[\s-](?:of\s)?(${MONTH})`),
    ([day, month]) => [{ month: monthOf(month), day: Number(day) }],
  ],
  [form(String.raw`(${MONTH})\s${DAY}`), ([month, day]) => [{ month: monthOf(month), day: Number(day) }]],
  [
    form(String.raw`(\d{1,2})[/-](\d{1,2})[/-](\d{4}|\d{2})`),
    ([first, second, year]) => bothOrders(Number(first), Number(second), Number(year)),
  ],
  [
    form(String.raw`(\d{1,2})\.(\d{1,2})\.(\d{4})`),
    ([day, month, year]) => bothOrders(Number(day), Number(month), Number(year)),
  ],
];

/** MIMIC's `[**5-2**]` and `[**2154-3-2**]`; a value that was taken for a date (`BP [**1-27**]`) reads the same on both sides. */
const SHIFTED = /\[\*\*\s*(?:(\d{4})-)?(\d{1,2})[-/](\d{1,2})\s*\*\*\]/gu;

export function findDates(text: string): FoundDate[] {
  const found: FoundDate[] = [];
  if (!/\d/u.test(text)) return found;
  for (const match of text.matchAll(SHIFTED)) {
    const reading = { month: Number(match[2]), day: Number(match[3]) };
    const year = match[1] === undefined ? {} : { year: Number(match[1]) };
    found.push({
      start: match.index,
      end: match.index + match[0].length,
      readings: [{ ...year, ...reading }],
    });
  }
  for (const [pattern, read] of DATE_FORMS) {
    for (const match of text.matchAll(pattern)) {
      const span = { start: match.index, end: match.index + match[0].length };
      if (found.some((other) => span.start < other.end && other.start < span.end)) continue;
      const readings = read(match.slice(1)).filter(isPossible);
      if (readings.length > 0) found.push({ ...span, readings });
    }
  }
  return found;
}

/** True when no part that both state differs; a year may be left out, a day or month of the claim may not be added. */
export function isSameDate(claim: readonly DateReading[], source: readonly DateReading[]): boolean {
  return claim.some((a) =>
    source.some(
      (b) =>
        (a.year === undefined || b.year === undefined || isSameYear(a.year, b.year)) &&
        (a.month === undefined || a.month === b.month) &&
        (a.day === undefined || a.day === b.day),
    ),
  );
}

const CLOCK = String.raw`(?<![\p{L}\p{N}:.,])`;
const HOURS = 'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve';
const HOUR = String.raw`(${HOURS}|\d{1,2})`;
/** "in the afternoon" and the like, which tell the half of the day. */
const HALF_DAY = String.raw`(?:\s?(?:o'clock)?,?\s(?:in the|this|that|at)\s(morning|afternoon|evening|night)|\s?([ap])\.?m\b\.?)`;
const TIME_FORMS: readonly (readonly [RegExp, Reader2])[] = [
  [
    new RegExp(
      String.raw`${CLOCK}(half|(?:a )?quarter|ten|twenty|five) (past|to|after|before) ${HOUR}(?![\p{L}\p{N}])${HALF_DAY}?`,
      'giu',
    ),
    ([part = '', side = '', hour, ...half]) => {
      const minutes = { half: 30, ten: 10, twenty: 20, five: 5 }[part.toLowerCase()] ?? 15;
      const isTo = /to|before/iu.test(side);
      if (/^(?:ten|twenty|five)$/iu.test(part) && half.every((told) => told === undefined)) return undefined;
      return at(hourOf(hour, half) - (isTo ? 1 : 0), isTo ? 60 - minutes : minutes);
    },
  ],
  [
    new RegExp(String.raw`${CLOCK}${HOUR}(?:[:.]([0-5]\d))?${HALF_DAY}`, 'giu'),
    ([hour, minute, ...half]) => at(hourOf(hour, half), Number(minute ?? 0)),
  ],
  [new RegExp(String.raw`${CLOCK}${HOUR}\so'clock`, 'giu'), ([hour]) => at(hourOf(hour, []), 0)],
  [
    new RegExp(String.raw`${CLOCK}(\d{1,2}):(\d{2})(?::\d{2})?\s?([ap])\.?m\b\.?`, 'giu'),
    ([h, m, half]) => at(half12(Number(h), half), Number(m)),
  ],
  [
    new RegExp(String.raw`${CLOCK}(\d{1,2})\s?([ap])\.?m\b\.?`, 'giu'),
    ([h, half]) => at(half12(Number(h), half), 0),
  ],
  [
    new RegExp(
      String.raw`${CLOCK}(\d{2}|[2-9]|1(?=:[0-5]\d\s?h))[:.h]([0-5]\d)(?::[0-5]\d)?\s?(?:h(?:ou)?rs?|h|o'clock)\b`,
      'giu',
    ),
    ([h, m]) => at(Number(h), Number(m)),
  ],
  [
    new RegExp(String.raw`${CLOCK}(\d{1,2}):([0-5]\d)(?::[0-5]\d)?(?!\d|:\d)`, 'giu'),
    ([h, m]) => at(Number(h), Number(m)),
  ],
  [
    new RegExp(String.raw`${CLOCK}([01]\d|2[0-4])([0-5]\d)\s?(?:h(?:ou)?rs?|h)\b`, 'giu'),
    ([h, m]) => at(Number(h), Number(m)),
  ],
  [
    new RegExp(
      String.raw`(?<=(?:\bat|@|\bby|\bfrom|\buntil|\btill|\bsince|\baround|\bcirca|~)\s?)([01]\d|2[0-4])([0-5]\d)(?![\p{L}\d:/-]|[.,]\d|\s?(?:mL|g|mg|rpm|x|×))`,
      'giu',
    ),
    ([h, m]) => at(Number(h), Number(m)),
  ],
  [/(?<![\p{L}-])noon(?![\p{L}])/giu, () => 720],
  [/(?<![\p{L}-])midnight(?![\p{L}])/giu, () => 0],
  [/(?<=(?:\bat|\bby|\buntil|\bafter|\bsince) )MN\b/gu, () => 0],
];
type Reader2 = (groups: readonly (string | undefined)[]) => number | undefined;

export function findTimes(text: string): FoundTime[] {
  const found: FoundTime[] = [];
  if (!/\d|noon|midnight|MN|morning|evening|night|o'clock|past|quarter/iu.test(text)) return found;
  for (const [pattern, read] of TIME_FORMS) {
    for (const match of text.matchAll(pattern)) {
      const span = { start: match.index, end: match.index + match[0].length };
      if (found.some((other) => span.start < other.end && other.start < span.end)) continue;
      const isBare = /^\d{4}$/u.test(match[0]);
      const minutes =
        isBare && readUnit(text.slice(span.end)) !== undefined ? undefined : read(match.slice(1));
      // "1:10" is a dilution, "8:15" a time.
      if (minutes === undefined || /^1:\d0\d?$/u.test(match[0])) continue;
      // "in the evening … at ten o'clock": the half of the day stands elsewhere.
      const isLate =
        minutes < 720 &&
        /o'clock|past|quarter|half/iu.test(match[0]) &&
        !/morning|evening|afternoon|night|[ap]\.?m/iu.test(match[0]) &&
        /evening|afternoon|night/iu.test(text) &&
        !/morning/iu.test(text);
      found.push({ ...span, minutes: isLate ? minutes + 720 : minutes });
    }
  }
  return found;
}

function form(body: string): RegExp {
  return new RegExp(BEGIN + body + END, 'gu');
}

function monthOf(name: string | undefined): number {
  const start = (name ?? '').slice(0, 3).toLowerCase();
  return MONTHS.findIndex((month) => month.startsWith(start)) + 1;
}

/** A year of two digits agrees with every century. */
function isSameYear(a: number, b: number): boolean {
  return a < 100 || b < 100 ? a % 100 === b % 100 : a === b;
}

function bothOrders(first: number, second: number, year: number): DateReading[] {
  const readings = [{ year, month: first, day: second }];
  return first === second ? readings : [...readings, { year, month: second, day: first }];
}

function isPossible({ month = 1, day = 1 }: DateReading): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/** An hour in words or digits with what tells its half of the day. */
function hourOf(hour: string | undefined, half: readonly (string | undefined)[]): number {
  const word = HOURS.split('|').indexOf((hour ?? '').toLowerCase());
  const value = word === -1 ? Number(hour) : word + 1;
  const told = half.find((part) => part !== undefined && part !== '')?.toLowerCase();
  if (told === undefined || value > 12) return value;
  const isLate = /^(?:p|afternoon|evening)$/u.test(told) || (told === 'night' && value >= 6 && value < 12);
  return half12(value, isLate ? 'p' : 'a');
}

function half12(hour: number, half: string | undefined): number {
  return (hour % 12) + (half?.toLowerCase() === 'p' ? 12 : 0);
}

function at(hour: number, minute: number): number | undefined {
  return hour <= 24 && minute < 60 ? (hour % 24) * 60 + minute : undefined;
}
