import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFiles } from '../temporaryFolder.js';
import { TINY_DIMS, writeTinyModel } from '../tinyOnnx.js';
import { labsage, type Ended } from './runBin.js';

let folder = '';
/** A home of its own: the models of these tests are no other test's. */
const at = (...args: readonly string[]): Promise<Ended> =>
  labsage(args, { cwd: folder, env: { LABSAGE_HOME: join(folder, 'home') } });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'labsage models '));
  await writeTinyModel(join(folder, 'medcpt', 'query-encoder'), { seed: 5, mark: 0.4 });
  await writeTinyModel(join(folder, 'medcpt', 'article-encoder'), { seed: 5, mark: -0.4 });
  await writeTinyModel(join(folder, 'tiny'), { seed: 6, mark: 0, weights: 'model_quantized.onnx' });
  await writeFiles(folder, {
    'sops/ch-001.md':
      '# CH-001 Potassium\n\n## Specimen\n\nThe minimum volume is 0.5 mL of heparin plasma.\n\n## Control\n\nRun two levels of control every morning.\n',
    'sops/he-002.md': '# HE-002 Clotting time\n\n## Rotor\n\nUse rotor C for citrated blood.\n',
    'questions.jsonl': [
      {
        id: 'q1',
        question: 'minimum volume of heparin plasma',
        answer: 'The minimum volume is 0.5 mL of heparin plasma.',
        evidence: [{ document: 'ch-001.md', quote: 'The minimum volume is 0.5 mL of heparin plasma.' }],
      },
      {
        id: 'q2',
        question: 'which rotor for citrated blood',
        answer: 'Use rotor C for citrated blood.',
        evidence: [{ document: 'he-002.md', quote: 'Use rotor C for citrated blood.' }],
      },
    ]
      .map((line) => JSON.stringify(line))
      .join('\n'),
  });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('two encoders are imported as one model: a card is made, reference vectors are, and that is said', async () => {
  const { code, out, err } = await at('models', 'import', 'medcpt', '--licence', 'public domain');
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/medcpt: 16 dimensions, cls pooling, 256 tokens, one encoder for questions and one/u);
  expect(out).toContain('They were made here');
  const card: unknown = JSON.parse(
    await readFile(join(folder, 'home', 'models', 'medcpt', 'model.json'), 'utf8'),
  );
  expect(card).toMatchObject({
    id: 'medcpt',
    dims: TINY_DIMS,
    pooling: 'cls',
    weights: 'passage/onnx/model.onnx',
    queryWeights: 'query/onnx/model.onnx',
    licence: 'public domain',
  });
});

test('one text has two vectors, one as a question and one as a passage, both of length 1', async () => {
  const vectorOf = async (role: string): Promise<number[]> => {
    const { out } = await at('embed', 'citrated blood', '--embedder', 'medcpt', '--role', role);
    return (JSON.parse(out) as { vector: number[] }).vector;
  };
  const [query, passage] = [await vectorOf('query'), await vectorOf('passage')];
  const dot = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
  expect(query).toHaveLength(TINY_DIMS);
  expect(dot(query, query)).toBeCloseTo(1, 4);
  expect(dot(passage, passage)).toBeCloseTo(1, 4);
  expect(dot(query, passage)).toBeLessThan(0.99);
});

test('the asymmetric model indexes, answers, and is a row of Table 2 beside a second one', async () => {
  const imported = await at('models', 'import', 'tiny', '--pooling', 'mean', '--name', 'small', '--json');
  expect(JSON.parse(imported.out)).toMatchObject({ id: 'small', pooling: 'mean', reference: 'made' });
  expect((await at('index', 'sops', '--embedder', 'medcpt', '--quiet')).code).toBe(0);
  const { out } = await at('ask', 'which rotor for citrated blood', '--json');
  expect(JSON.parse(out)).toMatchObject({ model: { embedder: 'medcpt' } });
  const args = [
    'eval',
    'questions.jsonl',
    '--embedder',
    'medcpt,small',
    '--systems',
    'standard,paper,labsage',
  ];
  const evaluated = await at(...args, '-k', '1,3', '--words', '100', '--quiet');
  expect(evaluated.code).toBe(0);
  for (const embedder of ['medcpt', 'small'])
    expect(evaluated.out).toMatch(new RegExp(`${embedder}\\s+paper\\s+\\d\\.\\d{3}`, 'u'));
});

test('list names the models of the package and the imported; verify proves them', async () => {
  const { out } = await at('models', 'list');
  for (const words of ['mpnet (all-mpnet-base-v2)', 'minilm (all-MiniLM-L6-v2)', 'medcpt', 'imported'])
    expect(out).toContain(words);
  const verified = await at('models', 'verify', 'medcpt', 'small');
  expect(verified).toMatchObject({ code: 0, err: '' });
  expect(verified.out).toMatch(/^ok {6}medcpt \(least cosine to its reference 1\.000\)\nok {6}small/u);
});

test('a name that is taken is refused, --replace takes its place', async () => {
  const again = await at('models', 'import', 'medcpt');
  expect(again.code).toBe(3);
  expect(again.err).toMatch(/there is a model medcpt in .*--replace/u);
  expect((await at('models', 'import', 'medcpt', '--replace')).code).toBe(0);
});

test('an exported folder is imported by its own card; a changed byte is found at import and by verify', async () => {
  const exported = join(folder, 'home', 'models', 'small');
  const read = await at('models', 'import', exported, '--name', 'carried', '--json');
  expect(JSON.parse(read.out)).toMatchObject({ id: 'carried', card: 'read', reference: 'read' });
  await writeFile(join(folder, 'home', 'models', 'carried', 'config.json'), '{"hidden_size":17}');
  const verified = await at('models', 'verify', 'carried');
  expect(verified.code).toBe(5);
  expect(verified.out).toMatch(/^FAILED {2}carried: model file .*config\.json has \d+ bytes instead of/u);
  await appendFile(join(exported, 'onnx', 'model_quantized.onnx'), 'x');
  const damaged = await at('models', 'import', exported, '--name', 'other');
  expect(damaged.code).toBe(3);
  expect(damaged.err).toContain('is not what its model.json says');
});

test('weights that compute other dimensions than the model states are refused, and nothing is left behind', async () => {
  await writeTinyModel(join(folder, 'wrong'), { seed: 1, mark: 0, config: { hidden_size: 32 } });
  const { code, err } = await at('models', 'import', 'wrong', '--pooling', 'cls');
  expect(code).toBe(4);
  expect(err).toContain('have 16 dimensions instead of 32');
  expect((await at('models', 'list')).out).not.toContain('wrong');
});
