/** Lines of a PDF page, or its rows of text items, in; the same with blocks of text that stand beside each other parted, out. */

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
  /** A row of a ruled table: its cells, and which of the page's tables it belongs to. */
  readonly cells?: readonly string[];
  readonly table?: number;
  /** Of the column that it stands in, where the page has columns. */
  readonly margins?: { readonly left: number; readonly right: number };
}

/** Blanks wider than this share of the type's size part columns. */
export const COLUMN_GAP = 0.95;

/** Lines of one column stand at least this share of their type's size apart. */
const LEAST_LEADING = 0.9;
/** Lines of one block follow each other within this share of their type's size. */
const BLOCK_LEADING = 1.6;

/**
 * A text box beside a paragraph: their lines, none level with another, stand between each other.
 * The lines of the left block come first, then those of the right one.
 */
export function besideEachOther(lines: readonly PdfLine[]): PdfLine[] {
  const ordered: PdfLine[] = [];
  for (let index = 0; index < lines.length;) {
    const run = interleaved(lines, index);
    for (const line of run ?? lines.slice(index, index + 1)) ordered.push(line);
    index += run?.length ?? 1;
  }
  return ordered;
}

function interleaved(lines: readonly PdfLine[], from: number): PdfLine[] | undefined {
  const [first, second] = [lines[from], lines[from + 1]];
  if (first === undefined || second === undefined) return undefined;
  const apart = first.right < second.x || second.right < first.x;
  if (!apart || first.y - second.y > Math.min(first.size, second.size) * LEAST_LEADING) return undefined;
  const sides = first.x < second.x ? { left: [first], right: [second] } : { left: [second], right: [first] };
  const gutter = Math.max(first.x, second.x) - 1;
  let at = from + 2;
  for (; at < lines.length; at += 1) {
    const line = lines[at];
    if (line === undefined) break;
    const side = line.right <= gutter ? sides.left : line.x >= gutter ? sides.right : undefined;
    const above = side?.at(-1);
    if (side === undefined || above === undefined) break;
    const crowded = (lines[at - 1]?.y ?? 0) - line.y < line.size * LEAST_LEADING;
    const same = Math.abs(above.x - line.x) < 3 && above.y - line.y < line.size * BLOCK_LEADING;
    if (!crowded && !same) break;
    side.push(line);
  }
  return [...withMargins(sides.left), ...withMargins(sides.right)];
}

/** Baselines that differ by more than this share of the type's size do not stand level. */
const LEVEL = 0.12;

/** Parts rows whose left and right half do not stand level, where several rows in turn part at the same place. */
export function unlevelRows(rows: readonly (readonly TextItem[])[]): (readonly TextItem[])[] {
  const cuts = rows.map(cutOfRow);
  const alike = (index: number, other: number): boolean => {
    const [cut, near] = [cuts[index], cuts[other]];
    return cut !== undefined && near !== undefined && Math.abs(cut.x - near.x) < 3;
  };
  return rows.flatMap((row, index) => {
    const cut = cuts[index];
    if (cut === undefined || !(alike(index, index - 1) || alike(index, index + 1))) return [row];
    const halves = [row.slice(0, cut.at), row.slice(cut.at)];
    return halves.sort((a, b) => (b[0]?.y ?? 0) - (a[0]?.y ?? 0));
  });
}

/** The first item of the right half, of the same size of type as the left one but not level with it. */
function cutOfRow(row: readonly TextItem[]): { at: number; x: number } | undefined {
  for (let at = 1; at < row.length; at += 1) {
    const [before, item] = [row[at - 1], row[at]];
    if (before === undefined || item === undefined) continue;
    const gap = item.x - (before.x + before.width);
    const alike = Math.abs(item.size - before.size) < item.size * 0.05;
    if (gap < item.size * COLUMN_GAP || !alike || Math.abs(item.y - before.y) <= item.size * LEVEL) continue;
    const level = (items: readonly TextItem[], y: number): boolean =>
      items.every((other) => Math.abs(other.y - y) <= other.size * LEVEL);
    if (level(row.slice(0, at), before.y) && level(row.slice(at), item.y)) return { at, x: item.x };
  }
  return undefined;
}

/** Of a column: how far its lines reach on both sides. */
export function withMargins(lines: readonly PdfLine[]): PdfLine[] {
  const margins = {
    left: lines.reduce((least, line) => Math.min(least, line.x), Infinity),
    right: lines.reduce((most, line) => Math.max(most, line.right), 0),
  };
  return lines.map((line) => ({ ...line, margins }));
}
