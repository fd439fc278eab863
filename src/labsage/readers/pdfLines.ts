/** The placed text items of one PDF page in; its lines, in reading order and with the blanks that its columns show, out. */

import { raised } from '../inlineText.js';
import type { SourceLine } from '../readerEntries.js';

export interface TextItem {
  readonly text: string;
  /** Left end and baseline, in points from the lower left corner. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** Height of the type, in points. */
  readonly size: number;
  readonly bold: boolean;
}

/** A line with its geometry, in points. */
export interface PdfLine {
  readonly text: string;
  readonly x: number;
  readonly right: number;
  readonly y: number;
  readonly size: number;
  readonly bold: boolean;
}

/** Blanks wider than this share of the type's size part words; wider than the second one, columns. */
const WORD_GAP = 0.14;
const COLUMN_GAP = 0.95;
/** Columns of blanks that one point is drawn as: fine enough that words never overrun their column. */
const COLUMNS_A_POINT = 0.4;

interface Segment {
  text: string;
  x: number;
  right: number;
}

/** Lines from top to bottom; a page set in two columns gives the left one first. */
export function linesOfPage(items: readonly TextItem[]): PdfLine[] {
  const rows = rowsOf(items);
  const gutter = gutterOf(rows);
  if (gutter === undefined) return rows.map((row) => lineOf(row));
  const isWide = (row: readonly TextItem[]): boolean =>
    row.some((item) => item.x < gutter - 2 && item.x + item.width > gutter + 2);
  const lines: PdfLine[] = [];
  let left: PdfLine[] = [];
  let right: PdfLine[] = [];
  const flush = (): void => {
    for (const line of left) lines.push(line);
    for (const line of right) lines.push(line);
    left = [];
    right = [];
  };
  for (const row of rows) {
    if (isWide(row)) {
      flush();
      lines.push(lineOf(row));
      continue;
    }
    const [before, after] = [
      row.filter((item) => item.x < gutter),
      row.filter((item) => item.x >= gutter),
    ];
    if (before.length > 0) left.push(lineOf(before));
    if (after.length > 0) right.push(lineOf(after));
  }
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
          (Math.min(row.size, item.size) < Math.max(row.size, item.size) * 0.8 ? 0.55 : 0.35);
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

/** The x of the gutter between two columns of running text; undefined for a page of one column, or of tables. */
function gutterOf(rows: readonly (readonly TextItem[])[]): number | undefined {
  const starts = new Map<number, number>();
  let split = 0;
  for (const row of rows) {
    const segments = segmentsOf(row);
    const [left, right] = segments;
    if (segments.length !== 2 || left === undefined || right === undefined) continue;
    if (left.text.split(' ').length < 4 || right.text.split(' ').length < 3) continue;
    split += 1;
    const start = Math.round(right.x / 4);
    starts.set(start, (starts.get(start) ?? 0) + 1);
  }
  const [start, count] = [...starts].sort((a, b) => b[1] - a[1])[0] ?? [0, 0];
  return split >= 8 && split >= rows.length * 0.5 && count >= split * 0.6
    ? start * 4 - 4
    : undefined;
}

function segmentsOf(row: readonly TextItem[]): Segment[] {
  const size = row.reduce((most, item) => Math.max(most, item.size), 0);
  const base = row.find((item) => item.size === size)?.y ?? 0;
  const segments: Segment[] = [];
  for (const item of row) {
    const isRaised = item.size < size * 0.8 && item.y - base > size * 0.15;
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
  for (const segment of segments) {
    const words = segment.text.replace(/\s+/g, ' ').trim();
    const column = Math.round((segment.x - left) * COLUMNS_A_POINT);
    text += text === '' ? words : ' '.repeat(Math.max(2, column - text.length)) + words;
  }
  const filled = row.filter((item) => item.text.trim() !== '');
  const signs = filled.reduce((sum, item) => sum + item.text.length, 0);
  const size =
    filled.reduce((sum, item) => sum + item.size * item.text.length, 0) / Math.max(1, signs);
  return {
    text,
    x: left,
    right: segments.reduce((most, segment) => Math.max(most, segment.right), left),
    y: row.reduce((most, item) => Math.max(most, item.y), -Infinity),
    size,
    bold: filled.length > 0 && filled.every((item) => item.bold),
  };
}

/** The measures of a whole file that its lines are judged by, in points. */
export interface PageMeasures {
  readonly bodySize: number;
  readonly left: number;
  readonly right: number;
  readonly leading: number;
  readonly mostlyBold: boolean;
}

export function measure(pages: readonly (readonly PdfLine[])[]): PageMeasures {
  const lines = pages.flat();
  const weights = new Map<number, number>();
  for (const line of lines)
    weights.set(
      Math.round(line.size * 2) / 2,
      (weights.get(Math.round(line.size * 2) / 2) ?? 0) + line.text.length,
    );
  const bodySize = [...weights].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 10;
  const body = lines.filter((line) => Math.abs(line.size - bodySize) <= 1);
  const steps = pages
    .flatMap((page) =>
      page
        .slice(1)
        .flatMap((line, index) => (page[index] === undefined ? [] : [page[index].y - line.y])),
    )
    .filter((step) => step > bodySize * 0.7 && step < bodySize * 3);
  return {
    bodySize,
    left: quantile(
      body.map((line) => line.x),
      0.05,
    ),
    right: quantile(
      body.filter((line) => !isRow(line)).map((line) => line.right),
      0.93,
    ),
    // A page or two of scattered lines show no leading of their own.
    leading: steps.length < 12 ? bodySize * 1.25 : quantile(steps, 0.3),
    mostlyBold: signsOf(lines.filter((line) => line.bold)) > signsOf(lines) / 2,
  };
}

function signsOf(lines: readonly PdfLine[]): number {
  return lines.reduce((sum, line) => sum + line.text.length, 0);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Lines for the plain-text rules: wide leading is a blank line, an early break starts a block. */
export function sourceLines(
  page: readonly PdfLine[],
  { number, measures }: { number: number; measures: PageMeasures },
): (SourceLine | undefined)[] {
  const { bodySize, left, right, leading, mostlyBold } = measures;
  const lines: (SourceLine | undefined)[] = [];
  page.forEach((line, index) => {
    const before = page[index - 1];
    if (before !== undefined) {
      const step = before.y - line.y;
      // The rows of a table stand apart by their cells' padding.
      const inTable = isRow(before) && isRow(line) && step > 0 && step < leading * 2.6;
      if (
        !inTable &&
        (step > Math.max(leading * 1.35, line.size * 1.15 * 1.35) || step < -bodySize)
      )
        lines.push(undefined);
    }
    const signWidth = (line.right - line.x) / Math.max(1, line.text.length);
    const word = line.text.split(' ', 1)[0] ?? '';
    const room = before === undefined ? 0 : right - before.right - signWidth * (word.length + 1);
    // A line that ends early ends a block, surely so after a full stop.
    const full = /[.!?:;]["”’)]*$/.test(before?.text ?? '');
    const early = room > (full ? bodySize * 2 : Math.max(bodySize * 3, (right - left) * 0.25));
    const heading = (line.bold && !mostlyBold) || line.size > bodySize * 1.12;
    const changes =
      before !== undefined &&
      ((before.bold !== line.bold && !mostlyBold) || Math.abs(before.size - line.size) > 0.8);
    lines.push({
      text: line.text,
      position: { page: number },
      indent: Math.max(0, Math.round((line.x - left) * COLUMNS_A_POINT)),
      ...(heading && { bold: true }),
      ...((early || changes) &&
        !(before !== undefined && /[\p{L}\p{N}][-/]$/u.test(before.text)) && { starts: true }),
    });
  });
  return lines;
}

function isRow(line: PdfLine): boolean {
  return /\S {2,}\S/.test(line.text);
}

/** Prefixes that keep their hyphen where a line ends after them. */
const HYPHEN_KEPT =
  /(?:^|[^\p{L}])(?:anti|non|pre|post|self|well|cross|multi|co|re|semi|sub|high|low|half|two|three|one|in|on|off|by|to|and|or|heat|light|time|dose|cell|site|user|room|double|single|full|long|short|first|second)-$/iu;

/** Undoes hyphens that a line's end made: the rest of the word moves up. The file's own words decide where they can. */
export function withoutHyphens(
  lines: readonly (SourceLine | undefined)[],
): (SourceLine | undefined)[] {
  const all = lines
    .map((line) => line?.text ?? '')
    .join('\n')
    .toLowerCase();
  const words = new Set(all.match(/\p{L}+(?:-\p{L}+)*/gu) ?? []);
  const result: (SourceLine | undefined)[] = [...lines];
  for (let index = 0; index + 1 < result.length; index += 1) {
    const line = result[index];
    const next = result[index + 1];
    if (line === undefined || next === undefined) continue;
    const head = /(\p{Ll}{2,})([-\u00ad\u2010])$/u.exec(line.text);
    const tail = /^\p{Ll}+/u.exec(next.text)?.[0];
    if (head === null || tail === undefined) continue;
    const stem = /\p{L}+$/u.exec(line.text.slice(0, -1))?.[0] ?? '';
    const isOneWord = words.has((stem + tail).toLowerCase());
    const isCompound = words.has(`${stem}-${tail}`.toLowerCase()) || HYPHEN_KEPT.test(line.text);
    if (head[2] === '-' && isCompound && !isOneWord) continue;
    const whole = /^\S+/.exec(next.text)?.[0] ?? tail;
    const rest = next.text.slice(whole.length).trimStart();
    result[index] = { ...line, text: line.text.slice(0, -1) + whole };
    if (rest === '') result.splice(index + 1, 1);
    else result[index + 1] = { ...next, text: rest };
  }
  return result;
}
