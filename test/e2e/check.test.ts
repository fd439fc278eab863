/** `clirag check` as a program: files, folders, stdin, mapping, strict, page. */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeRows } from './cliragRows.js';
import { clirag, type Ended } from './runBin.js';

let cwd = '';
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'clirag check '));
  await writeRows(join(cwd, 'notes.csv'), [
    {
      patient: 7,
      charted: '2150-01-02 08:00:00',
      text: 'Denies chest pain, no fever. Potassium 3.1 at 06:00. Furosemide 40 mg IV given.',
    },
    { patient: 7, charted: '2150-01-03 08:00:00', text: 'Potassium 3.9 this morning. Slept well all night.' },
    { patient: 8, charted: '2150-01-02 08:00:00', text: 'Right leg swollen. Heparin 900 units/hr.' },
  ]);
  expect((await run(['index', 'notes.csv'])).code).toBe(0);
}, 60_000);
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function run(args: string[], input?: string): Promise<Ended> {
  return clirag([...args, '--quiet'], { cwd, ...(input === undefined ? {} : { input }) });
}

interface Line {
  readonly file: string;
  readonly visitId: string;
  readonly counts: Record<string, number>;
  readonly statements: readonly { text: string; verdict: string; span: { start: number; end: number } }[];
}

function jsonLines(text: string): Line[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

test('a note that clirag wrote says by its header whose it is, and all of it is supported', async () => {
  const written = await run([
    'note',
    '--patient',
    '7',
    '--visit',
    '2150-01-03',
    '--embedder',
    'minilm',
    '--out',
    'own.md',
  ]);
  expect(written.code).toBe(0);
  expect(await readFile(join(cwd, 'own.md'), 'utf8')).toMatch(
    /^---\npatient: 7\nvisit: 2150-01-03\nas-of: 2150-01-03 23:59:59\nmodel: extractive\n/u,
  );
  const { code, out } = await run(['check', 'own.md', '--strict']);
  expect([code, out]).toEqual([0, expect.stringMatching(/visit 7\/2150-01-03.*written by extractive/u)]);
  expect(out).toMatch(/[1-9]\d* statements: (\d+) supported, 0 contradicted, 0 stale, 0 not found/u);
});

test('stdin, exit 5 with --strict, and spans that lead into the note', async () => {
  const note = 'S: No chest pain.\nO: Potassium 3.6 at 06:00. Furosemide 40 mg IV given.\n';
  const args = ['check', '--patient', '7', '--visit', '#1'];
  const { code, out } = await run([...args, '--strict', '--json'], note);
  expect(code).toBe(5);
  const [line] = jsonLines(out);
  expect(line?.statements.map(({ verdict }) => verdict)).toEqual(['supported', 'contradicted', 'supported']);
  for (const { span, text } of line?.statements ?? [])
    expect(note.slice(span.start, span.end)).toContain(text.slice(-9));
  expect((await run(args, note)).code).toBe(0);
  const faults = await run([...args, '--faults'], note);
  expect(faults.out).toContain('contradicted');
  expect(faults.out).not.toMatch(/^supported/mu);
});

test('a folder: headers, a mapping file for the rest, and one page for all', async () => {
  await mkdir(join(cwd, 'notes', 'more'), { recursive: true });
  await writeFile(
    join(cwd, 'notes', 'a.md'),
    '---\npatient: 7\nvisit: 2150-01-02\n---\nFurosemide 40 mg IV given.\n',
  );
  await writeFile(join(cwd, 'notes', 'more', 'b.txt'), 'Left leg swollen.\n');
  const without = await run(['check', 'notes']);
  expect([without.code, without.err]).toEqual([
    2,
    expect.stringMatching(/more\/b\.txt does not say which visit.*--map/u),
  ]);
  await writeFile(join(cwd, 'map.csv'), 'file,patient,visit\nmore/b.txt,8,2150-01-02\n');
  const { code, out } = await run(['check', 'notes', '--map', 'map.csv', '--json', '--html', 'check.html']);
  expect(code).toBe(0);
  expect(jsonLines(out).map(({ file, visitId, counts }) => [file, visitId, counts])).toEqual([
    ['a.md', '7/2150-01-02', { supported: 1, contradicted: 0, stale: 0, 'not-found': 0 }],
    ['more/b.txt', '8/2150-01-02', { supported: 0, contradicted: 1, stale: 0, 'not-found': 0 }],
  ]);
  const page = await readFile(join(cwd, 'check.html'), 'utf8');
  expect(page).toContain('Right leg swollen');
  expect(page).not.toMatch(/<script|src=|href="(?!#)/u);
});

test.each<[string, string[], string | undefined, number, RegExp]>([
  ['no such file', ['check', 'nowhere.md'], undefined, 3, /there is no nowhere\.md/u],
  ['an empty note', ['check', '--patient', '7', '--visit', '#1'], '\n', 3, /states nothing/u],
  ['no visit', ['check', '--patient', '7'], 'Text of a note.', 2, /--visit/u],
  ['an unknown visit', ['check', '--patient', '7', '--visit', '2151-01-01'], 'Some text.', 3, /no visit/u],
  ['a map that is none', ['check', 'notes', '--map', 'notes.csv'], undefined, 3, /entry 1/u],
])('%s: one line and its exit code', async (_, args, input, code, message) => {
  const ended = await run(args, input);
  expect(ended.err).toMatch(message);
  expect([ended.code, ended.out, ended.err.trim().split('\n').length]).toEqual([code, '', 1]);
});
