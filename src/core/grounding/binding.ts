/** Two places of the source that an item of the claim could be from → which of them the claim's other words belong to. */

import type { Comparison, Finding } from './comparison.js';
import type { Place } from './context.js';
import { quantityTerm } from './quantities.js';
import { poleTerm, type Statement } from './statements.js';

/** A stretch of a statement and what stands in it. */
interface Segment {
  readonly start: number;
  readonly end: number;
  readonly terms: ReadonlySet<string>;
  /** These and the terms of the stretches after it that are of the same thing. */
  readonly family: Set<string>;
  /** Kind and value of the named things in it. */
  readonly names: readonly (readonly [kind: string, value: string])[];
}

/** From coarse to fine: parts that a semicolon separates, and what commas, brackets and conjunctions separate. */
const CUTS = [
  /;|[.!?]\s/gu,
  /[;()[\]]|,(?!\s(?:which|who|whose)\s)|[.!?]\s|\s[-–—]\s|(?<![\p{L}])(?:and|or|but|while|whereas|then|plus|except|as well as|along with|versus|vs)(?![\p{L}])/giu,
] as const;

const READ = '\u0001';
const known = new WeakMap<Statement, readonly (readonly Segment[])[]>();

function segmentsOf(statement: Statement): readonly (readonly Segment[])[] {
  const read = known.get(statement) ?? CUTS.map((cut) => readSegments(statement, cut));
  known.set(statement, read);
  return read;
}

function readSegments(statement: Statement, cut: RegExp): Segment[] {
  const masked = statement.quantities.reduce(
    (text, { start, end }) => text.slice(0, start) + READ.repeat(end - start) + text.slice(end),
    statement.text,
  );
  const bounds = [0, ...[...masked.matchAll(cut)].map(({ index }) => index), masked.length + 1];
  let lead: readonly Item[] = [];
  let family = new Set<string>();
  // "Creatinine: men 0.7-1.3, women 0.5-1.1": what stands before the colon is said of all that follows.
  const colon = masked.search(/:\s/u);
  const header = itemsOf(statement).filter(({ start, isQuantity }) => start < colon && !isQuantity);
  return bounds.slice(1).map((end, i) => {
    const start = bounds[i] ?? 0;
    const own = itemsOf(statement).filter((item) => item.start >= start && item.start < end);
    const first = own.findIndex(({ isQuantity }) => isQuantity);
    const hasLead = first !== 0 || own.length === 0 || !isSameMeasure(lead, own[0]);
    // "SpO2 86 % on 2 L, 93 % on 5 L": what begins with its number is of the same thing as what stands before it.
    if (hasLead) family = new Set();
    const isBracket = masked[start] === '(';
    const items = [
      ...(colon < start ? header : []),
      ...(hasLead && !isBracket ? [] : lead.filter(({ isQuantity }) => !isQuantity)),
      ...own,
    ];
    if (first > 0 && !isBracket) lead = own.slice(0, first + 1);
    for (const { term } of items) family.add(term);
    return {
      start,
      end,
      family,
      terms: new Set(items.map(({ term }) => term)),
      names: items.flatMap(({ name }) => (name === undefined ? [] : [name])),
    };
  });
}

/** Whether a number may be of what the number before it is of: "HR 82, 96 % RA" changes from a rate to a share. */
function isSameMeasure(lead: readonly Item[], item: Item | undefined): boolean {
  const [mine, theirs] = [item?.term, lead.at(-1)?.term].map((term) => term?.split(':')[0] ?? '#');
  return mine === theirs || (theirs === '#' && mine !== '#percent' && mine !== '#temperature');
}

interface Item {
  readonly start: number;
  readonly term: string;
  readonly isQuantity: boolean;
  readonly name?: readonly [kind: string, value: string];
}

function itemsOf({ terms, quantities, facets }: Statement): Item[] {
  return [
    ...terms
      .filter(({ isContent }) => isContent)
      .map(({ start, term }) => ({ start, term, isQuantity: false })),
    ...quantities.map((quantity) => ({
      start: quantity.start,
      term: quantityTerm(quantity),
      isQuantity: true,
    })),
    ...facets.map((facet): Item => {
      const { kind, value, start } = facet;
      return kind.startsWith('opposite')
        ? { start, term: poleTerm(facet), isQuantity: false }
        : {
            start,
            term: kind === 'code' ? value : `@${kind}=${value}`,
            isQuantity: false,
            name: [kind, value],
          };
    }),
  ].sort((a, b) => a.start - b.start);
}

function segmentAt(statement: Statement, at: number, level: number): Segment | undefined {
  return segmentsOf(statement)[level]?.find(({ start, end }) => start <= at && at < end);
}

/** Where an item stands: a statement of the evidence, and a position in it. */
export interface Spot {
  readonly statement: number;
  readonly item: Place;
}

/**
 * How many of the claim's words belong to one place and not to the other; 0 and 0 where nothing separates them.
 * `isAlone`: no other item of the claim is of this kind, so all its words count and not those around the item alone.
 */
export function weighPlaces(
  { claim, evidence, rename }: Comparison,
  { item, own, rival, isAlone }: { item: Place; own: Spot; rival: Spot; isAlone: boolean },
): { own: number; rival: number } {
  const group = groupOf(claim, item);
  const isFamily = claim.facets.some(({ start, kind }) => start === item.start && OWNERS.has(kind));
  const [ownTerms, rivalTerms] = separate(evidence.statements, { own, rival, isFamily });
  const said = new Set(
    [...(isAlone ? new Set(itemsOf(claim).map(({ term }) => term)) : scopeOf(claim, item))].map(rename),
  );
  const itself = new Set(
    itemsOf(claim)
      .filter(({ start }) => start === item.start)
      .map(({ term }) => rename(term)),
  );
  const isTold = (term: string): boolean =>
    said.has(term) && !itself.has(term) && (group === '' || !term.startsWith(group));
  return {
    own: weigh([...ownTerms].filter((term) => !rivalTerms.has(term) && isTold(term))),
    rival: weigh([...rivalTerms].filter((term) => !ownTerms.has(term) && isTold(term))),
  };
}

/** A number tells more than a word. */
function weigh(terms: readonly string[]): number {
  return terms.reduce((sum, term) => sum + (term.startsWith('#') ? 2 : 1), 0);
}

/** Whether the claim's words are those of the item's own place. */
export function isToldOfOwn({ own, rival }: { own: number; rival: number }): boolean {
  return own > 0 && own >= 2 * rival;
}

/** Whether the claim's words are those of the rival: some of them, and at least twice as many as of its own place. */
export function isToldOf({ own, rival }: { own: number; rival: number }): boolean {
  return rival > 0 && rival >= 2 * own;
}

/** Quantities of one kind tell nothing of where one of them belongs. */
function groupOf(claim: Statement, item: Place): string {
  const quantity = claim.quantities.find(({ start }) => start === item.start);
  return quantity === undefined ? '' : (quantityTerm(quantity).split(':')[0] ?? '');
}

function scopeOf(claim: Statement, item: Place): ReadonlySet<string> {
  return segmentAt(claim, item.start, CUTS.length - 1)?.terms ?? new Set();
}

const NOTHING: ReadonlySet<string> = new Set();

/** The terms of the two places, at the coarsest division that parts them. */
function separate(
  statements: readonly Statement[],
  { own, rival, isFamily }: { own: Spot; rival: Spot; isFamily: boolean },
): readonly [ReadonlySet<string>, ReadonlySet<string>] {
  const [one, two] = [statements[own.statement], statements[rival.statement]];
  if (one === undefined || two === undefined) return [NOTHING, NOTHING];
  if (one !== two)
    return [new Set(itemsOf(one).map(({ term }) => term)), new Set(itemsOf(two).map(({ term }) => term))];
  for (const level of CUTS.keys()) {
    const a = segmentAt(one, own.item.start, level);
    const b = segmentAt(one, rival.item.start, level);
    if (a !== undefined && b !== undefined && a !== b)
      return isFamily ? [a.family, b.family] : [a.terms, b.terms];
  }
  return [NOTHING, NOTHING];
}

/** Kinds of names that own a number: a value of potassium is none of glucose. */
const OWNERS = new Set([
  'analyte',
  'vital sign',
  'drug',
  'side',
  'coronary',
  'valve',
  'joint',
  'vessel',
  'organism',
  'additive',
  'tube colour',
]);

/** Where every place that says so says it of another thing than the claim. */
export function findOtherOwner(
  comparison: Comparison,
  { item, places, isAlone }: { item: Place & { text: string }; places: readonly Spot[]; isAlone: boolean },
): Finding | undefined {
  const owners = places.map((own) => otherOwnerAt(comparison, { item, own, isAlone }));
  const [owner] = owners;
  if (owner === undefined || owners.includes(undefined)) return undefined;
  return {
    verdict: 'contradicted',
    reason: `says ${item.text} of ${owner.claim}, the source of ${owner.source}`,
  };
}

/** The name that the source's place has where the claim has another of the same kind; undefined where they agree. */
function otherOwnerAt(
  { claim, evidence }: Comparison,
  { item, own, isAlone }: { item: Place; own: Spot; isAlone: boolean },
): { readonly claim: string; readonly source: string } | undefined {
  const statement = evidence.statements[own.statement];
  const level = CUTS.length - 1;
  const source = statement === undefined ? undefined : segmentAt(statement, own.item.start, level);
  const mine = segmentAt(claim, item.start, isAlone ? 0 : level);
  if (source === undefined || mine === undefined) return undefined;
  const said = new Set(itemsOf(claim).flatMap(({ name }) => (name === undefined ? [] : [name.join('=')])));
  for (const [kind, value] of mine.names) {
    if (!OWNERS.has(kind)) continue;
    const theirs = source.names.filter(([other]) => other === kind);
    const [first] = theirs;
    if (first === undefined || theirs.some((name) => said.has(name.join('=')))) continue;
    return { claim: value, source: first[1] };
  }
  return undefined;
}
