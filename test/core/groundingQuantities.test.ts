import { test, expect, describe } from '@jest/globals';
import fc from 'fast-check';
import { findQuantities } from '../../src/core/grounding/quantities.js';
import { compareQuantities, type Agreement } from '../../src/core/grounding/quantityComparison.js';

function compare(claim: string, source: string): Agreement | 'none' {
  const [a] = findQuantities(claim);
  const [b] = findQuantities(source);
  return a === undefined || b === undefined ? 'none' : compareQuantities(a, b);
}

describe('equal by meaning', () => {
  test.each([
    ['1 g', '1,000 mg'],
    ['0.5 mL', '500 µL'],
    ['500 uL', '500 μL'],
    ['5 mcg', '5 µg'],
    ['30 cc', '30 mL'],
    ['at least 10 mL', '≥ 10 mL'],
    ['no less than 10 mL', '>= 10 mL'],
    ['10 mL or more', 'a minimum of 10 mL'],
    ['below 5 °C', '< 5 °C'],
    ['must not exceed 8 °C', '≤ 8 °C'],
    ['must not be below 2 °C', '≥ 2 °C'],
    ['no more than 30 minutes', 'at most 30 min'],
    ['2-8 °C', '2 to 8 °C'],
    ['2–8°C', 'between 2 and 8 °C'],
    ['2 °C to 8 °C', '2-8 °C'],
    ['-25 to -15 °C', '−25 to −15 °C'],
    ['−20 °C', '-20 °C'],
    ['4.5 ×10^9/L', '4.5 x10(9)/L'],
    ['4.5 × 10⁹/L', '4.5 K/µL'],
    ['4500/µL', '4.5 × 10^9/L'],
    ['97.9 F', '36.6 C'],
    ['101.5 °F', '38.6 °C'],
    ['two hours', '120 min'],
    ['ten minutes', '600 s'],
    ['1 day', '24 hours'],
    ['24 months', 'two years'],
    ['2,5 mL', '2.5 mL'],
    ['1,500 rpm', '1500 rpm'],
    ['BP 120/80', '120/80 mmHg'],
    ['1:10', '1:10'],
    ['BID', 'twice daily'],
    ['q8h', 'every 8 hours'],
    ['three times a day', 'q8h'],
    ['daily', 'once a day'],
    ['8:15 am', '08:15'],
    ['at 1815', '6:15 pm'],
    ['noon', '12:00'],
    ['9 March 2026', '2026-03-09'],
    ['March 9, 2026', '9 March 2026'],
    ['[**2154-3-2**]', 'March 2, 2154'],
    ['4/11', '[**4-11**]'],
    ['three quarters', '3/4'],
    ['grade III', 'grade 3'],
    ['5 mEq', '5 mmol'],
    ['60 beats/min', '60 bpm'],
    ['pH 7.31', 'pH of 7.310'],
    ['5 working days', '5 days'],
  ])('%s = %s', (a, b) => {
    expect(compare(a, b)).toBe('equal');
  });
});

describe('not equal', () => {
  test.each<[string, string, Agreement]>([
    ['5 µL', '5 mL', 'unit'],
    ['5 mg', '5 g', 'unit'],
    ['3 weeks', '3 days', 'unit'],
    ['37 °F', '37 °C', 'unit'],
    ['< 5 mL', '≤ 5 mL', 'limit'],
    ['> 5 mL', '≥ 5 mL', 'limit'],
    ['at least 5 mL', 'at most 5 mL', 'limit'],
    ['< 5 mL', '≥ 5 mL', 'complement'],
    ['8 °C', '2-8 °C', 'limit'],
    ['2-6 °C', '2-8 °C', 'value'],
    ['16 min', '15 min', 'value'],
    ['124/68', '142/68', 'value'],
    ['1:100', '1:10', 'value'],
    ['BID', 'TID', 'value'],
    ['weekly', 'monthly', 'value'],
    ['08:15', '18:15', 'value'],
    ['9 March 2026', '9 May 2026', 'value'],
    ['[**3-4**]', '[**3-14**]', 'value'],
    ['grade II', 'grade III', 'value'],
    ['version 4.2.1', 'version 4.2.2', 'value'],
    ['fell to 440', 'fell from 440', 'value'],
  ])('%s, %s: %s', (a, b, agreement) => {
    expect(compare(a, b)).toBe(agreement);
  });
});

test('names and ordinary words hold no quantity', () => {
  expect(findQuantities('One of the tubes (B12, XN1000x) is used in the ward.')).toEqual([]);
  expect(findQuantities('rose from 2.4 to 3.1 mg/dL').map(({ text }) => text)).toEqual(['2.4', '3.1 mg/dL']);
  expect(
    findQuantities('50, 290 and 850 mOsm/kg').every(({ dimension }) => dimension === 'osmoles/mass'),
  ).toBe(true);
  expect(findQuantities('Lactate 3.8 -> 1.9').map(({ text, side }) => [text, side])).toEqual([
    ['3.8', 'from'],
    ['1.9', 'to'],
  ]);
});

test('the span of a quantity is its text', () => {
  const text = 'Keep at 2–8 °C for no more than 24 h, then spin at 1,500 × g on 9 March 2026 at 08:15.';
  for (const { start, end, text: own } of findQuantities(text))
    expect(text.slice(start, end).trim()).toBe(own);
});

test('a quantity equals itself in every metric unit, and no other value', () => {
  const units = [
    ['g', 1],
    ['mg', 1000],
    ['µg', 1_000_000],
  ] as const;
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 99_999 }),
      fc.integer({ min: 1, max: 99_999 }),
      fc.constantFrom(...units),
      fc.constantFrom(...units),
      (value, other, [unit, factor], [otherUnit, otherFactor]) => {
        const said = compare(
          `${(value * otherFactor).toString()} ${otherUnit}`,
          `${(value * factor).toString()} ${unit}`,
        );
        expect(said).toBe('equal');
        if (other !== value) {
          const different = compare(
            `${(other * otherFactor).toString()} ${otherUnit}`,
            `${(value * factor).toString()} ${unit}`,
          );
          expect(different).not.toBe('equal');
        }
      },
    ),
    { numRuns: 200 },
  );
});
