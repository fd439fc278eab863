/** Text → how often something is done (`BID`, `q6h`, `every 8 hours`, `twice a day`, `weekly`), as a period in seconds. */

import type { Span } from '../types.js';
import { findNumbers } from './numbers.js';

export interface FoundFrequency extends Span {
  /** Seconds from one time to the next; a month counts 30 days, a year 12 months. */
  readonly period: number;
}

const DAY = 86_400;
const MONTH = 30 * DAY;
const PERIODS: Readonly<Record<string, number>> = {
  second: 1,
  sec: 1,
  s: 1,
  minute: 60,
  min: 60,
  hour: 3600,
  hr: 3600,
  h: 3600,
  day: DAY,
  d: DAY,
  night: DAY,
  evening: DAY,
  week: 7 * DAY,
  wk: 7 * DAY,
  month: MONTH,
  mo: MONTH,
  quarter: 3 * MONTH,
  year: 12 * MONTH,
  yr: 12 * MONTH,
  shift: 0,
};
const PERIOD =
  'seconds?|sec|minutes?|mins?|hours?|hrs?|days?|nights?|evenings?|weeks?|wks?|months?|quarters?|years?|yrs?';
const COUNT = String.raw`(?:\d+(?:\.\d+)?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|sixty)`;

type Read = (groups: readonly string[]) => number | undefined;

const FORMS: readonly (readonly [RegExp, Read])[] = [
  [
    whole(String.raw`(?:every|each)\s+(?:other|second)\s+(${PERIOD})|on alternate (days)`),
    ([unit, days]) => 2 * periodOf(unit ?? days),
  ],
  [
    whole(String.raw`(?:every|each|once (?:in|every))[\s-]+(${COUNT})[\s-]*(${PERIOD}|h)`),
    ([n, unit]) => numberOf(n) * periodOf(unit),
  ],
  [
    whole(String.raw`q\.?\s?(\d+)\s?-?\s?(h|hr|hrs|hours?|min|minutes?|d|days?|wk|weeks?)\.?`),
    ([n, unit]) => numberOf(n) * periodOf(unit),
  ],
  [whole(String.raw`(?:once|one time)\s*(?:a|per|each|every|in)\s+(${PERIOD})`), ([unit]) => periodOf(unit)],
  [
    whole(
      String.raw`(?:twice|two times|2\s?(?:x|×|times))[\s-]*(?:a|per|each|every|\/)?\s?(day|daily|week|weekly|month|monthly|year|yearly)`,
    ),
    ([unit]) => periodOf(unit) / 2,
  ],
  [
    whole(
      String.raw`(?:thrice|three times|3\s?(?:x|×|times))[\s-]*(?:a|per|each|every|\/)?\s?(day|daily|week|weekly|month|year)`,
    ),
    ([unit]) => periodOf(unit) / 3,
  ],
  [
    whole(
      String.raw`(?:four times|4\s?(?:x|×|times))[\s-]*(?:a|per|each|every|\/)?\s?(day|daily|week|weekly|month|year)`,
    ),
    ([unit]) => periodOf(unit) / 4,
  ],
  [
    whole(
      String.raw`(${COUNT})\s?(?:x|×|times)\s*(?:a|per|each|every|\/|in a)?\s?(hour|hourly|day|daily|week|weekly|month|monthly|year|yearly)`,
    ),
    ([n, unit]) => periodOf(unit) / numberOf(n),
  ],
  [whole(String.raw`b\.?i\.?d\.?`), () => DAY / 2],
  [whole(String.raw`t\.?i\.?d\.?`), () => DAY / 3],
  [whole(String.raw`q\.?i\.?d\.?`), () => DAY / 4],
  [whole(String.raw`q\.?o\.?d\.?`), () => 2 * DAY],
  [
    whole(
      String.raw`once[\s-]daily|on a daily basis|daily|q\.?\s?d(?:ay|aily)?\.?|(?:every|each) (?:day|morning|evening)|qam|qpm`,
    ),
    () => DAY,
  ],
  [whole(String.raw`nightly|q\.?\s?h\.?s\.?|(?:every|each) night|at bedtime|qhs`), () => DAY],
  [whole(String.raw`hourly|(?:every|each) hour|q\.?h`), () => 3600],
  [whole(String.raw`(?:every|each) minute`), () => 60],
  [whole(String.raw`(?:once[\s-])?weekly|(?:every|each) week|on a weekly basis`), () => 7 * DAY],
  [whole(String.raw`monthly|(?:every|each) month`), () => MONTH],
  [whole(String.raw`quarterly|(?:every|each) quarter`), () => 3 * MONTH],
  [whole(String.raw`semi-?annually|half-yearly`), () => 6 * MONTH],
  [whole(String.raw`yearly|annually|(?:every|each) year|once a year`), () => 12 * MONTH],
  [
    whole(
      String.raw`(?<=\d\s?(?:mg|g|mcg|µg|units?|tabs?|tablets?|mEq)\s?)\/\s?d(?:ay)?|(?<!(?<![\p{L}])(?:within|in|after|for|than|least|most|about|up to|only|once|half)\s)(?:per|a) day`,
    ),
    () => DAY,
  ],
];

/** Without one of these no form can match: most sentences are spared the search. */
const MARKS =
  /every|each|once|twice|thrice|times|\dx|daily|day|ly(?![\p{L}])|b\.?i\.?d|t\.?i\.?d|q|bedtime/iu;

export function findFrequencies(text: string): FoundFrequency[] {
  const found: FoundFrequency[] = [];
  if (!MARKS.test(text)) return found;
  for (const [pattern, read] of FORMS) {
    for (const match of text.matchAll(pattern)) {
      const span = { start: match.index, end: match.index + match[0].length };
      if (found.some((other) => span.start < other.end && other.start < span.end)) continue;
      const period = read(match.slice(1));
      if (period !== undefined && period > 0) found.push({ ...span, period });
    }
  }
  return found;
}

function whole(body: string): RegExp {
  return new RegExp(String.raw`(?<![\p{L}\p{N}\u0001])(?:${body})(?![\p{L}\p{N}])`, 'giu');
}

function periodOf(unit: string | undefined): number {
  const name = (unit ?? '')
    .toLowerCase()
    .replace(/^daily$/u, 'day')
    .replace(/ly$/u, '');
  return PERIODS[name] ?? PERIODS[name.replace(/s$/u, '')] ?? 0;
}

function numberOf(text: string | undefined): number {
  return findNumbers(text ?? '')[0]?.value ?? 0;
}
