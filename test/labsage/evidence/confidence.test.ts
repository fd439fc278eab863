import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { confidenceOf, type ConfidenceFeatures } from '../../../src/labsage/evidence/confidence.js';

const USUAL: ConfidenceFeatures = { fit: 1.5, nearest: 2.3, lead: 0.1, held: 0.8, parts: 0 };

const features = fc.record({
  fit: fc.double({ min: -4, max: 6, noNaN: true }),
  nearest: fc.double({ min: 0, max: 5, noNaN: true }),
  lead: fc.double({ min: 0, max: 1, noNaN: true }),
  held: fc.double({ min: 0, max: 1, noNaN: true }),
  parts: fc.nat({ max: 4 }),
});

test('is always a share', () => {
  fc.assert(
    fc.property(features, (of) => {
      const confidence = confidenceOf(of);
      expect(confidence > 0 && confidence < 1).toBe(true);
    }),
  );
});

test.each<[string, Partial<ConfidenceFeatures>]>([
  ['a better fit', { fit: 2.5 }],
  ['a nearer piece', { nearest: 3 }],
  ['a clearer lead over other sections', { lead: 0.3 }],
  ['more of the question held', { held: 1 }],
])('%s makes it greater', (_name, better) => {
  expect(confidenceOf({ ...USUAL, ...better })).toBeGreaterThan(confidenceOf(USUAL));
});

test('a question that asks several things is less sure to be answered whole', () => {
  expect(confidenceOf({ ...USUAL, parts: 2 })).toBeLessThan(confidenceOf(USUAL));
});
