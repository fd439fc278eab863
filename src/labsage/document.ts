/** The bytes of one SOP file (Markdown, plain text, HTML, DOCX, PDF) in; a `Document` with its canonical text out. */

import { createHash } from 'node:crypto';

import { ExitCode, ToolError } from '../core/errors.js';
import type { Document, Location, Span } from '../core/types.js';
import { assembleText } from './documents/canonicalText.js';
import { findControl } from './documents/control.js';
import { findBlocks, HEADING_CHARS } from './documents/readerBlocks.js';
import type { ReaderResult } from './documents/readerEntries.js';
import { collapseBlanks } from './documents/words.js';

export type DocumentFormat = 'markdown' | 'text' | 'html' | 'docx' | 'pdf';

/** Largest file that is read, in bytes: the longest SOPs are a hundredth of it. */
export const FILE_LIMIT_BYTES = 64 * 1024 * 1024;
/** Largest file of the text formats, in bytes: 16 million characters are 5,000 printed pages. */
export const TEXT_LIMIT_BYTES = 16 * 1024 * 1024;

const EXTENSIONS: Readonly<Record<string, DocumentFormat>> = {
  md: 'markdown',
  markdown: 'markdown',
  mdown: 'markdown',
  txt: 'text',
  text: 'text',
  htm: 'html',
  html: 'html',
  xhtml: 'html',
  docx: 'docx',
  docm: 'docx',
  pdf: 'pdf',
};

/**
 * `options.path` is shown in locations and messages, and its extension tells the format.
 * @throws ToolError (input, exit 3) for a file that cannot be read: too large, binary, encrypted, damaged, of another format.
 */
export async function readDocument(bytes: Uint8Array, options: { path: string }): Promise<Document> {
  const path = options.path.replaceAll('\\', '/');
  const format = documentFormat(path, bytes);
  const limit = format === 'docx' || format === 'pdf' ? FILE_LIMIT_BYTES : TEXT_LIMIT_BYTES;
  if (bytes.length > limit) throw tooLarge(`${path}: ${megabytes(bytes.length)} MB`, limit);
  const read = await readAs(format, bytes, path);
  const id = documentId(path);
  const length = read.entries.reduce((sum, { words }) => sum + words.text.length, 0);
  if (length > TEXT_LIMIT_BYTES) throw tooLarge(`${path}: ${megabytes(length)} MB of text`, TEXT_LIMIT_BYTES);
  const found = findBlocks(read.entries);
  const { control, title, notes } = findControl({
    hints: read.hints,
    head: found.head,
    body: found.body,
  });
  const { text, blocks, origins } = assembleText(found.blocks, { docId: id });
  const allNotes = [...read.notes, ...notes, ...(text === '' ? ['the file holds no text'] : [])];
  return {
    id,
    path,
    title: clipped(collapseBlanks(title ?? found.title ?? read.title ?? titleOfPath(path))),
    text,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    control,
    blocks,
    origins,
    boilerplate: read.boilerplate,
    ...(read.pages !== undefined && { pages: read.pages }),
    ...(allNotes.length > 0 && { notes: allNotes }),
  };
}

/** Never between the halves of a surrogate pair. */
function clipped(title: string): string {
  return title.slice(0, HEADING_CHARS).replace(/[\uD800-\uDBFF]$/u, '');
}

function tooLarge(what: string, limit: number): ToolError {
  return new ToolError(
    ExitCode.input,
    `${what}, more than the ${megabytes(limit)} MB that are read of one file`,
    { hint: 'split the file, or leave it out' },
  );
}

async function readAs(format: DocumentFormat, bytes: Uint8Array, path: string): Promise<ReaderResult> {
  switch (format) {
    case 'markdown':
      return (await import('./documents/readers/markdown.js')).readMarkdown(bytes, { path });
    case 'text':
      return (await import('./documents/readers/plainText.js')).readPlainText(bytes, { path });
    case 'html':
      return (await import('./documents/readers/html.js')).readHtml(bytes, { path });
    case 'docx':
      return (await import('./documents/readers/docx.js')).readDocx(bytes, { path });
    case 'pdf':
      return (await import('./documents/readers/pdf.js')).readPdf(bytes, { path });
  }
}

/**
 * By the file's first bytes where they are a format's own, else by its extension.
 * @throws ToolError (input) for what is neither, naming what it is where that can be told.
 */
export function documentFormat(path: string, bytes: Uint8Array): DocumentFormat {
  const extension = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const named = EXTENSIONS[extension];
  const magic = magicOf(bytes);
  if (magic === 'pdf') return 'pdf';
  if (magic === 'zip' && (named === 'docx' || named === undefined)) return 'docx';
  if (magic === 'ole') {
    throw named === 'docx'
      ? new ToolError(ExitCode.input, `${path}: encrypted, or an old Word file under a new name`, {
          hint: 'open it in Word and save it as .docx without a password',
        })
      : new ToolError(ExitCode.input, `${path}: a Word 97-2003 file (.doc) or another old Office format`, {
          hint: 'save it as .docx or PDF',
        });
  }
  if (magic !== undefined) {
    throw new ToolError(
      ExitCode.input,
      `${path}: holds ${magic === 'zip' ? 'a zip archive' : magic}, not a document's text`,
      {
        hint: 'save it as text, Markdown, HTML, DOCX or PDF under the matching file name',
      },
    );
  }
  if (named === 'pdf' || named === 'docx') {
    throw new ToolError(
      ExitCode.input,
      `${path}: not a ${named === 'pdf' ? 'PDF' : 'DOCX'} file, or damaged at its start`,
      { hint: 'open it and save it again' },
    );
  }
  if (named !== undefined) return named;
  if (extension === 'doc' || extension === 'rtf' || extension === 'odt') {
    throw new ToolError(ExitCode.input, `${path}: .${extension} files cannot be read`, {
      hint: 'save it as .docx or PDF',
    });
  }
  throw new ToolError(ExitCode.input, `${path}: not a format that can be read`, {
    hint: 'use .md, .txt, .html, .docx or .pdf',
  });
}

function magicOf(bytes: Uint8Array): string | undefined {
  const starts = (...values: number[]): boolean => values.every((value, index) => bytes[index] === value);
  // A PDF may have a few bytes of another system before its mark.
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024)).toString('latin1');
  if (/^[^A-Za-z]{0,64}%PDF-\d/.test(head)) return 'pdf';
  if (starts(0x50, 0x4b, 3, 4) || starts(0x50, 0x4b, 5, 6)) return 'zip';
  if (starts(0xd0, 0xcf, 0x11, 0xe0)) return 'ole';
  if (starts(0x89, 0x50, 0x4e, 0x47)) return 'a PNG image';
  if (starts(0xff, 0xd8, 0xff)) return 'a JPEG image';
  if (head.startsWith('GIF8')) return 'a GIF image';
  if (head.startsWith('{\\rtf')) return 'RTF';
  if (starts(0x1f, 0x8b)) return 'a gzip archive';
  return undefined;
}

/** Slug of the file's stem: folders do not count. Ids that collide are the caller's to settle. */
export function documentId(path: string): string {
  const slug = stemOf(path)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return slug === '' ? 'document' : slug;
}

/** The file's lines, pages or paragraphs that a span of the canonical text stems from. */
export function locate(document: Pick<Document, 'path' | 'origins'>, span: Span): Location {
  const first = Math.max(0, lastAtOrBefore(document.origins, span.start));
  const last = Math.max(first, lastAtOrBefore(document.origins, Math.max(span.start, span.end - 1)));
  const covered = document.origins.slice(first, last + 1);
  const lines = range(covered.map((origin) => origin.line));
  const pages = range(covered.map((origin) => origin.page));
  const paragraphs = range(covered.map((origin) => origin.paragraph));
  return {
    file: document.path,
    ...(lines && { lines }),
    ...(pages && { pages }),
    ...(paragraphs && { paragraphs }),
  };
}

function lastAtOrBefore(origins: Document['origins'], at: number): number {
  let low = 0;
  let high = origins.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((origins[middle]?.at ?? Infinity) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function range(values: readonly (number | undefined)[]): readonly [number, number] | undefined {
  let least = Infinity;
  let most = -Infinity;
  for (const value of values) {
    if (value === undefined) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return least === Infinity ? undefined : [least, most];
}

function stemOf(path: string): string {
  const name = path.replaceAll('\\', '/').split('/').at(-1) ?? path;
  return name.replace(/(?<=.)\.[A-Za-z0-9]{1,8}$/, '');
}

function titleOfPath(path: string): string {
  return collapseBlanks(stemOf(path).replaceAll(/[_]+/g, ' ')) || 'Untitled';
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(bytes < 10 * 1024 * 1024 ? 1 : 0);
}
