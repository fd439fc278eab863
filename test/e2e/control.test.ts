import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { SOPS } from '../labsage/lists/controlledCorpus.js';
import { writeFiles } from '../temporaryFolder.js';
import { labsage, run, works, type Ended } from './runBin.js';

const hasGit = works('git', '--version');
const testWithGit = hasGit ? test : test.skip;

let folder = '';
const at = (...args: readonly string[]): Promise<Ended> => labsage(args, { cwd: folder });

const QUESTION = 'How long do you spin plasma ammonia?';
const AMMONIA = 'sops/chemistry/CH-100-ammonia.md';

async function editAmmonia(from: string, to: string): Promise<void> {
  const path = join(folder, AMMONIA);
  const text = await readFile(path, 'utf8');
  expect(text).toContain(from);
  await writeFile(path, text.replace(from, to));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'labsage control '));
  await writeFiles(join(folder, 'sops'), SOPS);
  await writeFiles(folder, { 'saved.txt': `${QUESTION}\nwhich SOPs mention azide?\n` });
  const { code, err } = await at('index', 'sops', '--embedder', 'minilm', '--quiet');
  expect([code, err]).toEqual([0, '']);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('list: lines, a table, JSON lines, CSV; nothing on stderr; exit 5 for an empty one on request', async () => {
  expect(await at('list', 'calcium', 'chloride')).toMatchObject({
    code: 0,
    out: expect.stringContaining('1 of 3 documents: calcium chloride, 1 mention'),
    err: '',
  });
  expect((await at('list')).out.trimEnd().split('\n')).toHaveLength(4);
  const json = await at('list', 'heparin', '--json');
  expect(
    json.out
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { mentions: number }).mentions),
  ).toEqual([1, 1]);
  const rows = parse<{ number: string }>((await at('list', 'heparin', '--csv')).out, { columns: true });
  expect(rows.map(({ number }) => number)).toEqual(['CH-200', 'HE-300']);
  expect((await at('list', 'cephalin', '--fail-empty')).code).toBe(5);
  expect((await at('list', 'cephalin')).err).toBe('1 not in force: add --all-versions to see it.\n');
  expect((await at('list', 'cephalin', '--all-versions', '--fail-empty')).code).toBe(0);
  expect((await at('list', 'azide', 'ammonia')).err).toContain("labsage list 'azide AND ammonia'");
});

test('a mistyped word of a list is suggested; a document or folder that is not there is warned of', async () => {
  expect((await at('list', 'calcum')).err).toBe(`No document has "calcum". Try: labsage list 'calcium'\n`);
  const missing = 'warning: no document of the index is CH-999';
  for (const command of [['list'], ['search', 'azide', '--mode', 'keyword']]) {
    expect((await at(...command, '--document', 'CH-999')).err).toContain(missing);
  }
  expect((await at('list', 'azide', '--folder', 'nowhere')).err).toContain('lies in nowhere');
});

test.each([
  [['list', 'a', 'AND'], 'error: the terms cannot be read: a word is missing at its end.'],
  [
    ['list', '--review-before', '1/2/2027'],
    'error: --review-before 1/2/2027: day and month cannot be told apart.',
  ],
  [['list', 'a', '--csv', '--json'], 'error: give --csv or --json, not both'],
  [['impact', 'sops'], 'error: name an old and a new file or folder'],
  [['audit', 'verify', '--head', 'abc'], 'error: abc is no hash of 64 hex digits.'],
  [
    ['revalidate', 'saved.txt', '--every', 'soon'],
    "error: option '--every <interval>' argument 'soon' is invalid.",
  ],
  [['audit', 'show', ''], 'error: no record named. List them with: labsage audit list'],
  [['audit', 'show'], "error: missing required argument 'id'"],
])('%j is refused in one line, exit 2', async (args, message) => {
  const { code, out, err } = await at(...args);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(message);
});

test('ask, then audit list, show, head, verify, export and replay; an edit is named, damage found', async () => {
  expect((await at('ask', QUESTION)).out).toContain('8 minutes');
  expect((await at('ask', 'which SOPs mention azide?')).out).toContain('1 of 3 documents: azide, 1 mention');
  const records = (await at('audit', 'list', '--json')).out.trimEnd().split('\n');
  const first = JSON.parse(records[0] ?? '') as { id: string };
  const id = first.id.slice(0, 8);
  expect((await at('audit', 'list', '--last', '1')).out).toContain('which SOPs mention azide?');
  expect((await at('audit', 'show', id)).out).toContain(`question   ${QUESTION}`);
  const head = (await at('audit', 'head')).out.slice(0, 64);
  expect((await at('audit', 'verify', '--head', head)).code).toBe(0);
  expect(parse((await at('audit', 'export', '--csv')).out, { columns: true })).toHaveLength(records.length);
  expect(await at('audit', 'replay', id)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^The same answer/u),
  });

  await editAmmonia('8 minutes', '12 minutes');
  await at('index', 'sops');
  const replayed = await at('audit', 'replay', id);
  expect(replayed.code).toBe(5);
  expect(replayed.out).toContain('document chemistry/CH-100-ammonia.md: sha256');
  await editAmmonia('12 minutes', '8 minutes');
  await at('index', 'sops');
  expect((await at('audit', 'replay', id)).code).toBe(0);

  const log = join(folder, '.labsage', 'audit.jsonl');
  const text = await readFile(log, 'utf8');
  await writeFile(log, text.replace('8 minutes', '9 minutes'));
  const damaged = await at('audit', 'verify');
  expect([damaged.code, damaged.out]).toEqual([5, expect.stringContaining(`line 1 of ${log} was edited`)]);
  await writeFile(log, `${text.trimEnd().split('\n').slice(0, -1).join('\n')}\n`);
  expect((await at('audit', 'verify')).code).toBe(0);
  expect((await at('audit', 'verify', '--head', head)).code).toBe(5);
  await writeFile(log, text);
});

test('impact: what a revision changes and which saved questions are answered differently', async () => {
  await writeFiles(join(folder, 'proposed'), {
    ...Object.fromEntries(Object.entries(SOPS)),
    'chemistry/CH-100-ammonia.md': (SOPS['chemistry/CH-100-ammonia.md'] ?? '').replace(
      '8 minutes',
      '12 minutes',
    ),
  });
  const asking = ['--questions', 'saved.txt', '--fail-changed', '--quiet'];
  const { code, out, err } = await at('impact', 'sops', 'proposed', ...asking);
  expect(code).toBe(5);
  expect(err).toMatch(
    /^warning: chemistry\/CH-100-ammonia\.md: the text changed, but its version is still \S+\n$/u,
  );
  expect(out).toContain('Spin for [-8-] {+12+} minutes');
  expect(out).toContain('1 of 2 saved questions is answered differently.');
  const asked = await at('impact', 'sops', 'sops', '--audit', '--fail-changed', '--json');
  expect([asked.code, JSON.parse(asked.out)]).toMatchObject([0, { documents: [], embedded: 0 }]);
});

testWithGit('impact --base compares with a commit', async () => {
  const git = (...args: readonly string[]): Promise<Ended> =>
    run('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: folder });
  await git('init', '-q');
  await git('add', 'sops');
  await git('commit', '-qm', 'approved');
  expect((await at('impact', '--base', 'HEAD', 'sops')).out).toBe('No document differs.\n');
  await editAmmonia('8 minutes', '12 minutes');
  const { code, out } = await at('impact', '--base', 'HEAD', 'sops', '--fail-changed');
  expect([code, out]).toEqual([5, expect.stringContaining('1 document differs: 1 section changed.')]);
  await editAmmonia('12 minutes', '8 minutes');
});

test('revalidate records, status tells when it is due and what is overdue first', async () => {
  expect((await at('status')).out).toContain('Never revalidated');
  const first = await at('revalidate', 'saved.txt', '--every', '6 months');
  expect([first.code, first.out]).toEqual([0, expect.stringContaining('2 of 2 answered.')]);
  expect((await at('revalidate', 'saved.txt', '--fail-changed')).out).toContain(
    '2 of 2 the same as last time',
  );
  const { out } = await at('status');
  expect(out.split('\n')[1]).toContain('review overdue since 2025-01-10');
  expect(out).toMatch(/Revalidated \d{4}-\d\d-\d\d by .+ with saved\.txt: 2 of 2 answered.*Next due/u);
  expect((await at('status', '--fail-overdue')).code).toBe(5);
  expect((await at('audit', 'verify')).out).toContain('revalidations.jsonl');
});
