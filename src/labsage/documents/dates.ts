/** A date as people write it in; an ISO date (YYYY-MM-DD), or why there is none, out. */

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';

/** How a document writes dates in numbers, as far as it shows it. */
export type DateOrder = 'month-first' | 'day-first' | 'unknown';

export type ReadDate =
  { readonly iso: string; readonly end: number } | { readonly ambiguous: string; readonly end: number };

const PATTERNS: readonly {
  readonly pattern: RegExp;
  readonly order: 'ymd' | 'dmy' | 'mdy' | 'numbers';
}[] = [
  { pattern: /\b((?:19|20)\d{2})[-/.]([01]?\d)[-/.]([0-3]?\d)\b/, order: 'ymd' },
  {
    pattern: new RegExp(
      `\\b([0-3]?\\d)(?:st|nd|rd|th)?[\\s.-]{1,3}(?:of\\s)?${MONTH}\\.?[\\s,.-]{1,3}((?:19|20)?\\d{2})\\b`,
      'i',
    ),
    order: 'dmy',
  },
  {
    pattern: new RegExp(
      `\\b${MONTH}\\.?[\\s-]{1,2}([0-3]?\\d)(?:st|nd|rd|th)?[\\s,-]{1,3}((?:19|20)\\d{2})\\b`,
      'i',
    ),
    order: 'mdy',
  },
  {
    pattern: new RegExp(`\\b((?:19|20)\\d{2})[\\s-]${MONTH}[\\s-]([0-3]?\\d)\\b`, 'i'),
    order: 'ymd',
  },
  { pattern: /\b([0-3]?\d)([/.-])([0-3]?\d)\2((?:19|20)?\d{2})\b/, order: 'numbers' },
  { pattern: /\b((?:19|20)\d{2})([01]\d)([0-3]\d)\b/, order: 'ymd' },
];

/** The first date of `text`. Numbers with slashes need `order` unless one of them is over 12; points mean day first. */
export function readDate(text: string, order: DateOrder): ReadDate | undefined {
  const head = text.slice(0, 200);
  let found: { read: ReadDate; at: number } | undefined;
  for (const { pattern, order: shape } of PATTERNS) {
    const match = pattern.exec(head);
    if (match === null || (found !== undefined && match.index >= found.at)) continue;
    const read = shape === 'numbers' ? fromNumbers(match, order) : fromParts(match, shape);
    if (read !== undefined) found = { read, at: match.index };
  }
  return found?.read;
}

/** What the dates of a whole text show about the order of day and month. */
export function dateOrder(text: string): DateOrder {
  let monthFirst = 0;
  let dayFirst = 0;
  for (const match of text.matchAll(/\b(\d{1,2})[/-](\d{1,2})[/-](?:19|20)?\d{2}\b/g)) {
    const [first, second] = [Number(match[1]), Number(match[2])];
    if (first > 12 && first <= 31 && second <= 12) dayFirst += 1;
    if (second > 12 && second <= 31 && first <= 12) monthFirst += 1;
  }
  if (/\bmm\/dd\/yyyy\b/i.test(text)) monthFirst += 1;
  if (/\bdd\/mm\/yyyy\b/i.test(text)) dayFirst += 1;
  if (monthFirst > 0 && dayFirst === 0) return 'month-first';
  if (dayFirst > 0 && monthFirst === 0) return 'day-first';
  return 'unknown';
}

function fromParts(match: RegExpExecArray, shape: 'ymd' | 'dmy' | 'mdy'): ReadDate | undefined {
  const parts = [match[1] ?? '', match[2] ?? '', match[3] ?? ''] as const;
  const [year, month, day] =
    shape === 'ymd'
      ? parts
      : shape === 'dmy'
        ? [parts[2], parts[1], parts[0]]
        : [parts[2], parts[0], parts[1]];
  const iso = isoDate(year, monthOf(month), Number(day));
  return iso === undefined ? undefined : { iso, end: match.index + match[0].length };
}

function fromNumbers(match: RegExpExecArray, order: DateOrder): ReadDate | undefined {
  const [first, second, year] = [Number(match[1]), Number(match[3]), match[4] ?? ''];
  const end = match.index + match[0].length;
  const monthFirst =
    second > 12
      ? true
      : first > 12 || match[2] === '.'
        ? false
        : order === 'unknown'
          ? undefined
          : order === 'month-first';
  if (monthFirst === undefined && first !== second) return { ambiguous: match[0], end };
  const iso = monthFirst === true ? isoDate(year, first, second) : isoDate(year, second, first);
  return iso === undefined ? undefined : { iso, end };
}

function monthOf(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : MONTHS.indexOf(text.slice(0, 3).toLowerCase()) + 1;
}

/** Undefined for a day that no calendar has. Two-digit years are of this century. */
function isoDate(year: string, month: number, day: number): string | undefined {
  const full = year.length === 2 ? 2000 + Number(year) : Number(year);
  const date = new Date(Date.UTC(full, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day || month < 1) return undefined;
  return date.toISOString().slice(0, 10);
}
