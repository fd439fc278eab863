/**
 * Chunks of bytes → a cursor over CSV records (RFC 4180), with quoted fields over many lines. Nothing is copied and no
 * field is made a string that is not asked for: inside a quoted field only the next quote is looked for.
 */

import { isUtf8 } from 'node:buffer';
import { ExitCode, ToolError } from '../../core/errors.js';

/** Stands on one record after another; what it gives is valid until `next` is called again. */
export interface CsvCursor {
  /** Moves to the next record that is not empty; false where the chunk has no further whole one. */
  next(): boolean;
  /** 1-based; the header is row 0. */
  readonly row: number;
  /** Number of fields. */
  readonly size: number;
  /** Offset of the byte after the record, from the beginning of the source. */
  readonly endByte: number;
  /** The record is no UTF-8 and is read as windows-1252. */
  readonly isForeign: boolean;
  field(at: number): string;
  /** UTF-8, without quotes; perhaps a view on what was read, so to be copied if it is kept. */
  bytes(at: number): Buffer;
}

/** A record that does not end within so many bytes has a quote that was never closed. */
const MAX_RECORD_BYTES = 32 * 1024 * 1024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const LF = 0x0a;
const CR = 0x0d;

/**
 * Yields a cursor for every chunk; it must be read to its end. `first` continues where an earlier run stopped.
 * Throws (exit 3) naming the row, for a quote in the wrong place or one that is never closed.
 */
export async function* readCsvRecords(
  chunks: AsyncIterable<Buffer>,
  options: { file: string; first?: { readonly row: number; readonly byte: number } },
): AsyncGenerator<CsvCursor> {
  let row = options.first?.row ?? 0;
  let consumed = options.first?.byte ?? 0;
  let rest: Buffer = Buffer.alloc(0);
  // Bytes that `rest` must reach before it is worth looking again: a record of 30 MB is not scanned a hundred times.
  let waitFor = 0;
  let isLast = false;
  const open = (): { cursor: CsvCursor; close: () => void } => {
    const start = consumed === 0 && rest[0] === 0xef && rest[1] === 0xbb && rest[2] === 0xbf ? 3 : 0;
    const { cursor, position } = openCursor(rest, { start, row, byte: consumed, isLast, file: options.file });
    const close = (): void => {
      const { at, nextRow } = position();
      row = nextRow;
      consumed += at;
      rest = rest.subarray(at);
      waitFor = rest.length * 2;
      if (rest.length > MAX_RECORD_BYTES) {
        throw quotingError(
          options.file,
          row,
          `it does not end within ${MAX_RECORD_BYTES / 1024 / 1024} MB, so a quote was probably never closed`,
        );
      }
    };
    return { cursor, close };
  };
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    if (rest.length < waitFor) continue;
    const { cursor, close } = open();
    yield cursor;
    close();
  }
  isLast = true;
  const { cursor, close } = open();
  yield cursor;
  close();
}

function openCursor(
  buffer: Buffer,
  options: { start: number; row: number; byte: number; isLast: boolean; file: string },
): { cursor: CsvCursor; position: () => { at: number; nextRow: number } } {
  const { isLast } = options;
  const fail = (why: string): ToolError => quotingError(options.file, row, why);
  // Start and end of every field, without quotes; the end is negative where it holds doubled quotes.
  const bounds: number[] = [];
  let at = options.start;
  let recordStart = at;
  let row = options.row - 1;
  let size = 0;
  let foreign = false;

  /** Scans one record into `bounds`; the offset after it, or -1 where the buffer ends before it does. */
  const scan = (): number => {
    let here = at;
    size = 0;
    for (;;) {
      if (buffer[here] === QUOTE) {
        let close = buffer.indexOf(QUOTE, here + 1);
        let hasEscapes = false;
        while (close !== -1 && buffer[close + 1] === QUOTE) {
          hasEscapes = true;
          close = buffer.indexOf(QUOTE, close + 2);
        }
        if (close === -1 || (close + 1 === buffer.length && !isLast)) {
          if (isLast) throw fail('a quote was opened and never closed');
          return -1;
        }
        bounds[2 * size] = here + 1;
        bounds[2 * size + 1] = hasEscapes ? -close : close;
        here = close + 1;
      } else {
        let end = here;
        while (end < buffer.length) {
          const byte = buffer[end];
          if (byte === COMMA || byte === LF || byte === CR) break;
          if (byte === QUOTE) throw fail('a quote stands inside a field that is not quoted');
          end++;
        }
        if (end === buffer.length && !isLast) return -1;
        bounds[2 * size] = here;
        bounds[2 * size + 1] = end;
        here = end;
      }
      size++;
      if (here >= buffer.length) return isLast ? here : -1;
      const byte = buffer[here];
      if (byte === COMMA) here++;
      else if (byte === LF) return here + 1;
      else if (byte === CR) {
        if (here + 1 === buffer.length && !isLast) return -1;
        return here + (buffer[here + 1] === LF ? 2 : 1);
      } else throw fail('text follows a closing quote');
    }
  };

  const bytes = (field: number): Buffer => {
    const start = bounds[2 * field] ?? 0;
    const end = bounds[2 * field + 1] ?? start;
    const raw = buffer.subarray(start, Math.abs(end));
    const plain = foreign ? recode(raw) : raw;
    // Every byte is a character of latin1 and back.
    return end < 0 ? Buffer.from(plain.toString('latin1').replaceAll('""', '"'), 'latin1') : plain;
  };

  const cursor: CsvCursor = {
    next() {
      for (;;) {
        if (at >= buffer.length) return false;
        // The number of the record that is looked at, also where it is faulty.
        row++;
        const end = scan();
        if (end === -1) {
          row--;
          return false;
        }
        recordStart = at;
        at = end;
        if (size === 1 && bounds[0] === bounds[1]) {
          row--;
          continue;
        }
        foreign = !isUtf8(buffer.subarray(recordStart, end));
        return true;
      }
    },
    get row() {
      return row;
    },
    get size() {
      return size;
    },
    get endByte() {
      return options.byte + at;
    },
    get isForeign() {
      return foreign;
    },
    field(field) {
      const start = bounds[2 * field] ?? 0;
      const end = bounds[2 * field + 1] ?? start;
      return end < 0 || foreign ? bytes(field).toString('utf8') : buffer.toString('utf8', start, end);
    },
    bytes,
  };
  return { cursor, position: () => ({ at, nextRow: row + 1 }) };
}

let windows1252: InstanceType<typeof TextDecoder> | undefined;

function recode(bytes: Buffer): Buffer {
  windows1252 ??= new TextDecoder('windows-1252');
  return Buffer.from(windows1252.decode(bytes), 'utf8');
}

function quotingError(file: string, row: number, why: string): ToolError {
  return new ToolError(ExitCode.input, `${file}: wrong quoting in ${rowName(row)}: ${why}`, {
    hint: 'a field with a comma, a quote or a line break stands in quotes, and a quote inside it is written twice',
  });
}

export function rowName(row: number): string {
  return row === 0 ? 'the header line' : `row ${row} (the header not counted)`;
}
