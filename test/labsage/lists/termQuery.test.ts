import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ExitCode } from '../../../src/core/errors.js';
import { describeQuery, parseTermQuery, type TermQuery } from '../../../src/labsage/lists/termQuery.js';

/** The tree with every operator in brackets. */
function tree(query: TermQuery): string {
  switch (query.kind) {
    case 'near':
      return query.phrases.map(({ text }) => text).join('~');
    case 'not':
      return `!${tree(query.part)}`;
    case 'and':
      return `(${query.parts.map(tree).join(' & ')})`;
    case 'or':
      return `(${query.parts.map(tree).join(' | ')})`;
  }
}

test.each([
  ['azide', 'azide'],
  ['calcium chloride', 'calcium~chloride'],
  ['"calcium chloride"', 'calcium chloride'],
  ['“calcium chloride” plasma', 'calcium chloride~plasma'],
  ['a AND b OR c', '((a & b) | c)'],
  ['a AND (b OR c)', '(a & (b | c))'],
  ['a OR b AND NOT c', '(a | (b & !c))'],
  ['a NOT b', '(a & !b)'],
  ['(a OR b) c', '((a | b) & c)'],
  ['NOT (a OR NOT b)', '!(a | !b)'],
  ['salt and water', 'salt~and~water'],
  ['CS-5100 -', 'CS-5100'],
])('%j is read as %s', (text, expected) => {
  expect(tree(parseTermQuery(text, 'stemmed'))).toBe(expected);
});

test.each([
  ['', 'a word is missing at its end'],
  ['a AND', 'a word is missing at its end'],
  ['OR a', 'a word is missing before OR'],
  ['(a', 'a ( is not closed'],
  ['a)', 'a ) has no ('],
  ['()', 'a word is missing before )'],
  ['"a', 'the quote " is not closed'],
  ['- ...', 'a word is missing at its end'],
])('%j is refused: %s', (text, why) => {
  expect(() => parseTermQuery(text, 'stemmed')).toThrow(
    expect.objectContaining({ exitCode: ExitCode.usage, message: `the terms cannot be read: ${why}` }),
  );
});

const word = fc.constantFrom('azide', 'CS-5100', 'calcium chloride', 'µL');
const query: fc.Arbitrary<TermQuery> = fc.letrec<{ query: TermQuery }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 4 },
    fc
      .array(word, { minLength: 1, maxLength: 3 })
      .map((texts) => parseTermQuery(texts.map((text) => `"${text}"`).join(' '), 'stemmed')),
    tie('query').map((part): TermQuery => ({ kind: 'not', part })),
    fc
      .tuple(
        fc.constantFrom('and' as const, 'or' as const),
        fc.array(tie('query'), { minLength: 2, maxLength: 3 }),
      )
      .map(([kind, parts]): TermQuery => ({ kind, parts })),
  ),
})).query;

test('always: a query written out is read as the same query', () => {
  fc.assert(
    fc.property(query, (one) => {
      expect(parseTermQuery(describeQuery(one), 'stemmed')).toEqual(one);
    }),
  );
});

test('always: any text is a query or a usage error', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('AND', 'OR', 'NOT', '(', ')', '"'), (text, operator) => {
      try {
        expect(parseTermQuery(`${text} ${operator} ${text}`, 'stemmed').kind).toMatch(/near|and|or|not/u);
      } catch (error) {
        expect(error).toMatchObject({ exitCode: ExitCode.usage });
      }
    }),
  );
});
