/** Text → statements: sentences, lines and table cells, each with its words, quantities, facets and polarities. */

import { splitSentences } from '../text.js';
import type { Span } from '../types.js';
import { findCodes, readFacets, type Facet } from './facets.js';
import { AFFIRMED, readPolarities, type Polarity } from './negation.js';
import { findQuantities, quantityTerm, type Quantity } from './quantities.js';
import { readTerms, readWords, type TermWord } from './words.js';

/** A word with its place: the distance measure of `context.ts`. */
export interface PlacedTerm extends TermWord {
  readonly place: number;
  readonly polarity: Polarity;
}

export interface PlacedQuantity extends Quantity {
  readonly place: number;
}

export interface PlacedFacet extends Facet {
  readonly place: number;
}

export interface Statement {
  /** Labels and marks blanked out; every span of the statement points into it. */
  readonly text: string;
  readonly terms: readonly PlacedTerm[];
  readonly quantities: readonly PlacedQuantity[];
  readonly facets: readonly PlacedFacet[];
  /** Content terms of the heading and caption above. */
  readonly heading: readonly string[];
  /** The step's number, where the line starts with one. */
  readonly label?: number;
  /** Position in its text; the cells of a table row share one. */
  readonly order: number;
}

/** Label or bullet at the start of a line. */
const LABEL =
  /^\s*(?:>\s*)?(?:[-*•◦▪‣–]\s+|#{1,6}\s+)?(?:(?:step\s+)?(\d{1,3})[.):]\s+(?=\S)|\(?([a-z]|[ivx]{1,4})[.)]\s+(?=\S))?/iu;

/** Characters with a meaning for layout only: blanked, so that spans stay true. */
const LAYOUT = /(?<!\[)\*\*(?!\])|__|`|(?<=^|\n)\s*>|<br\s*\/?>/gu;

export function readStatement(
  text: string,
  { order = 0, heading = [] }: { order?: number; heading?: readonly string[] } = {},
): Statement {
  const label = LABEL.exec(text);
  const start = label?.[0].length ?? 0;
  const clean = ' '.repeat(start) + text.slice(start).replace(LAYOUT, (mark) => ' '.repeat(mark.length));
  const codes = findCodes(clean);
  const quantities = findQuantities(clean, { skip: codes });
  const masked = [...codes, ...quantities].reduce(
    (rest, span) => rest.slice(0, span.start) + '\u0001'.repeat(span.end - span.start) + rest.slice(span.end),
    clean,
  );
  const raw = readWords(masked);
  const terms = readTerms(raw, clean);
  const polarities = readPolarities(masked, raw);
  const facets = readFacets({ text: clean, raw, terms, polarities, quantities, codes });
  const places = measurePlaces(clean, [...terms, ...quantities, ...codes]);
  const placeOf = (span: Span): number => places.get(span.start) ?? nearestPlace(places, span.start);
  return {
    text: clean,
    terms: terms.map((term) => ({
      ...term,
      place: placeOf(term),
      polarity: joinPolarity(polarities.slice(term.first, term.first + term.count)),
    })),
    quantities: quantities.map((quantity) => ({ ...quantity, place: placeOf(quantity) })),
    facets: facets.map((facet) => ({ ...facet, place: placeOf(facet) })),
    heading,
    ...(label?.[1] === undefined ? {} : { label: Number(label[1]) }),
    order,
  };
}

/** A phrase is denied where any of its words is. */
function joinPolarity(polarities: readonly Polarity[]): Polarity {
  const [first = AFFIRMED] = polarities;
  const denied = polarities.some(({ denied }) => denied === 'yes')
    ? 'yes'
    : polarities.some(({ denied }) => denied === 'maybe')
      ? 'maybe'
      : 'no';
  return { ...first, denied, isPast: polarities.some(({ isPast }) => isPast) };
}

/** Distances in content words; commas, brackets and the ends of clauses count as words between. */
function measurePlaces(
  text: string,
  items: readonly (Span & { readonly isContent?: boolean })[],
): Map<number, number> {
  const places = new Map<number, number>();
  let place = 0;
  let end = 0;
  for (const item of [...items].sort((a, b) => a.start - b.start)) {
    const gap = text.slice(end, item.start);
    if (/[;.!?]/u.test(gap)) place += 3;
    else if (/,/u.test(gap)) place += 1;
    else if (/[(\[–—]|\s-\s/u.test(gap)) place += 0.5;
    if (/^(?:and|but|or|while|then|whereas)$/iu.test(text.slice(item.start, item.end))) place += 0.5;
    place += item.isContent === false ? 0.2 : 1;
    places.set(item.start, place);
    end = Math.max(end, item.end);
  }
  return places;
}

function nearestPlace(places: ReadonlyMap<number, number>, at: number): number {
  let best = 0;
  let distance = Number.POSITIVE_INFINITY;
  for (const [start, place] of places) {
    if (Math.abs(start - at) < distance) [distance, best] = [Math.abs(start - at), place];
  }
  return best;
}

/** Terms that a statement supports: its content words and its quantities' meanings. */
export function supportTerms({ terms, quantities, facets }: Statement): string[] {
  return [
    ...terms.filter(({ isContent }) => isContent).map(({ term }) => term),
    ...quantities.map(quantityTerm),
    ...facets.filter(({ kind }) => kind === 'code').map(({ value }) => value),
  ];
}

/** What an opposed word states, as a term: "falling" and "decreasing" support each other. */
export function poleTerm({ kind, value }: Facet): string {
  return `@${kind}=${value}`;
}

/** The statements of a source, in order. */
export function readStatements(source: string): Statement[] {
  const text = unwrapLines(source);
  const statements: Statement[] = [];
  let heading: string[] = [];
  let table: string[][] = [];
  let order = 0;
  for (const span of splitSentences(text)) {
    const sentence = text.slice(span.start, span.end);
    const cells = tableCells(sentence);
    if (cells !== undefined) {
      table.push(cells);
      if (table.length === 1 || isRule(cells)) {
        if (table.length === 1) statements.push(readStatement(cells.join(', '), { order: order++, heading }));
        continue;
      }
      statements.push(...readRow(cells, { header: table[0] ?? [], order: order++, heading }));
      continue;
    }
    table = [];
    const statement = readStatement(sentence, { order: order++, heading });
    if (isHeading(sentence))
      heading = statement.terms.filter(({ isContent }) => isContent).map(({ term }) => term);
    statements.push(statement);
  }
  return statements;
}

function tableCells(line: string): string[] | undefined {
  if (!/\|/u.test(line) || (line.match(/\|/gu)?.length ?? 0) < (line.startsWith('|') ? 2 : 1))
    return undefined;
  return line
    .replace(/^\||\|$/gu, '')
    .split('|')
    .map((cell) => cell.trim());
}

function isRule(cells: readonly string[]): boolean {
  return cells.every((cell) => /^:?-{2,}:?$/u.test(cell));
}

/** Each cell is read with its row's label and its column's name and unit. */
function readRow(
  cells: readonly string[],
  { header, order, heading }: { header: readonly string[]; order: number; heading: readonly string[] },
): Statement[] {
  const [label = '', ...rest] = cells;
  const unitColumn = header.findIndex((name) => /^units?$/iu.test(name));
  if (rest.length === 0) return [readStatement(label, { order, heading })];
  return rest.flatMap((cell, i) => {
    if (cell === '') return [];
    const column = header[i + 1] ?? '';
    const unit =
      /[([]([^()[\]]{1,14})[)\]]\s*$/u.exec(column)?.[1] ?? (unitColumn > 0 ? cells[unitColumn] : undefined);
    const needsUnit = unit !== undefined && /\d$/u.test(cell) && /^[\p{L}µ%°×/^0-9\s]+$/u.test(unit);
    const name = needsUnit ? column.replace(/\s*[([][^()[\]]*[)\]]\s*$/u, '') : column;
    return [readStatement(`${label}, ${name}: ${cell}${needsUnit ? ` ${unit}` : ''}`, { order, heading })];
  });
}

function isHeading(line: string): boolean {
  if (/^#{1,6}\s/u.test(line)) return true;
  if (/:$/u.test(line) && line.length < 70) return true;
  return (
    line.length < 60 &&
    !/[.,;]$/u.test(line) &&
    /\p{Lu}{3}/u.test(line) &&
    line === line.toUpperCase() &&
    !/\d{2}/u.test(line.replace(/^[\d.]+/u, ''))
  );
}

/** A line at least so long that does not end a sentence may have been broken by its page's width. */
const WRAPPED_CHARS = 45;

/** Joins hard-wrapped lines: the same text with those line breaks turned to blanks. */
export function unwrapLines(text: string): string {
  const plain = text.replace(/\r\n?/gu, (end) => (end.length === 2 ? ' \n' : '\n'));
  let lineStart = 0;
  let result = '';
  for (let at = plain.indexOf('\n'); at !== -1; at = plain.indexOf('\n', at + 1)) {
    const line = plain.slice(lineStart, at);
    const next = plain.slice(at + 1, (plain.indexOf('\n', at + 1) + 1 || plain.length + 1) - 1);
    result += line + (isWrapped(line.trim(), next) ? ' ' : '\n');
    lineStart = at + 1;
  }
  return result + plain.slice(lineStart);
}

function isWrapped(line: string, next: string): boolean {
  if (
    line === '' ||
    next.trim() === '' ||
    /\|/u.test(line + next) ||
    /^#/u.test(line) ||
    /[.:;!?]$/u.test(line)
  )
    return false;
  if (/^\s*(?:[-*•◦▪‣]|\d{1,3}[.)]|[a-zA-Z][.)]|#|>)\s/u.test(next) || /^\s*[\p{L} /]{2,30}:/u.test(next))
    return false;
  return /^\s*\p{Ll}/u.test(next) ? line.length >= WRAPPED_CHARS / 2 : line.length >= WRAPPED_CHARS;
}
