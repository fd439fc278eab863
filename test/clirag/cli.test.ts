/** The command line: results on stdout, exit codes, filters that fit together. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { createProgram } from '../../src/clirag/cli.js';
import { findVisit } from '../../src/clirag/visits.js';
import { runProgram } from '../../src/core/cli.js';
import { CHARTS_FILE, readCharts } from './charts.js';

let folder = '';
let store = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'clirag-'));
  store = join(folder, 'store');
  expect((await run(['index', CHARTS_FILE])).code).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(argv: readonly string[], input = ''): Promise<Run> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const written = [collect(stdout), collect(stderr)];
  const io = {
    stdin: Readable.from([Buffer.from(input)]),
    stdout,
    stderr,
    env: { CLIRAG_INDEX: store, NO_COLOR: '1' },
    cwd: folder,
    signal: new AbortController().signal,
  };
  const code = await runProgram(createProgram, argv, io);
  stdout.end();
  stderr.end();
  const [out = '', err = ''] = await Promise.all(written);
  return { code, out, err };
}

async function collect(stream: PassThrough): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('patients and visits', async () => {
  const patients = jsonLines((await run(['patients', '--json'])).out);
  expect(patients).toHaveLength(12);
  expect(patients[0]).toMatchObject({ id: '40001', dates: 5, first: '2154-03-02' });
  const visits = jsonLines((await run(['visits', '--patient', '40001', '--json'])).out);
  expect(visits.map(({ date }) => date)).toEqual([
    '2154-03-02',
    '2154-03-03',
    '2154-03-05',
    '2154-03-06',
    '2154-03-08',
  ]);
  expect((await run(['visits', '--patient', '40001'])).out).toContain('#5');
});

test('clean is a filter', async () => {
  const { out, code } = await run(['clean'], 'PLAN\nSeen [**5-2**] → home');
  expect([code, out]).toEqual([0, 'Plan:\nSeen 5/2 -> home\n']);
  const explained = await run(['clean', '--explain'], 'PLAN\nSeen [**5-2**]');
  expect(explained.out).toContain('deid: de-identification tokens resolved (1)');
  const [line] = jsonLines((await run(['clean', '--json'], '{"id":"x","text":"[**5-2**]"}\n')).out);
  expect(line).toMatchObject({ id: 'x', text: '5/2' });
});

test('chunk of a visit, of a note, of stdin', async () => {
  const chunks = jsonLines((await run(['chunk', '--patient', '40001', '--visit', '#1', '--json'])).out);
  expect(new Set(chunks.map(({ date }) => date))).toEqual(new Set(['2154-03-02']));
  expect((await run(['chunk', '--visit', '150001', '--json'])).code).toBe(0);
  expect(jsonLines((await run(['chunk', '--json'], 'PLAN: home')).out)).toMatchObject([
    { header: 'Plan', text: 'home', ordinal: 1 },
  ]);
});

describe('what is wrong is said in a line', () => {
  test.each<[string[], string, number, string]>([
    [['visits', '--patient', '4001'], '', 3, 'The nearest ids are 40001'],
    [['chunk', '--patient', '40001', '--visit', '2154-03'], '', 2, 'is ambiguous'],
    [['chunk', '--visit', '2154-03-02'], '', 2, 'no patient named'],
    [['chunk', '--visit', '999999'], '', 3, 'there is no admission 999999'],
    [['clean', '--skip', 'magic'], 'x', 2, 'there is no cleaning step magic'],
    [['clean', 'none.txt'], '', 3, 'there is no file none.txt'],
    [['clean', '--json'], '{"words":"Mr. Quellwasser"}', 3, 'line 1 is no JSON object with a field "text"'],
    [['index'], '', 2, 'no file named'],
    [['index', 'none.csv'], '', 3, 'there is no file'],
    [['patients', '--index', 'elsewhere'], '', 3, 'there is no chart store'],
    [['visits'], '', 2, "required option '--patient <id>'"],
  ])('%j', async (argv, input, code, message) => {
    const result = await run(argv, input);
    expect(result.code).toBe(code);
    expect(result.err).toContain(message);
    expect(result.err).not.toContain('Quellwasser');
    expect(result.out).toBe('');
  });

  test('--strict is exit 5 where a row was rejected', async () => {
    const file = join(folder, 'one.csv');
    writeFileSync(
      file,
      'ROW_ID,SUBJECT_ID,CHARTDATE,CATEGORY,TEXT\n1,2,2154-03-02,Nursing,x\n2,2,soon,Nursing,x\n',
    );
    const argv = ['index', file, '--index', join(folder, 'strict')];
    expect((await run(argv)).code).toBe(0);
    const strict = await run([...argv, '--strict']);
    expect(strict.code).toBe(5);
    expect(strict.err).toContain('1 rows dropped: date that is none (rows 2)');
  });
});

test.each(['index', 'patients', 'visits', 'clean', 'chunk', 'embed', 'retrieve', 'prompt', 'note'])(
  '%s --help shows examples',
  async (command) => {
    const { out, code } = await run([command, '--help']);
    expect(code).toBe(0);
    expect(out).toContain(`$ clirag ${command}`);
  },
);

test('the examples of --help name patients, visits and notes that the bundled charts have', async () => {
  const commands = ['index', 'patients', 'visits', 'clean', 'chunk', 'embed', 'retrieve', 'prompt', 'note'];
  const notes = await readCharts();
  let seen = 0;
  for (const command of commands) {
    const { out } = await run([command, '--help']);
    const examples = out.split('\n').filter((line) => line.startsWith('  $ ') && line.includes('clirag '));
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      const valueOf = (flag: string): string | undefined =>
        new RegExp(String.raw`--${flag} "?([^" ]+)`, 'u').exec(example)?.[1];
      const [patient, visit, note] = [valueOf('patient'), valueOf('visit'), valueOf('note')];
      const own = notes.filter(({ patientId, admissionId }) =>
        patient === undefined ? admissionId === visit : patientId === patient,
      );
      if (patient === undefined && visit === undefined) continue;
      seen++;
      expect([example, own.length > 0]).toEqual([example, true]);
      if (visit !== undefined) expect(findVisit(own, visit).noteIds.length).toBeGreaterThan(0);
      if (note !== undefined) expect(own.map(({ id }) => id)).toContain(note);
    }
  }
  expect(seen).toBeGreaterThan(10);
});
