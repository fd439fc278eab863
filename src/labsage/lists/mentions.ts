/** A query tree + a document's blocks → whether the document fits, and every line that mentions what was asked. */

import { sliceSpan, splitSentences } from '../../core/text.js';
import type { Document, Span } from '../../core/types.js';
import { foldCase, lineTokens, type LineToken, type TokenMode } from './lineTokens.js';
import type { Phrase, TermQuery } from './termQuery.js';

/** A sentence, step, table row or heading: what is shown as one line. */
export interface DocumentLine {
  readonly span: Span;
  readonly text: string;
  readonly tokens: readonly LineToken[];
  /** Not of the text: the title, control data, a running head. */
  readonly isAside?: boolean;
}

export interface LineMention {
  readonly line: DocumentLine;
  /** Of the matching words, in the document's text, in order, not overlapping. */
  readonly matches: readonly Span[];
  /** How often the line mentions what was asked. */
  readonly count: number;
}

/** Words that may stand between the words of a `near` query. */
const NEAR_GAP = 4;
/** Marks that part the words of a phrase, as `CS-5100`, `4 °C`, `Dr. Okafor` and `18:15` have none: `calcium, chloride`. */
const PARTS_WORDS = /[,;|!?]/u;

/** A block of a document with its terms; its lines are cut only if they can mention what is asked. */
export interface SearchedBlock {
  readonly terms: ReadonlySet<string>;
  readonly lines: () => readonly DocumentLine[];
}

/** All blocks of a document in text order; their lines together hold all its words. */
export function searchedBlocks({ blocks, text }: Document, mode: TokenMode): SearchedBlock[] {
  return blocks.map(({ span }) => {
    const tokens = lineTokens(sliceSpan(text, span), mode).map(({ start, end, term }) => ({
      start: start + span.start,
      end: end + span.start,
      term,
    }));
    let lines: DocumentLine[] | undefined;
    return {
      terms: new Set(tokens.map(({ term }) => term)),
      lines: () => (lines ??= cutLines(text, { span, tokens })),
    };
  });
}

function cutLines(text: string, block: { span: Span; tokens: readonly LineToken[] }): DocumentLine[] {
  return splitSentences(text, block.span).map((span) => ({
    span,
    text: sliceSpan(text, span),
    tokens: block.tokens.filter(({ start, end }) => start >= span.start && end <= span.end),
  }));
}

/** Undefined if the document doesn't fit. A query of exclusions alone fits without any mention. */
export function findMentions(
  query: TermQuery,
  blocks: readonly SearchedBlock[],
  mode: TokenMode,
): LineMention[] | undefined {
  const found = new Map<TermQuery, LineMention[]>();
  const fits = (part: TermQuery): boolean => {
    switch (part.kind) {
      case 'not':
        return !fits(part.part);
      case 'and':
        return part.parts.map(fits).every(Boolean);
      case 'or':
        return part.parts.map(fits).some(Boolean);
      case 'near':
        found.set(part, nearMentions(part.phrases, blocks, mode));
        return (found.get(part)?.length ?? 0) > 0;
    }
  };
  if (!fits(query)) return undefined;
  return mergeMentions(positiveTerms(query).flatMap((part) => found.get(part) ?? []));
}

/** The terms of a query that a document may contain for it to fit. */
export function positiveTerms(query: TermQuery): Extract<TermQuery, { kind: 'near' }>[] {
  if (query.kind === 'near') return [query];
  return query.kind === 'not' ? [] : query.parts.flatMap(positiveTerms);
}

function nearMentions(
  phrases: readonly Phrase[],
  blocks: readonly SearchedBlock[],
  mode: TokenMode,
): LineMention[] {
  const wanted = phrases.flatMap(({ terms }) => terms);
  const lines = blocks
    .filter(({ terms }) => wanted.every((term) => terms.has(term)))
    .flatMap((block) => block.lines());
  return lines.flatMap((line) => {
    const places = phrases.map((phrase) => phrasePlaces(phrase, line, mode));
    if (places.some((found) => found.length === 0)) return [];
    const near = phrases.length === 1 ? places : neighbours(places, line);
    const matches = near.flat().map(({ from, to }) => spanOf(line, from, to));
    const count = Math.min(...near.map((found) => found.length));
    return count === 0 ? [] : [{ line, matches: unionSpans(matches), count }];
  });
}

/** Token indices, `to` exclusive. */
interface Place {
  readonly from: number;
  readonly to: number;
}

function phrasePlaces(phrase: Phrase, line: DocumentLine, mode: TokenMode): Place[] {
  const { tokens } = line;
  const { terms } = phrase;
  const places: Place[] = [];
  for (let from = 0; from + terms.length <= tokens.length; from++) {
    if (!terms.every((term, at) => tokens[from + at]?.term === term)) continue;
    const place = { from, to: from + terms.length };
    if (isUnbroken(line, place) && (mode !== 'exact' || isAsWritten(phrase, spanText(line, place)))) {
      places.push(place);
      from = place.to - 1;
    }
  }
  return places;
}

function isUnbroken(line: DocumentLine, { from, to }: Place): boolean {
  for (let at = from + 1; at < to; at++) {
    if (PARTS_WORDS.test(gapBefore(line, at))) return false;
  }
  return true;
}

/** Marks at the ends of the asked words (quotes, full stops) are no words. */
function isAsWritten(phrase: Phrase, words: string): boolean {
  return foldCase(phrase.text).includes(foldCase(words));
}

/**
 * Of each phrase the places that have one of every other phrase close by: all within a window of the words asked for and
 * `NEAR_GAP` more, in any order, with no comma or cell border between.
 */
function neighbours(places: readonly (readonly Place[])[], line: DocumentLine): Place[][] {
  const asked = places.reduce(
    (sum, found) => sum + (found[0] === undefined ? 0 : found[0].to - found[0].from),
    0,
  );
  const kept = places.map(() => new Set<Place>());
  for (const anchor of places.flat()) {
    // Windows begin at a place, so that each is looked at once.
    const limit = Math.min(anchor.from + asked + NEAR_GAP, neighbourhoodEnd(line, anchor.from));
    const inside = places.map((found) => found.filter(({ from, to }) => from >= anchor.from && to <= limit));
    if (inside.some((found) => found.length === 0)) continue;
    inside.forEach((found, at) => found.forEach((place) => kept[at]?.add(place)));
  }
  return kept.map((found) => [...found].sort((a, b) => a.from - b.from));
}

/** Index of the first token behind a mark that ends the neighbourhood of the token `from`. */
function neighbourhoodEnd(line: DocumentLine, from: number): number {
  let at = from + 1;
  while (at < line.tokens.length && !PARTS_WORDS.test(gapBefore(line, at))) at++;
  return at;
}

function gapBefore({ text, span, tokens }: DocumentLine, at: number): string {
  return text.slice((tokens[at - 1]?.end ?? 0) - span.start, (tokens[at]?.start ?? 0) - span.start);
}

function spanOf({ tokens }: DocumentLine, from: number, to: number): Span {
  return { start: tokens[from]?.start ?? 0, end: tokens[to - 1]?.end ?? 0 };
}

function spanText(line: DocumentLine, { from, to }: Place): string {
  const { start, end } = spanOf(line, from, to);
  return line.text.slice(start - line.span.start, end - line.span.start);
}

/** Mentions of several terms by line, in text order. */
function mergeMentions(mentions: readonly LineMention[]): LineMention[] {
  const byLine = new Map<DocumentLine, LineMention>();
  for (const mention of mentions) {
    const before = byLine.get(mention.line);
    byLine.set(mention.line, {
      line: mention.line,
      matches: unionSpans([...(before?.matches ?? []), ...mention.matches]),
      count: (before?.count ?? 0) + mention.count,
    });
  }
  return [...byLine.values()].sort((a, b) => a.line.span.start - b.line.span.start);
}

function unionSpans(spans: readonly Span[]): Span[] {
  const union: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start || a.end - b.end)) {
    const last = union.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else union.push({ start, end });
  }
  return union;
}
