/** The lines drawn on a PDF page and its text items in; the tables that the lines rule, cell by cell, and the items outside them, out. */

import type { Words } from '../readerEntries.js';
import { repeatable, type Repeats } from '../tableEntry.js';
import { joinWrapped } from '../words.js';
import type { PdfLine, TextItem } from './pdfBlocks.js';
import { linesOfPage } from './pdfLines.js';
import type { PageRules, Rule } from './pdfRules.js';

/** The items of one cell of a ruled table; a cell that spans rows or columns stands in each of them. */
type RuledCell = readonly TextItem[];

interface RuledTable {
  /** Top down; every row has the same number of cells. */
  readonly rows: readonly (readonly RuledCell[])[];
  /** Of each row: its upper edge, in points. */
  readonly tops: readonly number[];
  readonly left: number;
  readonly right: number;
}

/** Lines nearer to each other than this are one, and ends nearer than this meet, in points. */
const NEAR = 3;
/** A table has no more columns and rows on a page. */
const COLUMN_LIMIT = 40;
const ROW_LIMIT = 300;
/** A page with more lines of one direction, or more dots, is a drawing, such as graph paper or a plot. */
const LINE_LIMIT = 1500;
/** A cell with more text holds a page's own text: its lines only place it. */
const CELL_CHARS = 1500;
/** A cell's side is drawn if lines cover this share of it. */
const DRAWN = 0.6;

/** A private sign, so that a row's place among the lines is found like that of a line of text. */
const ROW_MARK = /\u{F0000}(\d+),(\d+)\u{F0001}/u;

/** The lines of a page in reading order; each row of a ruled table is one line that holds its cells. */
export function pageLines(
  items: readonly TextItem[],
  { rules, repeats }: { rules: PageRules; repeats: Repeats },
): PdfLine[] {
  const { tables, outside } = ruledTables(rules, items);
  if (tables.length === 0) return linesOfPage(items);
  const marks = tables.flatMap((table, at) =>
    table.rows.map((row, index): TextItem => {
      const sizes = row.flat().map(({ size }) => size);
      const size = sizes.length === 0 ? 1 : Math.max(...sizes);
      const y = (table.tops[index] ?? 0) - size;
      const text = `\u{F0000}${at},${index}\u{F0001}`;
      return { text, x: table.left, y, width: table.right - table.left, size, bold: false };
    }),
  );
  const read = new Map<RuledCell, Words>();
  return linesOfPage([...outside, ...marks]).flatMap((line) => {
    const mark = ROW_MARK.exec(line.text);
    if (mark === null) return [line];
    const rest = line.text.replace(mark[0], '').trim();
    const table = Number(mark[1]);
    const row = tables[table]?.rows[Number(mark[2])] ?? [];
    const [first] = row;
    // A first row of one cell over all columns is the table's caption.
    const isCaption = mark[2] === '0' && first !== undefined && row.every((cell) => cell === first);
    if (isCaption) return linesOfPage(first);
    const cells = row.map((cell) => {
      const before = read.get(cell);
      const words = before ?? cellWords(cell);
      read.set(cell, words);
      return (before === undefined ? words : repeatable(words, repeats)).text;
    });
    const text = cells.filter((cell) => cell !== '').join('   ');
    const filledItems = row.flat();
    const bold = filledItems.length > 0 && filledItems.every((item) => item.bold);
    return [...(rest === '' ? [] : [{ ...line, text: rest }]), { ...line, text, bold, cells, table }];
  });
}

function cellWords(items: RuledCell): Words {
  return joinWrapped(linesOfPage(items).map(({ text }) => ({ text, position: {} })));
}

function ruledTables(
  rules: PageRules,
  items: readonly TextItem[],
): { tables: RuledTable[]; outside: TextItem[] } {
  const taken = new Set<TextItem>();
  const tables = gridsOf(rules).flatMap((grid) => {
    const inside = items.filter((item) => !taken.has(item) && placeOf(item, grid) !== undefined);
    const table = filled(grid, inside);
    if (table === undefined) return [];
    for (const item of inside) taken.add(item);
    return [table];
  });
  return { tables, outside: items.filter((item) => !taken.has(item)) };
}

/** Words that a line strikes out: it runs through the middle of their letters, over all of them. */
export function isStruckOut({ x, y, width, size }: TextItem, { level }: PageRules): boolean {
  if (level.length > LINE_LIMIT) return false;
  return level.some(
    ({ at, from, to }) =>
      at > y + size * 0.12 &&
      at < y + size * 0.45 &&
      Math.min(to, x + width) - Math.max(from, x) >= width * 0.9,
  );
}

/** The bullets of lists that are drawn as shapes, not written: each stands a little before the first words of its line. */
export function drawnBullets(items: readonly TextItem[], { dots }: PageRules): TextItem[] {
  if (dots.length > LINE_LIMIT) return [];
  const level = (item: TextItem, dot: { y: number }): boolean =>
    dot.y > item.y && dot.y < item.y + item.size * 0.7;
  return dots.flatMap((dot) => {
    const line = items.filter((item) => level(item, dot));
    const after = line.find(({ x, size }) => x > dot.x && x - dot.x < size * 2);
    const before = line.some(({ x, width, size }) => x < dot.x && dot.x - (x + width) < size * 4);
    return after === undefined || before
      ? []
      : [{ ...after, text: '•', x: dot.x - 2, width: 4, bold: false }];
  });
}

interface Grid {
  /** Upright lines from left to right, level lines from the top down. */
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  readonly level: readonly Rule[];
  readonly upright: readonly Rule[];
}

/** Lines that touch each other belong to one grid; it has two columns and two rows at least. */
function gridsOf(rules: PageRules): Grid[] {
  const level = merged(rules.level);
  const upright = merged(rules.upright);
  if (Math.max(level.length, upright.length) > LINE_LIMIT) return [];
  const groups = new Set<{ level: Rule[]; upright: Set<Rule> }>();
  for (const line of level) {
    const touched = upright.filter((other) => meet(line, other));
    if (touched.length === 0) continue;
    const group = { level: [line], upright: new Set(touched) };
    for (const other of groups) {
      if (!touched.some((rule) => other.upright.has(rule))) continue;
      group.level.push(...other.level);
      for (const rule of other.upright) group.upright.add(rule);
      groups.delete(other);
    }
    groups.add(group);
  }
  return [...groups]
    .map((group) => ({
      level: group.level,
      upright: [...group.upright],
      xs: places([...group.upright]),
      ys: places(group.level).reverse(),
    }))
    .filter(
      ({ xs, ys }) =>
        xs.length >= 3 && ys.length >= 3 && xs.length <= COLUMN_LIMIT + 1 && ys.length <= ROW_LIMIT + 1,
    )
    .sort((a, b) => (b.ys[0] ?? 0) - (a.ys[0] ?? 0));
}

function meet(level: Rule, upright: Rule): boolean {
  return (
    upright.at >= level.from - NEAR &&
    upright.at <= level.to + NEAR &&
    level.at >= upright.from - NEAR &&
    level.at <= upright.to + NEAR
  );
}

/** Pieces of one line become one. */
function merged(rules: readonly Rule[]): Rule[] {
  const sorted = [...rules].sort((a, b) => a.at - b.at || a.from - b.from);
  const bands: Rule[][] = [];
  for (const rule of sorted) {
    const band = bands.at(-1);
    if (band?.[0] !== undefined && rule.at - band[0].at <= NEAR / 2) band.push(rule);
    else bands.push([rule]);
  }
  return bands.flatMap((band) => {
    const whole: Rule[] = [];
    for (const rule of band.sort((a, b) => a.from - b.from)) {
      const last = whole.at(-1);
      if (last !== undefined && rule.from <= last.to + NEAR)
        whole[whole.length - 1] = { ...last, to: Math.max(last.to, rule.to) };
      else whole.push(rule);
    }
    return whole;
  });
}

/** Where lines stand, each place once, ascending. */
function places(rules: readonly Rule[]): number[] {
  const found: number[] = [];
  for (const at of rules.map((rule) => rule.at).sort((a, b) => a - b))
    if (found.length === 0 || at - (found.at(-1) ?? 0) > NEAR) found.push(at);
  return found;
}

function placeOf(
  { x, y, width, size }: TextItem,
  { xs, ys }: Grid,
): { row: number; column: number } | undefined {
  const middle = y + size * 0.3;
  const row = ys.findIndex((edge, index) => middle <= edge && middle > (ys[index + 1] ?? Infinity));
  const start = x + Math.min(width, size) / 2;
  const column = xs.findIndex((edge, index) => start >= edge && start < (xs[index + 1] ?? -Infinity));
  return row < 0 || column < 0 ? undefined : { row, column };
}

const NO_ITEMS: RuledCell = [];

/** Undefined for what is no table: a frame, a form whose lines part nothing. */
function filled(grid: Grid, items: readonly TextItem[]): RuledTable | undefined {
  const { xs, ys } = grid;
  const width = xs.length - 1;
  const height = ys.length - 1;
  const owner = cellOwners(grid);
  const texts = new Map<number, TextItem[]>();
  for (const item of items) {
    const place = placeOf(item, grid);
    if (place === undefined) continue;
    const cell = owner[place.row * width + place.column] ?? 0;
    const list = texts.get(cell);
    if (list === undefined) texts.set(cell, [item]);
    else list.push(item);
  }
  const longest = Math.max(
    0,
    ...[...texts.values()].map((cell) => cell.reduce((sum, { text }) => sum + text.length, 0)),
  );
  if (texts.size < 3 || longest > CELL_CHARS) return undefined;
  const rows = Array.from({ length: height }, (_, row) =>
    Array.from({ length: width }, (__, column) => texts.get(owner[row * width + column] ?? 0) ?? NO_ITEMS),
  );
  return { rows, tops: ys.slice(0, -1), left: xs[0] ?? 0, right: xs.at(-1) ?? 0 };
}

/** For each place of the grid the first place of its cell: places that no drawn line parts are one cell. */
function cellOwners({ xs, ys, level, upright }: Grid): number[] {
  const width = xs.length - 1;
  const height = ys.length - 1;
  const owner = Array.from({ length: width * height }, (_, index) => index);
  const find = (index: number): number => {
    let at = index;
    while (owner[at] !== undefined && owner[at] !== at) at = owner[at] ?? at;
    return at;
  };
  const join = (a: number, b: number): void => {
    const [first, second] = [find(a), find(b)];
    owner[Math.max(first, second)] = Math.min(first, second);
  };
  for (let row = 0; row < height; row += 1) {
    const [top = 0, bottom = 0] = [ys[row], ys[row + 1]];
    for (let column = 0; column < width; column += 1) {
      const [left = 0, right = 0] = [xs[column], xs[column + 1]];
      const index = row * width + column;
      if (column + 1 < width && !isDrawn(upright, { at: right, from: bottom, to: top }))
        join(index, index + 1);
      if (row + 1 < height && !isDrawn(level, { at: bottom, from: left, to: right }))
        join(index, index + width);
    }
  }
  return owner.map((_, index) => find(index));
}

function isDrawn(rules: readonly Rule[], side: Rule): boolean {
  const covered = rules
    .filter(({ at }) => Math.abs(at - side.at) <= NEAR)
    .reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, side.to) - Math.max(from, side.from)), 0);
  return covered >= (side.to - side.from) * DRAWN;
}
