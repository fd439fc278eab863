/** A sentence's words → the facets that must agree with the source: sides, drugs, named things, codes, opposed words. */

import { DRUG_CLASSES, DRUG_ENDINGS, DRUGS, NO_DRUGS } from './drugs.js';
import { MUST_BE_NAMED, NAMED_THINGS } from './namedThings.js';
import { OPPOSITES } from './opposites.js';
import type { Polarity } from './negation.js';
import type { Quantity } from './quantities.js';
import {
  alternatives,
  canonicalTerm,
  findPhrases,
  phraseTable,
  type RawWord,
  type TermWord,
} from './words.js';
import type { Span } from '../types.js';

export interface Facet extends Span {
  /** `side`, `drug`, `code`, a kind of `namedThings.ts` or `opposites.ts`: facets of one kind compete. */
  readonly kind: string;
  readonly value: string;
  /** As written. */
  readonly text: string;
  readonly mustBeNamed: boolean;
  /** Stands in a denial: the check of negations is its check. */
  readonly isDenied: boolean;
}

const CODE =
  /(?<![\p{L}\p{N}-])(?:[A-Z][A-Za-z0-9]{0,7}(?:-[A-Z0-9]{1,7})+(?:\.\d{1,2}(?!\d))?|[A-Z]{1,5}\d{2,5}[A-Z]?)(?![\p{L}\p{N}]|-\p{L})/gu;
/** Vital signs glued to their value: `HR88`. */
const GLUED = /^(?:HR|RR|BP|T|P|POD|HD|SpO2)\d/u;

/** Names of documents, forms and instruments: `QA-F-012`, `CS-5100`, `CH930`. */
export function findCodes(text: string): Span[] {
  return [...text.matchAll(CODE)]
    .filter(([code]) => /\d/u.test(code) && !GLUED.test(code))
    .map((match) => ({ start: match.index, end: match.index + match[0].length }));
}

export function codeValue(code: string): string {
  return code.replace(/[\s-]/gu, '').toUpperCase();
}

type Named = readonly [kind: string, value: string];

const NAMED_TABLE = phraseTable<Named>(
  Object.entries(NAMED_THINGS).flatMap(([kind, members]) =>
    members.flatMap((line) => {
      const names = alternatives(line);
      return names.map((name): [string, Named] => [name, [kind, names[0] ?? name]]);
    }),
  ),
);
/** Canonical term → the named things it is. */
const NAMED_BY_TERM = new Map<string, Named[]>();
for (const [kind, members] of Object.entries(NAMED_THINGS)) {
  for (const line of members) {
    const names = alternatives(line);
    for (const name of names) {
      const term = canonicalTerm(name);
      const list = NAMED_BY_TERM.get(term) ?? [];
      if (!list.some(([known]) => known === kind))
        NAMED_BY_TERM.set(term, [...list, [kind, names[0] ?? name]]);
    }
  }
}
const OPPOSITE_TABLE = phraseTable<Named>(
  OPPOSITES.flatMap(({ name, poles }) =>
    poles.flatMap((pole, i) =>
      alternatives(pole).map((phrase): [string, Named] => [phrase, [`opposite ${name}`, String(i)]]),
    ),
  ),
);
/** Kinds of two poles, one the negation of the other: these facets carry their negation themselves. */
export const COMPLEMENTARY = new Set(
  OPPOSITES.filter(({ isComplementary }) => isComplementary).map(({ name }) => `opposite ${name}`),
);

const DRUG_NAMES = new Set(DRUGS.map((line) => alternatives(line)[0] ?? ''));
const CLASS_MEMBERS = new Map(
  Object.entries(DRUG_CLASSES).map(([name, members]) => [canonicalTerm(name), members.split(' ')]),
);

/** The drugs of a class term (`diuretic`), by which a source names it too. */
export function classMembers(term: string): readonly string[] {
  return CLASS_MEMBERS.get(term) ?? [];
}

export interface Words {
  readonly text: string;
  readonly raw: readonly RawWord[];
  readonly terms: readonly TermWord[];
  /** Of each raw word. */
  readonly polarities: readonly Polarity[];
  readonly quantities: readonly Quantity[];
  readonly codes: readonly Span[];
}

export function readFacets(words: Words): Facet[] {
  const facets: Facet[] = [];
  const add = (kind: string, value: string, span: Span): void => {
    if (facets.some((known) => known.kind === kind && known.start < span.end && span.start < known.end))
      return;
    const { start, end } = span;
    facets.push({
      kind,
      value,
      start,
      end,
      text: words.text.slice(start, end),
      mustBeNamed: MUST_BE_NAMED.has(kind),
      isDenied: isDeniedAt(words, start),
    });
  };
  for (const code of words.codes) add('code', codeValue(words.text.slice(code.start, code.end)), code);
  for (const side of findSides(words)) add('side', side.value, side);
  for (const quantity of words.quantities) {
    const pole = storageOf(quantity);
    if (pole !== undefined) add('opposite storage', pole, quantity);
    if (isSaturation(quantity, words.text)) add('vital sign', 'oxygen saturation', quantity);
  }
  for (const term of words.terms) {
    if (isDrug(term, words)) add('drug', term.term, term);
    for (const [kind, value] of NAMED_BY_TERM.get(term.term) ?? []) add(kind, value, term);
    if (
      /\d/u.test(term.text) &&
      /\p{L}/u.test(term.text) &&
      term.isContent &&
      DIGIT_NAME.test(term.text) &&
      !term.isAlias
    )
      add('code', codeValue(term.text), term);
  }
  for (const { first, count, value } of findPhrases(words.raw, NAMED_TABLE))
    add(value[0], value[1], spanOf(words.raw, first, count));
  for (const { first, count, value } of findPhrases(words.raw, OPPOSITE_TABLE, { isOverlapping: true })) {
    const [kind, pole] = value;
    const denied = words.polarities[first + count - 1]?.denied;
    const isGated = words.polarities[first]?.isGated === true;
    const isOwnDenial = kind === 'opposite sign' || kind === 'opposite presence';
    if (denied === 'yes' && !isOwnDenial) {
      if (COMPLEMENTARY.has(kind)) add(kind, pole === '0' ? '1' : '0', spanOf(words.raw, first, count));
    } else if (denied !== 'maybe' && !isGated) add(kind, pole, spanOf(words.raw, first, count));
  }
  return facets;
}

/** "2–8 °C" is said of a refrigerator, "−20 °C" of a freezer, "20–25 °C" of a room: the pole of `storage`. */
function storageOf({ dimension, values }: Quantity): string | undefined {
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (dimension !== 'temperature') return undefined;
  if (low >= 1 && high <= 10) return '0';
  if (high <= -10) return '1';
  return low >= 15 && high <= 30 && low !== high ? '2' : undefined;
}

/** "96 % RA", "93 % on 5 L": a share that needs no name. */
function isSaturation({ dimension, values, end }: Quantity, text: string): boolean {
  return (
    dimension === 'percent' &&
    Math.min(...values) >= 60 &&
    /^\s(?:on\s)?(?:RA(?![\p{L}])|room air|\d+\s?L(?![\p{L}])|NC(?![\p{L}]))/u.test(text.slice(end))
  );
}

function isDeniedAt({ raw, polarities }: Words, start: number): boolean {
  const index = raw.findIndex((word) => word.start === start);
  return index !== -1 && polarities[index]?.denied !== 'no';
}

/** `T4`, `B12`, `C3`: names with a digit that no table explains. */
const DIGIT_NAME = /^(?!x\d)\p{L}{1,4}\d{1,4}$/u;

function spanOf(raw: readonly RawWord[], first: number, count: number): Span {
  return { start: raw[first]?.start ?? 0, end: raw[first + count - 1]?.end ?? 0 };
}

const DOSES = /^(?:mass|activity|tablets|capsules|puffs)(?:\/|$)/u;
const ROUTES = new Set([
  'oral',
  'intravenous',
  'subcutaneous',
  'intramuscular',
  'inhaled',
  'ivpb',
  'gtt',
  'drip',
]);

function isDrug(term: TermWord, { terms, quantities }: Words): boolean {
  if (DRUG_NAMES.has(term.term)) return true;
  const lower = term.text.toLowerCase();
  if (term.count === 1 && lower.length >= 6 && DRUG_ENDINGS.test(lower) && !NO_DRUGS.has(lower)) return true;
  // An unknown word before dose and route or frequency.
  const dose = quantities.find(({ start, end }) => start >= term.end && start - term.end <= 2 && end > start);
  // Verbs stand there too: "taper continues 20 mg daily".
  if (/(?:s|ed|ing)$/u.test(lower) || dose?.comparator !== '=' || dose.side !== undefined) return false;
  if (NO_DRUGS.has(lower)) return false;
  if (!term.isContent || !DOSES.test(dose.dimension) || NAMED_BY_TERM.has(term.term)) return false;
  const next = terms.find(({ start }) => start >= dose.end);
  return (
    (next !== undefined && next.start - dose.end <= 2 && ROUTES.has(next.term)) ||
    quantities.some(({ kind, start }) => kind === 'frequency' && start >= dose.end && start - dose.end <= 2)
  );
}

const SIDES: Readonly<Record<string, string>> = {
  left: 'left',
  right: 'right',
  bilateral: 'both sides',
  bilaterally: 'both sides',
  'b/l': 'both sides',
  leftward: 'left',
  rightward: 'right',
  lt: 'left',
  rt: 'right',
};
const SIDE_COMPOUND = /^([LR])(?:UL|LL|ML|LE|UE|UQ|LQ|IJ|SC|CA|MCA|ICA|LL|UL|BKA|AKA|TKA|THA|LQ)$/u;
const AUXILIARY = /^(?:is|are|was|were|be|been|has|have|had|being|and|patient|he|she|they|who)$/iu;
const NO_SIDE_AFTER =
  /^(?:in|at|for|on|the|to|to stand|standing|overnight|over|open|undisturbed|with|without|against|before|until|when|unattended|untouched|AMA|behind|out|uncovered)$/iu;
const NO_RIGHT_AFTER = /^(?:away|after|before|now|angle|angles|patient|place|tube|order|to)$/iu;
const BOTH_OF =
  /^(?:lungs?|legs?|arms?|feet|hands?|eyes?|sides?|kidneys?|hips?|knees?|ankles?|bases|breasts?|ears?|lower|upper|extremities|calves|thighs)$/iu;

/** What stands between a word and the next. */
function textBetween({ text, raw }: Words, i: number): string {
  return text.slice(raw[i]?.end, raw[i + 1]?.start ?? text.length);
}

function findSides(words: Words): { value: string; start: number; end: number }[] {
  const { raw } = words;
  return raw.flatMap((word, i) => {
    const { text, start, end } = word;
    const lower = text.toLowerCase();
    const previous = raw[i - 1]?.text ?? '';
    const next = raw[i + 1]?.text ?? '';
    const compound = SIDE_COMPOUND.exec(text)?.[1];
    if (compound !== undefined || ((text === 'L' || text === 'R') && next !== '')) {
      return [{ value: (compound ?? text) === 'L' ? 'left' : 'right', start, end }];
    }
    if (lower === 'both' && BOTH_OF.test(next)) return [{ value: 'both sides', start, end }];
    const value = SIDES[lower];
    if (value === undefined || text === 'RT') return [];
    if (lower === 'left' && AUXILIARY.test(previous) && NO_SIDE_AFTER.test(next)) return [];
    // "no dry ice left": nothing follows that could have a side.
    const gap = textBetween(words, i);
    if (
      lower === 'left' &&
      (next === '' || !/^[\s-]*$/u.test(gap) || AUXILIARY.test(next)) &&
      !/^(?:the|on|to|is|in|of|and|or|than|right)$/iu.test(previous)
    )
      return [];
    if (lower === 'left' && /^(?:the|AMA|against|hospital|home)$/iu.test(next)) return [];
    if (lower === 'right' && NO_RIGHT_AFTER.test(next)) return [];
    return [{ value, start, end }];
  });
}
