/** A note → its cleaned text, sections and chunks: pieces of one section each, small enough to embed (paper 001, 2.2). */

import { sha256Hex, splitSentences, trimSpan, uniqueId, type GivenIds } from '../core/text.js';
import { SPECIAL_TOKENS, type CountTokens } from '../core/tokenCounter.js';
import type { Chunk, Note, Section, Span } from '../core/types.js';
import { spanBefore } from './clean/offsetMap.js';
import { cleanText, type CleanedText } from './clean.js';
import { UNLABELED } from './headers/sectionHeaders.js';
import { splitSections } from './sections.js';

/** Longest chunk and what it repeats of the one before it, in characters. */
export const CHUNK_CHARACTERS = 700;
export const OVERLAP_CHARACTERS = 80;
/** Most tokens of an embedded chunk, header and special tokens included: what every bundled embedder reads whole. */
export const EMBED_TOKENS = 256;

export interface ChunkOptions {
  readonly countTokens: CountTokens;
  readonly characters?: number;
  readonly overlap?: number;
  /** Cleaning steps to leave out. */
  readonly skip?: readonly string[];
  /** `true` cuts the whole note as if it had no headers: the flat chunks that paper 001 compares with. */
  readonly flat?: boolean;
}

export interface ChunkedNote {
  readonly note: Note;
  readonly cleaned: CleanedText;
  readonly sections: readonly Section[];
  readonly chunks: readonly Chunk[];
}

/**
 * Every character of the cleaned text that is not blank is in a chunk or in the header of one's section; no chunk crosses
 * a section. Ids: the section's and a piece of the chunk's hash.
 */
export function chunkNote(note: Note, options: ChunkOptions): ChunkedNote {
  const cleaned = cleanText(note.text, options.skip === undefined ? {} : { skip: options.skip });
  const sections = splitSections(note, options.flat === true ? { text: cleaned.text, headers: [] } : cleaned);
  const innerOf = new Map<string, Section[]>();
  for (const section of sections) {
    if (section.parentId !== undefined)
      innerOf.set(section.parentId, [...(innerOf.get(section.parentId) ?? []), section]);
  }
  const chunks = sections
    .filter(({ level }) => level === 1)
    .flatMap((section) =>
      chunkSection(note, { cleaned, section, inner: innerOf.get(section.id) ?? [], options }),
    );
  return { note, cleaned, sections, chunks };
}

/** What is embedded: the chunk under its section's header, without which `no change` says little. */
export function embedTextOf({ header, text }: Pick<Chunk, 'header' | 'text'>): string {
  return header === UNLABELED ? text : `${header}: ${text}`;
}

function chunkSection(
  note: Note,
  {
    cleaned,
    section,
    inner,
    options,
  }: { cleaned: CleanedText; section: Section; inner: readonly Section[]; options: ChunkOptions },
): Chunk[] {
  const body = trimSpan(cleaned.text, {
    start: section.headerSpan?.end ?? section.span.start,
    end: section.span.end,
  });
  // A header that nothing follows says what it says: `No contraindications for IV contrast`.
  const whole = body.end > body.start ? body : section.span;
  const ids: GivenIds = new Map();
  const starts = inner.map(({ span }) => span.start);
  return cutToFit(cleaned.text, { span: whole, starts, header: section.header, options }).map((span, at) => {
    const text = cleaned.text.slice(span.start, span.end);
    const soap = section.soap ?? soapOf(inner, span);
    return {
      id: uniqueId(`${section.id}@${sha256Hex(text).slice(0, 8)}`, ids),
      sectionId: section.id,
      noteId: note.id,
      patientId: note.patientId,
      visitId: note.visitId,
      date: note.date,
      ...(note.time === undefined ? {} : { time: note.time }),
      type: note.type,
      header: section.header,
      subheaders: inner
        .filter((sub) => sub.span.start < span.end && span.start < sub.span.end)
        .map(({ header }) => header),
      ...(soap === undefined ? {} : { soap }),
      ordinal: at + 1,
      span,
      rawSpan: spanBefore(cleaned.map, span),
      text,
      tokens: options.countTokens(embedTextOf({ header: section.header, text })),
    };
  });
}

/** The part that all of its sub-headings hint at, where the section's own header hints at none. */
function soapOf(inner: readonly Section[], span: Span): Chunk['soap'] {
  const parts = new Set(
    inner.filter((sub) => sub.span.start < span.end && span.start < sub.span.end).map(({ soap }) => soap),
  );
  return parts.size === 1 ? [...parts][0] : undefined;
}

interface Cut {
  readonly span: Span;
  /** Where sub-headings begin: the best places to cut. */
  readonly starts: readonly number[];
  readonly header: string;
  readonly options: ChunkOptions;
}

/** Chunks by characters; where one is over the token limit (tables of figures), all are cut smaller. */
function cutToFit(text: string, { span, starts, header, options }: Cut): Span[] {
  let characters = options.characters ?? CHUNK_CHARACTERS;
  let overlap = Math.min(options.overlap ?? OVERLAP_CHARACTERS, Math.floor(characters / 2));
  for (;;) {
    const pieces = cutRecursively(text, span, { limit: characters - overlap, starts });
    const spans = packPieces(text, pieces, { characters, overlap });
    const fits = spans.every(
      ({ start, end }) =>
        options.countTokens(embedTextOf({ header, text: text.slice(start, end) })) <=
        EMBED_TOKENS - SPECIAL_TOKENS,
    );
    if (fits || characters < 40) return spans;
    characters = Math.floor(characters * 0.7);
    overlap = Math.floor(overlap * 0.7);
  }
}

/** Pieces of at most `limit` characters that cover the span: cut at sub-headings, then paragraphs, lines, sentences, words. */
function cutRecursively(
  text: string,
  span: Span,
  options: { limit: number; starts: readonly number[] },
): Span[] {
  if (span.end - span.start <= options.limit) return [span];
  const cuts = [
    () => options.starts,
    () => matchEnds(text, span, /\n\n+/gu),
    () => matchEnds(text, span, /\n/gu),
    () => splitSentences(text, span).map(({ start }) => start),
    () => matchEnds(text, span, /[;,]\s+/gu),
    () => matchEnds(text, span, /\s+/gu),
  ];
  for (const cut of cuts) {
    const inside = cut().filter((at) => at > span.start && at < span.end);
    if (inside.length === 0) continue;
    const bounds = [span.start, ...inside, span.end];
    return bounds
      .slice(0, -1)
      .flatMap((start, at) => cutRecursively(text, { start, end: bounds[at + 1] ?? span.end }, options));
  }
  const middle = span.start + options.limit;
  // Never between the halves of a surrogate pair.
  const at = /[\uDC00-\uDFFF]/u.test(text.charAt(middle)) ? middle - 1 : middle;
  return [{ start: span.start, end: at }, ...cutRecursively(text, { start: at, end: span.end }, options)];
}

function matchEnds(text: string, span: Span, pattern: RegExp): number[] {
  const part = text.slice(span.start, span.end);
  return [...part.matchAll(pattern)].map((match) => span.start + match.index + match[0].length);
}

/** Fills chunks piece by piece; each but the first begins with the end of the one before it. */
function packPieces(
  text: string,
  pieces: readonly Span[],
  options: { characters: number; overlap: number },
): Span[] {
  const chunks: Span[] = [];
  let start: number | undefined;
  let end = 0;
  for (const piece of pieces) {
    if (start !== undefined && piece.end - start > options.characters) {
      chunks.push(trimSpan(text, { start, end }));
      start = overlapStart(text, { end, overlap: options.overlap, from: start });
    }
    start ??= piece.start;
    end = piece.end;
  }
  if (start !== undefined) chunks.push(trimSpan(text, { start, end }));
  return chunks.filter((chunk) => chunk.end > chunk.start);
}

/** At most `overlap` characters before the cut, at the beginning of a word. */
function overlapStart(
  text: string,
  { end, overlap, from }: { end: number; overlap: number; from: number },
): number {
  const earliest = Math.max(from + 1, end - overlap);
  const word = /\s\S/u.exec(text.slice(earliest - 1, end));
  return word === null ? end : Math.min(end, earliest + word.index);
}
