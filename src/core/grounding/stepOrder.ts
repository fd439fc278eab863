/** A statement → what it says comes before what ("before", "after", "then", "not … until"), and whether two such orders clash. */

import { quantityTerm } from './quantities.js';
import type { Statement } from './statements.js';

/** Terms of what comes first and of what comes next. */
export interface StepOrder {
  readonly first: ReadonlySet<string>;
  readonly next: ReadonlySet<string>;
}

/** Where in the source it is told. */
export interface SourceOrder extends StepOrder {
  readonly statement: Statement;
}

interface Item {
  readonly term: string;
  readonly start: number;
}

/** Between two parts: true when the part before the cue comes first. */
const CUES: readonly (readonly [RegExp, boolean])[] = [
  [
    /(?<![\p{L}])(?:before|prior to|ahead of|precedes?|preceding|followed by|and then|,?\s*then|next(?=,)|subsequently|(?:and )?(?:thereafter|afterwards?|after that|after which|whereupon)|until|first,? and)(?![\p{L}])/giu,
    true,
  ],
  [
    /(?<![\p{L}])(?:only after|only when|only once|after|following(?!\s+(?:morning|day|week|shift|month|steps?|evening|night))|once|as soon as|preceded by|follows)(?![\p{L}])/giu,
    false,
  ],
];
const INVERTED =
  /(?<![\p{L}])(?:may|can|should|must|will|is|are|does|do)\s+(?:the|a|an|it|any|\p{L}+s)(?![\p{L}])/iu;
const WAITING = /(?<![\p{L}])(?:wait|defer(?:red)?|delay(?:ed)?|postponed?)\s*$/iu;
const NOT_UNTIL = /(?<![\p{L}])(?:not|never|no|cannot|n['’]t)(?![\p{L}])[^.;]*$/iu;

export function readStepOrders(statement: Statement): StepOrder[] {
  const text = statement.quantities.reduce(
    (rest, { start, end }) => rest.slice(0, start) + '\u0001'.repeat(end - start) + rest.slice(end),
    statement.text,
  );
  const items: Item[] = [
    ...statement.terms.filter(({ isContent }) => isContent).map(({ term, start }) => ({ term, start })),
    ...statement.quantities.map((quantity) => ({ term: quantityTerm(quantity), start: quantity.start })),
    ...statement.facets
      .filter(({ kind }) => kind === 'code')
      .map(({ value, start }) => ({ term: value, start })),
  ];
  const cues = CUES.flatMap(([pattern, isFirst]) =>
    [...text.matchAll(pattern)].map((match) => ({
      start: match.index,
      end: match.index + match[0].length,
      word: match[0].trim().toLowerCase(),
      isFirst,
    })),
  ).sort((a, b) => a.start - b.start);
  return cues.flatMap((cue, i) => {
    // The neighbouring cues and sentence ends bound the two parts.
    const clauseStart = Math.max(endOfIntroduction(text, cues[i - 1]), lastBreak(text, cue.start));
    const clauseEnd = Math.min(cues[i + 1]?.start ?? text.length, nextBreak(text, cue.end));
    // "Only once X may Y": the verb stands before its subject.
    const inverted = INVERTED.exec(text.slice(cue.end, clauseEnd));
    if (/^only/u.test(cue.word) && inverted !== null) {
      const verb = cue.end + inverted.index;
      const first = termsIn(items, cue.end, verb);
      const next = termsIn(items, verb, clauseEnd);
      return first.size > 0 && next.size > 0 ? [order(first, next, true)] : [];
    }
    const before = termsIn(items, clauseStart, cue.start);
    const after = termsIn(items, cue.end, clauseEnd);
    // "Do not report until (before) it is reviewed": the review comes first.
    const lead = text.slice(clauseStart, cue.start);
    const isDenied =
      (/^(?:until|before|prior to)$/u.test(cue.word) && NOT_UNTIL.test(lead)) ||
      (cue.word === 'until' && WAITING.test(lead));
    const isFirst = !isDenied && cue.isFirst;
    if (before.size > 0 && after.size > 0) return [order(before, after, isFirst)];
    if (after.size === 0) return [];
    // "After X, Y": both parts follow the cue.
    const comma = text.slice(cue.end, clauseEnd).indexOf(',');
    if (comma === -1) return [];
    // "After X Y, and Z" has no comma between its two parts.
    if (/^,\s*(?:and|but|while|whereas)(?![\p{L}])/iu.test(text.slice(cue.end + comma))) return [];
    const inner = termsIn(items, cue.end, cue.end + comma);
    const outer = termsIn(items, cue.end + comma, nextBreak(text, cue.end));
    if (inner.size === 0 || outer.size === 0 || /^(?:,?\s*then|next|subsequently)$/u.test(cue.word))
      return [];
    const isOuterFirst =
      cue.word === 'before' && /^[^.;]*(?:do not|never|don't)/iu.test(text.slice(cue.end + comma))
        ? false
        : cue.isFirst;
    return [order(outer, inner, isOuterFirst)];
  });
}

/** "After power returns, switch on …": what follows belongs to the next part only from the comma on. */
function endOfIntroduction(text: string, cue: { start: number; end: number } | undefined): number {
  if (cue === undefined) return 0;
  const isFirst = !/[\p{L}\p{N}]/u.test(text.slice(lastBreak(text, cue.start), cue.start));
  const comma = isFirst ? text.indexOf(',', cue.end) : -1;
  return comma === -1 ? cue.end : comma + 1;
}

function order(before: ReadonlySet<string>, after: ReadonlySet<string>, isFirst: boolean): StepOrder {
  const first = new Set([...before].filter((term) => !after.has(term)));
  const next = new Set([...after].filter((term) => !before.has(term)));
  return isFirst ? { first, next } : { first: next, next: first };
}

function termsIn(items: readonly Item[], start: number, end: number): Set<string> {
  return new Set(items.filter((item) => item.start >= start && item.start < end).map(({ term }) => term));
}

function lastBreak(text: string, at: number): number {
  return Math.max(...['. ', '; ', ': '].map((mark) => text.lastIndexOf(mark, at - 1) + 1), 0);
}

function nextBreak(text: string, at: number): number {
  const next = /[.;](?:\s|$)/u.exec(text.slice(at));
  return next === null ? text.length : at + next.index;
}

/** A part's first word is mostly its verb. */
const LEAD_WEIGHT = 1.5;

/** Share of a part's terms that the other has. */
function overlap(
  part: ReadonlySet<string>,
  other: ReadonlySet<string>,
  rename: (term: string) => string,
): number {
  if (part.size === 0) return 0;
  const weights = [...part].map((term, i) => [term, i === 0 ? LEAD_WEIGHT : 1] as const);
  const sum = (list: readonly (readonly [string, number])[]): number =>
    list.reduce((total, [, weight]) => total + weight, 0);
  return sum(weights.filter(([term]) => other.has(rename(term)))) / sum(weights);
}

/** Words that change sides on both sides weigh more than those that stay: the verb often stays. */
const CROSSED_SHARE = 0.65;

/** Whether the source's order is the claim's the other way round; `rename` gives the source's word for a claim's. */
export function compareOrders(
  claim: StepOrder,
  source: StepOrder,
  rename: (term: string) => string,
): { relation: 'swapped' | 'same' | 'other'; fit: number } {
  const straight = [
    overlap(claim.first, source.first, rename),
    overlap(claim.next, source.next, rename),
  ] as const;
  const crossed = [
    overlap(claim.first, source.next, rename),
    overlap(claim.next, source.first, rename),
  ] as const;
  const straightSum = straight[0] + straight[1];
  const crossedSum = crossed[0] + crossed[1];
  // Of several orders in a source the one with the most of the claim's words decides.
  const words = overlap(
    new Set([...claim.first, ...claim.next]),
    new Set([...source.first, ...source.next]),
    rename,
  );
  if (crossed[0] > 0 && crossed[1] > 0 && crossedSum > straightSum * CROSSED_SHARE) {
    return { relation: 'swapped', fit: crossedSum + words };
  }
  return straight[0] > 0 && straight[1] > 0
    ? { relation: 'same', fit: straightSum + words }
    : { relation: 'other', fit: 0 };
}

/** Where a claim's two parts stand in the source's sequence of statements: clashes when both are found and the other way round. */
export function isAgainstSequence(
  claim: StepOrder,
  { statements, rename }: { statements: readonly Statement[]; rename: (term: string) => string },
): boolean {
  for (const partsOf of [(statement: Statement) => [supportSet(statement)], readClauses]) {
    const next = bestStep(claim.next, { statements, rename, partsOf });
    const first = bestStep(claim.first, { statements, rename, partsOf });
    if (first !== undefined && next !== undefined && first !== next) return first > next;
  }
  return false;
}

const STEP_SHARE = 0.6;

/** Statement number, with the place inside it as fraction. */
function bestStep(
  part: ReadonlySet<string>,
  {
    statements,
    rename,
    partsOf,
  }: {
    statements: readonly Statement[];
    rename: (term: string) => string;
    partsOf: (statement: Statement) => readonly ReadonlySet<string>[];
  },
): number | undefined {
  const shares = statements.flatMap((statement) =>
    partsOf(statement).map((terms, i) => ({
      order: statement.order + i / 100,
      share: overlap(part, terms, rename),
    })),
  );
  const best = Math.max(...shares.map(({ share }) => share), 0);
  const leaders = shares.filter(({ share }) => share >= best - 1e-9);
  // Named in two steps, it has no one place.
  return best >= STEP_SHARE && leaders.length === 1 ? leaders[0]?.order : undefined;
}

function supportSet({ terms, quantities }: Statement): ReadonlySet<string> {
  return new Set([...terms.map(({ term }) => term), ...quantities.map(quantityTerm)]);
}

/** The terms of each clause in turn; one set for a statement with clock times or dates, whose order these tell. */
function readClauses(statement: Statement): ReadonlySet<string>[] {
  const items = [
    ...statement.terms.map(({ term, start }) => ({ term, start })),
    ...statement.quantities.map((quantity) => ({ term: quantityTerm(quantity), start: quantity.start })),
  ];
  const isTimed = statement.quantities.some(({ kind }) => kind === 'time' || kind === 'date');
  const breaks = isTimed
    ? []
    : [...statement.text.matchAll(/[,;]|(?<![\p{L}])(?:and|then)(?![\p{L}])/giu)].map(({ index }) => index);
  const bounds = [0, ...breaks, statement.text.length + 1];
  return bounds.slice(1).map((end, i) => termsIn(items, bounds[i] ?? 0, end));
}
