import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  hammingSimilarity,
  jaroSimilarity,
  jaroWinklerSimilarity,
  levenshteinDistance,
  levenshteinSimilarity,
  stringSimilarity,
  type StringMeasure,
} from '../../../src/core/metrics/stringSimilarity.js';
import { expectClose, goldenTest } from './golden.js';

const MEASURES: readonly StringMeasure[] = ['levenshtein', 'hamming', 'jaro', 'jaro-winkler'];

/** Few letters, so that much matches; long enough to cross the 32-row blocks. */
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', 'µ', '😀'), maxLength: 110 });

/** The textbook matrix, row by row. */
function matrixDistance(a: string, b: string): number {
  const [from, to] = [Array.from(a), Array.from(b)];
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [row, character] of from.entries()) {
    const current = [row + 1];
    for (const [column, other] of to.entries()) {
      const substituted = (above[column] ?? 0) + (character === other ? 0 : 1);
      current.push(Math.min(substituted, (above[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    above = current;
  }
  return above[to.length] ?? 0;
}

test.each([
  ['kitten', 'sitting', 3],
  ['', 'abc', 3],
  ['abc', '', 3],
  ['µL', 'μL', 1],
  ['😀a', 'a', 1],
  ['a'.repeat(32), 'a'.repeat(33), 1],
  [`x${'a'.repeat(64)}`, `${'a'.repeat(64)}y`, 2],
])('distance of %j and %j is %d', (a, b, distance) => {
  expect(levenshteinDistance(a, b)).toBe(distance);
});

test('similarities by hand', () => {
  expect(levenshteinSimilarity('kitten', 'sitting')).toBeCloseTo(4 / 7, 12);
  expect(hammingSimilarity('karolin', 'kathrin!')).toBeCloseTo(4 / 8, 12);
  // 6 of 6 match, T and H change places
  expect(jaroSimilarity('MARTHA', 'MARHTA')).toBeCloseTo((1 + 1 + 5 / 6) / 3, 12);
  expect(jaroWinklerSimilarity('MARTHA', 'MARHTA')).toBeCloseTo(17 / 18 + 3 * 0.1 * (1 / 18), 12);
  // below 0.7 a common beginning earns nothing
  expect(jaroWinklerSimilarity('abxyz', 'abqrs')).toBe(jaroSimilarity('abxyz', 'abqrs'));
});

test.each(MEASURES)('%s is always symmetric, in [0, 1], and 1 for equal texts only', (measure) => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      const similarity = stringSimilarity(a, b, { measure });
      expect(similarity).toBeGreaterThanOrEqual(0);
      expect(similarity).toBeLessThanOrEqual(1);
      expect(similarity === 1).toBe(a === b);
      expect(stringSimilarity(a, a, { measure })).toBe(1);
      // Jaro pairs characters greedily from the left of the first text, and may pair others from the second.
      if (!measure.startsWith('jaro')) expect(stringSimilarity(b, a, { measure })).toBe(similarity);
    }),
  );
});

test('the bit-parallel distance is always that of the matrix', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(levenshteinDistance(a, b)).toBe(matrixDistance(a, b));
    }),
  );
});

goldenTest('all values are those of rapidfuzz', ({ ragas }) => {
  for (const { id, response, reference, expected, ...golden } of ragas.cases) {
    for (const measure of MEASURES) {
      const value = stringSimilarity(response, reference, { measure });
      const key = `nonllm_string_similarity_${measure.replace('-', '_')}`;
      expectClose(value, expected[key], { label: `${id} ${key}` });
    }
    golden.retrieved_contexts.forEach((retrieved, row) => {
      golden.reference_contexts.forEach((wanted, column) => {
        const value = golden.levenshtein_similarity_matrix.values[row]?.[column];
        expectClose(levenshteinSimilarity(retrieved, wanted), value, { label: `${id} [${row}][${column}]` });
      });
    });
  }
});
