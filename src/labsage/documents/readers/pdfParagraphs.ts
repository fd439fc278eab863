/** The placed lines of a PDF's pages in; lines for the plain-text rules, with the starts of blocks that the layout shows, out. */

import type { SourceLine } from '../readerEntries.js';
import type { PdfLine } from './pdfBlocks.js';
import { COLUMNS_A_POINT } from './pdfLines.js';

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
  const body = lines.filter((line) => line.cells === undefined && Math.abs(line.size - bodySize) <= 1);
  const steps = pages
    .flatMap((page) =>
      page.slice(1).flatMap((line, index) => {
        const above = page[index];
        return above === undefined || above.cells !== undefined || line.cells !== undefined
          ? []
          : [above.y - line.y];
      }),
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
    if (line.cells !== undefined) {
      if (before?.table !== line.table) lines.push(undefined);
      lines.push({
        text: line.text,
        position: { page: number },
        indent: 0,
        size: line.size,
        cells: line.cells,
        ...(line.bold && { bold: true }),
      });
      return;
    }
    if (before?.cells !== undefined) lines.push(undefined);
    else if (before !== undefined) {
      const step = before.y - line.y;
      // The rows of a table stand apart by their cells' padding.
      const inTable = isRow(before) && isRow(line) && step > 0 && step < leading * 2.6;
      if (!inTable && (step > Math.max(leading * 1.35, line.size * 1.15 * 1.35) || step < -bodySize))
        lines.push(undefined);
    }
    const signWidth = (line.right - line.x) / Math.max(1, line.text.length);
    const word = line.text.split(' ', 1)[0] ?? '';
    const edge = before?.margins?.right ?? right;
    const width = edge - (before?.margins?.left ?? left);
    const room = before === undefined ? 0 : edge - before.right - signWidth * (word.length + 1);
    // A line that ends early ends a block, surely so after a full stop.
    const full = /[.!?:;]["”’)]*$/.test(before?.text ?? '');
    const early = room > (full ? bodySize * 2 : Math.max(bodySize * 3, width * 0.25));
    const heading = (line.bold && !mostlyBold) || line.size > bodySize * 1.12;
    const changes =
      before !== undefined &&
      ((before.bold !== line.bold && !mostlyBold) || Math.abs(before.size - line.size) > 0.8);
    lines.push({
      text: line.text,
      position: { page: number },
      indent: Math.max(0, Math.round((line.x - (line.margins?.left ?? left)) * COLUMNS_A_POINT)),
      ...(heading && { bold: true }),
      size: line.size,
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
export function withoutHyphens(lines: readonly (SourceLine | undefined)[]): (SourceLine | undefined)[] {
  const all = lines
    .map((line) => line?.text ?? '')
    .join('\n')
    .toLowerCase()
    // The halves of what is to be judged are no words.
    .replace(/\p{L}+[-\u00ad\u2010]\n\p{L}+/gu, ' ');
  const words = new Set(all.match(/\p{L}+(?:-\p{L}+)*/gu) ?? []);
  const result: (SourceLine | undefined)[] = [...lines];
  for (let index = 0; index + 1 < result.length; index += 1) {
    const line = result[index];
    const next = result[index + 1];
    if (line === undefined || next === undefined || line.cells !== undefined || next.cells !== undefined)
      continue;
    const head = /(\p{Ll}{2,})([-\u00ad\u2010])$/u.exec(line.text);
    const tail = /^\p{Ll}+/u.exec(next.text)?.[0];
    if (head === null || tail === undefined) continue;
    const stem = /\p{L}+$/u.exec(line.text.slice(0, -1))?.[0] ?? '';
    const isOneWord = words.has((stem + tail).toLowerCase());
    const areWords = [stem, tail].every((part) => part.length >= 4 && words.has(part.toLowerCase()));
    const isCompound = areWords || words.has(`${stem}-${tail}`.toLowerCase()) || HYPHEN_KEPT.test(line.text);
    if (head[2] === '-' && isCompound && !isOneWord) continue;
    const whole = /^\S+/.exec(next.text)?.[0] ?? tail;
    const rest = next.text.slice(whole.length).trimStart();
    result[index] = { ...line, text: line.text.slice(0, -1) + whole };
    if (rest === '') result.splice(index + 1, 1);
    else result[index + 1] = { ...next, text: rest };
  }
  return result;
}
