/** A statement that the chart does not support, and what the chart gives for the same → contradicted or not found, with the reasons. */

import { findValues } from '../note/measuredValues.js';
import type { ChartSources } from './chartSources.js';
import { quotesOf, sourcesOf, type CheckedClaim, type Grounded } from './checkedClaim.js';
import type { ClaimTime } from './claimTimes.js';
import type { NoteClaim } from './noteClaims.js';

/** Measured more often than it is charted: another value is no contradiction. */
const VITALS: ReadonlySet<string> = new Set([
  'Temperature', 'Heart rate', 'Blood pressure', 'MAP', 'Respiratory rate', 'SpO2', 'Glucose', 'FiO2',
]); // prettier-ignore

export function unsupported(claim: NoteClaim, now: Grounded | undefined, chart: ChartSources): CheckedClaim {
  const own = findValues(claim.text);
  const charted = own.flatMap(({ name }) => valuesOf(name, chart).map((other) => ({ name, ...other })));
  const told = charted.map(({ name, value, charted: at }) => `${name} ${value} (${at.replace(' ~', '')})`);
  const isCharted = (reason: string): boolean =>
    charted.some(({ value }) => SAYS.exec(reason)?.[1] === value);
  const reasons = now?.reasons.filter((reason) => !isCharted(reason)) ?? [];
  const isVital = own.length > 0 && own.every(({ name }) => VITALS.has(name)) && told.length !== 1;
  const isOpposed = now?.verdict === 'contradicted' && reasons.some(isComparable);
  const verdict = isOpposed && !isVital ? 'contradicted' : 'not-found';
  const sources = now === undefined || verdict === 'not-found' ? [] : sourcesOf(now, chart.current);
  return {
    ...claim,
    verdict,
    sources: quotesOf(claim.text, sources),
    reasons: [
      ...(reasons.length === 0 ? ['the chart does not say all of it'] : reasons),
      ...(told.length === 0
        ? []
        : [`the chart gives ${[...new Set(told)].slice(0, VALUES_TOLD).join(', ')}`]),
    ],
    remarks: [],
  };
}

const SAYS = /^says (.+), the source (.+)$/u;
const ABSENT = /^the source does not |^no source /u;

/** `says 5 mg, the source 10 mg` is a contradiction, `says 5 mg, the source 14:00` and what is only absent is none. */
function isComparable(reason: string): boolean {
  if (ABSENT.test(reason)) return false;
  const [, mine = '', theirs = ''] = SAYS.exec(reason) ?? [];
  if (!/\d/u.test(mine)) return true;
  const unitOf = (quantity: string): string =>
    quantity.replace(/[\d.,:<>~≤≥×^\s–-]+|\b(?:to|over|around|within|after)\b/gu, '');
  return /\d/u.test(theirs) && unitOf(mine) === unitOf(theirs) && mine.includes(':') === theirs.includes(':');
}

const VALUES_TOLD = 6;

/** Of the visit's notes, in the order of their times. */
function valuesOf(name: string, chart: ChartSources): { value: string; charted: string }[] {
  return chart.sentences
    .flatMap(({ values, charted }) => values.map((value) => ({ ...value, charted })))
    .filter((value) => value.name === name && !value.isEarlier)
    .sort((a, b) => (a.charted < b.charted ? -1 : 1));
}

/** A value of the day that a later one has followed, where the statement has no time. */
export function laterValues(claim: NoteClaim, time: ClaimTime, chart: ChartSources): string[] {
  if (time.isEarlier || /\b\d{1,2}:\d{2}\b|->|→/u.test(claim.text)) return [];
  const own = findValues(claim.text);
  return own.flatMap(({ name, value }) => {
    const said = valuesOf(name, chart);
    const last = said.at(-1);
    if (last === undefined || last.value === value || !said.some((other) => other.value === value)) return [];
    if (own.some((other) => other.name === name && other.value === last.value)) return [];
    return [`a later ${name} is ${last.value} (${last.charted.replace(' ~', '')})`];
  });
}
