/** The CSV cursor against csv-parse, which is slower and well known: the same fields, however the bytes are cut. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'csv-parse/sync';
import { readCsvRecords } from '../../../src/clirag/ingest/csvRecords.js';

async function* cut(data: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < data.length; at += size) yield await Promise.resolve(data.subarray(at, at + size));
}

async function readAll(data: Buffer | string, size = 7): Promise<string[][]> {
  const records: string[][] = [];
  for await (const cursor of readCsvRecords(cut(Buffer.from(data), size), { file: 'x.csv' })) {
    while (cursor.next()) {
      expect(cursor.row).toBe(records.length);
      records.push(Array.from({ length: cursor.size }, (_, at) => cursor.field(at)));
    }
  }
  return records;
}

const field = fc.oneof(
  fc
    .array(fc.constantFrom('a', '"', ',', '\n', '\r\n', 'ü', '😀', ' ', '1'), { maxLength: 8 })
    .map((parts) => parts.join('')),
  fc.string({ maxLength: 10 }),
);

function write(rows: readonly (readonly string[])[], end: string): string {
  return rows.map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(',')).join(end) + end;
}

test('what was written is read, in pieces of any size', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { maxLength: 6 }),
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom('\n', '\r\n'),
      async (rows, size, end) => {
        expect(await readAll(write(rows, end), size)).toEqual(rows);
      },
    ),
    { numRuns: 300 },
  );
});

test('the same as csv-parse, with and without quotes', async () => {
  const plain = fc.stringMatching(/^[a-z0-9 ]{0,6}$/u);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(plain, field, plain), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 40 }),
      async (rows, size) => {
        const text = rows.map(([a, b, c]) => `${a},"${b.replaceAll('"', '""')}",${c}\n`).join('');
        expect(await readAll(text, size)).toEqual(parse(text, { record_delimiter: '\n' }));
      },
    ),
    { numRuns: 300 },
  );
});

test('a byte order mark, empty lines and a missing last line feed', async () => {
  expect(await readAll('\uFEFFa,b\n\n1,2\r\n\r\n3,')).toEqual([
    ['a', 'b'],
    ['1', '2'],
    ['3', ''],
  ]);
});

test('what is no UTF-8 is read as windows-1252 and said', async () => {
  const data = Buffer.concat([
    Buffer.from('a,b\n"caf'),
    Buffer.from([0xe9]),
    Buffer.from('",5 '),
    Buffer.from([0xb5]),
    Buffer.from('g\n'),
  ]);
  const foreign: boolean[] = [];
  for await (const cursor of readCsvRecords(cut(data, 5), { file: 'x.csv' })) {
    while (cursor.next()) {
      foreign.push(cursor.isForeign);
      if (cursor.row === 1) expect([cursor.field(0), cursor.field(1)]).toEqual(['café', '5 µg']);
    }
  }
  expect(foreign).toEqual([false, true]);
});

test('reading goes on where it stopped', async () => {
  const text = write(
    [
      ['h', 'i'],
      ['1', 'x\ny'],
      ['2', 'z'],
    ],
    '\n',
  );
  const ends: number[] = [];
  for await (const cursor of readCsvRecords(cut(Buffer.from(text), 9), { file: 'x.csv' }))
    while (cursor.next()) ends.push(cursor.endByte);
  const from = ends[1] ?? 0;
  const rest: [number, string][] = [];
  for await (const cursor of readCsvRecords(cut(Buffer.from(text).subarray(from), 9), {
    file: 'x.csv',
    first: { row: 2, byte: from },
  })) {
    while (cursor.next()) rest.push([cursor.row, cursor.field(1)]);
  }
  expect(rest).toEqual([[2, 'z']]);
});

describe('wrong quoting names the row and shows none of it', () => {
  test.each([
    ['a,b\n1,2\n3,x"SECRET"\n', 'row 2 (the header not counted)', 'not quoted'],
    ['a,b\n1,"SECRET"x\n', 'row 1 (the header not counted)', 'follows a closing quote'],
    ['a,b\n1,2\n2,"SECRET\n3,4\n', 'row 2 (the header not counted)', 'never closed'],
    ['a,"b\n', 'the header line', 'never closed'],
  ])('%j', async (text, row, why) => {
    const message = await readAll(text).then(
      () => '',
      (error: unknown) => (error as Error).message,
    );
    expect(message).toContain(row);
    expect(message).toContain(why);
    expect(message).not.toContain('SECRET');
  });
});
