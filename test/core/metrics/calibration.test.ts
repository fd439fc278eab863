import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  brierScore,
  expectedCalibrationError,
  reliabilityBins,
  type Prediction,
} from '../../../src/core/metrics/calibration.js';

const predictions = fc.array(
  fc.record({ confidence: fc.double({ min: 0, max: 1, noNaN: true }), correct: fc.boolean() }),
  { maxLength: 30 },
);

function predict(confidence: number, ...outcomes: readonly boolean[]): Prediction[] {
  return outcomes.map((correct) => ({ confidence, correct }));
}

test('bins, error and Brier score by hand', () => {
  const list = [...predict(0.9, true, true, true, false), ...predict(0.2, false, false)];
  const bins = reliabilityBins(list, { bins: 2 });
  expect(bins).toEqual([
    { low: 0, high: 0.5, count: 2, meanConfidence: 0.2, accuracy: 0 },
    { low: 0.5, high: 1, count: 4, meanConfidence: 0.9, accuracy: 0.75 },
  ]);
  expect(expectedCalibrationError(list, { bins: 2 })).toBeCloseTo((4 / 6) * 0.15 + (2 / 6) * 0.2, 12);
  expect(brierScore(list)).toBeCloseTo((3 * 0.01 + 0.81 + 2 * 0.04) / 6, 12);
});

test('empty bins have no means', () => {
  expect(reliabilityBins(predict(1, true), { bins: 2 })[0]).toEqual({
    low: 0,
    high: 0.5,
    count: 0,
    meanConfidence: undefined,
    accuracy: undefined,
  });
});

test('an edge belongs to the bin below it, 0 to the first, whatever rounding says', () => {
  for (const bins of [3, 7, 10, 49, 100]) {
    for (let edge = 0; edge <= bins; edge++) {
      const found = reliabilityBins(predict(edge / bins, true), { bins }).findIndex(
        ({ count }) => count === 1,
      );
      expect([bins, edge, found]).toEqual([bins, edge, Math.max(0, edge - 1)]);
    }
  }
});

test('every prediction is always in exactly one bin, whose edges hold it; errors are in [0, 1]', () => {
  fc.assert(
    fc.property(predictions, fc.integer({ min: 1, max: 50 }), (list, count) => {
      const bins = reliabilityBins(list, { bins: count });
      expect(bins).toHaveLength(count);
      expect(bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(list.length);
      for (const { low, high, meanConfidence } of bins) {
        if (meanConfidence === undefined) continue;
        expect(meanConfidence).toBeGreaterThanOrEqual(low - 1e-12);
        expect(meanConfidence).toBeLessThanOrEqual(high + 1e-12);
      }
      for (const error of [expectedCalibrationError(list, { bins: count }), brierScore(list)]) {
        expect(error === undefined).toBe(list.length === 0);
        expect(error ?? 0).toBeGreaterThanOrEqual(0);
        expect(error ?? 0).toBeLessThanOrEqual(1 + 1e-12);
      }
    }),
  );
});

test('being always sure and right is perfect, always sure and wrong is worst', () => {
  const [right, wrong] = [predict(1, true, true), predict(1, false, false)];
  expect([expectedCalibrationError(right), brierScore(right)]).toEqual([0, 0]);
  expect([expectedCalibrationError(wrong), brierScore(wrong)]).toEqual([1, 1]);
});

test.each([-0.1, 1.1, NaN])('a confidence of %d is a fault', (confidence) => {
  expect(() => reliabilityBins(predict(confidence, true))).toThrow(RangeError);
  expect(() => brierScore(predict(confidence, true))).toThrow(RangeError);
});

test('bins are a whole number', () => {
  expect(() => reliabilityBins([], { bins: 0 })).toThrow(RangeError);
});
