/** `clirag eval` as a program: two systems and ablations on planted charts, a scripted model and judge, gates, page. */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Evaluation } from '../../src/clirag/evaluation/evaluation.js';
import { scriptedServer } from '../scriptedServer.js';
import { writeRows, type Row } from './cliragRows.js';
import { clirag, type Ended } from './runBin.js';

let cwd = '';
const gold = (patient: number, day: string, potassium: string): Row => ({
  patient,
  charted: `2150-01-${day} 18:00:00`,
  category: 'Physician ',
  description: 'Physician Resident Progress Note',
  text: `Subjective:\nSlept well, no chest pain.\n\nObjective:\nPotassium ${potassium} this morning.\n\nAssessment:\nHeart failure, improving.\n\nPlan:\nFurosemide 40 mg IV BID.`,
});
const nursing = (patient: number, day: string, potassium: string): Row => ({
  patient,
  charted: `2150-01-${day} 08:00:00`,
  text: `Slept well, denies chest pain. Potassium ${potassium} this morning. Furosemide 40 mg IV BID given. Heart failure, improving.`,
});

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'clirag eval '));
  await writeRows(join(cwd, 'notes.csv'), [
    ...[7, 8].flatMap((patient) => [
      nursing(patient, '02', '3.1'),
      gold(patient, '02', '3.1'),
      nursing(patient, '03', '3.9'),
      gold(patient, '03', '3.9'),
    ]),
    nursing(7, '04', '4.4'),
    gold(7, '04', '4.4'),
  ]);
  const fact = (visit: string, kind: string, potassium: string): string =>
    JSON.stringify({
      id: `${visit}${kind}`,
      patient: 7,
      visit,
      section: 'O',
      kind,
      fact: `Potassium ${potassium}`,
      match: [['potassium'], [potassium]],
    });
  await writeFile(
    join(cwd, 'facts.jsonl'),
    [
      fact('2150-01-02', 'required', '3.1'),
      fact('2150-01-03', 'required', '3.9'),
      fact('2150-01-03', 'forbidden', '3.1'),
      '',
    ].join('\n'),
  );
  expect((await run('index', 'notes.csv')).code).toBe(0);
}, 60_000);
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function run(...args: string[]): Promise<Ended> {
  return clirag([...args, '--quiet'], { cwd });
}

const EVAL = ['eval', '--embedder', 'minilm'];

test('two systems and two ablations: the tables, the page, gates of both kinds', async () => {
  const args = [
    ...EVAL,
    '--generator',
    'extractive,copy-forward',
    '--ablate',
    'bm25,sections',
    '--facts',
    'facts.jsonl',
    '--html',
    'page.html',
  ];
  const { code, out, err } = await run(
    ...args,
    '--min',
    'fact-recall=1,copy-forward:temporal=0.99',
    '--max',
    'stale=0',
  );
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/5 visits of 2 patients, 5 with a clinician's note/u);
  expect(out).toMatch(/rouge-1 +0\.274 +0\.178/u);
  expect(out).toMatch(/Ablations of extractive/u);
  expect(out).toMatch(/extractive: none 2, generated 3/u);
  const page = await readFile(join(cwd, 'page.html'), 'utf8');
  for (const title of ['Tables', 'Plots', 'Run manifest', 'What is measured'])
    expect(page).toContain(`<h2>${title}</h2>`);
  expect(page).not.toMatch(/<script|src=|href="(?!#)/u);
  const short = await run(...args, '--min', 'copy-forward:fact-recall=0.9');
  expect([short.code, short.err]).toEqual([
    5,
    expect.stringMatching(/copy-forward:fact-recall is 0, 0\.9 is the least: fell short/u),
  ]);
}, 120_000);

test('JSON: copying forward is consistent in time, and stale', async () => {
  const { out } = await run(
    ...EVAL,
    '--generator',
    'extractive,copy-forward',
    '--facts',
    'facts.jsonl',
    '--json',
    '--seed',
    '3',
  );
  const { systems, manifest, goldScores } = JSON.parse(out) as Evaluation;
  const [ours, copy] = systems;
  expect(ours?.metrics.supported?.mean).toBe(1);
  expect(ours?.metrics['fact-recall']?.mean).toBe(1);
  expect(ours?.metrics['soap-sections']?.mean).toBeGreaterThan(2);
  expect(copy?.missing).toBe(2);
  expect(copy?.metrics.forbidden?.mean).toBe(1);
  expect(copy?.metrics.stale?.mean).toBeGreaterThan(0);
  expect(goldScores.metrics.supported?.mean).toBe(1);
  expect(manifest).toMatchObject({
    settings: { seed: 3, prior: 'generate' },
    patients: { count: 2 },
    judge: null,
  });
}, 120_000);

test('a model writes, a judge votes in both orders, and notes from elsewhere are read by a mapping', async () => {
  const server = await scriptedServer((asked) => {
    if (asked.user.includes('NOTE A'))
      return asked.user.indexOf('Nothing new') < asked.user.indexOf('Slept well, no')
        ? '{"overall":"B"}'
        : '{"overall":"A"}';
    return 'Subjective:\nNothing new to tell.\nObjective:\nPotassium 9.9.\nAssessment:\nHeart failure.\nPlan:\nHome.';
  });
  try {
    await mkdir(join(cwd, 'mine', '7'), { recursive: true });
    await writeFile(join(cwd, 'mine', '7', '2150-01-03.md'), 'Objective:\nPotassium 3.9 this morning.\n');
    await writeFile(join(cwd, 'list.txt'), '7\n');
    expect(
      (
        await run(
          'prompt',
          '--patients',
          'list.txt',
          '--all-visits',
          '--out',
          'prompts',
          '--embedder',
          'minilm',
        )
      ).code,
    ).toBe(0);
    const { code, out, err } = await run(
      ...EVAL,
      ...[
        '--generator',
        `openai:${server.url}#m`,
        '--judge',
        `openai:${server.url}#j`,
        '--notes',
        'mine',
        '--map',
        'prompts/manifest.jsonl',
        '--patients',
        'list.txt',
        '--json',
      ],
    );
    expect(code).toBe(0);
    expect(err).toMatch(/mine has no note for 2 visits/u);
    const { systems, consistency, judgements } = JSON.parse(out) as Evaluation;
    const [written, mine] = systems;
    expect(written?.votes).toEqual({ note: 0, gold: 3, tie: 0, failed: 0 });
    expect(written?.metrics.contradicted?.mean).toBeGreaterThan(0);
    expect(judgements.failed).toBe(0);
    expect([mine?.name, mine?.notes, mine?.metrics.supported?.mean]).toEqual(['mine', 1, 1]);
    expect(consistency).toHaveLength(1);
    const prompts = server.asked.filter(({ user }) => user.includes('NOTE A'));
    expect(prompts.every(({ user }) => !user.includes('openai') && !/\[S\d/u.test(user))).toBe(true);
  } finally {
    await server.close();
  }
}, 120_000);

test.each<[string, string[], number, RegExp]>([
  ['an ablation that is none', ['--ablate', 'magic'], 2, /sections, local/u],
  ['a gate without facts', ['--min', 'fact-recall=0.9'], 2, /--facts/u],
  ['a gate without a judge', ['--min', 'preference=0.9'], 2, /--judge/u],
  ['a gate on a system that is none', ['--min', 'no-bm25:rouge-1=0.2'], 2, /The systems are extractive/u],
  ['a remote judge', ['--judge', 'openai:http://example.org/v1#x'], 2, /--allow-remote/u],
  ['facts that are none', ['--facts', 'notes.csv'], 3, /line 1/u],
  ['a page in no folder', ['--html', 'nowhere/x.html'], 3, /no such folder/u],
  ['an unknown patient', ['--patients', 'unknown.txt'], 3, /no list/u],
])('%s: one line and its exit code, before any work', async (_, args, code, message) => {
  const ended = await run(...EVAL, ...args);
  expect(ended.err).toMatch(message);
  expect([ended.code, ended.out]).toEqual([code, '']);
});
