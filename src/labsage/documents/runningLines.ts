/** The lines of a paged text in; the lines without running heads, page numbers and contents, and a list of those, out. */

import type { Boilerplate } from '../../core/types.js';
import { SAME_SIZE } from './headingLevels.js';
import { looksLikeHeadingLine } from './headings.js';
import { readLabel } from './labels.js';
import type { SourceLine } from './readerEntries.js';
import { collapseBlanks } from './words.js';

export interface PagedLines {
  /** Undefined: a blank line. */
  readonly lines: readonly (SourceLine | undefined)[];
  /** Indexes of lines that start a page (form feeds, PDF pages); empty where the file marks none. */
  readonly pageStarts: readonly number[];
}

export interface TextLines {
  readonly lines: readonly (SourceLine | undefined)[];
  readonly boilerplate: readonly Boilerplate[];
  /** Running heads and feet, each once, wide blanks kept. */
  readonly running: readonly string[];
}

/** Lines at the top and the foot of a page that may be running heads. */
const EDGE_LINES = 5;
/** Lines without form feeds must repeat this often to count as running heads. */
const REPEATS = 3;

const PAGE_NUMBER =
  /^\W*(?:page|pg\.?|p\.)\s*:?\s*\d{1,4}(?:\s*(?:of|\/)\s*\d{1,4})?\W*$|^\W{0,3}\d{1,4}\s*(?:of|\/)\s*\d{1,4}\W{0,3}$|^[-–—]\s*\d{1,4}\s*[-–—]$/i;
/** A page number at the start or the end of a line that holds more. */
const HOLDS_PAGE_NUMBER =
  /^\W*(?:page|pg\.?)\s*:?\s*\d{1,4}\b|\b(?:page|pg\.?)\s*:?\s*\d{1,4}(?:\s*(?:of|\/)\s*\d{1,4})?[\s|)\]]*$/i;
const OF_PAGES = /\bpage\s*:?\s*\d{1,4}\s*(?:of|\/)\s*\d{1,4}/i;
const DOCUMENT_NUMBER = /^[A-Z]{2,6}(?:-[A-Z]{1,4})?-\d{2,5}$/;
const LEADER = /(?:\.{4,}|(?:\. ){4,}|…{2,}|_{4,}|\u00b7{4,})\s*(?:\d{1,4}|[ivx]{1,5})\s*$/u;
const CONTENTS_TITLE = /^(?:\d+\.?\s+)?(?:table of )?contents:?$/i;

type Taken = Boilerplate['kind'];

export function takeRunningLines({ lines, pageStarts }: PagedLines): TextLines {
  const taken = new Map<number, Taken>();
  takePageNumbers(lines, { pageStarts, taken });
  if (pageStarts.length > 1) takeEdges(lines, { pageStarts, taken });
  else takeRepeated(lines, taken);
  takeControlLines(lines, { pageStarts, taken });
  takeContents(lines, taken);
  return withoutTaken(lines, { taken, pageStarts });
}

interface Taking {
  readonly pageStarts: readonly number[];
  readonly taken: Map<number, Taken>;
}

/** Digits do not count: page numbers and dates of print change from page to page. */
function patternOf(line: SourceLine): string {
  return collapseBlanks(line.text).toLowerCase().replace(/\d+/g, '#');
}

function takePageNumbers(lines: readonly (SourceLine | undefined)[], { taken, pageStarts }: Taking): void {
  const edges = new Set(edgesOf(lines, pageStarts).flatMap(({ index, outer }) => (outer ? [index] : [])));
  lines.forEach((line, index) => {
    if (line === undefined || line.text.length > 60) return;
    const bareNumber = edges.has(index) && /^\d{1,4}$/.test(line.text.trim());
    if (PAGE_NUMBER.test(line.text.trim()) || bareNumber) taken.set(index, 'page-number');
  });
}

interface Edge {
  readonly index: number;
  readonly page: number;
  /** The first or last line but one of its page, or nearer to its end. */
  readonly outer: boolean;
}

function edgesOf(lines: readonly (SourceLine | undefined)[], pageStarts: readonly number[]): Edge[] {
  if (pageStarts.length < 2) return [];
  return pageStarts.flatMap((start, page) => {
    const end = pageStarts[page + 1] ?? lines.length;
    const full: number[] = [];
    for (let index = start; index < end; index += 1) if (lines[index] !== undefined) full.push(index);
    return full.flatMap((index, at) => {
      const toEdge = Math.min(at, full.length - 1 - at);
      return toEdge < EDGE_LINES ? [{ index, page, outer: toEdge < 2 }] : [];
    });
  });
}

/** Lines at page edges that stand there on half of the pages. */
function takeEdges(lines: readonly (SourceLine | undefined)[], { pageStarts, taken }: Taking): void {
  const pages = pageStarts.length;
  const counts = new Map<string, Set<number>>();
  const edges = edgesOf(lines, pageStarts);
  for (const { index, page } of edges) {
    const line = lines[index];
    if (line === undefined || collapseBlanks(line.text).length > 200) continue;
    const key = patternOf(line);
    counts.set(key, (counts.get(key) ?? new Set()).add(page));
  }
  for (const { index } of edges) {
    const line = lines[index];
    if (line === undefined || taken.has(index)) continue;
    const onPages = counts.get(patternOf(line))?.size ?? 0;
    const numbered = HOLDS_PAGE_NUMBER.test(line.text.slice(0, 300));
    const often = onPages >= Math.max(2, pages * 0.5) && (onPages >= 3 || onPages === pages);
    if (often || (numbered && (onPages >= 2 || OF_PAGES.test(line.text.slice(0, 300)))))
      taken.set(index, 'running-head');
  }
}

/** On the one page of a file nothing repeats: its first and last line are a head and a foot if they number the page, or hold the document's number beside other fields. */
function takeControlLines(lines: readonly (SourceLine | undefined)[], { pageStarts, taken }: Taking): void {
  if (pageStarts.length !== 1) return;
  const full = lines.flatMap((line, index) => (line === undefined || taken.has(index) ? [] : [index]));
  if (full.length < 3) return;
  for (const index of [full[0], full.at(-1)]) {
    const text = lines[index ?? 0]?.text ?? '';
    if (index === undefined || text.length > 200) continue;
    const fields = text.trim().split(/\s{2,}|\t/);
    if (OF_PAGES.test(text) || (fields.length > 1 && fields.some((field) => DOCUMENT_NUMBER.test(field))))
      taken.set(index, 'running-head');
  }
}

/** Without page breaks: lines next to page numbers, or repeated at even distances. */
function takeRepeated(lines: readonly (SourceLine | undefined)[], taken: Map<number, Taken>): void {
  const places = new Map<string, number[]>();
  lines.forEach((line, index) => {
    if (line === undefined || line.text.length > 200 || line.text.length < 3 || taken.has(index)) return;
    const holds = HOLDS_PAGE_NUMBER.test(line.text);
    const key = holds ? patternOf(line) : collapseBlanks(line.text);
    const list = places.get(key);
    if (list === undefined) places.set(key, [index]);
    else list.push(index);
  });
  const anchors = new Set(taken.keys());
  for (const [key, indexes] of places) {
    if (indexes.length >= 2 && HOLDS_PAGE_NUMBER.test(key.replaceAll('#', '1')))
      for (const index of indexes) anchors.add(index).add(index);
  }
  for (const index of anchors) if (!taken.has(index)) taken.set(index, 'running-head');
  const near = (index: number): boolean => {
    for (let offset = -4; offset <= 4; offset += 1) if (anchors.has(index + offset)) return true;
    return false;
  };
  for (const [key, indexes] of places) {
    if (indexes.length < 2 || /^[\W\d]*$/.test(key)) continue;
    const besideNumbers = anchors.size >= 2 && indexes.filter(near).length === indexes.length;
    if (besideNumbers || (indexes.length >= REPEATS && isEven(indexes) && !/:$|^[•◦\-*]/u.test(key))) {
      for (const index of indexes) if (!taken.has(index)) taken.set(index, 'running-head');
    }
  }
}

/** Pages hold about the same number of lines; a page has at least 20. */
function isEven(indexes: readonly number[]): boolean {
  const gaps = indexes.slice(1).map((index, position) => index - (indexes[position] ?? 0));
  let [least, most] = [Infinity, 0];
  for (const gap of gaps) [least, most] = [Math.min(least, gap), Math.max(most, gap)];
  return least >= 20 && most - least <= Math.max(2, least * 0.08);
}

/** A contents list: lines with dot leaders and a page number, their title, and what else stands between them. */
function takeContents(lines: readonly (SourceLine | undefined)[], taken: Map<number, Taken>): void {
  let index = 0;
  while (index < lines.length) {
    const line = lines[index];
    const titled = line !== undefined && line.text.length < 60 && CONTENTS_TITLE.test(line.text.trim());
    if (!titled && !(line !== undefined && isLeader(line))) {
      index += 1;
      continue;
    }
    const rows: number[] = [];
    let page = 0;
    let at = titled ? index + 1 : index;
    for (let blanks = 0; at < lines.length && blanks < 3; at += 1) {
      const row = lines[at];
      if (row === undefined) {
        blanks += 1;
        continue;
      }
      if (taken.has(at)) continue;
      const number =
        isLeader(row) || titled
          ? /(?:\s{2,}|\t|\.\s*|…\s*|\d\s)(\d{1,3})\s*$/.exec(row.text.slice(-60))?.[1]
          : undefined;
      const fits = isLeader(row) || (titled && number !== undefined && Number(number) >= page);
      if (!fits) {
        if (/^\s*page\s*$/i.test(row.text) && rows.length === 0) rows.push(at);
        else break;
      } else {
        rows.push(at);
        if (number !== undefined) page = Number(number);
      }
      blanks = 0;
    }
    if (rows.length >= 2) {
      if (titled) taken.set(index, 'contents');
      for (const row of rows) taken.set(row, 'contents');
      index = (rows.at(-1) ?? index) + 1;
    } else {
      index += 1;
    }
  }
}

function isLeader(line: SourceLine): boolean {
  return (
    line.text.length <= 300 &&
    LEADER.test(line.text.slice(-160)) &&
    /\p{L}/u.test(line.text) &&
    !/:\s*[._]{4,}/.test(line.text)
  );
}

/** Closes the gaps: where a page broke a sentence or a table, its halves become neighbours. */
function withoutTaken(lines: readonly (SourceLine | undefined)[], { taken, pageStarts }: Taking): TextLines {
  const kept: (SourceLine | undefined)[] = [];
  const boilerplate: Boilerplate[] = [];
  const running = new Map<string, string>();
  const starts = new Set(pageStarts.slice(1));
  let seam = false;
  lines.forEach((line, index) => {
    const kind = taken.get(index);
    if (starts.has(index)) seam = true;
    if (kind !== undefined && line !== undefined) {
      boilerplate.push({ text: collapseBlanks(line.text), kind, ...place(line) });
      if (kind !== 'contents') {
        seam = true;
        const key = patternOf(line);
        if (!running.has(key)) running.set(key, line.text.trim());
      }
      return;
    }
    if (line !== undefined && seam) {
      joinSeam(kept, line);
      seam = false;
      kept.push(unjudged(line, kept.at(-1)));
      return;
    }
    kept.push(line);
  });
  return { lines: kept, boilerplate, running: [...running.values()] };
}

/** What the layout said of the line before it no longer holds: that line was a running head. Type of another height still starts a block. */
function unjudged(line: SourceLine, before: SourceLine | undefined): SourceLine {
  const { text, position, indent, bold, size, cells } = line;
  return {
    text,
    position,
    indent,
    ...(bold !== undefined && { bold }),
    ...(size !== undefined && { size }),
    ...(cells !== undefined && { cells }),
    ...(before?.size !== undefined &&
      size !== undefined &&
      Math.abs(before.size - size) >= SAME_SIZE && { starts: true }),
  };
}

function place(line: SourceLine): { line?: number; page?: number } {
  const { line: number, page } = line.position;
  return { ...(number !== undefined && { line: number }), ...(page !== undefined && { page }) };
}

/** Drops the blank lines at the end of `kept` if `next` goes on with what stands before them. */
function joinSeam(kept: (SourceLine | undefined)[], next: SourceLine): void {
  let end = kept.length;
  while (end > 0 && kept[end - 1] === undefined) end -= 1;
  const before = kept[end - 1];
  if (before === undefined || end === kept.length) return;
  const open = !/[.!?:;]["”’)]*\s*$/.test(before.text);
  const sentence =
    open &&
    /^[\p{Ll}\p{N}(]/u.test(next.text) &&
    !/^(?:\d+(?:\.\d+)*[.)]|\d+\.\d[\d.]*\s|[a-z][.)])\s/.test(next.text) &&
    !isRow(before.text);
  const words = /\p{Ll}/u.test(next.text) && readLabel(next.text) === undefined;
  const unfinished =
    /(?:,|\b(?:a|an|and|as|at|by|for|from|in|of|on|or|the|to|with|is|are|be|must|shall|should|will))$/;
  const sentenceGoesOn =
    open &&
    words &&
    !isRow(before.text) &&
    (before.text.length > 60 || (before.text.length > 45 && unfinished.test(before.text))) &&
    looksLikeHeadingLine(next.text) === undefined;
  if (sentence || sentenceGoesOn || (isRow(before.text) && isRow(next.text))) kept.length = end;
}

function isRow(text: string): boolean {
  return /\|.*\||\S {2,}\S|\t/.test(text.slice(0, 400).trim());
}
