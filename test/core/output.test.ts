import { expect, test } from '@jest/globals';
import { createOutput, formatBytes, formatDuration, progressLine } from '../../src/core/output.js';
import { memoryIo } from '../memoryIo.js';

const ESCAPE = '\u001b[';

test('results go to stdout, everything else to stderr', () => {
  const io = memoryIo();
  const output = createOutput(io);
  output.print('result');
  output.printJson({ a: 1 });
  output.warn('careful');
  output.note('by the way');
  expect(io.out()).toBe('result\n{"a":1}\n');
  expect(io.err()).toBe('warning: careful\nby the way\n');
});

test('--quiet silences notes and progress, not warnings', () => {
  const io = memoryIo();
  const output = createOutput(io, { quiet: true });
  output.note('by the way');
  const progress = output.progress('Reading', 3);
  progress.update(3);
  progress.stop();
  output.warn('careful');
  expect(io.err()).toBe('warning: careful\n');
});

test.each([
  { isTTY: false, env: {}, colored: false },
  { isTTY: true, env: {}, colored: true },
  { isTTY: true, env: { NO_COLOR: '1' }, colored: false },
  { isTTY: true, env: { NO_COLOR: '' }, colored: true },
  { isTTY: true, env: { TERM: 'dumb' }, colored: false },
  { isTTY: false, env: { FORCE_COLOR: '1' }, colored: true },
  { isTTY: false, env: { FORCE_COLOR: '1', NO_COLOR: '1' }, colored: false },
])('colours: %j', ({ isTTY, env, colored }) => {
  const io = memoryIo({ env });
  Object.assign(io.stdout, { isTTY });
  const output = createOutput(io);
  output.print(output.color.red('x'));
  expect(io.out().includes(ESCAPE)).toBe(colored);
});

test('a table on a pipe has no box characters and one line a row', async () => {
  const io = memoryIo();
  await createOutput(io).table(
    ['name', 'units'],
    [
      ['a.md', '12'],
      ['b.md', '3'],
    ],
  );
  expect(io.out()).not.toMatch(/[─│┌┐└┘]/u);
  expect(
    io
      .out()
      .trimEnd()
      .split('\n')
      .map((line) => line.trim().split(/\s{2,}/u)),
  ).toEqual([
    ['name', 'units'],
    ['a.md', '12'],
    ['b.md', '3'],
  ]);
});

test.each([
  [{ total: 400, elapsedMs: 3000 }, 'Embedding unit 120 of 400, 40/s, 7 s left'],
  [{ elapsedMs: 60_000 }, 'Embedding unit 120, 2.0/s'],
  [{ total: 120, elapsedMs: 0 }, 'Embedding unit 120 of 120, 0.0/s'],
])('progress with %j', (options, line) => {
  expect(progressLine('Embedding unit', 120, options)).toBe(line);
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1500, '1.5 kB'],
  [104_000_000, '104.0 MB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test.each([
  [-1, '0 s'],
  [89, '89 s'],
  [600, '10 min'],
  [7200, '2.0 h'],
])('%d seconds are %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});
