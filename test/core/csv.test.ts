import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'csv-parse/sync';
import { formatCsvRow } from '../../src/core/csv.js';

test.each([
  [['a', 'b'], 'a,b'],
  [['a,b', 'say "no"', 'two\nlines', 3], '"a,b","say ""no""","two\nlines",3'],
  [['=1+1', '@cmd', '- Sodium', '-20', '+4.5'], "'=1+1,'@cmd,'- Sodium,-20,+4.5"],
])('%j', (cells, line) => {
  expect(formatCsvRow(cells)).toBe(line);
});

test('always: what is written is what a parser reads, but for the apostrophe before a formula', () => {
  const cell = fc.string().filter((text) => !/^[=+\-@\t\r]/u.test(text));
  fc.assert(
    fc.property(fc.array(cell, { minLength: 2, maxLength: 5 }), (cells) => {
      expect(parse(formatCsvRow(cells), { relax_column_count: true })).toEqual([cells]);
    }),
  );
});
