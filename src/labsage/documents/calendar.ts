/** Calendar arithmetic on ISO dates and on intervals as people write them. */

export interface Interval {
  readonly count: number;
  readonly unit: 'day' | 'week' | 'month' | 'year';
}

/** How often saved questions are asked again, unless a laboratory says otherwise. */
export const DEFAULT_INTERVAL: Interval = { count: 12, unit: 'month' };

const UNITS: Readonly<Record<string, Interval['unit']>> = { d: 'day', w: 'week', m: 'month', y: 'year' };

/** `6 months`, `1 year`, `90d`; undefined for anything else. */
export function parseInterval(text: string): Interval | undefined {
  const match = /^\s*(\d{1,4})[\s-]*(d|days?|w|weeks?|m|months?|y|years?)\s*$/iu.exec(text);
  const unit = UNITS[(match?.[2] ?? '').charAt(0).toLowerCase()];
  const count = Number(match?.[1] ?? 0);
  return unit === undefined || count === 0 ? undefined : { count, unit };
}

export function describeInterval({ count, unit }: Interval): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** The same day of a later month, or that month's last day where it has no such day. */
export function addInterval(iso: string, { count, unit }: Interval): string {
  if (unit === 'day' || unit === 'week') return addDays(iso, unit === 'day' ? count : 7 * count);
  const [year = 0, month = 1, day = 1] = iso.split('-').map(Number);
  const months = month - 1 + (unit === 'month' ? count : 12 * count);
  const last = new Date(Date.UTC(year, months + 1, 0));
  const date = new Date(Date.UTC(year, months, Math.min(day, last.getUTCDate())));
  return date.toISOString().slice(0, 10);
}

export function addDays(iso: string, days: number): string {
  const date = new Date(`${iso}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

/** From the first day to the day behind the last. */
export interface DayRange {
  readonly from: string;
  readonly before: string;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** `2026`, `May 2026`, `this year`, `next month`, `the next 3 months`; undefined for anything else. */
export function readPeriod(text: string, today: string): DayRange | undefined {
  const words = text
    .toLowerCase()
    .replace(/^the\s+/u, '')
    .trim();
  const relative = /^(this|next|last)\s+(month|year)$/u.exec(words);
  if (relative !== null) {
    const unit = relative[2] === 'year' ? 'year' : 'month';
    const shift = { this: 0, next: 1, last: -1 }[relative[1] as 'this' | 'next' | 'last'];
    const start = `${today.slice(0, unit === 'year' ? 4 : 7)}${unit === 'year' ? '-01-01' : '-01'}`;
    const from = addInterval(start, { count: shift, unit });
    return { from, before: addInterval(from, { count: 1, unit }) };
  }
  const interval = parseInterval(/^(?:next|coming|following)\s+(.+)$/u.exec(words)?.[1] ?? '');
  if (interval !== undefined) return { from: today, before: addDays(addInterval(today, interval), 1) };
  const match = /^(?:([a-z]{3,9})\.?\s+)?((?:19|20)\d\d)$/u.exec(words);
  if (match === null) return undefined;
  const month = match[1] === undefined ? undefined : MONTHS.indexOf(match[1].slice(0, 3));
  if (month === -1) return undefined;
  const from = `${match[2] ?? ''}-${((month ?? 0) + 1).toString().padStart(2, '0')}-01`;
  return { from, before: addInterval(from, { count: 1, unit: month === undefined ? 'year' : 'month' }) };
}
