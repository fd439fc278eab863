import { expect, test } from '@jest/globals';
import { createOutput } from '../../src/core/output.js';
import { ExitCode } from '../../src/core/errors.js';
import { createRun, newProgram, withOutputOptions, type Handler } from '../../src/core/program.js';
import { runProgram } from '../../src/core/cli.js';
import { currentTrace, newTrace, printTimings, tell, timed, withTrace } from '../../src/core/trace.js';
import { memoryIo, type MemoryIo } from '../memoryIo.js';

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('phases that come again are added up, and two commands side by side keep their own', async () => {
  const traces = [newTrace(() => undefined), newTrace(() => undefined)] as const;
  await Promise.all([
    withTrace(traces[0], async () => {
      await timed('read', () => wait(20));
      await timed('read', () => wait(20));
    }),
    withTrace(traces[1], () => timed('write', () => wait(5))),
  ]);
  expect(Object.keys(traces[0].phasesMs)).toEqual(['read']);
  expect(traces[0].phasesMs['read']).toBeGreaterThan(30);
  expect(Object.keys(traces[1].phasesMs)).toEqual(['write']);
});

test('a phase that fails is recorded too; without a command nothing is', async () => {
  const trace = newTrace(() => undefined);
  await expect(withTrace(trace, () => timed('read', () => Promise.reject(new Error('no'))))).rejects.toThrow(
    'no',
  );
  expect(Object.keys(trace.phasesMs)).toEqual(['read']);
  expect(currentTrace()).toBeUndefined();
  expect(await timed('read', () => Promise.resolve(1))).toBe(1);
  tell('nobody hears this');
});

test('one line a phase on stderr', () => {
  const trace = newTrace(() => undefined);
  trace.add('load model', 412.4);
  trace.add('embed', 71_000);
  const io = memoryIo();
  printTimings(trace, createOutput(io));
  expect(io.err()).toBe('load model    412 ms\nembed           71 s\n');
});

const work: Handler<object> = async (_args, _flags, { output }) => {
  tell('reading /srv/sops');
  await timed('read', () => wait(1));
  output.printJson({ done: true, timingsMs: { own: 1 } });
  return ExitCode.done;
};

async function run(...argv: string[]): Promise<MemoryIo & { code: ExitCode }> {
  const io = memoryIo({ env: { LABSAGE_HOME: '/nowhere' } });
  const code = await runProgram(
    (own, finish) => {
      const program = newProgram('labsage', { description: 'd', io: own, examples: [] });
      const toRun = createRun(own, finish, { program: 'labsage', uses: {} });
      withOutputOptions(program.command('work')).action(toRun(() => Promise.resolve(work)));
      return program;
    },
    argv,
    io,
  );
  return { ...io, code };
}

test('--timings: phases on stderr and in JSON, beside those that the object states itself', async () => {
  const { out, err } = await run('work', '--timings');
  const { timingsMs } = JSON.parse(out()) as { timingsMs: Record<string, number> };
  expect(Object.keys(timingsMs)).toEqual(['start', 'read', 'own']);
  expect(err()).toMatch(/^start +[^\n]+\nread +\d+ ms\ntotal +[^\n]+\n$/u);
});

test('without it JSON is as it was; --verbose says what is done; with --quiet it is a wrong usage', async () => {
  const plain = await run('work');
  expect([plain.out(), plain.err()]).toEqual(['{"done":true,"timingsMs":{"own":1}}\n', '']);
  expect((await run('work', '--verbose')).err()).toBe('reading /srv/sops\n');
  const both = await run('work', '--verbose', '--quiet');
  expect([both.code, both.out()]).toEqual([ExitCode.usage, '']);
});
