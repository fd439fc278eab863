/** The quantities of a text → the same with what they owe each other: a shared unit or limit, two limits that make a range, a limit's other side. */

import type { Comparator } from './comparators.js';
import type { Quantity } from './quantities.js';

/** In text order, as `findQuantities` found them one by one. */
export function relateQuantities(quantities: readonly Quantity[], text: string): Quantity[] {
  const joined = joinLimits(shareLimits(shareUnits(quantities, text), text), text);
  return [...joined, ...findOtherSides(joined, text)].sort((a, b) => a.start - b.start);
}

const LOW = new Set<Comparator>(['≥', '>', '≳']);
const HIGH = new Set<Comparator>(['≤', '<', '≲']);

/** "no less than 6 and no more than 72 hours" is a range. */
function joinLimits(quantities: readonly Quantity[], text: string): Quantity[] {
  const joined: Quantity[] = [];
  for (const quantity of quantities) {
    const previous = joined.at(-1);
    const range = previous === undefined ? undefined : rangeOf(previous, quantity, text);
    if (range === undefined) joined.push(quantity);
    else joined[joined.length - 1] = range;
  }
  return joined;
}

function rangeOf(first: Quantity, second: Quantity, text: string): Quantity | undefined {
  if (first.kind !== 'value' || second.kind !== 'value') return undefined;
  const isUp = LOW.has(first.comparator) && HIGH.has(second.comparator);
  const isDown = HIGH.has(first.comparator) && LOW.has(second.comparator);
  const isSameUnit = first.dimension === second.dimension || first.dimension === '';
  if ((!isUp && !isDown) || !isSameUnit) return undefined;
  if (!/^,?\s?(?:and|but)?\s?(?:also |yet |is |are |be )?$/iu.test(text.slice(first.end, second.start)))
    return undefined;
  const ratio = first.dimension === second.dimension ? 1 : (second.values[0] ?? 0) / (second.written[0] ?? 1);
  if (!Number.isFinite(ratio)) return undefined;
  const one = first.values[0] ?? 0;
  const [low, high] = isUp ? [one * ratio, second.values[0] ?? 0] : [second.values[0] ?? 0, one * ratio];
  const written = isUp
    ? [first.written[0] ?? 0, second.written[0] ?? 0]
    : [second.written[0] ?? 0, first.written[0] ?? 0];
  return low >= high
    ? undefined
    : {
        ...second,
        kind: 'range',
        start: first.start,
        text: text.slice(first.start, second.end).replace(/\s+/gu, ' ').trim(),
        values: [low, high],
        slacks: [first.slacks[0] ?? 0, second.slacks[0] ?? 0],
        written,
        comparator: '=',
      };
}

const OTHER_SIDE =
  /(?<![\p{L}])(?:(larger|greater|bigger|higher|longer|older|more|heavier|later)|(smaller|lower|shorter|younger|fewer|lighter|earlier))\s(?:volume|amount|quantit|value|result|ones|sample|specimen|count|delay|level|concentration|interval|number)\p{L}*/giu;

/** "no more than 5 L at the bench; larger volumes …": the larger ones are those above 5 L. */
function findOtherSides(quantities: readonly Quantity[], text: string): Quantity[] {
  return [...text.matchAll(OTHER_SIDE)].flatMap((match): Quantity[] => {
    const [words, more] = match;
    const limit = quantities.findLast(
      ({ kind, comparator, end }) =>
        end <= match.index &&
        (kind === 'range' || (kind === 'value' && (more === undefined ? LOW : HIGH).has(comparator))),
    );
    if (limit === undefined) return [];
    const isStrict = limit.comparator === '<' || limit.comparator === '>';
    const comparator: Comparator = more === undefined ? (isStrict ? '≤' : '<') : isStrict ? '≥' : '>';
    const end = limit.kind === 'range' && more !== undefined ? 1 : 0;
    return [
      {
        ...limit,
        kind: 'value',
        values: limit.values.slice(end, end + 1),
        slacks: limit.slacks.slice(end, end + 1),
        written: limit.written.slice(end, end + 1),
        start: match.index,
        end: match.index + words.length,
        text: words,
        comparator,
      },
    ];
  });
}

/** "not exceed 2.0 % and imprecision 1.0 %": the limit may hold for the second too. */
function shareLimits(quantities: readonly Quantity[], text: string): Quantity[] {
  return quantities.map((quantity, i) => {
    const previous = quantities[i - 1];
    if (previous === undefined || quantity.comparator !== '=' || previous.comparator === '=') return quantity;
    const isSameKind = quantity.dimension === previous.dimension && quantity.kind === previous.kind;
    const isList = /^,?\s(?:and|or)\s(?:[\p{L}-]+\s){0,4}$/u.test(text.slice(previous.end, quantity.start));
    return isSameKind && isList ? { ...quantity, sharedLimit: previous.comparator } : quantity;
  });
}

/** "50, 290 and 850 mOsm/kg": the unit of a list's last number is that of all. */
function shareUnits(quantities: readonly Quantity[], text: string): Quantity[] {
  const shared = [...quantities];
  for (let i = shared.length - 2; i >= 0; i--) {
    const quantity = shared[i];
    const next = shared[i + 1];
    if (quantity === undefined || next === undefined || quantity.dimension !== '' || next.dimension === '')
      continue;
    if (quantity.kind !== 'value' || next.kind !== 'value' || next.comparator !== '=' || quantity.isWord)
      continue;
    if (!/^(?:\s?,\s?|,?\s(?:and|or)\s)$/u.test(text.slice(quantity.end, next.start))) continue;
    const ratio = (next.values[0] ?? 0) / (next.written[0] ?? 1);
    if (!Number.isFinite(ratio) || next.dimension === 'temperature') continue;
    shared[i] = {
      ...quantity,
      dimension: next.dimension,
      values: quantity.values.map((value) => value * ratio),
    };
  }
  return shared;
}
