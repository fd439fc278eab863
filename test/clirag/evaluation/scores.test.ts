/** Notes whose measures are known → a system's metrics, and the gates on them. */

import { expect, test } from '@jest/globals';
import { checkGates, parseGate } from '../../../src/clirag/evaluation/gates.js';
import type { EvaluatedNote } from '../../../src/clirag/evaluation/evaluatedNote.js';
import { countFacts, type Fact } from '../../../src/clirag/evaluation/facts.js';
import { cosine, cutText, embedNote } from '../../../src/clirag/evaluation/noteVectors.js';
import { compareSystems, scoreSystem, type PairedNote } from '../../../src/clirag/evaluation/scores.js';
import { countWords } from '../../../src/core/text.js';
import { wordEmbedder } from '../../wordEmbedder.js';

const tools = { embedder: wordEmbedder(), countTokens: countWords };

async function note(
  patient: string,
  ordinal: number,
  plain: string,
  more: Partial<EvaluatedNote> = {},
): Promise<EvaluatedNote> {
  return {
    visit: {
      id: `${patient}/${ordinal}`,
      patientId: patient,
      date: '2150-01-01',
      lastDate: '2150-01-01',
      ordinal,
      noteIds: [],
    },
    plain,
    sections: 4,
    vectors: await embedNote(plain, tools),
    counts: { supported: 3, contradicted: 1, stale: 0, 'not-found': 0 },
    proved: { nursing: 2 },
    keys: [plain],
    faults: [],
    ...more,
  };
}

async function pair(patient: string, ordinal: number, [said, gold]: [string, string]): Promise<PairedNote> {
  return { patient, note: await note(patient, ordinal, said), gold: await note(patient, ordinal, gold) };
}

const OPTIONS = { missing: 0, seed: 1, stem: true };

test('a system that writes the gold notes has every score of one', async () => {
  const texts = ['the patient slept well all night', 'oxygen was weaned to two liters today'];
  const pairs = await Promise.all(texts.map((text, at) => pair('7', at + 1, [text, text])));
  const { metrics } = scoreSystem('x', { pairs, ...OPTIONS });
  for (const name of [
    'bleu',
    'bleu-nltk',
    'rouge-1',
    'rouge-2',
    'rouge-l',
    'similarity',
    'similarity-whole',
    'length-ratio',
    'alignment-ratio',
  ] as const)
    expect([name, metrics[name]?.mean]).toEqual([name, expect.closeTo(1, 5)]);
  expect(metrics.temporal?.count).toBe(1);
  expect(metrics.temporal?.mean).toBeCloseTo(metrics['temporal-gold']?.mean ?? 0, 6);
  expect(metrics.supported).toEqual({ mean: 0.75, count: 8 });
  expect(metrics.copied?.mean).toBe(0);
});

test('a system that copies its first note is consistent in time, and copied', async () => {
  const pairs = await Promise.all([
    pair('7', 1, ['same words every single day', 'first gold note of the course']),
    pair('7', 2, ['same words every single day', 'another gold text entirely different']),
    pair('8', 1, ['other patient of another course', 'gold']),
  ]);
  const { metrics } = scoreSystem('x', { pairs, ...OPTIONS });
  expect(metrics.temporal?.mean).toBeCloseTo(1, 5);
  expect(metrics.temporal?.count).toBe(1);
  expect(metrics['temporal-gold']?.mean).toBeLessThan(0.9);
  expect(metrics['alignment-ratio']?.mean).toBeGreaterThan(1);
  expect(metrics.copied?.mean).toBe(1);
});

test('visits that are not adjacent make no pair, and stemming is a choice', async () => {
  const pairs = await Promise.all([
    pair('7', 1, ['running fast', 'runs fast']),
    pair('7', 3, ['walking slow', 'walks slow']),
  ]);
  expect(scoreSystem('x', { pairs, ...OPTIONS }).metrics.temporal).toBeUndefined();
  expect(scoreSystem('x', { pairs, ...OPTIONS }).metrics['rouge-1']?.mean).toBeCloseTo(1, 6);
  expect(scoreSystem('x', { pairs, ...OPTIONS, stem: false }).metrics['rouge-1']?.mean).toBeCloseTo(0.5, 6);
});

test('votes: failed ones count for nobody', async () => {
  const [first] = await Promise.all([pair('7', 1, ['a b', 'a b'])]);
  const pairs = (['note', 'gold', 'tie', 'failed'] as const).map((vote) => ({ ...first, vote }));
  const { metrics, votes } = scoreSystem('x', { pairs, ...OPTIONS });
  expect(votes).toEqual({ note: 1, gold: 1, tie: 1, failed: 1 });
  expect(metrics.preference).toMatchObject({ count: 3, mean: expect.closeTo(1 / 3, 6) });
});

test('two systems that write alike are consistent', async () => {
  const a = new Map([['7/1', await note('7', 1, 'the patient slept well')]]);
  const b = new Map([
    ['7/1', await note('7', 1, 'the patient slept well')],
    ['7/2', await note('7', 2, 'x y')],
  ]);
  expect(
    compareSystems(
      [
        { name: 'a', notes: a },
        { name: 'b', notes: b },
      ],
      { stem: true },
    ),
  ).toEqual({
    systems: ['a', 'b'],
    visits: 1,
    similarity: expect.closeTo(1, 5),
    rougeL: 1,
  });
});

test('a note over the limit is read to the end: every word is in one piece', async () => {
  const text = Array.from({ length: 40 }, (_, at) => `Sentence ${at} of the note.`).join(' ');
  const pieces = cutText(text, { limit: 12, countTokens: countWords });
  expect(pieces.join(' ')).toBe(text);
  expect(Math.max(...pieces.map(countWords))).toBeLessThanOrEqual(12);
  const vectors = await embedNote(
    `${'alpha beta gamma. '.repeat(100)}${'delta epsilon zeta. '.repeat(100)}`,
    tools,
  );
  const [alpha] = await tools.embedder.embed(['alpha beta gamma.'], 'passage');
  const similarityOf = (vector: Float32Array | undefined): number =>
    cosine(vector ?? new Float32Array(), alpha ?? new Float32Array());
  expect(similarityOf(vectors?.first)).toBeGreaterThan(similarityOf(vectors?.whole));
  expect(await embedNote('   ', tools)).toBeUndefined();
});

const FACT: Fact = {
  id: '1',
  patient: 7,
  visit: '2150-01-01',
  section: 'O',
  kind: 'required',
  fact: 'Creatinine 2.2',
  match: [['creatinine'], ['2.2']],
};

test.each<[string, Partial<Fact>, [string, string][], Record<string, number>]>([
  ['found in its section', {}, [['O', 'Creatinine 2.2.']], { required: 1, found: 1, right: 1 }],
  ['found elsewhere', {}, [['A', 'Creatinine 2.2.']], { found: 1, right: 0 }],
  [
    'under one heading for assessment and plan',
    { section: 'P' },
    [['AP', 'Creatinine 2.2.']],
    { found: 1, right: 1 },
  ],
  [
    'over two sentences',
    {},
    [
      ['O', 'Creatinine.'],
      ['O', 'It is 2.2.'],
    ],
    { found: 0 },
  ],
  [
    'forbidden and stated',
    { kind: 'forbidden', match: [['fever']] },
    [['S', 'Has fever.']],
    { forbidden: 1, stated: 1 },
  ],
  [
    'forbidden and denied',
    { kind: 'forbidden', match: [['fever']] },
    [['S', 'No fever.']],
    { forbidden: 1, stated: 0 },
  ],
  ['dated without a date', { kind: 'dated' }, [['O', 'Creatinine 2.2.']], { dated: 1, undated: 1 }],
  ['dated with one', { kind: 'dated' }, [['O', 'Creatinine 2.2 at 06:00.']], { dated: 1, undated: 0 }],
])('a fact %s', (_, fact, said, counts) => {
  const sentences = said.map(([part, text]) => ({ part: part as 'O', text }));
  expect(countFacts([{ ...FACT, ...fact }], sentences)).toMatchObject(counts);
});

test('gates: form, direction, tolerance, and what was not measured', async () => {
  expect(() => parseGate('rouge-1', 'min')).toThrow('METRIC=VALUE');
  expect(() => parseGate('rouge-9=1', 'min')).toThrow('no metric rouge-9');
  expect(() => parseGate('stale=0.1', 'min')).toThrow('better the lower');
  expect(() => parseGate('fact-recall=0.1', 'max')).toThrow('better the higher');
  const pairs = [await pair('7', 1, ['a b c d', 'a b c d'])];
  const systems = ['x', 'no-bm25'].map((name) => scoreSystem(name, { pairs, ...OPTIONS }));
  const gates = [
    'rouge-1=1.004',
    'rouge-1=1.1',
    'no-bm25:rouge-1=0.9',
    'fact-recall=0.5',
    'no-x:rouge-1=0',
  ].map((text) => parseGate(text, 'min'));
  expect(checkGates(gates, systems).map(({ passed }) => passed)).toEqual([true, false, true, false, false]);
});
