/** Two quantities → how one differs from the other by meaning: equal, another value, unit or limit, or not to be compared. */

import { isComplement, saysSameLimit } from './comparators.js';
import { isSameDate } from './dates.js';
import type { Quantity } from './quantities.js';

/** How a source's quantity relates to a claimed one; `loose`: another number without a unit, perhaps of something else. */
export type Agreement = 'equal' | 'complement' | 'limit' | 'unit' | 'value' | 'loose' | 'unrelated';

/** What `source` says where `claim` claims: equal by meaning, or in what it differs. */
export function compareQuantities(claim: Quantity, source: Quantity): Agreement {
  if (claim.kind === 'date' || source.kind === 'date') return compareDates(claim, source);
  if (claim.kind !== source.kind) return compareKinds(claim, source);
  const sameNumbers =
    claim.written.length === source.written.length &&
    claim.written.every((value, i) => value === source.written[i]);
  if (isSameFlow(claim, source) || isSameFlow(source, claim)) return compareLimits(claim, source);
  const comparable = isComparable(claim, source);
  if (!comparable) return sameNumbers ? 'unit' : 'unrelated';
  const isEqual = claim.dimension === source.dimension ? sameValues(claim, source) : sameNumbers;
  if (isEqual) return compareLimits(claim, source);
  if (sameNumbers) return 'unit';
  return source.dimension === '' && claim.dimension !== '' ? 'loose' : 'value';
}

function isComparable({ dimension: a }: Quantity, { dimension: b }: Quantity): boolean {
  return a === b || a === '' || b === '' || (a === 'angle' ? b : b === 'angle' ? a : '') === 'temperature';
}

/** Oxygen "at 2 liters" is 2 L/min. */
function isSameFlow(volume: Quantity, flow: Quantity): boolean {
  return (
    volume.dimension === 'volume' &&
    flow.dimension === 'volume/time' &&
    volume.values.length === flow.values.length &&
    volume.values.every((value, i) => Math.abs(value - 60 * (flow.values[i] ?? 0)) < 1e-9)
  );
}

function compareLimits(claim: Quantity, source: Quantity): Agreement {
  if (claim.side !== undefined && source.side !== undefined && claim.side !== source.side) return 'value';
  const isSame = [claim.comparator, claim.sharedLimit].some(
    (mine) =>
      mine !== undefined &&
      [source.comparator, source.sharedLimit].some(
        (theirs) => theirs !== undefined && saysSameLimit(mine, theirs),
      ),
  );
  if (isSame) return 'equal';
  return isComplement(claim.comparator, source.comparator) ? 'complement' : 'limit';
}

function compareDates(claim: Quantity, source: Quantity): Agreement {
  if (claim.readings !== undefined && source.readings !== undefined) {
    return isSameDate(claim.readings, source.readings) ? 'equal' : 'value';
  }
  const [date, pair] = claim.readings === undefined ? [source, claim] : [claim, source];
  if (pair.kind !== 'pair') return 'unrelated';
  const [first, second] = pair.written;
  const isSame = date.readings?.some(
    ({ month, day }) => (month === first && day === second) || (month === second && day === first),
  );
  return isSame === true ? 'equal' : 'unrelated';
}

/** A limit that a range implies, one number of a pair. */
function compareKinds(claim: Quantity, source: Quantity): Agreement {
  const [value] = claim.values;
  const comparable =
    claim.dimension === source.dimension || claim.dimension === '' || source.dimension === '';
  if (claim.kind === 'value' && source.kind === 'range' && comparable) {
    const [low, high] = claim.dimension === source.dimension ? source.values : source.written;
    const own = claim.dimension === source.dimension ? value : claim.written[0];
    if ('≤≲'.includes(claim.comparator) && own === high) return 'equal';
    if ('≥≳'.includes(claim.comparator) && own === low) return 'equal';
    const isEnd = own === low || own === high;
    const side = own === low ? 'from' : 'to';
    const isOneEnd =
      isEnd && source.isFromTo === true && claim.comparator === '=' && (claim.side ?? side) === side;
    return isOneEnd ? 'equal' : isEnd ? 'limit' : 'value';
  }
  if (claim.kind === 'range' && source.kind === 'value') return comparable ? 'value' : 'unrelated';
  const [pair, single] = claim.kind === 'pair' ? [claim, source] : [source, claim];
  if (
    pair.kind === 'pair' &&
    single.kind === 'value' &&
    single.dimension === '' &&
    single.written[0] === (pair.written[0] ?? 0) / (pair.written[1] ?? 1)
  )
    return 'equal';
  if (
    claim.kind === 'value' &&
    source.kind === 'pair' &&
    (claim.dimension === '' || claim.dimension === 'pressure')
  ) {
    return source.written.includes(claim.written[0] ?? Number.NaN) ? 'equal' : 'unrelated';
  }
  return 'unrelated';
}

const ABOUT = 0.05;

function sameValues(claim: Quantity, source: Quantity): boolean {
  if (claim.values.length !== source.values.length) return false;
  return claim.values.every((value, i) => {
    const other = source.values[i] ?? Number.NaN;
    const size = Math.max(Math.abs(value), Math.abs(other));
    // Written digits matter only where a rounded factor lies between the two.
    const rounded =
      claim.isRounded !== source.isRounded ? (claim.slacks[i] ?? 0) + (source.slacks[i] ?? 0) : 0;
    const about = claim.comparator === '≈' && source.comparator !== '≈' ? ABOUT * size : 0;
    return Math.abs(value - other) <= Math.max(1e-9 * size, rounded, about);
  });
}
