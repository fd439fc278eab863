import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedServer, type ScriptedServer } from '../scriptedServer.js';
import { writeFiles } from '../temporaryFolder.js';
import { labsage, type Ended } from './runBin.js';

let folder = '';
let server: ScriptedServer;
const at = (...args: readonly string[]): Promise<Ended> => labsage(args, { cwd: folder });

const QUESTIONS = [
  {
    id: 'q1',
    question: 'minimum volume for potassium?',
    answer: 'The minimum volume is 0.5 mL of lithium heparin plasma.',
    evidence: [
      {
        document: 'ch-001.md',
        section: 'Specimen',
        quote: 'The minimum volume is 0.5 mL of lithium heparin plasma.',
      },
    ],
    kind: 'fact',
  },
  {
    id: 'q2',
    question: 'which rotor for citrated plasma',
    answer: 'Use Rotor C for citrated plasma.',
    evidence: [{ document: 'he-002.txt', quote: 'Use Rotor C for citrated plasma.' }],
    kind: 'fact',
  },
];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'labsage eval '));
  await writeFiles(folder, {
    'sops/ch-001.md':
      '# CH-001 Potassium\n\n## Specimen\n\nThe minimum volume is 0.5 mL of lithium heparin plasma.\n\n## Control\n\nRun two levels every morning.\n',
    'sops/he-002.txt': 'HE-002 APTT\n\n1. ROTOR\n\nUse Rotor C for citrated plasma.\n',
    'q.jsonl': QUESTIONS.map((line) => JSON.stringify(line)).join('\n'),
    'bad.jsonl': JSON.stringify({
      ...QUESTIONS[1],
      answer: 'Use Rotor D.',
      evidence: [{ document: 'he-002.txt', quote: 'Use Rotor D.' }],
    }),
  });
  server = await scriptedServer(({ user, system }) => {
    if (system !== '')
      return user.includes('Rotor C') ? 'Use Rotor C for citrated plasma.' : 'NOT IN THE SOPS';
    if (user.includes('"rating"')) return '{"rating": 4}';
    if (user.includes('"useful"')) return '{"useful": 1}';
    if (user.includes('"entities"')) return '{"entities": ["Rotor C"]}';
    return 'no judgement';
  });
  const { code } = await at('index', 'sops', '--embedder', 'minilm');
  expect(code).toBe(0);
});

afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

test('tables on stdout, a page and a JUnit file beside, nothing on stderr but the stage', async () => {
  const args = [
    'eval',
    'q.jsonl',
    '--html',
    'page.html',
    '--junit',
    'gates.xml',
    '--min',
    'context-recall=0.9',
  ];
  const { code, out, err } = await at(...args, '-k', '1,3', '--words', '50,300');
  expect([code, err.split('\n').filter((line) => !/^(?:Preparing|Asking|ok:|$)/u.test(line))]).toEqual([
    0,
    [],
  ]);
  for (const title of ['Table 1', 'Table 2', 'Table 3', 'Table 4', 'equal words', 'by kind of question'])
    expect(out).toContain(title);
  expect(await readFile(join(folder, 'gates.xml'), 'utf8')).toContain('<testsuites tests="1" failures="0"');
  expect(await readFile(join(folder, 'page.html'), 'utf8')).toContain('Content-Security-Policy');
});

test('a gate that falls short is exit 5 and named on stderr; stdout stays JSON', async () => {
  const { code, out, err } = await at(
    'eval',
    'q.jsonl',
    '--systems',
    'labsage',
    '--json',
    '--quiet',
    '--max',
    'answer-words=1',
  );
  expect(code).toBe(5);
  expect(err).toMatch(/answer-words is [\d.]+, 1 is the most: fell short/u);
  const { manifest, gates } = JSON.parse(out) as {
    manifest: Record<string, unknown>;
    gates: { passed: boolean }[];
  };
  expect(gates.map(({ passed }) => passed)).toEqual([false]);
  expect(manifest).toMatchObject({
    asked: { answerable: 2, unanswerable: 0, lists: 0 },
    generators: ['extractive'],
    judge: null,
    settings: { seed: 1, systems: ['labsage'] },
    machine: { cores: expect.any(Number) },
    versions: { node: process.versions.node, 'onnxruntime-node': expect.stringMatching(/^\d/u) },
    embedders: [{ id: 'all-MiniLM-L6-v2', weightsSha256: expect.stringMatching(/^[0-9a-f]{64}$/u) }],
    questions: [{ path: 'q.jsonl', sha256: expect.stringMatching(/^[0-9a-f]{64}$/u) }],
  });
});

test('a language model and a judge behind one endpoint; failed judgements are counted and shown, never 0', async () => {
  const name = `openai:${server.url}#m`;
  const { code, out, err } = await at(
    ...[
      'eval',
      'q.jsonl',
      '--systems',
      'none,labsage',
      '--generator',
      name,
      '--judge',
      name,
      '-k',
      '3',
      '--quiet',
    ],
  );
  expect(code).toBe(0);
  expect(err).toMatch(/^warning: 2 of \d+ judgements failed; they are left out, not counted as 0\.\n$/u);
  const judged = out.slice(out.indexOf('Table 1, judged'));
  const row = judged
    .split('\n')
    .find((line) => line.includes(' labsage '))
    ?.trim()
    .split(/\s{2,}/u);
  // Context recall could not be judged, the rest was.
  expect(row?.slice(1, 4)).toEqual(['labsage', '–', '1.000']);
  expect(judged).toMatch(/none\s+–\s+–\s+–\s+1\.000/u);
  expect(server.asked.every(({ temperature, model }) => temperature === 0 && model === 'm')).toBe(true);
});

test.each<[string, readonly string[], number, RegExp]>([
  [
    'none without a language model',
    ['--systems', 'none,labsage'],
    2,
    /^error: system none needs a language model/u,
  ],
  [
    'a judge elsewhere',
    ['--judge', 'openai:http://10.1.2.3/v1#m'],
    2,
    /10\.1\.2\.3 is another machine.*--allow-remote/u,
  ],
  [
    'a server that is down',
    ['--generator', 'openai:http://127.0.0.1:9/v1#m'],
    4,
    /(?:is not running there|broke the connection off|cannot be reached)/u,
  ],
  ['an unknown metric', ['--min', 'recall=1'], 2, /there is no metric recall/u],
  ['a gate that needs a judge', ['--min', 'answer-accuracy=0.8'], 2, /needs a --judge/u],
  ['an unknown system', ['--systems', 'rag'], 2, /The systems are none, standard/u],
  ['no question left', ['--ids', 'q.jsonl'], 3, /no question has the id/u],
])('%s: one clear line', async (_, args, code, line) => {
  const ended = await at('eval', 'q.jsonl', '--quiet', ...args);
  expect([ended.code, ended.out]).toEqual([code, '']);
  expect(ended.err).toMatch(line);
  expect(ended.err.trim().split('\n').length).toBeLessThan(3);
});

test('a page that cannot be written is an error before the evaluation; documents that the index lacks are named', async () => {
  expect(await at('eval', 'q.jsonl', '--html', 'nowhere/page.html')).toEqual({
    code: 3,
    out: '',
    err: 'error: --html nowhere/page.html: there is no such folder. Make the folder, or name a file in another one\n',
  });
  const question = { id: 'a', question: 'Which rotor?', answer: 'Use rotor C.' };
  const evidence = [{ document: 'gone.md', quote: 'Use rotor C.' }];
  await writeFile(join(folder, 'gone.jsonl'), JSON.stringify({ ...question, evidence }));
  const { code, err } = await at('eval', 'gone.jsonl', '--systems', 'labsage', '--quiet');
  expect([code, err]).toEqual([
    0,
    'warning: 1 of the questions names a document that the index lacks: gone.md\n',
  ]);
});

test('--help names every metric', async () => {
  const { out } = await at('eval', '--help');
  for (const name of ['context-recall', 'answer-f1', 'false-answers', 'list-recall', 'answer-accuracy'])
    expect(out).toContain(`\n  ${name} `);
});

test('--check-questions needs no index and no model', async () => {
  const good = await at('eval', 'q.jsonl', '--check-questions', '--sops', 'sops');
  expect(good).toMatchObject({ code: 0, err: '' });
  expect(good.out).toContain('No faults.');
  const bad = await at('eval', 'bad.jsonl', '--check-questions', '--sops', 'sops');
  expect(bad.code).toBe(5);
  expect(bad.out).toContain('he-002.txt does not say "Use Rotor D."');
});
