/** A file or stdin → its rows with named values: NOTEEVENTS, MIMIC-IV-Note or JSON lines, plain or gzipped, as a stream. */

import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { createGunzip } from 'node:zlib';
import { ExitCode, ToolError, systemCode } from '../../core/errors.js';
import { readCsvRecords, rowName } from './csvRecords.js';

/** The values of a note that a source may give; what each is called elsewhere is in `COLUMN_NAMES`. */
export type ColumnName =
  | 'id'
  | 'patient'
  | 'admission'
  | 'date'
  | 'time'
  | 'stored'
  | 'category'
  | 'description'
  | 'author'
  | 'error';

export interface SourceRow {
  /** 1-based, the header not counted. */
  readonly row: number;
  /** Offset in the unpacked source of the byte after the row. */
  readonly endByte: number;
  readonly values: Readonly<Partial<Record<ColumnName, string>>>;
  /** UTF-8; never made a string while a file is read in. To be copied if it is kept. */
  readonly text: Buffer;
  readonly isForeign: boolean;
  /** The row can't be read as a row, for this reason. */
  readonly problem?: 'wrong number of columns' | 'no JSON object';
}

/** Columns by name in lower case, of MIMIC-III, MIMIC-IV-Note and our own JSON. */
const COLUMN_NAMES: Readonly<Record<ColumnName | 'text', readonly string[]>> = {
  id: ['row_id', 'note_id', 'id'],
  patient: ['subject_id', 'patient_id', 'patientid'],
  admission: ['hadm_id', 'admission_id', 'admissionid'],
  date: ['chartdate', 'date'],
  time: ['charttime', 'time'],
  stored: ['storetime', 'stored'],
  category: ['category', 'note_type', 'type'],
  description: ['description'],
  author: ['cgid', 'author'],
  error: ['iserror'],
  text: ['text'],
};
const MIMIC_NAMES: Readonly<Record<string, string>> = {
  id: 'ROW_ID',
  patient: 'SUBJECT_ID',
  category: 'CATEGORY',
  text: 'TEXT',
};

export interface SourceStart {
  readonly row: number;
  /** In the unpacked source. */
  readonly byte: number;
  /** The header line's columns, where rows before `row` are not read again. */
  readonly header?: readonly string[];
}

export interface OpenedSource {
  /** As it is named in messages. */
  readonly file: string;
  /** Of the file as it lies on the disk; absent for stdin. */
  readonly bytes?: number;
  /** How far the file on the disk has been read. */
  readonly bytesRead: () => number;
  readonly rows: AsyncIterable<readonly SourceRow[]>;
  /** The columns' names, once the first rows were read; undefined for JSON lines. */
  readonly header: () => readonly string[] | undefined;
}

const READ_BYTES = 1024 * 1024;

/** Opens a file, or stdin where `path` is `-`; the kind is told from the content. Throws (exit 3) when it can't be read. */
export async function openSource(
  path: string,
  options: { stdin: NodeJS.ReadableStream; from?: SourceStart },
): Promise<OpenedSource> {
  const file = path === '-' ? 'stdin' : basename(path);
  if (path === '-') {
    let read = 0;
    const counted = countBytes(options.stdin as AsyncIterable<Buffer>, (bytes) => (read += bytes));
    const { head, all } = await peek(counted);
    checkKind(head, file);
    return { file, bytesRead: () => read, ...rowsOf(isGzip(head) ? gunzip(all, file) : all, { file }) };
  }
  const { head, bytes } = await readHead(path);
  checkKind(head, file);
  // A plain file is continued in its middle; a gzipped one has to be unpacked up to there.
  const skip = options.from?.byte ?? 0;
  const start = isGzip(head) ? 0 : skip;
  let read = start;
  const stream = createReadStream(path, { highWaterMark: READ_BYTES, start });
  const counted = countBytes(stream, (count) => (read += count));
  const chunks = isGzip(head) ? skipBytes(gunzip(counted, file), skip) : counted;
  return {
    file,
    bytes,
    bytesRead: () => read,
    ...rowsOf(chunks, { file, ...(options.from === undefined ? {} : { from: options.from }) }),
  };
}

async function readHead(path: string): Promise<{ head: Buffer; bytes: number }> {
  try {
    const handle = await open(path, 'r');
    try {
      const stats = await handle.stat();
      if (stats.isDirectory()) {
        throw new ToolError(ExitCode.input, `${path} is a folder`, {
          hint: 'name the file, e.g. NOTEEVENTS.csv',
        });
      }
      const buffer = Buffer.alloc(4);
      const { bytesRead } = await handle.read(buffer, 0, 4, 0);
      return { head: buffer.subarray(0, bytesRead), bytes: stats.size };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    throw new ToolError(ExitCode.input, `there is no file ${path}`, {
      hint: 'check the name and the folder',
      cause: error,
    });
  }
}

async function* countBytes(
  chunks: AsyncIterable<Buffer | string>,
  count: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    count(bytes.length);
    yield bytes;
  }
}

async function peek(chunks: AsyncIterable<Buffer>): Promise<{ head: Buffer; all: AsyncIterable<Buffer> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  const head: Buffer = first.done === true ? Buffer.alloc(0) : first.value;
  async function* all(): AsyncGenerator<Buffer> {
    yield head;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
  }
  return { head, all: all() };
}

function isGzip(head: Buffer): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/** Throws (exit 3) for kinds of files that are taken for text by their name only. */
function checkKind(head: Buffer, file: string): void {
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) {
    throw new ToolError(ExitCode.input, `${file} is UTF-16`, {
      hint: `convert it first: iconv -f UTF-16 -t UTF-8 ${file}`,
    });
  }
  if (head[0] === 0x50 && head[1] === 0x4b) {
    throw new ToolError(ExitCode.input, `${file} is a ZIP archive`, {
      hint: 'unpack it first, or use a .csv or .csv.gz file',
    });
  }
}

async function* gunzip(chunks: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  const { Readable, pipeline } = await import('node:stream');
  const unpacker = createGunzip({ chunkSize: READ_BYTES });
  // `pipeline` destroys both ends when either fails or the reader stops.
  pipeline(Readable.from(chunks), unpacker, () => undefined);
  try {
    for await (const chunk of unpacker) yield chunk as Buffer;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined || !code.startsWith('Z_')) throw error;
    const why = code === 'Z_BUF_ERROR' ? 'it was cut short' : 'its data are damaged';
    throw new ToolError(ExitCode.input, `${file} can't be unpacked to its end: ${why}`, {
      hint: 'copy or download it again, and compare its checksum',
      cause: error,
    });
  }
}

async function* skipBytes(chunks: AsyncIterable<Buffer>, count: number): AsyncGenerator<Buffer> {
  let left = count;
  for await (const chunk of chunks) {
    if (left >= chunk.length) left -= chunk.length;
    else {
      yield left === 0 ? chunk : chunk.subarray(left);
      left = 0;
    }
  }
}

interface RowOptions {
  readonly file: string;
  readonly from?: SourceStart;
  readonly onHeader?: (header: readonly string[]) => void;
}

function rowsOf(chunks: AsyncIterable<Buffer>, options: RowOptions): Pick<OpenedSource, 'rows' | 'header'> {
  let header = options.from?.header;
  async function* rows(): AsyncGenerator<readonly SourceRow[]> {
    const { head, all } = await peek(chunks);
    const isJson =
      options.from === undefined ? /^\uFEFF?\s*\{/u.test(head.toString('utf8', 0, 64)) : header === undefined;
    yield* isJson
      ? jsonRows(all, options)
      : csvRows(all, { ...options, onHeader: (found) => (header = found) });
  }
  return { rows: rows(), header: () => header };
}

async function* csvRows(
  chunks: AsyncIterable<Buffer>,
  { file, from, onHeader }: RowOptions,
): AsyncGenerator<readonly SourceRow[]> {
  let header = from?.header;
  let columns = header === undefined ? undefined : columnsOf(header, file);
  for await (const cursor of readCsvRecords(chunks, {
    file,
    ...(from === undefined ? {} : { first: from }),
  })) {
    const rows: SourceRow[] = [];
    while (cursor.next()) {
      if (header === undefined || columns === undefined) {
        header = Array.from({ length: cursor.size }, (_, at) => cursor.field(at));
        columns = columnsOf(header, file);
        onHeader?.(header);
        continue;
      }
      const { row, endByte, isForeign } = cursor;
      if (cursor.size !== header.length) {
        rows.push({
          row,
          endByte,
          values: {},
          text: NO_BYTES,
          isForeign,
          problem: 'wrong number of columns',
        });
        continue;
      }
      const values: Partial<Record<ColumnName, string>> = {};
      for (const [name, at] of columns.named) values[name] = cursor.field(at);
      rows.push({ row, endByte, values, text: cursor.bytes(columns.text), isForeign });
    }
    if (rows.length > 0) yield rows;
  }
  if (header === undefined)
    throw new ToolError(ExitCode.input, `${file} is empty`, { hint: 'it needs a header line and rows' });
}

const NO_BYTES = Buffer.alloc(0);

/** Where each value stands. Throws (exit 3), naming what is missing and what was found. */
function columnsOf(
  header: readonly string[],
  file: string,
): { named: (readonly [ColumnName, number])[]; text: number } {
  const names = header.map((name) => name.trim().toLowerCase());
  const columns = (Object.keys(COLUMN_NAMES) as (ColumnName | 'text')[]).flatMap((column) => {
    const at = names.findIndex((name) => COLUMN_NAMES[column].includes(name));
    return at === -1 ? [] : [[column, at] as const];
  });
  const has = (column: ColumnName | 'text'): boolean => columns.some(([name]) => name === column);
  const missing = (['id', 'patient', 'category', 'text'] as const)
    .filter((column) => !has(column))
    .map((column) => MIMIC_NAMES[column] ?? column);
  if (!has('date') && !has('time')) missing.push('CHARTDATE');
  if (missing.length === 0) {
    const isNamed = (
      column: readonly [ColumnName | 'text', number],
    ): column is readonly [ColumnName, number] => column[0] !== 'text';
    return { named: columns.filter(isNamed), text: columns.find(([name]) => name === 'text')?.[1] ?? -1 };
  }
  // A file without a header line begins with a patient's data, which no message may show.
  const isHeader = header.length > 1 && names.every((name) => /^[a-z][a-z0-9_ ]{0,30}$/u.test(name));
  const found = isHeader
    ? `its columns are ${header.join(', ')}`
    : `its first line is no list of column names (${header.length} fields)`;
  throw new ToolError(
    ExitCode.input,
    `${file} lacks the column${missing.length > 1 ? 's' : ''} ${missing.join(', ')}: ${found}`,
    {
      hint: 'expected is MIMIC-III NOTEEVENTS, MIMIC-IV-Note discharge or radiology, or JSON lines',
    },
  );
}

const MAX_LINE_BYTES = 32 * 1024 * 1024;

/** One JSON object a line, with the names of our `Note` or of the CSV columns. */
async function* jsonRows(
  chunks: AsyncIterable<Buffer>,
  { file, from }: RowOptions,
): AsyncGenerator<readonly SourceRow[]> {
  let row = from?.row ?? 1;
  let consumed = from?.byte ?? 0;
  let rest: Buffer = Buffer.alloc(0);
  const take = (isLast: boolean): SourceRow[] => {
    const rows: SourceRow[] = [];
    let at = 0;
    while (at < rest.length) {
      const newline = rest.indexOf(0x0a, at);
      if (newline === -1 && !isLast) break;
      const end = newline === -1 ? rest.length : newline + 1;
      const line = rest.toString('utf8', at, end).trim();
      at = end;
      if (line === '') continue;
      rows.push({ row, endByte: consumed + at, isForeign: false, ...parseJsonRow(line) });
      row++;
    }
    consumed += at;
    rest = rest.subarray(at);
    if (rest.length > MAX_LINE_BYTES) {
      throw new ToolError(
        ExitCode.input,
        `${file}: ${rowName(row)} is longer than ${MAX_LINE_BYTES / 1024 / 1024} MB`,
        {
          hint: 'write one JSON object a line',
        },
      );
    }
    return rows;
  };
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const rows = take(false);
    if (rows.length > 0) yield rows;
  }
  const rows = take(true);
  if (rows.length > 0) yield rows;
}

function parseJsonRow(line: string): Pick<SourceRow, 'values' | 'text' | 'problem'> {
  const none = { values: {}, text: Buffer.alloc(0), problem: 'no JSON object' } as const;
  let object: unknown;
  try {
    object = JSON.parse(line);
  } catch {
    return none;
  }
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return none;
  const values: Partial<Record<ColumnName, string>> = {};
  const byName = new Map(
    Object.entries(object).map(([name, value]) => [name.toLowerCase(), value as unknown]),
  );
  let text = '';
  for (const [column, names] of Object.entries(COLUMN_NAMES) as [ColumnName | 'text', readonly string[]][]) {
    const value = names
      .map((name) => byName.get(name))
      .find((candidate) => candidate !== undefined && candidate !== null);
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
    if (column === 'text') text = String(value);
    else values[column] = String(value);
  }
  return { values, text: Buffer.from(text, 'utf8') };
}
