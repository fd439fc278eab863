/** Bad input and bad days for the clirag program: one clear line, the right exit code, a whole store, no patient's word on stderr. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { csvOf, HEADER, writeRows, type Row } from './cliragRows.js';
import { CLIRAG_BIN, clirag, environment, type Ended } from './runBin.js';

/** Stands in every text; never to be seen on stderr. */
const SECRET = 'zanquil';

let cwd = '';
const row = (text: string, more: Partial<Row> = {}): Row => ({
  patient: 7,
  charted: '2150-01-02 08:00:00',
  text: `${SECRET} ${text}`,
  ...more,
});

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'clirag faults '));
  await writeRows(join(cwd, 'notes.csv'), [
    row('Denies chest pain. Potassium 3.1.'),
    row('Potassium 3.6.', { charted: '2150-01-13 08:00:00' }),
    row('Progress note text here.', {
      charted: '2150-02-01 08:00:00',
      category: 'Physician ',
      description: 'Progress Note',
    }),
    row('A single note, no pain.', { patient: 8 }),
  ]);
  expect((await run('index', 'notes.csv')).code).toBe(0);
}, 60_000);
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function run(...args: string[]): Promise<Ended> {
  return clirag([...args, '--quiet'], { cwd });
}

function expectOneLine({ out, err }: Ended): void {
  expect(out).toBe('');
  expect(err.trim().split('\n')).toHaveLength(1);
  expect(err).not.toContain(SECRET);
}

const NOTE = ['note', '--embedder', 'minilm', '--patient'];

test.each<[string, string[], number, RegExp]>([
  ['an unknown patient', [...NOTE, '77', '--visit', '#1'], 3, /patient 77.*7/u],
  ['an unknown visit', [...NOTE, '7', '--visit', '2150-01-03'], 3, /nearest are 2150-01-02/u],
  ['a number beyond the last', [...NOTE, '7', '--visit', '#9'], 3, /#3 \(2150-02-01\)/u],
  ['an ambiguous date', [...NOTE, '7', '--visit', '2150-01'], 2, /2150-01-02 \(#1\), 2150-01-13 \(#2\)/u],
  ['a visit without its patient', ['note', '--visit', '2150-01-02'], 2, /--patient/u],
  ['an admission that is none', ['note', '--visit', '123456'], 3, /no admission 123456/u],
  ['neither a visit nor all', [...NOTE, '7'], 2, /--all-visits/u],
  ['a time that is none', [...NOTE, '7', '--visit', '#1', '--as-of', 'noon'], 2, /noon is no time/u],
  ['a model that is none', ['note', '--patient', '7', '--visit', '#1', '--embedder', 'gpt'], 4, /gpt/u],
  ['a generator that is none', [...NOTE, '7', '--visit', '#1', '--generator', 'gpt'], 2, /openai:http/u],
  ['a store that is none', ['patients', '--index', 'nowhere'], 3, /nowhere/u],
])('%s', async (_, args, code, message) => {
  const ended = await run(...args);
  expect(ended.err).toMatch(message);
  expect(ended.code).toBe(code);
  expectOneLine(ended);
});

test.each<[string, string | Buffer, RegExp]>([
  [
    'missing columns',
    `ROW_ID,CATEGORY,TEXT\n1,Nursing,${SECRET}\n`,
    /lacks the columns SUBJECT_ID, CHARTDATE: its columns are ROW_ID, CATEGORY, TEXT/u,
  ],
  ['no header line', `1,7,,2150-01-02,,,Nursing,Note,,,${SECRET}\n`, /no list of column names/u],
  ['a quote that never closes', `${HEADER}\n1,7,,2150-01-02,,,Nursing,Note,,,"${SECRET}\n`, /row 1/u],
  ['gz cut short', gzipSync(csvOf([row('x'.repeat(5000))])).subarray(0, 60), /cut short/u],
  ['nothing', '', /is empty/u],
])('index of a file with %s: exit 3, and the store is what it was', async (name, content, message) => {
  const file = `${name.replaceAll(' ', '-')}.csv`;
  await writeFile(join(cwd, file), content);
  const ended = await run('index', file);
  expect(ended.err).toMatch(message);
  expect(ended.code).toBe(3);
  expectOneLine(ended);
  expect((await run('patients', '--json')).out.trim().split('\n')).toHaveLength(2);
});

test('rows that are none are dropped, counted and numbered; the others are read', async () => {
  const good = csvOf([row('ok', { patient: 9 })]).trim();
  const lines = [
    good,
    `2,9,,2150-13-45,,,Nursing,Note,,,${SECRET}`,
    `3,9,,2150-01-02,Nursing,${SECRET}`,
    `4,9,,2150-01-02,,,Nursing,Note,,,${SECRET}\u0000\u0001\u0002\u0000\u0003\u0000`,
  ];
  await writeFile(join(cwd, 'rows.csv'), `${lines.join('\n')}\n`);
  const { code, out, err } = await run('index', 'rows.csv', '--index', 'rows');
  expect(code).toBe(0);
  expect(out).toContain('1 notes of 1 patients');
  expect(err).toMatch(/date that is none \(rows 2\)/u);
  expect(err).toMatch(/wrong number of columns \(rows 3\)/u);
  expect(err).toMatch(/binary text \(rows 4\)/u);
  expect(err).not.toContain(SECRET);
});

test('a visit that has only progress notes says so, and a patient with one note has a note', async () => {
  const none = await run(...NOTE, '7', '--visit', '2150-02-01', '--prior', 'none');
  expect(none.code).toBe(0);
  expect(none.err).toMatch(/no evidence.*1 progress note/u);
  const single = await run(...NOTE, '8', '--visit', '#1');
  expect(single.code).toBe(0);
  expect(single.out).toContain('no pain');
});

test('a note of 5 MB is written about', async () => {
  const text = 'Denies chest pain. Potassium 3.1 at 06:00, repeated.\n'.repeat(100_000);
  await writeRows(join(cwd, 'large.csv'), [row(text, { patient: 5 })]);
  expect((await run('index', 'large.csv', '--index', 'large')).code).toBe(0);
  const cleaned = await run('clean', '--index', 'large', '--patient', '5', '--note', '1');
  expect(cleaned.code).toBe(0);
  expect(cleaned.out.length).toBeGreaterThan(5_000_000);
}, 120_000);

describe('index', () => {
  const PATIENTS = 400;
  const rows = Array.from({ length: 20_000 }, (_, at) =>
    row(`visit of ${at}, `.repeat(40), { patient: 1000 + (at % PATIENTS) }),
  );

  async function stateOf(store: string): Promise<string> {
    return (await run('patients', '--index', store, '--json')).out;
  }

  test('kill -9 at any moment: the next run completes the store', async () => {
    await writeRows(join(cwd, 'many.csv'), rows);
    const startMs = Date.now();
    expect((await run('index', 'many.csv', '--index', 'fresh')).code).toBe(0);
    const wholeMs = Date.now() - startMs;
    const wanted = await stateOf('fresh');
    expect(wanted.trim().split('\n')).toHaveLength(PATIENTS);
    for (let kill = 1; kill <= 6; kill++) {
      const store = `killed${kill}`;
      const stop = async (child: ChildProcess): Promise<void> => {
        await sleep((wholeMs * kill) / 7);
        child.kill('SIGKILL');
      };
      await clirag(['index', 'many.csv', '--index', store, '--quiet'], {
        cwd,
        onStart: (child) => void stop(child),
      });
      const again = await run('index', 'many.csv', '--index', store);
      expect([again.code, again.err.includes(SECRET)]).toEqual([0, false]);
      expect(await stateOf(store)).toBe(wanted);
    }
  }, 180_000);

  const canMount = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0;
  const onFullDisk = canMount ? test : test.skip;
  onFullDisk(
    'a full disk (skipped where no tmpfs can be mounted): exit 3, and what was there is whole',
    async () => {
      await writeRows(join(cwd, 'few.csv'), [row('Potassium 3.1.', { patient: 1 })]);
      await writeRows(join(cwd, 'many.csv'), rows);
      const disk = join(cwd, 'disk');
      await mkdir(disk, { recursive: true });
      const steps = [
        `mount -t tmpfs -o size=3m tmpfs '${disk}'`,
        `'${process.execPath}' '${CLIRAG_BIN}' index few.csv --index disk/store --quiet`,
        `'${process.execPath}' '${CLIRAG_BIN}' index many.csv --index disk/store --quiet 2> full.err || echo $? > full.code`,
        `'${process.execPath}' '${CLIRAG_BIN}' patients --index disk/store --json > after.json`,
      ];
      const { status } = spawnSync('unshare', ['-rm', 'sh', '-ec', steps.join('\n')], {
        cwd,
        env: environment(),
      });
      expect(status).toBe(0);
      const err = await readFile(join(cwd, 'full.err'), 'utf8');
      expect((await readFile(join(cwd, 'full.code'), 'utf8')).trim()).toBe('3');
      expect(err).toMatch(/full|space/iu);
      expect(err).not.toContain(SECRET);
      expect((await readFile(join(cwd, 'after.json'), 'utf8')).trim().split('\n')).toHaveLength(1);
    },
    120_000,
  );
});
