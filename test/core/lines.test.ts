import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { parseObject, readLines, streamLines } from '../../src/core/lines.js';
import { inTemporaryFolder } from '../temporaryFolder.js';

async function linesOf(stream: NodeJS.ReadableStream): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of readLines(stream)) lines.push(line);
  return lines;
}

test('lines are the same however the bytes are cut into chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc
        .array(fc.constantFrom('µ', 'a', '\r', '🧪', ' '), { maxLength: 20 })
        .map((parts) => `${parts.join('')}x`),
      fc.constantFrom('\n', '\r\n'),
      fc.integer({ min: 1, max: 5 }),
      async (line, end, size) => {
        const bytes = Buffer.from(`${line}${end}${end}${line}`);
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        expect(await linesOf(Readable.from(chunks))).toEqual([line, '', line]);
      },
    ),
  );
});

test('a byte order mark is no part of the first line', async () => {
  expect(await linesOf(Readable.from([Buffer.from('\uFEFFfirst\nsecond\n')]))).toEqual(['first', 'second']);
});

test('lines of a file keep every character but the line feed, and say whether the last one was ended', async () => {
  await inTemporaryFolder(async (folder) => {
    const path = join(folder, 'log.jsonl');
    const linesIn = async (text: string): Promise<unknown[]> => {
      await writeFile(path, text);
      const lines: unknown[] = [];
      for await (const { text: line, isWhole } of streamLines(path)) lines.push([line, isWhole]);
      return lines;
    };
    expect(await linesIn('\uFEFFa\r\n\nb\u2028c')).toEqual([
      ['\uFEFFa\r', true],
      ['', true],
      ['b\u2028c', false],
    ]);
    // Longer than the chunks in which a file is read, which cut its characters in two.
    const long = 'µ'.repeat(100_001);
    expect(await linesIn(`x${long}\n${long}\n`)).toEqual([
      [`x${long}`, true],
      [long, true],
    ]);
    expect(await linesIn('')).toEqual([]);
    const none: unknown[] = [];
    for await (const line of streamLines(join(folder, 'absent'))) none.push(line);
    expect(none).toEqual([]);
    await expect(streamLines(folder).next()).rejects.toMatchObject({ code: 'EISDIR' });
  });
});

test("the stream's own error reaches the reader", async () => {
  const stream = new PassThrough();
  stream.write('one\n');
  setImmediate(() => stream.destroy(Object.assign(new Error('gone'), { code: 'EIO' })));
  await expect(linesOf(stream)).rejects.toThrow('gone');
});

test('an interrupt ends the waiting for a line that does not come', async () => {
  const controller = new AbortController();
  const stream = new PassThrough();
  const reading = (async () => {
    for await (const line of readLines(stream, { signal: controller.signal })) expect(line).toBe('never');
  })();
  setImmediate(() => controller.abort(new Error('interrupted')));
  await expect(reading).rejects.toThrow('interrupted');
});

test.each([
  ['{"a":1}', { a: 1 }],
  ['[1]', undefined],
  ['null', undefined],
  ['{', undefined],
  ['5', undefined],
])('the object in %s', (json, value) => {
  expect(parseObject(json)).toEqual(value);
});
