import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bootstrapMean, comparePaired } from '../../../src/core/metrics/bootstrap.js';
import { seededRandom } from '../../../src/core/metrics/random.js';

const score = fc.double({ min: 0, max: 1, noNaN: true });
const scores = fc.array(fc.option(score, { nil: undefined }), { maxLength: 20 });
const few = { resamples: 200 };

/** `count` zeros and ones, a share of them ones. */
function coinFlips(count: number, share: number, seed: number): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => (random() < share ? 1 : 0));
}

test('the interval of a share is close to the normal one', () => {
  const flips = [...Array<number>(300).fill(1), ...Array<number>(100).fill(0)];
  const interval = bootstrapMean(flips, { resamples: 2000 });
  const halfWidth = 1.96 * Math.sqrt((0.75 * 0.25) / 400);
  expect(interval?.mean).toBe(0.75);
  expect(interval?.low).toBeCloseTo(0.75 - halfWidth, 2);
  expect(interval?.high).toBeCloseTo(0.75 + halfWidth, 2);
});

test('about 95 of 100 intervals hold the true mean', () => {
  const holds = Array.from({ length: 100 }, (_, seed) => {
    const interval = bootstrapMean(coinFlips(50, 0.6, seed), { resamples: 300, seed });
    return interval !== undefined && interval.low <= 0.6 && 0.6 <= interval.high;
  });
  const covered = holds.filter(Boolean).length / holds.length;
  expect(covered).toBeGreaterThan(0.9);
  expect(covered).toBeLessThan(0.99);
});

test('missing scores are left out and counted', () => {
  expect(bootstrapMean([1, undefined, 1])).toEqual({ mean: 1, low: 1, high: 1, count: 2, missing: 1 });
  expect(bootstrapMean([undefined])).toBeUndefined();
  expect(bootstrapMean([])).toBeUndefined();
});

test('copies of the same few cluster scores add no certainty', () => {
  const base = coinFlips(20, 0.5, 3);
  const copies = base.flatMap((value) => Array<number>(10).fill(value));
  const clusters = base.flatMap((_, at) => Array<string>(10).fill(`patient ${at}`));
  expect(bootstrapMean(copies, { clusters })).toMatchObject({
    low: bootstrapMean(base)?.low,
    high: bootstrapMean(base)?.high,
    count: 200,
  });
});

test('the same seed always gives the same figures, and they stay within the scores', () => {
  fc.assert(
    fc.property(scores, fc.integer(), (list, seed) => {
      const interval = bootstrapMean(list, { ...few, seed });
      expect(bootstrapMean(list, { ...few, seed })).toEqual(interval);
      if (interval === undefined) return;
      const present = list.filter((value) => value !== undefined);
      expect(interval.count + interval.missing).toBe(list.length);
      expect(interval.low).toBeLessThanOrEqual(interval.high);
      expect(interval.low).toBeGreaterThanOrEqual(Math.min(...present) - 1e-12);
      expect(interval.high).toBeLessThanOrEqual(Math.max(...present) + 1e-12);
    }),
    { numRuns: 50 },
  );
});

test('a wider coverage never gives a narrower interval', () => {
  fc.assert(
    fc.property(fc.array(score, { minLength: 2, maxLength: 20 }), (list) => {
      const [narrow, wide] = [0.8, 0.99].map((confidence) => bootstrapMean(list, { ...few, confidence }));
      expect(wide?.low).toBeLessThanOrEqual(narrow?.low ?? NaN);
      expect(wide?.high).toBeGreaterThanOrEqual(narrow?.high ?? NaN);
    }),
    { numRuns: 50 },
  );
});

test('the exact permutation test by hand', () => {
  // Three differences of one sign: 2 of the 8 labellings are as extreme.
  expect(comparePaired([0, 0, 0], [1, 1, 1])).toMatchObject({ mean: 1, p: 2 / 8, count: 3 });
  // +3, -1: |sum| is 4, 2, 2, 4; all four are ≥ 2.
  expect(comparePaired([0, 1], [3, 0])?.p).toBe(1);
});

test('sums that differ only by rounding count as equal', () => {
  // 0.1 + 0.2 - 0.3 is not 0 in floating point; every labelling is as extreme as 0.
  expect(comparePaired([0, 0, 0.3], [0.1, 0.2, 0])?.p).toBe(1);
});

test('the sampled test agrees with the exact one', () => {
  const before = coinFlips(13, 0.4, 1).map((value, at) => value + (at + 1) / 100);
  const after = coinFlips(13, 0.8, 2);
  const exact = comparePaired(before, after, { resamples: 2 ** 13 })?.p ?? NaN;
  const sampled = comparePaired(before, after, { resamples: 2 ** 13 - 1 })?.p ?? NaN;
  expect(sampled).not.toBe(exact);
  expect(Math.abs(sampled - exact)).toBeLessThan(0.02);
});

test('without a difference p is 1, with a large one it is small but never 0', () => {
  expect(comparePaired([1, 2, 3], [1, 2, 3])).toMatchObject({ mean: 0, low: 0, high: 0, p: 1 });
  const none = Array<number>(100).fill(0);
  const all = Array<number>(100).fill(1);
  expect(comparePaired(none, all, { resamples: 999 })?.p).toBe(1 / 1000);
});

test('by chance alone, p is below 0.1 about once in ten times', () => {
  const small = Array.from({ length: 300 }, (_, seed) => {
    const result = comparePaired(coinFlips(60, 0.5, seed), coinFlips(60, 0.5, seed + 1000), {
      resamples: 500,
      seed,
    });
    return (result?.p ?? NaN) < 0.1;
  });
  const share = small.filter(Boolean).length / small.length;
  expect(share).toBeGreaterThan(0.03);
  expect(share).toBeLessThan(0.15);
});

test('incomplete pairs are left out and counted; clusters are swapped whole', () => {
  expect(comparePaired([0, undefined, 0], [1, 1, undefined])).toMatchObject({
    mean: 1,
    count: 1,
    missing: 2,
  });
  expect(comparePaired([0, 0, 0, 0], [1, 1, 1, 1], { clusters: ['a', 'a', 'b', 'b'] })?.p).toBe(2 / 4);
});

test('swapping the systems always turns the sign and keeps p', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(score, score), { minLength: 1, maxLength: 12 }), (pairs) => {
      const [before, after] = [pairs.map(([first]) => first), pairs.map(([, second]) => second)];
      const [there, back] = [comparePaired(before, after), comparePaired(after, before)];
      expect(back?.mean).toBeCloseTo(-(there?.mean ?? NaN), 12);
      expect(back?.p).toBe(there?.p);
    }),
    { numRuns: 20 },
  );
});

test.each([
  ['lists of two lengths', () => comparePaired([1], [1, 2])],
  ['cluster names of another number', () => bootstrapMean([1, 2], { clusters: ['a'] })],
  ['a score that is no number', () => bootstrapMean([NaN])],
  ['no resamples', () => bootstrapMean([1], { resamples: 0 })],
  ['a confidence of 1', () => bootstrapMean([1], { confidence: 1 })],
])('%s are refused', (_, call) => {
  expect(call).toThrow(RangeError);
});
