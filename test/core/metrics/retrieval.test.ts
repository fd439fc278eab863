import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  averagePrecision,
  ndcgAtK,
  precisionAtK,
  recallAtK,
  reciprocalRank,
  type Grades,
} from '../../../src/core/metrics/retrieval.js';
import { expectClose, goldenTest } from './golden.js';

type Measure = (ranking: readonly string[], grades: Grades) => number;

const MEASURES: Readonly<Record<string, Measure>> = {
  ...Object.fromEntries(
    [1, 3, 5, 10].flatMap((k): [string, Measure][] => [
      [`recall@${k}`, (ranking, grades) => recallAtK(ranking, grades, { k })],
      [`precision@${k}`, (ranking, grades) => precisionAtK(ranking, grades, { k })],
    ]),
  ),
  mrr: (ranking, grades) => reciprocalRank(ranking, grades),
  'ndcg@10': (ranking, grades) => ndcgAtK(ranking, grades, { k: 10 }),
  map: (ranking, grades) => averagePrecision(ranking, grades),
};

const graded: Grades = new Map([
  ['a', 3],
  ['b', 1],
  ['n', 0],
]);

const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', '__proto__');
const rankings = fc.array(ids, { maxLength: 12 });
const judgements = fc
  .dictionary(ids, fc.integer({ min: 0, max: 3 }))
  .map((grades) => new Map(Object.entries(grades)));

test('a ranking by hand', () => {
  const ranking = ['n', 'b', 'x', 'a'];
  expect(recallAtK(ranking, graded, { k: 3 })).toBe(1 / 2);
  expect(precisionAtK(ranking, graded, { k: 3 })).toBe(1 / 3);
  expect(precisionAtK(ranking, graded, { k: 10 })).toBe(2 / 10);
  expect(reciprocalRank(ranking, graded)).toBe(1 / 2);
  expect(averagePrecision(ranking, graded)).toBe((1 / 2 + 2 / 4) / 2);
  const ideal = 3 + 1 / Math.log2(3);
  expect(ndcgAtK(ranking, graded, { k: 10 })).toBeCloseTo((1 / Math.log2(3) + 3 / Math.log2(5)) / ideal, 12);
});

test('cut-offs of reciprocal rank and average precision', () => {
  const ranking = ['x', 'y', 'a', 'b'];
  expect(reciprocalRank(ranking, graded, { k: 2 })).toBe(0);
  expect(averagePrecision(ranking, graded, { k: 3 })).toBe(1 / 3 / 2);
});

test('a repeated id keeps its rank and earns nothing', () => {
  const ranking = ['a', 'a', 'b'];
  expect(recallAtK(ranking, graded, { k: 2 })).toBe(1 / 2);
  expect(precisionAtK(ranking, graded, { k: 2 })).toBe(1 / 2);
  expect(averagePrecision(ranking, graded)).toBe((1 + 2 / 3) / 2);
  expect(ndcgAtK(ranking, graded, { k: 2 })).toBeCloseTo(3 / (3 + 1 / Math.log2(3)), 12);
});

test.each([0, -1, 1.5, NaN])('k = %d is a fault', (k) => {
  expect(() => recallAtK(['a'], graded, { k })).toThrow(RangeError);
  expect(() => ndcgAtK(['a'], graded, { k })).toThrow(RangeError);
});

test('values are always in [0, 1], and the best order of all relevant ids is perfect', () => {
  fc.assert(
    fc.property(rankings, judgements, (ranking, grades) => {
      for (const measure of Object.values(MEASURES)) {
        expect(measure(ranking, grades)).toBeGreaterThanOrEqual(0);
        expect(measure(ranking, grades)).toBeLessThanOrEqual(1);
      }
      const best = [...grades].sort(([, a], [, b]) => b - a).map(([id]) => id);
      const perfect = [...grades.values()].some((grade) => grade > 0) ? 1 : 0;
      for (const name of ['recall@10', 'mrr', 'ndcg@10', 'map']) {
        expect(MEASURES[name]?.(best, grades)).toBeCloseTo(perfect, 12);
      }
    }),
  );
});

test('recall never falls as k grows', () => {
  fc.assert(
    fc.property(rankings, judgements, fc.integer({ min: 1, max: 12 }), (ranking, grades, k) => {
      expect(recallAtK(ranking, grades, { k: k + 1 })).toBeGreaterThanOrEqual(
        recallAtK(ranking, grades, { k }),
      );
    }),
  );
});

goldenTest('all values are those of ir_measures', ({ retrieval }) => {
  const cases = retrieval.cases.map(({ id, qrels, ranking, expected }) => ({
    id,
    ranking,
    expected,
    grades: new Map(Object.entries(qrels)),
  }));
  const { qrels, ranking: nothing, ir_measures: zeros } = retrieval.empty_ranking_probe;
  const probe = { id: 'empty', ranking: nothing, expected: zeros, grades: new Map(Object.entries(qrels)) };
  for (const { id, ranking, grades, expected } of [...cases, probe]) {
    for (const [name, value] of Object.entries(expected)) {
      expectClose(MEASURES[name]?.(ranking, grades), value, { label: `${id} ${name}` });
    }
  }
  for (const [name, value] of Object.entries(retrieval.mean_over_12_cases)) {
    const total = cases.reduce(
      (sum, { ranking, grades }) => sum + (MEASURES[name]?.(ranking, grades) ?? NaN),
      0,
    );
    expectClose(total / cases.length, value, { label: `mean ${name}` });
  }
});
