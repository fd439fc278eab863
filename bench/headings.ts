/** `npm run bench -- headings`: headings and sections found in public SOPs against those marked by hand, and one SOP in five formats. */

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { packageRoot } from '../src/core/config.js';
import { sha256Hex } from '../src/core/text.js';
import type { Document } from '../src/core/types.js';
import { locate, readDocument } from '../src/labsage/document.js';
import { chunkingOf, cutDocument } from '../src/labsage/units.js';
import { SOP_FORMATS, SOP_NAME } from '../test/labsage/oneSop.js';
import { HEADING_MARKS, type HeadingMarks } from './headingMarks.js';

const ROW = (cells: readonly (string | number)[]): string =>
  cells.map((cell, at) => (at === 0 ? String(cell).padEnd(48) : String(cell).padStart(9))).join(' ');

/** `--show`: also the lines of headings that were missed and of those that are none. */
export async function benchHeadings(args: readonly string[]): Promise<void> {
  await measurePublic(args.includes('--show'));
  await compareFormats();
}

interface Found {
  readonly marked: number;
  readonly right: number;
  readonly extra: number;
  readonly major: number;
  readonly majorRight: number;
  readonly lines: number;
  readonly linesInSection: number;
  readonly linesUnderHeading: number;
}

async function measurePublic(show: boolean): Promise<void> {
  const shared = process.env['LABSAGE_SHARED'] ?? resolve(packageRoot, '..', 'shared');
  console.log(ROW(['SOP', 'headings', 'found', 'wrong', 'major', 'found', 'lines', 'section', 'heading']));
  const all: Found[] = [];
  for (const marks of HEADING_MARKS) {
    const bytes = await readFile(join(shared, 'public', 'labdocs', 'sops', marks.file));
    if (sha256Hex(bytes) !== marks.sha256) throw new Error(`${marks.file} is not the file that was marked`);
    const document = await readDocument(bytes, { path: marks.file });
    const { found, missed, wrong } = compare(document, marks, bytes.toString('utf8').split('\n'));
    all.push(found);
    console.log(row(marks.file.replace('.txt', '').slice(0, 46), found));
    if (show) console.log(`  missed: ${missed.join(' ') || 'none'}; wrong: ${wrong.join(' ') || 'none'}`);
  }
  const total = (key: keyof Found): number => all.reduce((sum, found) => sum + found[key], 0);
  const keys = Object.keys(all[0] ?? {}) as (keyof Found)[];
  const sum = Object.fromEntries(keys.map((key) => [key, total(key)])) as unknown as Found;
  console.log(row(`all ${all.length}`, sum));
  const precision = sum.right / (sum.right + sum.extra);
  const recall = sum.right / sum.marked;
  console.log(
    `headings: recall ${recall.toFixed(3)}, precision ${precision.toFixed(3)}, F1 ${((2 * recall * precision) / (recall + precision)).toFixed(3)}; ` +
      `major sections: recall ${(sum.majorRight / sum.major).toFixed(3)}; lines in their major section ${(sum.linesInSection / sum.lines).toFixed(3)}, under their own heading ${(sum.linesUnderHeading / sum.lines).toFixed(3)}`,
  );
}

function row(name: string, found: Found): string {
  const { marked, right, extra, major, majorRight, lines, linesInSection, linesUnderHeading } = found;
  const share = (count: number): string => (count / lines).toFixed(3);
  return ROW([
    name,
    marked,
    right,
    extra,
    major,
    majorRight,
    lines,
    share(linesInSection),
    share(linesUnderHeading),
  ]);
}

/** A heading is right if it stands at a marked line; a major one also needs to be no part of another section. */
function compare(
  document: Document,
  marks: HeadingMarks,
  lines: readonly string[],
): { found: Found; missed: readonly number[]; wrong: readonly number[] } {
  const headings = document.blocks.filter(({ kind }) => kind === 'heading');
  const placed = headings.map(({ span, level = 1 }) => ({
    line: locate(document, span).lines?.[0] ?? 0,
    level,
  }));
  const top = Math.min(...placed.map(({ level }) => level));
  const at = new Set(placed.map(({ line }) => line));
  const tops = placed.filter(({ level }) => level === top).map(({ line }) => line);
  const marked = [...marks.major, ...marks.minor].sort((a, b) => a - b);
  const wrong = [...at].filter((line) => !marked.includes(line) && !(marks.either ?? []).includes(line));
  const before = (places: readonly number[], line: number): number | undefined =>
    places.filter((place) => place <= line).at(-1);
  const all = placed.map(({ line }) => line).filter((line) => !(marks.either ?? []).includes(line));
  const textLines = lines
    .map((text, index) => ({ text, line: index + 1 }))
    .filter(({ text, line }) => text.trim() !== '' && line >= (marked[0] ?? 0));
  return {
    missed: marked.filter((line) => !at.has(line)),
    wrong,
    found: {
      marked: marked.length,
      right: marked.filter((line) => at.has(line)).length,
      extra: wrong.length,
      major: marks.major.length,
      majorRight: marks.major.filter((line) => tops.includes(line)).length,
      lines: textLines.length,
      linesInSection: textLines.filter(({ line }) => before(tops, line) === before(marks.major, line)).length,
      linesUnderHeading: textLines.filter(({ line }) => before(all, line) === before(marked, line)).length,
    },
  };
}

/** The units of one SOP must be the same from every format. */
async function compareFormats(): Promise<void> {
  console.log(`\n${ROW(['one SOP as', 'blocks', 'headings', 'contexts', 'units', 'equal'])}`);
  let first: string | undefined;
  for (const [extension, bytes] of SOP_FORMATS) {
    const document = await readDocument(bytes(), { path: `${SOP_NAME}.${extension}` });
    const { contexts, units } = await cutDocument(document, chunkingOf('labsage', 'bench'));
    const said = JSON.stringify([
      contexts.map(({ headingPath, span }) => [headingPath, document.text.slice(span.start, span.end)]),
      units.map(({ embedText }) => embedText),
    ]);
    first ??= said;
    const headings = document.blocks.filter(({ kind }) => kind === 'heading').length;
    console.log(
      ROW([
        extension,
        document.blocks.length,
        headings,
        contexts.length,
        units.length,
        said === first ? 'yes' : 'NO',
      ]),
    );
    if (said !== first) process.exitCode = 1;
  }
}
