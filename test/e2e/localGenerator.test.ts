/** `--generator transformers:` with a model that writes one fixed text, and with SmolLM2 where it is: imported, loaded, cut to its window, checked. */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { SoapNote } from '../../src/clirag/note/noteRecord.js';
import { packageRoot } from '../../src/core/config.js';
import type { Answer } from '../../src/core/types.js';
import { writeTinyGenerator } from '../tinyOnnx.js';
import { writeRows } from './cliragRows.js';
import { clirag, labsage, type Ended } from './runBin.js';

const SOP = join(packageRoot, 'corpora', 'sops', 'chemistry', 'CH-014-plasma-ammonia.txt');
const QUESTION = 'How long is plasma ammonia stable on ice?';
const WORDS = ['the', 'cold', 'tube', 'is', 'not', 'permitted', 'for', 'ammonia', '[', 's', '##1', ']', '.'];
/** From shared/models/build.py, which is no part of the project. */
const SMOLLM2 =
  process.env['LABSAGE_SMOLLM2'] ?? join(dirname(packageRoot), 'shared', 'models', 'SmolLM2-135M-Instruct');

let cwd = '';
const env = (): Record<string, string> => ({ LABSAGE_HOME: join(cwd, 'home') });
const at = (args: readonly string[]): Promise<Ended> => labsage(args, { cwd, env: env() });
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'labsage local '));
  await writeTinyGenerator(join(cwd, 'tiny'), { words: WORDS });
  await writeTinyGenerator(join(cwd, 'small'), { words: WORDS, contextTokens: 1900 });
  await writeTinyGenerator(join(cwd, 'endless'), { words: WORDS, stops: false });
  await writeTinyGenerator(join(cwd, 'base'), { words: WORDS, template: null });
  expect((await at(['index', SOP, '--embedder', 'minilm', '--quiet'])).code).toBe(0);
}, 120_000);
afterAll(() => rm(cwd, { recursive: true, force: true }));

test('a model of a folder writes the answer, the same one again; its own tokens are counted; the record names it', async () => {
  const argv = ['ask', QUESTION, '--generator', 'transformers:./tiny', '--json'];
  const { code, out, err } = await at(argv);
  expect([code, err]).toEqual([0, '']);
  const answer = JSON.parse(out) as Answer;
  expect(answer.text).toMatch(/^the cold tube is not permitted for ammonia/u);
  expect(answer.model.generator).toBe('transformers:./tiny');
  const { sent, intended, countedByServer = 0 } = answer.omitted;
  expect(sent).toBe(intended);
  // The template's own words, and no more.
  expect(countedByServer - sent).toBeGreaterThan(0);
  expect(countedByServer - sent).toBeLessThan(20);
  expect((JSON.parse((await at(argv)).out) as Answer).text).toBe(answer.text);
}, 90_000);

test('an imported model is named, listed, verified and exported like the others; an embedder is none', async () => {
  const imported = await at(['models', 'import', 'tiny', '--name', 'parrot', '--licence', 'CC0']);
  expect(imported).toMatchObject({ code: 0, err: '' });
  expect(imported.out).toContain('parrot: a language model, 4096 tokens of prompt and reply');
  const listed = await at(['models', 'list', '--json']);
  expect(JSON.parse(listed.out)).toContainEqual(
    expect.objectContaining({ id: 'parrot', kind: 'generator', contextTokens: 4096, licence: 'CC0' }),
  );
  expect((await at(['models', 'list'])).out).toMatch(/parrot\s+--generator\s+-\s+-\s+4096/u);
  expect((await at(['models', 'verify', 'parrot'])).out).toBe('ok      parrot (it writes)\n');
  const { out } = await at(['ask', QUESTION, '--generator', 'transformers:parrot', '--json']);
  expect((JSON.parse(out) as Answer).model.generator).toBe('transformers:parrot');
  expect((await at(['models', 'export', 'parrot', 'carried'])).code).toBe(0);
  expect((await at(['models', 'import', 'carried', '--name', 'again', '--json'])).out).toContain(
    '"card":"read"',
  );
  const embedder = await at(['ask', QUESTION, '--generator', 'transformers:minilm']);
  expect([embedder.code, embedder.err]).toEqual([
    4,
    'error: no language model named minilm on this machine. Use one of: again, parrot\n',
  ]);
  expect((await at(['index', SOP, '--embedder', 'parrot', '--index', 'other'])).code).toBe(4);
}, 120_000);

test('a prompt is cut to the window of the model, section by section, and that is said; exit 5 with --strict', async () => {
  const argv = ['ask', QUESTION, '--generator', 'transformers:./small', '--strict', '--json'];
  const { code, out } = await at(argv);
  expect(code).toBe(5);
  const { omitted, warnings } = JSON.parse(out) as Answer;
  expect(omitted.sent).toBeLessThan(omitted.intended);
  expect(omitted.countedByServer).toBeLessThanOrEqual(1900 - 512);
  expect(warnings.join()).toMatch(/\d+ of \d+ tokens of the prompt did not fit/u);
}, 60_000);

test.each([
  ['a model without a chat template', 'transformers:./base', /no chat template/u],
  ['a folder that is not there', 'transformers:./none', /there is no folder .*none/u],
  [
    'a folder that holds an embedder',
    `transformers:${join(packageRoot, 'models', 'all-MiniLM-L6-v2')}`,
    /no chat template/u,
  ],
  ['a name that is none', 'transformers:parakeet', /no language model named parakeet/u],
])(
  '%s is exit 4 in one line',
  async (_, generator, message) => {
    const { code, out, err } = await at(['ask', QUESTION, '--generator', generator]);
    expect([code, out]).toEqual([4, '']);
    expect(err).toMatch(message);
    expect(err.trim().split('\n')).toHaveLength(1);
  },
  60_000,
);

test('damaged weights are exit 4 in one line', async () => {
  await writeTinyGenerator(join(cwd, 'cut'), { words: WORDS });
  await truncate(join(cwd, 'cut', 'onnx', 'model_q4.onnx'), 100_000);
  const { code, out, err } = await at(['ask', QUESTION, '--generator', 'transformers:./cut']);
  expect([code, out]).toEqual([4, '']);
  expect(err).toMatch(/^error: the language model \.\/cut failed: [^\n]*\n$/u);
}, 60_000);

test('a reply without an end stops at its limit, and that is said', async () => {
  const { out } = await at(['ask', QUESTION, '--generator', 'transformers:./endless']);
  expect(out).toContain('! The model stopped at the limit of its reply.');
}, 90_000);

test('clirag note: the same model writes a note, whose sentences are checked; without headings it is none', async () => {
  await writeRows(join(cwd, 'notes.csv'), [
    {
      patient: 7,
      charted: '2150-01-02 08:00:00',
      text: 'Patient denies chest pain.\nPlan: repeat potassium at noon.',
    },
  ]);
  expect((await clirag(['index', 'notes.csv', '--quiet'], { cwd, env: env() })).code).toBe(0);
  await writeTinyGenerator(join(cwd, 'writer'), {
    words: ['#', 'plan', ':', 'repeat', 'potassium', 'at', 'noon', '[', 's', '##1', ']', '.'],
  });
  const argv = ['note', '--patient', '7', '--visit', '#1', '--embedder', 'minilm', '--quiet', '--json'];
  const { code, out } = await clirag([...argv, '--generator', 'transformers:./writer'], { cwd, env: env() });
  expect(code).toBe(0);
  const note = JSON.parse(out) as SoapNote;
  expect(note.model.generator).toBe('transformers:./writer');
  expect(note.sections.plan.sentences[0]?.text).toContain('repeat potassium at noon');
  const none = await clirag([...argv, '--generator', 'transformers:./tiny'], { cwd, env: env() });
  expect([none.code, none.out]).toEqual([4, '']);
  expect(none.err).toContain('no SOAP headings');
}, 90_000);

const withSmolLm = existsSync(join(SMOLLM2, 'onnx')) ? test : test.skip;
withSmolLm(
  `SmolLM2 (set LABSAGE_SMOLLM2; skipped where it is absent) writes, is checked, and writes the same again`,
  async () => {
    await writeFile(
      join(cwd, 'one.md'),
      '# XX-001 Ammonia\n\n## Stability\n\nPlasma ammonia is stable on ice for 45 minutes.\n',
    );
    expect((await at(['index', 'one.md', '--embedder', 'minilm', '--quiet', '--index', 'one'])).code).toBe(0);
    const argv = ['ask', QUESTION, '--index', 'one', '--generator', `transformers:${SMOLLM2}`, '--json'];
    const first = JSON.parse((await at(argv)).out) as Answer;
    expect(first.model.generator).toBe(`transformers:${SMOLLM2}`);
    expect(first.omitted.countedByServer).toBeGreaterThan(first.omitted.sent);
    expect((JSON.parse((await at(argv)).out) as Answer).text).toBe(first.text);
  },
  600_000,
);
