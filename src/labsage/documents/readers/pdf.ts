/** A PDF file's bytes in; its entries, boilerplate and control hints out. */

import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';

import { ExitCode, ToolError } from '../../../core/errors.js';
import type { ReaderResult, SourceLine } from '../readerEntries.js';
import { takeRunningLines } from '../runningLines.js';
import { newRepeats } from '../tableEntry.js';
import { joinLines, wrapWidth } from '../textEntries.js';
import { collapseBlanks } from '../words.js';
import type { PdfLine, TextItem } from './pdfBlocks.js';
import { NO_RULES, rulesOfPage, type PageRules } from './pdfRules.js';
import { checkPdfStreams } from './pdfStreams.js';
import { drawnBullets, isStruckOut, pageLines } from './pdfTables.js';
import { measure, sourceLines, withoutHyphens } from './pdfParagraphs.js';

/** Pages of one file. */
export const PAGE_LIMIT = 3000;
/** Text items of one file: a full page has some hundreds. */
const ITEM_LIMIT = 2_000_000;

/** Columns of a page whose lines show no width: they are joined by their places, not by this. */
const PAGE_COLUMNS = 100;

/** @throws ToolError (input) for a file that is encrypted, damaged, or holds no text. */
export async function readPdf(bytes: Uint8Array, options: { path: string }): Promise<ReaderResult> {
  const { path } = options;
  checkPdfStreams(bytes, options);
  const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  // The parser takes the buffer over, so it gets a copy. Nothing of a file is evaluated or fetched.
  const task = getDocument({
    data: new Uint8Array(bytes),
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    verbosity: 0,
  });
  let read: ReadPages;
  try {
    const pdf = await task.promise;
    if (pdf.numPages > PAGE_LIMIT)
      throw new ToolError(
        ExitCode.input,
        `${path}: ${pdf.numPages} pages, more than the ${PAGE_LIMIT} that are read of one file`,
        { hint: 'split the file' },
      );
    read = await readPages(pdf, path);
  } catch (error) {
    throw asToolError(error, path);
  } finally {
    await task.destroy().catch(() => undefined);
  }
  return readLines(read);
}

async function readPages(pdf: PDFDocumentProxy, path: string): Promise<ReadPages> {
  const pages: PdfLine[][] = [];
  const marks: string[] = [];
  const empty: number[] = [];
  const struck: StruckWords[] = [];
  const repeats = newRepeats();
  let items = 0;
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const found = await itemsOf(page);
    items += found.level.length;
    if (found.struck !== '') struck.push({ page: number, text: found.struck });
    if (items > ITEM_LIMIT)
      throw new ToolError(ExitCode.input, `${path}: more text than is read of one file`, {
        hint: 'split the file',
      });
    const lines = pageLines(found.level, { rules: found.rules, repeats }).filter((line) => line.text !== '');
    if (lines.length === 0) empty.push(number);
    pages.push(lines);
    if (found.tilted !== '' && !marks.includes(found.tilted)) marks.push(found.tilted);
    page.cleanup();
  }
  if (empty.length === pages.length) {
    throw new ToolError(ExitCode.input, `${path}: holds images of pages, no text`, {
      hint: 'run text recognition (OCR) over it first, for example with ocrmypdf',
    });
  }
  return { pages, marks, empty, struck, title: await titleOf(pdf) };
}

interface ReadPages {
  readonly pages: readonly (readonly PdfLine[])[];
  /** Slanted words: watermarks. */
  readonly marks: readonly string[];
  readonly empty: readonly number[];
  readonly struck: readonly StruckWords[];
  readonly title: string | undefined;
}

interface StruckWords {
  readonly page: number;
  readonly text: string;
}

function readLines({ pages, marks, empty, struck, title }: ReadPages): ReaderResult {
  const measures = measure(pages);
  const all: (SourceLine | undefined)[] = [];
  const pageStarts: number[] = [];
  pages.forEach((page, index) => {
    if (page.length === 0) return;
    pageStarts.push(all.length);
    for (const line of sourceLines(page, { number: index + 1, measures })) all.push(line);
  });
  const { lines, boilerplate, running } = takeRunningLines({ lines: all, pageStarts });
  const whole = withoutHyphens(lines);
  return {
    entries: joinLines(whole, { width: wrapWidth(whole) ?? PAGE_COLUMNS, measured: true }),
    boilerplate: [...boilerplate, ...marks.map((text) => ({ text, kind: 'running-head' as const }))],
    hints: { pairs: [], running: [...running, ...marks] },
    ...(title !== undefined && { title }),
    pages: pages.length,
    notes: [
      ...(empty.length === 0 ? [] : [`no text on page ${empty.slice(0, 20).join(', ')}: images only`]),
      ...struck.map(({ page, text }) => `struck-out words left out on page ${page}: "${text.slice(0, 60)}"`),
    ],
  };
}

interface PageItems {
  readonly level: readonly TextItem[];
  readonly rules: PageRules;
  /** Slanted words, and words that a line strikes out. */
  readonly tilted: string;
  readonly struck: string;
}

async function itemsOf(page: PDFPageProxy): Promise<PageItems> {
  const content = await page.getTextContent();
  const { isBold, rules } = await drawingOf(page);
  const level: TextItem[] = [];
  let tilted = '';
  let struck = '';
  for (const item of content.items) {
    if (!('str' in item) || item.str.trim() === '') continue;
    const [a, b, c, d, x, y] = item.transform as number[];
    if (
      a === undefined ||
      b === undefined ||
      c === undefined ||
      d === undefined ||
      x === undefined ||
      y === undefined
    )
      continue;
    const size = Math.hypot(c, d);
    if (!Number.isFinite(x + y + size + item.width) || size === 0) continue;
    if (Math.abs(b) > Math.abs(a) * 0.05) tilted += ` ${item.str}`;
    else {
      const placed: TextItem = {
        text: withMicro(item.str),
        x,
        y,
        width: Math.abs(item.width),
        size,
        bold: isBold(item.fontName),
      };
      if (isStruckOut(placed, rules)) struck += ` ${item.str}`;
      else level.push(placed);
    }
  }
  for (const bullet of drawnBullets(level, rules)) level.push(bullet);
  return { level, rules, tilted: collapseBlanks(tilted), struck: collapseBlanks(struck) };
}

/** The parser gives the Greek letter for the micro sign of units. */
function withMicro(text: string): string {
  return text.replace(/\u03bc(?=(?:[LlgmsMUAV]|mol|IU)\b)/gu, '\u00b5');
}

/** Font names are known once a page's drawing commands are read; a page whose commands are broken has no bold type and no lines. */
async function drawingOf(
  page: PDFPageProxy,
): Promise<{ isBold: (fontName: string) => boolean; rules: PageRules }> {
  const { OPS } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  let rules: PageRules;
  try {
    rules = rulesOfPage(await page.getOperatorList(), OPS);
  } catch {
    return { isBold: () => false, rules: NO_RULES };
  }
  const known = new Map<string, boolean>();
  const isBold = (fontName: string): boolean => {
    const found = known.get(fontName);
    if (found !== undefined) return found;
    const font: unknown = page.commonObjs.has(fontName) ? page.commonObjs.get(fontName) : undefined;
    const name = typeof font === 'object' && font !== null && 'name' in font ? String(font.name) : '';
    const bold =
      /bold|black|heavy|semibold|demi/i.test(name) ||
      (typeof font === 'object' && font !== null && 'bold' in font && font.bold === true);
    known.set(fontName, bold);
    return bold;
  };
  return { isBold, rules };
}

async function titleOf(pdf: PDFDocumentProxy): Promise<string | undefined> {
  const metadata = await pdf.getMetadata().catch(() => undefined);
  const info: unknown = metadata?.info;
  const title =
    typeof info === 'object' && info !== null && 'Title' in info && typeof info.Title === 'string'
      ? collapseBlanks(info.Title)
      : '';
  // Word processors put the file's name there.
  return title === '' || /\.(?:docx?|pdf|odt|rtf|html?)$|^untitled$|^microsoft word/i.test(title)
    ? undefined
    : title;
}

function asToolError(error: unknown, path: string): ToolError {
  if (error instanceof ToolError) return error;
  const name = error instanceof Error ? error.name : '';
  if (name === 'PasswordException') {
    return new ToolError(ExitCode.input, `${path}: the PDF is encrypted and needs a password`, {
      hint: 'save it without a password',
      cause: error,
    });
  }
  return new ToolError(ExitCode.input, `${path}: the PDF is damaged and cannot be read`, {
    hint: 'open it and save or print it to PDF again',
    cause: error,
  });
}
