/** Text → its quantities (number, unit, comparator; ranges, pairs, dates, times, frequencies). */

import type { Span } from '../types.js';
import { readComparator, type Comparator } from './comparators.js';
import { findDates, findTimes, type DateReading } from './dates.js';
import { findFrequencies } from './frequencies.js';
import { findNumbers, WORD_NUMBER, type FoundNumber } from './numbers.js';
import { relateQuantities } from './quantityGroups.js';
import { readUnit, type Unit } from './units.js';

export type QuantityKind = 'value' | 'range' | 'pair' | 'date' | 'time' | 'frequency' | 'numbering';

export interface Quantity extends Span {
  /** As written, comparator included. */
  readonly text: string;
  readonly kind: QuantityKind;
  /** In the base of `dimension`; a range has two, a pair (`120/80`, `1:10`) two. */
  readonly values: readonly number[];
  /** What rounding may have taken from each value. */
  readonly slacks: readonly number[];
  /** The numbers as written, whatever their unit. */
  readonly written: readonly number[];
  /** `''` without a unit. */
  readonly dimension: string;
  readonly comparator: Comparator;
  readonly isRounded: boolean;
  readonly isWord: boolean;
  readonly readings?: readonly DateReading[];
  /** Written "from … to …": perhaps a range, perhaps two values in time. */
  readonly isFromTo?: boolean;
  /** One end of a change: "from 495", "to 440", "4.1 -> 2.6". */
  readonly side?: 'from' | 'to';
  /** The limit of a quantity before it, which may be meant here too: "not exceed 2 % and imprecision 1 %". */
  readonly sharedLimit?: Comparator;
}

/** Replaces what has been read, so that no later reader sees it. */
const READ = '\u0001';

/** Quantities in text order. `skip`: spans that hold names (`CS-5100`), not numbers. */
export function findQuantities(text: string, { skip = [] }: { skip?: readonly Span[] } = {}): Quantity[] {
  const quantities: Quantity[] = [];
  let rest = skip.reduce(blank, text.replace(/[−‐‑]/gu, '-'));
  const add = (quantity: Quantity): void => {
    quantities.push(quantity);
    rest = blank(rest, quantity);
  };
  for (const date of findDates(rest))
    add(simple('date', date, { text, values: [0], readings: date.readings }));
  // "1:40" of a dilution is no time.
  if (!/(?<!\p{L})(?:dilut|ratio(?!\p{L}))/iu.test(text)) {
    for (const time of findTimes(rest)) add(simple('time', time, { text, values: [time.minutes] }));
  }
  for (const frequency of findFrequencies(rest))
    add(simple('frequency', frequency, { text, values: [frequency.period] }));
  for (const pair of findPairs(rest)) add(withText(pair, text));
  let from = 0;
  for (const number of findNumbers(rest)) {
    if (number.start < from) continue;
    const quantity = readQuantity(rest, number);
    if (quantity === undefined) continue;
    from = quantity.end;
    add(withText(quantity, text));
  }
  quantities.sort((a, b) => a.start - b.start);
  return relateQuantities(quantities, text);
}

/** "four out of ten" on a scale. */
const WORD_PAIR = new RegExp(
  String.raw`(?<![\p{L}\p{N}-])(${WORD_NUMBER}|\d{1,2})\s(?:out )?of\s(ten|10)(?![\p{L}\p{N}])`,
  'giu',
);
const PAIR =
  /(?<![\p{L}\p{N}.,/\u0001])(\d{1,3}(?:\.\d+)?)\s?(\/|:|\sout of\s|\sof\s(?=10\b)|\sin\s)\s?(\d{1,4}(?:\.\d+)?)(?![\p{L}\p{N}/:]|[.,]\d)/gu;

function findPairs(text: string): Omit<Quantity, 'text'>[] {
  const pairs: Omit<Quantity, 'text'>[] = [...text.matchAll(WORD_PAIR)].map((match) => {
    const values = [findNumbers(match[1] ?? '')[0]?.value ?? 0, 10];
    return {
      ...base('pair', { start: match.index, end: match.index + match[0].length }),
      values,
      slacks: [0, 0],
      written: values,
    };
  });
  for (const match of text.matchAll(PAIR)) {
    const [whole, first = '', sign = '', second = ''] = match;
    if (pairs.some((other) => other.start === match.index)) continue;
    if (sign.trim() === 'in' && first !== '1') continue;
    const tail = /^\s?mm\s?Hg\b/iu.exec(text.slice(match.index + whole.length))?.[0].length ?? 0;
    const values = [Number(first), Number(second)];
    pairs.push({
      ...base('pair', { start: match.index, end: match.index + whole.length + tail }),
      values,
      slacks: [0, 0],
      written: values,
    });
  }
  return pairs;
}

const RANGE_SIGN = new RegExp(
  String.raw`^\s?(?:-|–|—|(?:up )?to|through|\.\.\.?)\s?(?=[-–]?\s?[.\d½¼]|${WORD_NUMBER})`,
  'iu',
);
const BETWEEN_SIGN = new RegExp(String.raw`^\s?(?:and|to)\s(?=[-–]?\s?[.\d]|${WORD_NUMBER})`, 'iu');
/** After these "from 5 to 8" tells two values in time, not a range. */
const CHANGE =
  /(?:increas|decreas|rose|rise|rising|risen|fell|fall|drop|declin|improv|worsen|wean|went|titrat|chang|lengthen|shorten|prolong|widen|narrow|grow|grew|shift|mov|expand|advance|extend|reduc|advanc|lower|rais|taper|trend|came|gone|switch|up(?!side)|(?<!upside )down|peak|clos|cut|convert|climb|halv|doubl|dip|creep|recover|correct|normali[sz]|adjust|step)\p{L}*(?:\s[^\s.;,]+){0,4}\s*$/iu;

/** "from 16.9 on day" before "2 to 11.4": the change began there. */
const FROM_BEFORE = /(?<![\p{L}])from\s[^.;,]{0,4}\d[^;,]*$/iu;

/** "net loss of 1 L" is −1 L. */
const NET_LOSS =
  /(?:(?<![\p{L}])(?:net (?:fluid )?(?:loss|negative|neg)|minus)|balance (?:was |is |of )?negative)(?: of| by)?(?: about| approximately| ~)?\s*$/iu;

function readQuantity(text: string, number: FoundNumber): Omit<Quantity, 'text'> | undefined {
  if (number.parts !== undefined) {
    const values = number.parts;
    return { ...base('numbering', number), values, slacks: values.map(() => 0), written: values };
  }
  const isLoss = NET_LOSS.test(text.slice(Math.max(0, number.start - 40), number.start));
  const isArrow = /<-+\s+$/u.test(text.slice(0, number.start));
  const isNegative =
    !isArrow &&
    /(?:^|[\s(<>≤≥=:~,])[-–]\s?$/u.test(text.slice(0, number.start)) &&
    !/\d\s?[-–]\s?$/u.test(text.slice(0, number.start));
  const first = { value: isNegative || isLoss ? -number.value : number.value, slack: number.slack };
  let unit = readUnit(text.slice(number.end));
  // "one" counts nothing in most sentences.
  const isLimited =
    /^\s(?:or|and) (?:more|higher|greater|above|over|less|lower|fewer|below|under)(?!\p{L})/iu.test(
      text.slice(number.end),
    );
  if (number.isWord && number.value === 1 && unit === undefined && !isLimited) return undefined;
  if (
    number.isWord &&
    number.value > 1 &&
    /^\s+(?:of (?:the|these|those)|or more)\b/iu.test(text.slice(number.end))
  )
    unit = undefined;
  let end = number.end + (unit?.length ?? 0);
  const before = text
    .slice(Math.max(0, number.start - 70), number.start)
    .replace(/[-–]\s?$/u, (sign) => (isNegative ? '' : sign));
  const sign =
    RANGE_SIGN.exec(text.slice(end)) ??
    (/between\s*$/iu.test(before) ? BETWEEN_SIGN.exec(text.slice(end)) : null);
  const isChange =
    /to/iu.test(sign?.[0] ?? '') &&
    (CHANGE.test(before) || FROM_BEFORE.test(before)) &&
    !/(?<![\p{L}])(?:outside|inside|within|between|into|range|of)\s*$/iu.test(before) &&
    !/follow-?\s?up[^.;]*$/iu.test(before);
  const second = sign === null || isChange ? undefined : readRangeEnd(text, end + sign[0].length, isLoss);
  if (second !== undefined) {
    unit = second.unit ?? unit;
    end = second.end;
  }
  const isRange = second !== undefined;
  const lead = isRange ? (/(?:between|from)\s*$/iu.exec(before)?.[0].length ?? 0) : 0;
  if (unit === undefined && /(?<![\p{L}\p{N}])[x×]\s?$/iu.test(before))
    unit = { dimension: 'times', factor: 1, length: 0 };
  const known = refineUnit(unit, { value: first.value, text, start: number.start, end });
  const found = readComparator(isRange ? before.slice(0, before.length - lead) : before, {
    after: text.slice(end),
    isTime: known?.dimension === 'time' || known?.dimension === 'months',
  });
  const written = isRange ? [first.value, second.value] : [first.value];
  const slacks = isRange ? [first.slack, second.slack] : [first.slack];
  const factor = known?.factor ?? 1;
  return {
    ...base(isRange ? 'range' : 'value', {
      start: number.start - (isNegative ? 1 : 0) - lead - found.before,
      end: end + found.after,
    }),
    values: written.map((value) => value * factor + (known?.offset ?? 0)),
    slacks: slacks.map((slack) => slack * factor),
    written,
    dimension: known?.dimension ?? '',
    comparator: isRange ? '=' : found.comparator,
    isRounded: known?.isRounded ?? false,
    isWord: number.isWord,
    ...(isRange && /from\s*$/iu.test(before) ? { isFromTo: true } : {}),
    ...(isRange ? {} : changeSide(before, text.slice(end))),
  };
}

function changeSide(before: string, after: string): { side?: 'from' | 'to' } {
  // The middle of "46 -> 212 -> 98" is both.
  if (/(?:-+>|→|=>)\s*$/u.test(before) && /^\s*(?:-+>|→|=>)/u.test(after)) return {};
  if (/(?:<-+|←)\s*$/u.test(before)) return { side: 'from' };
  if (/^\s*(?:<-+|←)/u.test(after)) return { side: 'to' };
  if (/^\s*,?\s*\(?(?:(?:up|down|increased|decreased|improved)\s)?from\s*[.\d]/iu.test(after))
    return { side: 'to' };
  if (/(?:^|\s)from\s*$/iu.test(before) || /^\s*(?:-+>|→|=>)/u.test(after)) return { side: 'from' };
  return /(?:(?:^|\s)to|-+>|→|=>)\s*$/iu.test(before) ? { side: 'to' } : {};
}

function readRangeEnd(
  text: string,
  start: number,
  isLoss: boolean,
): { value: number; slack: number; unit: Unit | undefined; end: number } | undefined {
  const sign = /^[-–]\s?/u.exec(text.slice(start))?.[0] ?? '';
  const at = start + sign.length;
  const number = findNumbers(` ${text.slice(at, at + 40)}`)[0];
  if (number?.start !== 1 || number.parts !== undefined) return undefined;
  const end = at + number.end - 1;
  const unit = readUnit(text.slice(end));
  return {
    value: sign === '' && !isLoss ? number.value : -number.value,
    slack: number.slack,
    unit,
    end: end + (unit?.length ?? 0),
  };
}

/** Units that their surroundings decide: `g` in a centrifuge, `L` of oxygen. */
function refineUnit(
  unit: Unit | undefined,
  place: { value: number; text: string; start: number; end: number },
): Unit | undefined {
  if (unit === undefined) return undefined;
  if (
    unit.dimension === 'mass' &&
    unit.factor === 1 &&
    place.value >= 100 &&
    /spin|spun|centrifug|rcf/iu.test(place.text)
  ) {
    return { ...unit, dimension: 'force' };
  }
  const isOxygen =
    /^\s*(?:of\s)?(?:via\s|by\s|on\s)?(?:NC\b|nasal|O2|oxygen|face|FM\b)/iu.test(
      place.text.slice(place.end),
    ) ||
    /(?:O2|oxygen|NC|cannula|mask)\s*(?:at|of|was|on|to|:)?\s*$/iu.test(place.text.slice(0, place.start));
  // "0.62 L, 0.91 R": left and right.
  if (
    unit.dimension === 'volume' &&
    /^\s?L$/u.test(place.text.slice(place.end - unit.length, place.end)) &&
    /\d\s?R(?![\p{L}\p{N}])/u.test(place.text)
  )
    return undefined;
  if (unit.dimension === 'volume' && unit.factor === 1 && isOxygen)
    return { ...unit, dimension: 'volume/time', factor: 1 / 60 };
  return unit;
}

/** Equal for quantities of one meaning: lets a quantity serve as a word in the neighbourhood of another. */
export function quantityTerm(quantity: Quantity): string {
  const { kind, readings } = quantity;
  // Oxygen "at 5 liters" is 5 L/min.
  const perMinute = quantity.values.map((value) => Number((value * 60).toPrecision(6)));
  const isFlow =
    quantity.dimension === 'volume/time' && perMinute.every((value) => value >= 1 && value <= 60);
  const dimension = isFlow ? 'volume' : quantity.dimension;
  const values = isFlow ? perMinute : quantity.values;
  const date = readings?.[0];
  const parts =
    date === undefined
      ? values.map((value) => Number(value.toPrecision(6)))
      : [date.month ?? '', date.day ?? ''];
  return `#${kind === 'range' || kind === 'value' ? dimension : kind}:${parts.join(',')}`;
}

function simple(
  kind: QuantityKind,
  span: Span,
  { text, values, readings }: { text: string; values: number[]; readings?: readonly DateReading[] },
): Quantity {
  const filled = {
    ...base(kind, span),
    values,
    slacks: [0],
    written: values,
    ...(readings === undefined ? {} : { readings }),
  };
  return withText(filled, text);
}

function base(kind: QuantityKind, { start, end }: Span) {
  return { start, end, kind, dimension: '', comparator: '=' as Comparator, isRounded: false, isWord: false };
}

function withText(quantity: Omit<Quantity, 'text'>, text: string): Quantity {
  return { ...quantity, text: text.slice(quantity.start, quantity.end).replace(/\s+/gu, ' ').trim() };
}

function blank(text: string, { start, end }: Span): string {
  return text.slice(0, start) + READ.repeat(end - start) + text.slice(end);
}
