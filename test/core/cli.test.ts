import { expect, test } from '@jest/globals';
import { Command } from 'commander';
import { runProgram, type ProgramFactory } from '../../src/core/cli.js';
import { ExitCode, ToolError } from '../../src/core/errors.js';
import type { Io } from '../../src/core/output.js';
import { createProgram } from '../../src/labsage/cli.js';
import { memoryIo } from '../memoryIo.js';

function programThat(act: (io: Io) => void | Promise<void>, code: ExitCode = ExitCode.done): ProgramFactory {
  return (io, finish) =>
    new Command('test').exitOverride().action(async () => {
      await act(io);
      finish(code);
    });
}

function systemError(code: string, path?: string): Error {
  return Object.assign(new Error(`${code}: from the system`), {
    code,
    syscall: 'open',
    ...(path === undefined ? {} : { path }),
  });
}

test.each([
  [
    new ToolError(ExitCode.model, 'no model', { hint: 'use one of: minilm' }),
    4,
    'error: no model. Use one of: minilm\n',
  ],
  [
    new ToolError(ExitCode.usage, 'nothing given', { hint: 'labsage ask "x"' }),
    2,
    'error: nothing given. Run: labsage ask "x"\n',
  ],
  [new ToolError(ExitCode.input, 'a\n  b'), 3, 'error: a b\n'],
  [new ToolError(ExitCode.input, 'is it?', { hint: 'no' }), 3, 'error: is it? No\n'],
  [
    systemError('ENOSPC', '/x'),
    3,
    'error: the disk is full (writing /x). Free some space and run the command again\n',
  ],
  [
    systemError('EROFS', '/x'),
    3,
    'error: /x cannot be written: the file system is read-only. Name another folder with --index\n',
  ],
  [
    systemError('EACCES', '/x'),
    3,
    'error: no permission to read or write /x. Change its permissions, or name another folder with --index\n',
  ],
  [
    systemError('EIO', '/x'),
    3,
    'error: /x failed to open (EIO). Check the path and the disk, and run the command again\n',
  ],
  [
    systemError('EMFILE'),
    3,
    'error: too many open files. Raise the limit (ulimit -n) and run the command again\n',
  ],
  [systemError('EPIPE'), 0, ''],
])('%s', async (error, code, line) => {
  const io = memoryIo();
  expect(
    await runProgram(
      programThat(() => Promise.reject(error)),
      [],
      io,
    ),
  ).toBe(code);
  expect(io.err()).toBe(line);
  expect(io.out()).toBe('');
});

test('our own errors are bugs: exit 1, a request and the stack', async () => {
  const io = memoryIo();
  const broken = programThat(() => Promise.reject(new TypeError('x is not a function')));
  expect(await runProgram(broken, [], io)).toBe(1);
  expect(io.err()).toMatch(
    /^error: this is a bug in the program, please report it .*\nTypeError: x is not a function\n/u,
  );
});

test('the exit code of a handler is the exit code', async () => {
  expect(
    await runProgram(
      programThat(() => undefined, ExitCode.shortfall),
      [],
      memoryIo(),
    ),
  ).toBe(5);
});

test('an interrupt is exit 130 whatever error it causes', async () => {
  const controller = new AbortController();
  const io = memoryIo({ signal: controller.signal });
  const act = (): Promise<never> => {
    controller.abort();
    return Promise.reject(new Error('any'));
  };
  expect(await runProgram(programThat(act), [], io)).toBe(130);
  expect(io.err()).toBe('interrupted\n');
});

test('output that cannot be written is exit 3 and said', async () => {
  const io = memoryIo({ fails: systemError('ENOSPC') });
  expect(
    await runProgram(
      programThat(({ stdout }) => void stdout.write('x')),
      [],
      io,
    ),
  ).toBe(3);
  expect(io.err()).toBe(
    'error: the output cannot be written: the disk is full. Free some space and run the command again\n',
  );
});

test('a reader that closed the pipe is exit 0 and silent', async () => {
  const io = memoryIo({ fails: systemError('EPIPE') });
  expect(
    await runProgram(
      programThat(({ stdout }) => void stdout.write('x')),
      [],
      io,
    ),
  ).toBe(0);
  expect(io.err()).toBe('');
});

test('LABSAGE_DEBUG shows the cause of an error', async () => {
  const io = memoryIo({ env: { LABSAGE_DEBUG: '1' } });
  const error = new ToolError(ExitCode.input, 'outer', { cause: new Error('inner') });
  await runProgram(
    programThat(() => Promise.reject(error)),
    [],
    io,
  );
  expect(io.err()).toContain('Error: inner');
});

test.each([
  [['--help'], 0],
  [['--version'], 0],
  [['index', '--help'], 0],
  [['help', 'ask'], 0],
  [[], 2],
  [['frobnicate'], 2],
  [['index', '--jsn'], 2],
  [['ask', '-k', '0', 'x'], 2],
  [['ask', '-k', '1.5', 'x'], 2],
  [['search', '--mode', 'magic', 'x'], 2],
  [['search', '  '], 2],
  [['ask'], 2],
  [['ask', '--questions', 'q.txt', 'and a question'], 2],
  [['show'], 2],
  [['show', 'a', 'b'], 2],
  [['index'], 2],
  [['index', '-', 'more'], 2],
  [['status'], 3],
  [['verify'], 3],
  [['search', 'x', '--mode', 'keyword'], 3],
  [['index', 'nowhere'], 3],
  [['chunk', 'nowhere'], 3],
  [['index', 'nowhere', '--embedder', 'nobody'], 4],
])('labsage %j ends with %d', async (argv, code) => {
  const io = memoryIo({ cwd: '/nonexistent', env: { LABSAGE_HOME: '/nonexistent/home' } });
  expect(await runProgram(createProgram, argv, io)).toBe(code);
  if (code === 0) expect(io.err()).toBe('');
  else expect(io.out()).toBe('');
  // An error is one line, with the way to the help below it where the usage was wrong.
  if (code > 0 && argv.length > 0)
    expect(io.err()).toMatch(/^error: [^\n]+\n(?:\(labsage --help lists the commands\)\n)?$/u);
});
