/** A context unit → its search units: small overlapping pieces, each of one context unit, that are embedded and searched. */

import {
  collapseBlanks,
  overlapping,
  sha256Hex,
  sliceSpan,
  splitSentences,
  trimSpan,
  uniqueId,
  type GivenIds,
} from '../core/text.js';
import { SPECIAL_TOKENS, type CountTokens } from '../core/tokenCounter.js';
import type { Block, ContextUnit, Document, SearchUnit, Span } from '../core/types.js';

/** Aimed-at length of a search unit's own words, in tokens. */
export const UNIT_TOKENS = 120;
/** Most tokens of an embedded text, so that every bundled embedder reads it whole (MiniLM's limit). */
export const EMBED_TOKENS = 256;
/** Longest sentence that is repeated at the beginning of the next unit, in tokens. */
const OVERLAP_TOKENS = 45;
/** Longest title and heading path in front of the embedded text, in tokens. */
const PREFIX_TOKENS = 70;
/** Longest table header that is repeated, in tokens. */
const HEADER_TOKENS = 60;

export interface SearchUnitOptions {
  readonly countTokens: CountTokens;
  /** `false` embeds the words alone, as the paper does. */
  readonly prefix: boolean;
  readonly unitTokens?: number;
}

/** A search unit with the deepest heading above it, which is scored on its own. */
export interface BuiltSearchUnit extends SearchUnit {
  readonly headingPath: readonly string[];
}

/**
 * Paper 000: U_i ⊇ {S_i1 …}, subsections or dense paragraphs that overlap at their boundaries; ψ(S) is `contextId`.
 * Every character of the context unit's span is in at least one unit, none is longer than `EMBED_TOKENS`.
 */
export function buildSearchUnits(
  document: Document,
  context: ContextUnit,
  options: SearchUnitOptions,
): BuiltSearchUnit[] {
  const units: BuiltSearchUnit[] = [];
  const ids: GivenIds = new Map();
  for (const part of subsections(document, context)) {
    const prefix = options.prefix ? titlePrefix(document.title, part.headingPath, options.countTokens) : '';
    const room = EMBED_TOKENS - SPECIAL_TOKENS - options.countTokens(prefix);
    for (const piece of packPieces(document.text, part, { ...options, room })) {
      const own = sliceSpan(document.text, piece.span);
      const words = options.prefix ? withoutHeading(document.text, piece.span, part.blocks[0]) : own;
      const carried = piece.carried.map((span) => sliceSpan(document.text, span)).join('\n');
      const embedText = [prefix, carried, words].filter((text) => text !== '').join('\n');
      // Made from what the unit says; a unit that says the same again gets a counter.
      const id = uniqueId(`${context.id}@${sha256Hex(collapseBlanks(own)).slice(0, 10)}`, ids);
      const tokens = options.countTokens(embedText);
      units.push({
        id,
        contextId: context.id,
        span: piece.span,
        carried: piece.carried,
        embedText,
        tokens,
        headingPath: part.headingPath,
      });
    }
  }
  return units;
}

/** `title › section › subsection`, cut from the left of the path where it is too long: the last heading says most. */
function titlePrefix(title: string, headingPath: readonly string[], countTokens: CountTokens): string {
  let path = [...headingPath];
  const join = (): string => [title, ...path].join(' › ');
  while (path.length > 1 && countTokens(join()) > PREFIX_TOKENS) path = path.slice(1);
  return clipToTokens(join(), { tokens: PREFIX_TOKENS, countTokens });
}

/** The heading stands in the prefix already; a unit that is nothing else keeps it. */
function withoutHeading(text: string, span: Span, first: Block | undefined): string {
  const startsWithIt =
    first?.kind === 'heading' && first.span.start === span.start && first.span.end < span.end;
  return sliceSpan(text, trimSpan(text, startsWithIt ? { start: first.span.end, end: span.end } : span));
}

interface Part {
  readonly headingPath: readonly string[];
  /** Blocks clipped to the context unit. */
  readonly blocks: readonly Block[];
}

/** The context unit's blocks, grouped under its inner headings. */
function subsections(document: Document, context: ContextUnit): Part[] {
  const parts: { headingPath: string[]; blocks: Block[] }[] = [];
  const inner: { level: number; text: string }[] = [];
  let isFirst = true;
  for (const block of overlapping(document.blocks, context.span)) {
    if (block.kind === 'heading' && context.headingPath.length > 0) {
      if (!isFirst) {
        while ((inner.at(-1)?.level ?? 0) >= (block.level ?? 1)) inner.pop();
        inner.push({ level: block.level ?? 1, text: collapseBlanks(block.text) });
      }
      parts.push({
        headingPath: [...context.headingPath, ...inner.map(({ text }) => text)],
        blocks: [block],
      });
    } else {
      if (parts.length === 0) parts.push({ headingPath: [...context.headingPath], blocks: [] });
      parts.at(-1)?.blocks.push(block);
    }
    isFirst = false;
  }
  return mergeBareHeadings(parts);
}

/** A heading without words of its own goes with the subsection that follows. */
function mergeBareHeadings(parts: readonly Part[]): Part[] {
  const merged: Part[] = [];
  let bare: Block[] = [];
  parts.forEach((part, at) => {
    const isBare = part.blocks.every((block) => block.kind === 'heading');
    if (isBare && at < parts.length - 1) bare.push(...part.blocks);
    else {
      merged.push({ headingPath: part.headingPath, blocks: [...bare, ...part.blocks] });
      bare = [];
    }
  });
  return merged;
}

interface Segment {
  readonly span: Span;
  readonly tokens: number;
  readonly carried?: Span;
  /** A sentence may be repeated in the next unit; a table row may not. */
  readonly repeatable: boolean;
}

interface UnitPiece {
  readonly span: Span;
  readonly carried: readonly Span[];
}

/** Fills units up to the aimed-at length; the next one begins with the last sentence of the one before. */
function packPieces(text: string, part: Part, options: SearchUnitOptions & { room: number }): UnitPiece[] {
  const aim = Math.min(options.unitTokens ?? UNIT_TOKENS, options.room);
  const segments = part.blocks.flatMap((block) => segmentsOf(text, block, options));
  const pieces: UnitPiece[] = [];
  let from = 0;
  while (from < segments.length) {
    let end = from;
    let tokens = 0;
    let carried: Span | undefined;
    while (end < segments.length) {
      const segment = segments[end];
      if (segment === undefined) break;
      const header = segment.carried !== undefined && carried === undefined ? segment.carried : undefined;
      const more = segment.tokens + (header === undefined ? 0 : options.countTokens(sliceSpan(text, header)));
      const changesTable =
        carried !== undefined && segment.carried !== undefined && segment.carried.start !== carried.start;
      if (end > from && (tokens + more > aim || changesTable)) break;
      tokens += more;
      carried ??= segment.carried;
      end++;
    }
    const first = segments[from];
    const last = segments[end - 1];
    if (first === undefined || last === undefined) break;
    const span = trimSpan(text, { start: first.span.start, end: last.span.end });
    // A header that stands in the unit anyway is not repeated.
    const isRepeated = carried !== undefined && !(span.start <= carried.start && carried.end <= span.end);
    pieces.push({ span, carried: isRepeated && carried !== undefined ? [carried] : [] });
    const next = segments[end];
    if (next === undefined) break;
    const canOverlap = last.repeatable && next.repeatable && last.tokens <= OVERLAP_TOKENS;
    const fits = canOverlap && last.tokens + next.tokens <= aim;
    from = fits && end - 1 > from ? end - 1 : end;
  }
  return pieces;
}

function segmentsOf(
  text: string,
  block: Block,
  options: { room: number; countTokens: CountTokens },
): Segment[] {
  const header = block.header;
  const isShortHeader = header !== undefined && options.countTokens(sliceSpan(text, header)) <= HEADER_TOKENS;
  const room = isShortHeader ? options.room - HEADER_TOKENS : options.room;
  return splitSentences(text, block.span).flatMap((sentence) => {
    const isRow = block.kind === 'table';
    const isHeader = header !== undefined && sentence.start < header.end;
    return splitToFit(text, sentence, { ...options, room }).map((span) => ({
      span,
      tokens: options.countTokens(sliceSpan(text, span)),
      repeatable: !isRow,
      ...(isRow && isShortHeader && !isHeader ? { carried: header } : {}),
    }));
  });
}

/** A sentence longer than the room is cut between words, a word longer than it between characters. */
function splitToFit(text: string, span: Span, options: { room: number; countTokens: CountTokens }): Span[] {
  if (options.countTokens(sliceSpan(text, span)) <= options.room) return [span];
  const middle = span.start + Math.floor((span.end - span.start) / 2);
  const blank = text.lastIndexOf(' ', middle);
  const cut = blank > span.start ? blank : safeCut(text, middle);
  if (cut <= span.start || cut >= span.end) return [span];
  return [
    ...splitToFit(text, trimSpan(text, { start: span.start, end: cut }), options),
    ...splitToFit(text, trimSpan(text, { start: cut, end: span.end }), options),
  ];
}

/** Never between the halves of a surrogate pair. */
function safeCut(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/u.test(text.charAt(at)) ? at - 1 : at;
}

/** The first words that fit, or as much of the first word as fits. */
export function clipToTokens(text: string, options: { tokens: number; countTokens: CountTokens }): string {
  const fits = (part: string): boolean => options.countTokens(part) <= options.tokens;
  if (fits(text)) return text;
  // Each word has a token or more.
  const words = text.split(' ', options.tokens);
  while (words.length > 1 && !fits(words.join(' '))) words.pop();
  let clipped = words.join(' ');
  while (!fits(clipped)) clipped = clipped.slice(0, safeCut(clipped, Math.floor(clipped.length * 0.8)));
  return clipped;
}
