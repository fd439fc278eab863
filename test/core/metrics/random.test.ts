import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { seededRandom } from '../../../src/core/metrics/random.js';

function draw(seed: number, count: number): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => random());
}

test('a seed always gives the same stream, another seed another one', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.maxSafeInteger(), (a, b) => {
      expect(draw(a, 5)).toEqual(draw(a, 5));
      if (a !== b) expect(draw(a, 5)).not.toEqual(draw(b, 5));
    }),
  );
});

test('numbers are uniform in [0, 1)', () => {
  const tenths = Array<number>(10).fill(0);
  for (const value of draw(7, 100_000)) {
    const tenth = Math.floor(value * 10);
    tenths[tenth] = (tenths[tenth] ?? NaN) + 1;
  }
  expect(tenths).toHaveLength(10);
  // Chi-squared with 9 degrees of freedom; 27.9 is exceeded once in a thousand seeds.
  expect(tenths.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0)).toBeLessThan(27.9);
});

test('a seed is a whole number', () => {
  expect(() => seededRandom(0.5)).toThrow(RangeError);
});
