import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  addDays,
  addInterval,
  describeInterval,
  parseInterval,
  readPeriod,
} from '../../../src/labsage/documents/calendar.js';

test.each([
  ['6 months', '6 months'],
  ['1 year', '1 year'],
  ['90d', '90 days'],
  ['2 weeks', '2 weeks'],
  ['12m', '12 months'],
])('%s', (text, described) => {
  const interval = parseInterval(text);
  expect(interval && describeInterval(interval)).toBe(described);
});

test.each(['', 'soon', '0 months', '6', 'months', '6 months and 2 days', '-3 months'])(
  '%j is no interval',
  (text) => {
    expect(parseInterval(text)).toBeUndefined();
  },
);

test.each([
  ['2026-11-30', '3 months', '2027-02-28'],
  ['2024-02-29', '1 year', '2025-02-28'],
  ['2026-01-31', '1 month', '2026-02-28'],
  ['2026-12-31', '12 months', '2027-12-31'],
  ['2026-12-30', '5 days', '2027-01-04'],
])('%s and %s is %s', (iso, text, expected) => {
  const interval = parseInterval(text);
  expect(interval && addInterval(iso, interval)).toBe(expected);
});

test.each([
  ['2026', '2026-01-01', '2027-01-01'],
  ['May 2026', '2026-05-01', '2026-06-01'],
  ['next year', '2027-01-01', '2028-01-01'],
  ['this month', '2026-11-01', '2026-12-01'],
  ['last month', '2026-10-01', '2026-11-01'],
  ['the next 3 months', '2026-11-30', '2027-03-01'],
])('%s is from %s to before %s', (text, from, before) => {
  expect(readPeriod(text, '2026-11-30')).toEqual({ from, before });
});

test.each(['tomorrow', 'May', 'Foo 2026', ''])('%j is no period', (text) => {
  expect(readPeriod(text, '2026-11-30')).toBeUndefined();
});

test('always: an interval leads forward to a day that the calendar has', () => {
  const day = fc.date({ min: new Date('2000-01-01'), max: new Date('2090-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(
      day,
      fc.integer({ min: 1, max: 60 }),
      fc.constantFrom('day', 'week', 'month', 'year'),
      (from, count, unit) => {
        const iso = from.toISOString().slice(0, 10);
        const later = addInterval(iso, { count, unit });
        expect(later > iso).toBe(true);
        expect(addDays(later, 0)).toBe(later);
      },
    ),
  );
});
