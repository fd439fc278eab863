import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  answerAccuracy,
  contextEntityRecall,
  contextPrecision,
  contextRecall,
  idContextPrecision,
  idContextRecall,
  RATING_ATTEMPTS,
  readRating,
  readVerdict,
  textContextPrecision,
  textContextRecall,
  type AccuracyRating,
} from '../../../src/core/metrics/ragas.js';
import { expectClose, goldenTest, type GoldenRagasCase } from './golden.js';

const verdicts = fc.array(fc.constantFrom(0, 1, undefined), { maxLength: 12 });

test('context recall is the share of supported statements', () => {
  expect(contextRecall([1, 0, 1, 0])).toEqual({ score: 0.5, judged: 4, missing: 0 });
});

test('a missing verdict is left out and counted, not taken for a no', () => {
  expect(contextRecall([1, undefined, 0])).toEqual({ score: 0.5, judged: 2, missing: 1 });
  expect(contextPrecision([undefined, 1])).toEqual({ ...contextPrecision([1]), missing: 1 });
  expect(contextRecall([undefined])).toEqual({ score: undefined, judged: 0, missing: 1 });
  expect(contextPrecision([])).toEqual({ score: undefined, judged: 0, missing: 0 });
});

test('context precision rewards hits at the top', () => {
  expect(contextPrecision([1, 0, 1]).score).toBeCloseTo((1 + 2 / 3) / 2, 9);
  expect(contextPrecision([0, 0]).score).toBe(0);
});

test('judged scores are always in [0, 1] and account for every verdict', () => {
  fc.assert(
    fc.property(verdicts, (list) => {
      for (const { score, judged, missing } of [contextRecall(list), contextPrecision(list)]) {
        expect(judged + missing).toBe(list.length);
        expect(score === undefined).toBe(judged === 0);
        expect(score ?? 0).toBeGreaterThanOrEqual(0);
        expect(score ?? 0).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test('entities count once and letter by letter', () => {
  expect(contextEntityRecall(['Na', 'Na', 'K'], ['Na'])).toBeCloseTo(0.5, 6);
  expect(contextEntityRecall(['HbA1c'], ['hba1c'])).toBe(0);
  expect(contextEntityRecall([], ['Na'])).toBe(0);
  expect(contextEntityRecall(undefined, ['Na'])).toBeUndefined();
  expect(contextEntityRecall(['Na'], undefined)).toBeUndefined();
});

test('answer accuracy takes what ratings there are', () => {
  expect(answerAccuracy(4, 2)).toEqual({ score: 0.75, judged: 2, missing: 0 });
  expect(answerAccuracy(undefined, 2)).toEqual({ score: 0.5, judged: 1, missing: 1 });
  expect(answerAccuracy(undefined, undefined)).toEqual({ score: undefined, judged: 0, missing: 2 });
});

test('replies off the scale are no judgement', () => {
  expect([0, 1, 2, -1, true, '1', null, NaN].map(readVerdict)).toEqual([
    0,
    1,
    ...Array<undefined>(6).fill(undefined),
  ]);
  expect([0, 2, 4, 1, 3, '4', 4.5].map(readRating)).toEqual([
    0,
    2,
    4,
    ...Array<undefined>(4).fill(undefined),
  ]);
});

test('the threshold itself is not enough for recall, but for precision', () => {
  const [retrieved, references] = [['abcd'], ['abxy']];
  expect(textContextRecall(retrieved, references)).toBe(0);
  expect(textContextPrecision(retrieved, references)).toBeCloseTo(1, 9);
  expect(textContextPrecision(retrieved, references, { threshold: 0.51 })).toBe(0);
});

test('nothing retrieved and nothing wanted', () => {
  expect(textContextRecall([], ['a'])).toBe(0);
  expect(textContextRecall(['a'], [])).toBeUndefined();
  expect(textContextPrecision([], ['a'])).toBe(0);
  expect(textContextPrecision(['a'], [])).toBeUndefined();
  expect(idContextRecall([], ['a'])).toBe(0);
  expect(idContextRecall(['a'], [])).toBeUndefined();
  expect(idContextPrecision([], ['a'])).toBeUndefined();
  expect(idContextPrecision(['a'], [])).toBe(0);
});

test('ids count once, numbers as their text', () => {
  expect(idContextRecall([1, '1', 'b'], ['1', 'c'])).toBe(1 / 2);
  expect(idContextPrecision([1, '1', 'b'], ['1', 'c'])).toBe(1 / 2);
});

/** A NaN is undefined for us. Where ragas raises an error, the value is ours and tested above. */
function expectGolden(
  actual: number | undefined,
  values: GoldenRagasCase['expected'],
  options: { readonly key: string; readonly id: string },
): void {
  const { key, id } = options;
  expect(Object.keys(values)).toContain(key);
  if (String(values[`${key}_null_reason`]).includes('raised')) return;
  expectClose(actual, values[key], { label: `${id} ${key}` });
}

goldenTest('metrics without a judge are those of ragas', ({ ragas }) => {
  expect(ragas.cases.length).toBeGreaterThan(15);
  for (const { id, expected, variants, ...golden } of ragas.cases) {
    const [retrieved, references] = [golden.retrieved_contexts, golden.reference_contexts];
    const [foundIds, wantedIds] = [golden.retrieved_context_ids, golden.reference_context_ids];
    const key = 'nonllm_context_precision_with_reference';
    expectGolden(textContextPrecision(retrieved, references), expected, { id, key });
    expectGolden(textContextRecall(retrieved, references), expected, { id, key: 'nonllm_context_recall' });
    expectGolden(idContextPrecision(foundIds, wantedIds), expected, {
      id,
      key: 'id_based_context_precision',
    });
    expectGolden(idContextRecall(foundIds, wantedIds), expected, { id, key: 'id_based_context_recall' });
    for (const [name, options] of [
      ['levenshtein_threshold_0_8', { threshold: 0.8 }],
      ['jaro_winkler_threshold_0_5', { measure: 'jaro-winkler' }],
    ] as const) {
      const recall = textContextRecall(retrieved, references, options);
      const precision = textContextPrecision(retrieved, references, options);
      expectGolden(recall, variants, { id, key: `nonllm_context_recall_${name}` });
      expectGolden(precision, variants, { id, key: `nonllm_context_precision_${name}` });
    }
  }
});

goldenTest("the judge metrics' arithmetic is that of ragas collections", ({ ragas: { arithmetic } }) => {
  for (const { verdicts: list, expected_collections: expected } of arithmetic.llm_context_recall) {
    expectClose(contextRecall(list).score, expected, { label: `recall of ${list.join()}` });
  }
  for (const {
    verdicts_in_rank_order: list,
    expected_collections: expected,
  } of arithmetic.llm_context_precision) {
    expectClose(contextPrecision(list).score, expected, { label: `precision of ${list.join()}` });
  }
  for (const {
    reference_entities: wanted,
    context_entities: found,
    ...golden
  } of arithmetic.context_entity_recall) {
    const label = `entities ${wanted.join()} in ${found.join()}`;
    expectClose(contextEntityRecall(wanted, found), golden.expected_collections, { label });
  }
  const settle = (replies: readonly unknown[]): AccuracyRating | undefined =>
    replies
      .slice(0, RATING_ATTEMPTS)
      .map(readRating)
      .find((rating) => rating !== undefined);
  for (const {
    judge1_ratings: first,
    judge2_ratings: second,
    ...golden
  } of arithmetic.answer_accuracy_collections) {
    const { score } = answerAccuracy(settle(first), settle(second));
    expectClose(score, golden.expected, { label: golden.note });
  }
});
