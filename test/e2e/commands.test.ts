import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFiles } from '../temporaryFolder.js';
import { labsage, type Ended } from './runBin.js';

let folder = '';
const at = (
  args: readonly string[],
  options: { env?: Record<string, string>; input?: string } = {},
): Promise<Ended> => labsage(args, { cwd: folder, ...options });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'labsage commands '));
  await writeFiles(folder, {
    'my sops/chemistry/ch-001.md':
      '# CH-001 Potassium\n\nDocument number: CH-001\n\n## Specimen\n\nThe minimum volume is 0.5 mL of lithium heparin plasma.\n',
    'my sops/he-002.txt': 'HE-002 APTT\n\n1. ROTOR\n\nUse Rotor C for citrated plasma.\n',
  });
  const { code, err } = await at(['index', 'my sops', '--embedder', 'minilm']);
  expect([code, err]).toEqual([0, '']);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function jsonLines(text: string): unknown[] {
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

test.each([
  ['index', ['my sops'], 1],
  ['index --check', ['my sops'], 1],
  ['status', [], 1],
  ['verify', [], 1],
  ['ask', ['minimum volume of potassium'], 1],
  ['search', ['plasma'], 3],
  ['search --mode keyword', ['plasma'], 2],
  ['show', ['CH-001'], 1],
  ['chunk', ['my sops'], 4],
  ['embed --embedder minilm', ['ammonia'], 1],
] as const)('%s --json writes lines of JSON and nothing else', async (command, args, least) => {
  const { code, out, err } = await at([...command.split(' '), ...args, '--json']);
  expect([code, err]).toEqual([0, '']);
  expect(jsonLines(out).length).toBeGreaterThanOrEqual(least);
});

test('no colours on a pipe, none with NO_COLOR, some where they are forced', async () => {
  const escapes = async (env: Record<string, string>): Promise<boolean> =>
    (await at(['show', 'CH-001'], { env })).out.includes('\u001b[');
  expect(await escapes({})).toBe(false);
  expect(await escapes({ FORCE_COLOR: '1' })).toBe(true);
  expect(await escapes({ FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false);
});

test('chunk --json | index - and questions on stdin work, the latter as lines and as JSON lines', async () => {
  const { out: records } = await at(['chunk', 'my sops', '--json']);
  const piped = await at(['index', '-', '--index', 'piped', '--embedder', 'minilm', '--json'], {
    input: records,
  });
  expect(JSON.parse(piped.out)).toMatchObject({ documents: 2, skipped: [] });
  const input = '\uFEFFWhich rotor?\r\n\r\n{"id":"q2","question":"minimum volume of potassium"}\n';
  const { out, err } = await at(['ask', '--questions', '-', '--json', '--index', 'piped'], { input });
  expect(err).toBe('');
  expect(jsonLines(out)).toMatchObject([
    { question: 'Which rotor?' },
    { id: 'q2', question: 'minimum volume of potassium' },
  ]);
  const audit = await readFile(join(folder, 'piped', 'audit.jsonl'), 'utf8');
  expect(jsonLines(audit).length).toBe(2);
  const bad = await at(['ask', '--questions', '-', '--json'], { input: '{"id":1}\n' });
  expect([bad.code, bad.out, bad.err]).toEqual([
    3,
    '',
    expect.stringMatching(/^error: line 1 of - is no question: it has no field "question"\. .*\n$/u),
  ]);
});

test('embed reads lines and JSON lines, keeps their order and fields, and odd characters do not stop it', async () => {
  const input = [
    'plain',
    '{"text":"with a field","id":7}',
    '{"text":"\\ud800 half a pair"}',
    '🧪 µ',
    '{"text":""}',
  ].join('\n');
  const { code, out, err } = await at(['embed', '--embedder', 'minilm'], { input });
  expect([code, err]).toEqual([0, '']);
  const lines = jsonLines(out) as { id?: number; text: string; vector: number[] }[];
  expect(lines.map(({ text }) => text)).toEqual(['plain', 'with a field', '\ud800 half a pair', '🧪 µ', '']);
  expect(lines[1]?.id).toBe(7);
  for (const { vector } of lines) expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
  const long = await at(['embed', '--embedder', 'minilm'], {
    input: `${'short\n'.repeat(20)}${'plasma '.repeat(300)}\n`,
  });
  expect([long.code, long.err]).toEqual([
    3,
    expect.stringMatching(/^error: text 21 has 302 tokens, \S+ reads 256 at most\. Shorten or split it\n$/u),
  ]);
});

test('documents are shown by id, number, name and path, also as Windows writes it; a slip gets a suggestion', async () => {
  const shown = await Promise.all(
    ['ch-001', 'CH-001', 'ch-001.md', 'chemistry/ch-001.md', 'chemistry\\CH-001.md'].map((name) =>
      at(['show', name]),
    ),
  );
  expect(new Set(shown.map(({ code, out }) => `${code} ${out}`)).size).toBe(1);
  const slip = await at(['show', 'CH-01']);
  expect([slip.code, slip.out, slip.err]).toEqual([
    3,
    '',
    expect.stringMatching(/^error: .* named CH-01\. Did you mean ch-001\? .*labsage status\n$/iu),
  ]);
});

test('index --check tells a stale index by exit 5, and index without a path remembers its folders', async () => {
  expect((await at(['index', '--check'])).code).toBe(0);
  await writeFiles(folder, { 'my sops/new.md': '# New\n\nWords.\n' });
  const stale = await at(['index', '--check']);
  expect([stale.code, stale.out.split('\n')[0]]).toEqual([5, 'new      new.md']);
  await writeFiles(folder, { 'my sops/noise.txt': '\u0000\u0001\u0002 no text \u0000' });
  expect((await at(['index', '--quiet'])).out).toContain('1 added');
  const current = await at(['index', '--check']);
  expect([current.code, current.out]).toEqual([0, 'The index is up to date.\n']);
  expect(current.err).toMatch(/^warning: skipped noise\.txt: /u);
  expect((await at(['index', '--check', '--strict'])).code).toBe(5);
});
