import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { rouge, tokenizeRouge, type OverlapScore } from '../../../src/core/metrics/rouge.js';
import { expectClose, goldenTest } from './golden.js';

const MEASURES = ['rouge1', 'rouge2', 'rougeL', 'rougeLsum'] as const;

const text = fc
  .array(fc.constantFrom('spin', 'the', 'tube', 'tubes', 'tested', '10', 'min', '\n', '\n\n', 'µL', '.'), {
    maxLength: 25,
  })
  .map((words) => words.join(' ').replaceAll(' \n ', '\n'));

function swap({ precision, recall, f1 }: OverlapScore): OverlapScore {
  return { precision: recall, recall: precision, f1 };
}

test('n-grams are clipped, subsequences keep their order', () => {
  const scores = rouge('spin the tube now', 'now spin the the tube');
  expect(scores.rouge1).toEqual({ precision: 4 / 5, recall: 1, f1: expect.closeTo(8 / 9, 12) });
  // "spin the" and "the tube" of 4 and 3 bigrams
  expect(scores.rouge2).toEqual({ precision: 2 / 4, recall: 2 / 3, f1: expect.closeTo(4 / 7, 12) });
  // "spin the tube"
  expect(scores.rougeL).toEqual({ precision: 3 / 5, recall: 3 / 4, f1: expect.closeTo(2 / 3, 12) });
});

test('Lsum is blind to the order of lines, L is not', () => {
  const scores = rouge('spin the tube\nfreeze plasma', 'freeze plasma\nspin the tube');
  expect(scores.rougeLsum.f1).toBe(1);
  expect(scores.rougeL.f1).toBeCloseTo(3 / 5, 12);
});

test('Lsum counts no token twice, however many lines match it', () => {
  expect(rouge('mix\nmix', 'mix').rougeLsum).toEqual({
    precision: 1,
    recall: 1 / 2,
    f1: expect.closeTo(2 / 3, 12),
  });
});

test.each([
  ['5 µL at 4 °C', ['5', 'l', 'at', '4', 'c']],
  ['Sjögren CS-5100', ['sj', 'gren', 'cs', '5100']],
  ['310 \u212A', ['310', 'k']],
  ['', []],
])('tokens of %j', (input, tokens) => {
  expect(tokenizeRouge(input)).toEqual(tokens);
});

test('stemming spares words of three letters', () => {
  expect(tokenizeRouge('ties gas tubes', { stem: true })).toEqual(['tie', 'gas', 'tube']);
  expect(rouge('spin tubes', 'spin tube').rouge1.f1).toBe(1 / 2);
  expect(rouge('spin tubes', 'spin tube', { stem: true }).rouge1.f1).toBe(1);
});

test.each([
  ['', ''],
  ['', 'spin'],
  ['spin', ''],
  ['–', '…'],
])('nothing to compare is 0: %j, %j', (reference, candidate) => {
  const scores = rouge(reference, candidate);
  for (const measure of MEASURES) expect(scores[measure]).toEqual({ precision: 0, recall: 0, f1: 0 });
});

test('values are always in [0, 1] and swapping the texts swaps precision and recall', () => {
  fc.assert(
    fc.property(text, text, fc.boolean(), (a, b, stem) => {
      const [scores, swapped] = [rouge(a, b, { stem }), rouge(b, a, { stem })];
      for (const measure of MEASURES) {
        for (const value of Object.values(scores[measure])) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
        }
      }
      // Lsum takes the reference line by line and is not symmetric.
      for (const measure of ['rouge1', 'rouge2', 'rougeL'] as const) {
        expect(swap(scores[measure])).toEqual(swapped[measure]);
      }
      expect(scores.rougeL.recall).toBeLessThanOrEqual(scores.rouge1.recall);
    }),
  );
});

test('a text with two tokens or more always scores 1 against itself', () => {
  fc.assert(
    fc.property(
      text.filter((candidate) => tokenizeRouge(candidate).length > 1),
      (same) => {
        const scores = rouge(same, same);
        for (const measure of MEASURES) expect(scores[measure]).toEqual({ precision: 1, recall: 1, f1: 1 });
      },
    ),
  );
});

goldenTest('all values are those of rouge_score', ({ pairs }) => {
  expect(pairs.length).toBeGreaterThan(30);
  for (const { id, reference, candidate, rouge: golden } of pairs) {
    for (const stem of [false, true]) {
      const scores = rouge(reference, candidate, { stem });
      for (const measure of MEASURES) {
        const label = `${id} ${measure} ${stem ? 'stemmed' : 'plain'}`;
        const { precision, recall, fmeasure } =
          golden[stem ? 'use_stemmer_true' : 'use_stemmer_false'][measure];
        expectClose(scores[measure].precision, precision, { label: `${label} precision` });
        expectClose(scores[measure].recall, recall, { label: `${label} recall` });
        expectClose(scores[measure].f1, fmeasure, { label: `${label} f1` });
      }
    }
  }
});

goldenTest("ragas's RougeScore is our ROUGE-L", ({ ragas }) => {
  for (const { reference, response, rouge_score_rougeL_f: golden } of ragas.extra_bleu_rouge_wrappers) {
    expectClose(rouge(reference, response).rougeL.f1, golden, { label: response });
  }
});
