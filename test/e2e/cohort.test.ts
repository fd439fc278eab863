/** Cohorts and exports of the clirag program: shards together are the whole, a second run writes nothing, Python reads the export. */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeRows, type Row } from './cliragRows.js';
import { clirag, type Ended } from './runBin.js';

const PATIENTS = [1, 2, 3];
const DAYS = ['02', '03'];
let cwd = '';
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'clirag cohort '));
  const rows = PATIENTS.flatMap((patient) =>
    DAYS.map((day): Row => ({
      patient,
      charted: `2150-01-${day} 08:00:00`,
      text: `Denies chest pain today. Potassium 3.${patient} this morning. Furosemide ${patient}0 mg IV given.`,
    })),
  );
  await writeRows(join(cwd, 'notes.csv'), rows);
  await writeFile(join(cwd, 'list.txt'), '1\n2\n3\n77\n');
  expect((await run('index', 'notes.csv')).code).toBe(0);
}, 60_000);
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function run(...args: string[]): Promise<Ended> {
  return clirag([...args, '--quiet'], { cwd });
}

const COHORT = ['--patients', 'list.txt', '--all-visits', '--embedder', 'minilm', '--threads', '1'];

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(join(cwd, folder), { recursive: true });
  return names
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /^\d\/[\d-]+\.\w+$/u.test(name))
    .sort();
}

const ALL = PATIENTS.flatMap((patient) => DAYS.map((day) => `${patient}/2150-01-${day}.md`));

test('two shards write the whole list once; a second run writes nothing and keeps what was changed by hand', async () => {
  const first = await run('note', ...COHORT, '--out', 'notes', '--shard', '1/2', '--json');
  expect([first.code, JSON.parse(first.out)]).toEqual([
    0,
    expect.objectContaining({ written: 4, kept: 0, skipped: [] }),
  ]);
  const second = await run('note', ...COHORT, '--out', 'notes', '--shard', '2/2');
  expect(second.out).toMatch(/2 files written for 2 patients, 0 were there already, 1 patients skipped/u);
  expect(second.err).toMatch(/skipped 77/u);
  expect(await filesIn('notes')).toEqual(ALL);
  await writeFile(join(cwd, 'notes', '1', '2150-01-02.md'), 'edited by hand');
  const again = await run('note', ...COHORT, '--out', 'notes', '--shard', '1/2', '--json');
  expect(JSON.parse(again.out)).toMatchObject({ written: 0, kept: 4 });
  expect(await readFile(join(cwd, 'notes', '1', '2150-01-02.md'), 'utf8')).toBe('edited by hand');
  const manifest = (await readFile(join(cwd, 'notes', 'manifest-1-of-2.jsonl'), 'utf8')).trim().split('\n');
  expect(manifest.map((line) => (JSON.parse(line) as { file: string }).file).sort()).toEqual(
    ALL.filter((file) => !file.startsWith('2/')),
  );
  expect((await run('note', ...COHORT, '--out', 'notes', '--strict')).code).toBe(2);
});

test('a killed run goes on, and the notes are those of an uninterrupted one', async () => {
  const kill = async (child: ChildProcess): Promise<void> => {
    while (!existsSync(join(cwd, 'killed', '1', '2150-01-02.txt')) && child.exitCode === null) await sleep(2);
    child.kill('SIGKILL');
  };
  await clirag(['prompt', ...COHORT, '--out', 'killed', '--quiet'], {
    cwd,
    onStart: (child) => void kill(child),
  });
  const left = existsSync(join(cwd, 'killed')) ? await filesIn('killed') : [];
  expect(left.length).toBeLessThan(ALL.length);
  expect((await run('prompt', ...COHORT, '--out', 'killed')).code).toBe(0);
  expect((await run('prompt', ...COHORT, '--out', 'whole')).code).toBe(0);
  const files = await filesIn('whole');
  expect(files).toHaveLength(ALL.length);
  for (const file of files)
    expect(await readFile(join(cwd, 'killed', file), 'utf8')).toBe(
      await readFile(join(cwd, 'whole', file), 'utf8'),
    );
}, 120_000);

test('the notes of a cohort are checked by their headers', async () => {
  await run('note', ...COHORT, '--out', 'checked');
  const { code, out } = await run('check', 'checked', '--strict');
  expect([code, out]).toEqual([0, expect.stringMatching(/6 notes, \d+ statements/u)]);
});

test.each<[string, string[], RegExp]>([
  ['no folder', ['--patients', 'list.txt', '--all-visits'], /--out/u],
  ['one visit', ['--patients', 'list.txt', '--visit', '#1', '--out', 'x'], /--all-visits/u],
  ['a shard that is none', [...COHORT, '--out', 'x', '--shard', '3/2'], /3\/16/u],
  ['a shard without a list', ['--shard', '1/2', '--out', 'x', '--all-visits'], /--patients/u],
  ['a time', [...COHORT, '--out', 'x', '--as-of', '2150-01-02'], /--as-of/u],
  ['force', [...COHORT, '--out', 'x', '--force'], /never overwrites/u],
])('a cohort with %s is wrong usage', async (_, args, message) => {
  const { code, err } = await run('note', ...args);
  expect([code, err]).toEqual([2, expect.stringMatching(message)]);
});

const hasNumpy = spawnSync('python3', ['-c', 'import numpy'], { stdio: 'ignore' }).status === 0;
const withNumpy = hasNumpy ? test : test.skip;
withNumpy('export: three lines of Python read it (skipped where Python has no numpy)', async () => {
  const { code, out } = await run('export', '--out', 'export', '--embedder', 'minilm');
  expect([code, out]).toEqual([0, expect.stringMatching(/\d+ chunks of 3 patients/u)]);
  const script = `import json, numpy as np
vectors = np.load('export/vectors.npy', mmap_mode='r')
chunks = [json.loads(line) for line in open('export/chunks.jsonl', encoding='utf-8')]
print(len(chunks) == len(vectors), vectors.dtype, vectors.shape[1], abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-5, chunks[0]['patientId'])`;
  const python = spawnSync('python3', ['-c', script], { cwd, encoding: 'utf8' });
  expect(python.stdout.trim()).toBe('True float32 384 True 1');
  const line = (await readFile(join(cwd, 'export', 'chunks.jsonl'), 'utf8')).split('\n')[0] ?? '';
  expect(Object.keys(JSON.parse(line) as object)).toEqual(
    expect.arrayContaining(['id', 'noteId', 'header', 'text']),
  );
});
