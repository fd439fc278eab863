/** Consecutive lines in; the table that they draw (with `|`, or with columns parted by two blanks or more) out. */

import { guessHeaderRows, tableOf } from './tableEntry.js';
import type { ReaderEntry, SourceLine } from './readerEntries.js';
import { collapseBlanks, joinRuns } from './words.js';
import { readLabel } from './labels.js';

export interface FoundTable {
  readonly entry: ReaderEntry;
  /** Lines that it takes up. */
  readonly lines: number;
}

interface Cell {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** `+---+`, `|---|:--|`, `-----  -----`, `=====`. */
export function isRule(text: string): boolean {
  const bare = text.trim();
  return (
    bare.length >= 3 &&
    /^[-=_+|:*~#\s\u2500-\u257f]+$/u.test(bare) &&
    /[-=_*~#\u2500-\u257f]{3}|[|+]\s*:?-+:?\s*[|+]/u.test(bare)
  );
}

/** A line with more columns is no table's row. */
const COLUMN_LIMIT = 40;
/** Longest line that may be a table's row, in characters. */
const ROW_CHARS = 2000;

/** A table that starts at `lines[at]`, or undefined. Lines end at the first blank one (undefined). */
export function findTable(lines: readonly (SourceLine | undefined)[], at: number): FoundTable | undefined {
  return findPipeTable(lines, at) ?? findColumnTable(lines, at);
}

function findPipeTable(lines: readonly (SourceLine | undefined)[], at: number): FoundTable | undefined {
  const first = lines[at];
  if (first === undefined || !isPipeRow(first)) return undefined;
  const rows: GridRow[] = [];
  let headerRows = 0;
  let index = at;
  for (; index < lines.length; index += 1) {
    const line = lines[index];
    if (line === undefined) break;
    if (isRule(line.text)) {
      if (rows.length > 0 && headerRows === 0) headerRows = rows.length;
      continue;
    }
    if (!isPipeRow(line)) break;
    const raw = pipeParts(line, first);
    rows.push({ line, cells: raw.map(collapseBlanks), widths: raw.map((cell) => cell.length - 2) });
  }
  while (index > at && isRule(lines[index - 1]?.text ?? '') && !/[|+]/.test(lines[index - 1]?.text ?? ''))
    index -= 1;
  if (rows.length < 2) return undefined;
  const { grid, headers } = withWholeRows(rows, headerRows);
  headerRows = headers;
  // A frame drawn around every row says nothing about which of them is the header.
  if (headerRows >= grid.length) headerRows = 0;
  return {
    entry: tableEntry(grid, headerRows > 0 ? headerRows : guessHeaderRows(grid.map((row) => row.cells))),
    lines: index - at,
  };
}

interface GridRow {
  readonly line: SourceLine;
  readonly cells: readonly string[];
  /** Characters that a cell of this row may fill. */
  readonly widths: readonly number[];
}

/** Rows that a narrow table wraps over several lines become one row each; header rows stay apart. */
function withWholeRows(rows: readonly GridRow[], headerRows: number): { grid: GridRow[]; headers: number } {
  const grid: GridRow[] = [];
  const body = rows.slice(headerRows);
  const smallTable = body.filter((row) => /^\p{Ll}/u.test(row.cells[0] ?? '')).length > body.length / 2;
  let above: GridRow | undefined;
  rows.forEach((row, position) => {
    const before = grid.at(-1);
    if (
      before !== undefined &&
      above !== undefined &&
      position > headerRows &&
      goesOn(above, row, smallTable)
    ) {
      const width = Math.max(before.cells.length, row.cells.length);
      const cells = Array.from({ length: width }, (_, column) =>
        collapseBlanks(`${before.cells[column] ?? ''} ${row.cells[column] ?? ''}`),
      );
      grid[grid.length - 1] = { ...before, cells };
    } else {
      grid.push(row);
    }
    above = row;
  });
  return { grid, headers: headerRows };
}

/**
 * A line that starts no row of its own: its first cell is empty, or goes on in lower case (`g/dL`) or after a comma, and
 * a word of it did not fit on the line above.
 */
function goesOn(above: GridRow, row: GridRow, smallTable: boolean): boolean {
  const misfits = row.cells.map((cell, column) => {
    const before = above.cells[column] ?? '';
    const word = cell.split(' ', 1)[0] ?? '';
    return (
      cell !== '' && before !== '' && before.length + 1 + word.length > (above.widths[column] ?? Infinity)
    );
  });
  const [first = ''] = row.cells;
  if (first === '') return misfits.includes(true);
  const small = !smallTable && /^(?:\p{Ll}|[(%])/u.test(first);
  const comma = above.cells.some((cell, column) => cell.endsWith(',') && row.cells[column] !== '');
  return misfits[0] === true && (small || comma);
}

function isPipeRow(line: SourceLine | undefined): boolean {
  if (line === undefined || line.text.length > ROW_CHARS) return false;
  const pipes = line.text.split(/[|\u2502]/u).length - 1;
  return (
    pipes >= 2 ||
    (pipes === 1 && /\s[|\u2502](?:\s|$)/u.test(line.text)) ||
    (/^[+|]/.test(line.text) && isRule(line.text))
  );
}

/** The cells of a row as they stand; outer bars are dropped where the table's first line has one. */
function pipeParts(line: SourceLine, first: SourceLine): string[] {
  const text = ' '.repeat(Math.max(0, line.indent - first.indent)) + line.text;
  const parts = text.split(/[|\u2502]/u);
  if (/^[|+\u2502]/u.test(first.text) && parts.length > 1 && parts[0]?.trim() === '') parts.shift();
  if (/[|\u2502]\s*$/u.test(text)) parts.pop();
  return parts;
}

function findColumnTable(lines: readonly (SourceLine | undefined)[], at: number): FoundTable | undefined {
  const first = lines[at];
  if (first === undefined || columnCells(first).length < 2) return undefined;
  const rows: { line: SourceLine; cells: Cell[] }[] = [];
  let columns: Range[] = [];
  let headerRows = 0;
  let index = at;
  for (; index < lines.length; index += 1) {
    const line = lines[index];
    if (line === undefined) break;
    if (isRule(line.text)) {
      if (rows.length > 0 && headerRows === 0) headerRows = rows.length;
      continue;
    }
    let cells = columnCells(line);
    if (cells.length === 1 && rows.length > 0) cells = splitAtColumn(line, { cells, columns });
    const last = rows.at(-1);
    if (cells.length === 1 && last !== undefined && overflows(last.line, line))
      cells = [
        {
          text: line.text,
          start: last.cells.at(-1)?.start ?? 0,
          end: (last.cells.at(-1)?.start ?? 0) + 1,
        },
      ];
    const [only] = cells;
    const below =
      only !== undefined &&
      only.end < (columns[1]?.start ?? 0) &&
      /^(?:\p{Ll}|[(%])/u.test(only.text) &&
      last?.cells[0]?.start === only.start;
    const wraps =
      cells.length === 1 &&
      rows.length > 0 &&
      (below || (only?.start ?? 0) >= (columns[1]?.start ?? Infinity) - 1);
    if (cells.length < 2 && !wraps) break;
    const widened =
      rows.length === 0 ? cells.map(({ start, end }) => ({ start, end })) : widen(columns, cells);
    if (widened !== undefined) columns = widened;
    // A row set to other stops than those above it: by the order of its cells, if it has them all.
    else if (cells.length === columns.length)
      cells = cells.map((cell, column) => ({ ...cell, ...(columns[column] ?? cell) }));
    else break;
    rows.push({ line, cells });
  }
  while (index > at && isRule(lines[index - 1]?.text ?? '')) {
    index -= 1;
    if (headerRows === rows.length) headerRows = 0;
  }
  // Where only the first row is bold, it holds the names.
  if (headerRows === 0 && rows[0]?.line.bold === true && rows[1]?.line.bold !== true) headerRows = 1;
  const full = rows.filter((row) => row.cells.length > 1);
  if (full.length < (headerRows > 0 ? 2 : 3) && !(full.length === 2 && (full[0]?.cells.length ?? 0) >= 3))
    return undefined;
  if (columns.length < 2) return undefined;
  const keyed = full.filter((row) => row.cells[0]?.text.endsWith(':')).length;
  if (keyed === full.length) return undefined;
  const widths = columns.map((column) => column.end - column.start);
  const { grid, headers } = withWholeRows(
    rows.map((row) => ({ line: row.line, cells: spread(row.cells, columns), widths })),
    headerRows,
  );
  headerRows = headers >= grid.length ? 0 : headers;
  return {
    entry: tableEntry(grid, headerRows > 0 ? headerRows : guessHeaderRows(grid.map((row) => row.cells))),
    lines: index - at,
  };
}

/** The cells of a line, a step's label taken as part of its first; a line with a sentence in it has one. */
function columnCells(line: SourceLine): Cell[] {
  if (line.text.length > ROW_CHARS) return [];
  const cells: Cell[] = [];
  const label = readLabel(line.text);
  const isStep =
    label !== undefined &&
    (label.close !== '' || label.kind === 'bullet' || label.numbers.length > 1) &&
    label.end - label.text.length <= 3;
  const skip = isStep ? label.end : 0;
  const tabs = line.text.includes('\t');
  const gap = tabs ? /\t+| {2,}/g : / {2,}/g;
  let start = 0;
  for (const match of line.text.matchAll(gap)) {
    if (match.index < skip) continue;
    const text = line.text.slice(start, match.index);
    // Two blanks after a full stop part sentences, not columns.
    if (/\p{Ll}\.$/u.test(text) && match[0].length === 2) continue;
    if (text !== '') cells.push({ text, start: start + line.indent, end: match.index + line.indent });
    start = match.index + match[0].length;
  }
  const rest = line.text.slice(start).trimEnd();
  if (rest !== '')
    cells.push({ text: rest, start: start + line.indent, end: start + rest.length + line.indent });
  return cells.length > COLUMN_LIMIT ? [] : cells;
}

interface Range {
  start: number;
  end: number;
}

/** The last cell of a long line went on at the left margin of the next. */
function overflows(before: SourceLine, line: SourceLine): boolean {
  return (
    line.indent === before.indent &&
    /^\p{Ll}/u.test(line.text) &&
    before.text.length > 50 &&
    line.text.length < 40 &&
    !/[.;:]$/.test(before.text)
  );
}

/** The columns after a row is set into them; undefined if the row would melt two of them into one. */
function widen(columns: readonly Range[], cells: readonly Cell[]): Range[] | undefined {
  const wider = columns.map((column) => ({ ...column }));
  for (const cell of cells) {
    const touched = wider.filter((column) => cell.start < column.end && column.start < cell.end);
    if (touched.length > 1) return undefined;
    const [only] = touched;
    if (only === undefined) {
      wider.push({ start: cell.start, end: cell.end });
      wider.sort((a, b) => a.start - b.start);
    } else {
      only.start = Math.min(only.start, cell.start);
      only.end = Math.max(only.end, cell.end);
    }
  }
  const used = cells.map((cell) => columnOf(cell, wider));
  // Columns that only ever wait for their first cell on a third row are running text that happens to have gaps.
  return new Set(used).size === used.length && wider.length <= columns.length + 2 ? wider : undefined;
}

/** A cell that fills its column up to the next leaves one blank only: `Room temp. 18-25 °C 2 hours`. */
function splitAtColumn(
  line: SourceLine,
  { cells, columns }: { cells: Cell[]; columns: readonly Range[] },
): Cell[] {
  const second = columns[1];
  if (second === undefined || columns.length !== 2) return cells;
  const at = second.start - line.indent;
  if (at < 2 || at >= line.text.length || line.text[at - 1] !== ' ' || line.text[at] === ' ') return cells;
  const left = line.text.slice(0, at).trimEnd();
  return [
    { text: left, start: line.indent, end: line.indent + left.length },
    { text: line.text.slice(at), start: second.start, end: line.indent + line.text.length },
  ];
}

/** The column that a cell overlaps most, else the nearest. */
function columnOf(cell: Cell, columns: readonly Range[]): number {
  let best = 0;
  let bestOverlap = -Infinity;
  columns.forEach((column, index) => {
    const overlap = Math.min(cell.end, column.end) - Math.max(cell.start, column.start);
    if (overlap > bestOverlap) {
      best = index;
      bestOverlap = overlap;
    }
  });
  return best;
}

function spread(cells: readonly Cell[], columns: readonly Range[]): string[] {
  const row = columns.map(() => '');
  for (const cell of cells) {
    const column = columnOf(cell, columns);
    row[column] = collapseBlanks(`${row[column] ?? ''} ${cell.text}`);
  }
  return row;
}

function tableEntry(
  rows: readonly { readonly line: SourceLine; readonly cells: readonly string[] }[],
  headerRows: number,
): ReaderEntry {
  return tableOf(
    rows.map((row) => row.cells.map((cell) => joinRuns([{ text: cell, position: row.line.position }]))),
    { headerRows, lines: rows.length },
  );
}
