import { afterEach, expect, test } from '@jest/globals';
import { openShownGenerator } from '../../../src/core/generator/shownText.js';
import { createOutput } from '../../../src/core/output.js';
import { memoryIo, type MemoryIo } from '../../memoryIo.js';
import { deltaOf, eventOf, scriptedServer, stream, type ScriptedServer } from '../../scriptedServer.js';

const open: ScriptedServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const WORDS = ['Mix the tube. ', 'Spin it \u001b[31mfor \n5 min. ', 'Read it at 340 nm.'];

async function write({
  isTTY,
  quiet = false,
  env = {},
}: {
  isTTY: boolean;
  quiet?: boolean;
  env?: Record<string, string>;
}): Promise<MemoryIo & { text: string | undefined }> {
  const server = await scriptedServer(() =>
    stream([...WORDS.map((word) => deltaOf(word)), eventOf('[DONE]')]),
  );
  open.push(server);
  const io = memoryIo({ env });
  Object.assign(io.stderr, { isTTY, columns: 40 });
  const model = openShownGenerator({ generator: `openai:${server.url}#m` }, createOutput(io, { quiet }));
  const reply = await model?.complete({ user: 'u' });
  return { ...io, text: reply?.text };
}

test('a terminal shows the last words of what is written on one line, and nothing of it stays', async () => {
  const { text, err, out } = await write({ isTTY: true });
  expect([text, out()]).toEqual([WORDS.join(''), '']);
  const shown = err().split('\r\u001b[2K');
  expect(shown.slice(1)).toEqual([
    'Writing: ',
    'Writing: Mix the tube. ',
    'Writing:  tube. Spin it [31mfor 5 min. ',
    'Writing: mfor 5 min. Read it at 340 nm.',
    '',
  ]);
  // No line is longer than the terminal, and no control character of the model's is passed on.
  for (const line of shown) {
    expect(line.length).toBeLessThan(40);
    expect(line).not.toMatch(/\p{C}/u);
  }
});

test.each([
  ['a pipe', { isTTY: false }],
  ['--quiet', { isTTY: true, quiet: true }],
  ['a dumb terminal', { isTTY: true, env: { TERM: 'dumb' } }],
])('%s shows nothing', async (_, options) => {
  const { text, err } = await write(options);
  expect([text, err()]).toEqual([WORDS.join(''), '']);
});

test('the extractive generator shows nothing', () => {
  const io = memoryIo();
  Object.assign(io.stderr, { isTTY: true });
  expect(openShownGenerator({}, createOutput(io))).toBeUndefined();
  expect(io.err()).toBe('');
});
