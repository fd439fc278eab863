/** A claim's quantities → those that the evidence does not give, gives otherwise or gives of something else. */

import { findOtherOwner, isToldOf, isToldOfOwn, weighPlaces } from './binding.js';
import type { Comparator } from './comparators.js';
import type { Place } from './context.js';
import {
  fitsClearlyBetter,
  MIN_RIVAL,
  rankCandidates,
  type Candidate,
  type Comparison,
  type Finding,
} from './comparison.js';
import { compareQuantities } from './quantityComparison.js';
import type { PlacedQuantity, Statement } from './statements.js';

const LIMITS = new Set(['<', '>', '≤', '≥']);
/** What a limit's fit counts beside a plain value, or the reverse; likewise the end of a change beside a lone value. */
const OTHER_KIND = 0.7;

/** `complements` receives the statements whose limit the claim tells from its other side. */
export function checkQuantities(comparison: Comparison, complements: Set<number>): Finding[] {
  const { claim } = comparison;
  return claim.quantities.flatMap((quantity): Finding[] => {
    const candidates = rankCandidates(comparison, {
      item: quantity,
      itemsOf: (statement) =>
        statement.quantities.map((item) => ({ ...item, agreement: compareQuantities(quantity, item) })),
    }).filter(({ item }) => item.agreement !== 'unrelated');
    const agrees = ({ item, statement }: (typeof candidates)[number]): boolean =>
      item.agreement === 'equal' ||
      (item.agreement === 'complement' &&
        isOppositeStance(claim, { source: comparison.evidence.statements[statement], at: item }));
    const equal = candidates.find(agrees);
    if (equal?.item.agreement === 'complement') complements.add(equal.statement);
    if (equal === undefined && isCountedInWords(quantity, comparison)) return [];
    if (equal === undefined && isChangeOfSource(quantity, comparison)) return [];
    const rivals = candidates.filter(
      (candidate) =>
        !agrees(candidate) &&
        (quantity.side ?? candidate.item.side) === (candidate.item.side ?? quantity.side) &&
        (equal === undefined || candidate.item.agreement !== 'loose'),
    );
    const rival = rivals.find((candidate) => !isClaimedElsewhere(candidate.item, { quantity, claim }));
    const isAlone = claim.quantities.every(
      ({ start, kind }) => start === quantity.start || kind === 'frequency',
    );
    const ofOther = findOtherOwner(comparison, {
      item: quantity,
      places: candidates.filter(agrees),
      isAlone,
    });
    if (ofOther !== undefined) return [ofOther];
    if (equal !== undefined && (rival === undefined || !isBeaten(comparison, { quantity, equal, rival })))
      return [];
    if (
      quantity.isWord &&
      quantity.dimension === '' &&
      equal === undefined &&
      (rival === undefined || rival.score < MIN_RIVAL || rival.item.dimension !== '')
    )
      return [];
    if (equal === undefined && isIntervalOfDates(quantity, comparison)) return [];
    if (rival === undefined || (equal === undefined && rival.score === 0)) {
      return [{ verdict: 'not-found', reason: `the source does not give ${quantity.text}` }];
    }
    return [{ verdict: 'contradicted', reason: `says ${quantity.text}, the source ${rival.item.text}` }];
  });
}

/** "Two readings" of what the source calls duplicates. */
function isCountedInWords({ isWord, values }: PlacedQuantity, { evidence }: Comparison): boolean {
  const words = values[0] === 2 ? /duplicate|both|pair/iu : values[0] === 3 ? /triplicate/iu : undefined;
  return isWord && words !== undefined && evidence.plain.some((text) => words.test(text));
}

/** "From 26 to 13" where the source has "26 -> 13": not a range, but two values in time. */
function isChangeOfSource(quantity: PlacedQuantity, { evidence }: Comparison): boolean {
  if (quantity.isFromTo !== true) return false;
  const [from, to] = [0, 1].map((end) => ({
    ...quantity,
    kind: 'value' as const,
    values: quantity.values.slice(end, end + 1),
    slacks: quantity.slacks.slice(end, end + 1),
    written: quantity.written.slice(end, end + 1),
  }));
  return evidence.statements.some(({ quantities }) =>
    quantities.some(
      (first, i) =>
        first.side === 'from' &&
        from !== undefined &&
        to !== undefined &&
        compareQuantities(from, first) === 'equal' &&
        quantities.slice(i + 1).some((second) => compareQuantities(to, second) === 'equal'),
    ),
  );
}

function isOtherDirection(a: Comparator, b: Comparator): boolean {
  return ('<≤≲'.includes(a) && '>≥≳'.includes(b)) || ('>≥≳'.includes(a) && '<≤≲'.includes(b));
}

const DAY = 86_400;

/** "Two days earlier" of dates that the source gives. */
function isIntervalOfDates(
  { dimension, values, end }: PlacedQuantity,
  { claim, evidence }: Comparison,
): boolean {
  if (dimension !== 'time' || !/^\s(?:earlier|later|before|after|prior|apart)/iu.test(claim.text.slice(end)))
    return false;
  const days = evidence.statements.flatMap(({ quantities }) =>
    quantities.flatMap(({ readings }) => {
      const { month, day } = readings?.[0] ?? {};
      return month === undefined || day === undefined ? [] : [Date.UTC(2001, month - 1, day) / 1000 / DAY];
    }),
  );
  return days.some((one) => days.some((two) => two - one === (values[0] ?? 0) / DAY));
}

function isOnlyOne(claim: Statement, { start, dimension, kind }: PlacedQuantity): boolean {
  return !claim.quantities.some(
    (other) => other.start !== start && other.dimension === dimension && other.kind === kind,
  );
}

/** Whether the claim speaks of the place where the source has another value. */
function isBeaten(
  comparison: Comparison,
  {
    quantity,
    equal,
    rival,
  }: { quantity: PlacedQuantity; equal: Candidate<PlacedQuantity>; rival: Candidate<PlacedQuantity> },
): boolean {
  // A limit is rarely the counterpart of a plain value.
  const isOfKind =
    LIMITS.has(quantity.comparator) === LIMITS.has(rival.item.comparator) &&
    (quantity.side === undefined || equal.item.side === undefined || rival.item.side !== undefined);
  const score = rival.score * (isOfKind ? 1 : OTHER_KIND);
  const isAlone = isOnlyOne(comparison.claim, quantity);
  // "Four doses" are no 4 mg, and a lower limit is no counterpart of an upper one.
  if (quantity.isWord && equal.item.dimension === '' && rival.item.dimension !== '') return false;
  if (equal.item.dimension !== 'times' && rival.item.dimension === 'times') return false;
  if (isOtherDirection(quantity.comparator, rival.item.comparator)) return false;
  const places = { item: quantity, own: equal, rival };
  const near = weighPlaces(comparison, { ...places, isAlone: false });
  const told = isAlone ? weighPlaces(comparison, { ...places, isAlone }) : near;
  if ([near, told].some(isToldOfOwn)) return false;
  if (isToldOf(told) && isOfKind && rival.item.dimension === equal.item.dimension) return true;
  return fitsClearlyBetter(score, { own: equal.score });
}

/** True when another quantity of the claim is this one of the source: `checkExchanges` then decides between the two. */
function isClaimedElsewhere(
  item: PlacedQuantity,
  { quantity, claim }: { quantity: PlacedQuantity; claim: Statement },
): boolean {
  return claim.quantities.some(
    (other) => other.start !== quantity.start && compareQuantities(other, item) === 'equal',
  );
}

/** Two quantities or names of one kind that fit the source better when they change places ("A 40 mg and B 81 mg"). */
export function checkExchanges(comparison: Comparison): Finding[] {
  const { claim } = comparison;
  const items = [
    ...claim.quantities.map((quantity) => ({
      ...quantity,
      group: `#${quantity.kind}${quantity.dimension}`,
      spotsOf: (statement: Statement) =>
        statement.quantities.filter((other) => compareQuantities(quantity, other) === 'equal'),
    })),
    ...claim.facets
      .filter(({ isDenied }) => !isDenied)
      .map((facet) => ({
        ...facet,
        group: facet.kind,
        spotsOf: (statement: Statement) =>
          statement.facets.filter(({ kind, value }) => kind === facet.kind && value === facet.value),
      })),
  ];
  return items.flatMap((one, i) =>
    items.slice(i + 1).flatMap((two): Finding[] => {
      if (one.group !== two.group || one.text === two.text) return [];
      const fit = (item: (typeof items)[number], at: (typeof items)[number]): number =>
        rankCandidates<Place>(comparison, { item, itemsOf: at.spotsOf })[0]?.score ?? 0;
      const straight = fit(one, one) + fit(two, two);
      const crossed = fit(one, two) + fit(two, one);
      if (straight === 0 || !fitsClearlyBetter(crossed, { own: straight, pairs: 2 })) return [];
      return [
        { verdict: 'contradicted', reason: `the source has ${one.text} and ${two.text} the other way round` },
      ];
    }),
  );
}

const REFUSING =
  /(?<![\p{L}])(?:(?:reject|refus|discard|exclud|fail|recollect|redraw|defer|declin|avoid)\p{L}*|unacceptable|unsuitable|invalid|no longer|not|never|cannot|n['’]t|unless)(?![\p{L}])|n['’]t(?![\p{L}])/iu;

/** "Reject below 90 %" and "accept from 90 % on" take one limit from its two sides. */
function isOppositeStance(
  claim: Statement,
  { source, at }: { source: Statement | undefined; at: Place },
): boolean {
  if (source === undefined) return false;
  const isRefusing = REFUSING.test(claim.text);
  const start = source.text.lastIndexOf(';', at.start) + 1;
  const end = source.text.indexOf(';', at.end);
  const part = source.text.slice(start, end === -1 ? undefined : end);
  return isRefusing !== REFUSING.test(source.text) || isRefusing !== REFUSING.test(part);
}
