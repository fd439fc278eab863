/** The placed text items of one PDF page in; its lines, in reading order and with the blanks that its columns show, out. */

import { raised } from '../inlineText.js';
import {
  besideEachOther,
  COLUMN_GAP,
  unlevelRows,
  withMargins,
  type PdfLine,
  type TextItem,
} from './pdfBlocks.js';

/** Blanks wider than this share of the type's size part words. */
const WORD_GAP = 0.14;
/** Raised digits are at least this much smaller than the type around them. */
const SMALLER = 0.9;
/** Columns of blanks that one point is drawn as: fine enough that words never overrun their column. */
export const COLUMNS_A_POINT = 0.4;

interface Segment {
  text: string;
  x: number;
  right: number;
}

/** Lines from top to bottom; where a page is set in two columns, the left one comes first. */
export function linesOfPage(items: readonly TextItem[]): PdfLine[] {
  const free = freeColumns(items);
  if (free !== undefined) {
    const { gutter, top, bottom } = free;
    const inside = items.filter((item) => item.y <= top && item.y >= bottom);
    return [
      ...linesOfPage(items.filter((item) => item.y > top)),
      ...columnLines(inside.filter((item) => item.x < gutter)),
      ...columnLines(inside.filter((item) => item.x >= gutter)),
      ...linesOfPage(items.filter((item) => item.y < bottom)),
    ];
  }
  return linesOfRows(rowsOf(items));
}

function columnLines(items: readonly TextItem[]): PdfLine[] {
  return withMargins(linesOfRows(rowsOf(items)));
}

function linesOfRows(rows: readonly (readonly TextItem[])[]): PdfLine[] {
  const found = columnsOf(rows);
  if (found === undefined) return besideEachOther(unlevelRows(rows).map((row) => lineOf(row)));
  const { gutter, first, last } = found;
  const lines: PdfLine[] = [];
  let left: PdfLine[] = [];
  let right: PdfLine[] = [];
  const flush = (): void => {
    for (const line of left) lines.push(line);
    for (const line of right) lines.push(line);
    left = [];
    right = [];
  };
  rows.forEach((row, index) => {
    const crosses = row.some((item) => item.x < gutter - 2 && item.x + item.width > gutter + 2);
    if (index < first || index > last || crosses) {
      flush();
      lines.push(lineOf(row));
      return;
    }
    const before = row.filter((item) => item.x < gutter);
    const after = row.filter((item) => item.x >= gutter);
    if (before.length > 0) left.push(lineOf(before));
    if (after.length > 0) right.push(lineOf(after));
  });
  flush();
  return lines;
}

/** Items whose baselines lie within a third of their size are one row; raised digits belong to it. */
function rowsOf(items: readonly TextItem[]): TextItem[][] {
  const sorted = [...items].sort((a, b) => b.y - a.y || a.x - b.x);
  const rows: { y: number; size: number; items: TextItem[] }[] = [];
  for (const item of sorted) {
    const row = rows.at(-1);
    const tolerance =
      row === undefined
        ? 0
        : Math.max(row.size, item.size) *
          (Math.min(row.size, item.size) < Math.max(row.size, item.size) * SMALLER ? 0.55 : 0.35);
    if (row !== undefined && row.y - item.y <= tolerance) {
      row.items.push(item);
      if (item.size > row.size) {
        row.size = item.size;
        row.y = item.y;
      }
    } else {
      rows.push({ y: item.y, size: item.size, items: [item] });
    }
  }
  return rows.map((row) => row.items.sort((a, b) => a.x - b.x));
}

interface FreeColumns {
  /** Where the right column starts, in points. */
  readonly gutter: number;
  /** Highest and lowest baseline of the part that is set in columns. */
  readonly top: number;
  readonly bottom: number;
}

/** Lines on each side of a gutter that prove two columns. */
const FREE_LINES = 6;
/** Starts of items that are tried as gutters, the most frequent ones. */
const GUTTERS_TRIED = 6;

/** Two columns whose lines do not stand level, as the rows of a table do: the part of a page between what crosses the gutter. */
function freeColumns(items: readonly TextItem[]): FreeColumns | undefined {
  const starts = new Map<number, number>();
  for (const item of items) {
    const key = Math.round(item.x);
    starts.set(key, (starts.get(key) ?? 0) + 1);
  }
  const tried = [...starts].sort((a, b) => b[1] - a[1]).slice(0, GUTTERS_TRIED);
  const sorted = [...items].sort((a, b) => b.y - a.y);
  for (const [start, count] of tried) {
    if (count < FREE_LINES) continue;
    const gutter = start - 2;
    let run: TextItem[] = [];
    for (const item of [...sorted, undefined]) {
      const crosses = item !== undefined && item.x < gutter && item.x + item.width > gutter - 6;
      if (item !== undefined && !crosses) {
        run.push(item);
        continue;
      }
      const found = asColumns(run, gutter);
      if (found !== undefined) return found;
      run = [];
    }
  }
  return undefined;
}

function asColumns(items: readonly TextItem[], gutter: number): FreeColumns | undefined {
  const run = withoutEdges(items, gutter);
  const right = run.filter((item) => item.x >= gutter);
  const top = right[0]?.y ?? 0;
  const bottom = run.at(-1)?.y ?? 0;
  const left = run.filter((item) => item.x < gutter && item.y <= top + item.size);
  const baselines = (side: readonly TextItem[]): Set<number> =>
    new Set(side.map((item) => Math.round(item.y)));
  const [leftLines, rightLines] = [baselines(left), baselines(right)];
  if (leftLines.size < FREE_LINES || rightLines.size < FREE_LINES) return undefined;
  const level = [...rightLines].filter((y) => [y - 1, y, y + 1].some((near) => leftLines.has(near))).length;
  if (level > rightLines.size * 0.4) return undefined;
  const highest = left.reduce((most, item) => Math.max(most, item.y), top);
  return { gutter, top: highest, bottom };
}

/** Heads and feet stand level on both sides, and apart from the text. */
function withoutEdges(items: readonly TextItem[], gutter: number): TextItem[] {
  let run = [...items].sort((a, b) => b.y - a.y);
  const isEdge = (at: number, step: 1 | -1): boolean => {
    const edge = run.at(at);
    if (edge === undefined) return false;
    const level = run.filter((item) => Math.abs(item.y - edge.y) < 2);
    const next = run.filter((item) => Math.abs(item.y - edge.y) >= 2).at(at);
    const apart = next !== undefined && (edge.y - next.y) * step > edge.size * 2.6;
    const both = level.some((item) => item.x < gutter) && level.some((item) => item.x >= gutter);
    return apart && both;
  };
  for (const [at, step] of [
    [0, 1],
    [-1, -1],
  ] as const) {
    for (let rows = 0; rows < 3 && isEdge(at, step); rows += 1) {
      const edge = run.at(at)?.y ?? 0;
      run = run.filter((item) => Math.abs(item.y - edge) >= 2);
    }
  }
  return run;
}

interface ColumnsFound {
  /** Where the right column starts, in points. */
  readonly gutter: number;
  /** First and last row that is set in columns. */
  readonly first: number;
  readonly last: number;
}

/** Rows of two columns that prove a page, or a part of it, to be set in them. */
const COLUMN_ROWS = 5;
/** Running text fills this share of its column; cells of a table do not. */
const COLUMN_FILL = 0.72;

/** Two columns of running text; undefined for one column, and for tables. */
function columnsOf(rows: readonly (readonly TextItem[])[]): ColumnsFound | undefined {
  const votes = new Map<number, { index: number; fill: number }[]>();
  rows.forEach((row, index) => {
    const segments = segmentsOf(row);
    const [left, right] = segments;
    if (segments.length !== 2 || left === undefined || right === undefined) return;
    if (left.text.split(' ').length < 4 || right.text.split(' ').length < 3) return;
    const key = Math.round(right.x / 4);
    const list = votes.get(key) ?? [];
    list.push({ index, fill: (left.right - left.x) / Math.max(1, right.x - left.x) });
    votes.set(key, list);
  });
  const [key, list] = [...votes].sort((a, b) => b[1].length - a[1].length)[0] ?? [0, []];
  const fill = list.reduce((sum, vote) => sum + vote.fill, 0) / Math.max(1, list.length);
  if (list.length < COLUMN_ROWS || fill < COLUMN_FILL) return undefined;
  const gutter = key * 4 - 4;
  const sides = rows.map((row) => !row.some((item) => item.x < gutter && item.x + item.width > gutter + 2));
  let first = list[0]?.index ?? 0;
  let last = list.at(-1)?.index ?? 0;
  if (list.length < (last - first + 1) * 0.4) return undefined;
  // The first and last lines of the longer column stand alone in their rows.
  while (first > 0 && sides[first - 1] === true && starts(rows[first - 1], gutter)) first -= 1;
  while (last + 1 < rows.length && sides[last + 1] === true) last += 1;
  return { gutter, first, last };
}

/** A row that has words in the right column. */
function starts(row: readonly TextItem[] | undefined, gutter: number): boolean {
  return row?.some((item) => item.x >= gutter && item.x < gutter + 12) === true;
}

function segmentsOf(row: readonly TextItem[]): Segment[] {
  const size = row.reduce((most, item) => Math.max(most, item.size), 0);
  const base = row.find((item) => item.size === size)?.y ?? 0;
  const segments: Segment[] = [];
  for (const item of row) {
    const isRaised = item.size < size * SMALLER && item.y - base > size * 0.15;
    const text = isRaised ? raised(item.text) : item.text;
    const last = segments.at(-1);
    const gap = last === undefined ? Infinity : item.x - last.right;
    // Item by item, blanks at the ends of the texts count like gaps.
    if (last === undefined || gap > size * COLUMN_GAP)
      segments.push({ text: text.trimStart(), x: item.x, right: item.x + item.width });
    else {
      const blank = gap > size * WORD_GAP && !/\s$/.test(last.text) && !/^\s/.test(text);
      last.text += (blank ? ' ' : '') + text;
      last.right = Math.max(last.right, item.x + item.width);
    }
  }
  return segments.filter((segment) => segment.text.trim() !== '');
}

function lineOf(row: readonly TextItem[]): PdfLine {
  const segments = segmentsOf(row);
  const left = segments[0]?.x ?? 0;
  let text = '';
  segments.forEach((segment, index) => {
    const words = segment.text.replace(/\s+/g, ' ').trim();
    const column = Math.round((segment.x - left) * COLUMNS_A_POINT);
    const afterLabel =
      index === 1 &&
      isListLabel(text, { words, last: segments.length === 2, bold: row.every((item) => item.bold) });
    const blanks = afterLabel ? 1 : Math.max(2, column - text.length);
    text += text === '' ? words : ' '.repeat(blanks) + words;
  });
  const filled = row.filter((item) => item.text.trim() !== '');
  const signs = filled.reduce((sum, item) => sum + item.text.length, 0);
  const size = filled.reduce((sum, item) => sum + item.size * item.text.length, 0) / Math.max(1, signs);
  return {
    text,
    x: left,
    right: segments.reduce((most, segment) => Math.max(most, segment.right), left),
    y: row.reduce((most, item) => Math.max(most, item.y), -Infinity),
    size,
    bold: filled.length > 0 && filled.every((item) => item.bold),
  };
}

/** A label set at its own stop before the words of a step: no column. A bare number is one only before a sentence, or in a bold line. */
function isListLabel(
  label: string,
  { words, last, bold }: { words: string; last: boolean; bold: boolean },
): boolean {
  if (/^(?:[•◦▪■□●○‣∙·*o–—\uf0b7\uf0a7-]|\(?(?:\d{1,2}|[A-Za-z]|[ivxIVX]{1,5})[.)])$/u.test(label))
    return true;
  if (/^(?:\d{1,2}|[A-Z])(?:\.\d{1,2}){1,4}\.?$/.test(label)) return last && /^\p{L}/u.test(words);
  return /^\d{1,2}$/.test(label) && last && /^\p{Lu}/u.test(words) && (bold || words.split(' ').length >= 3);
}
