import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createKeywordIndex, isFunctionWord, keywordTerms, termOf } from '../../src/core/keywordIndex.js';

const texts = [
  { id: 'a', text: 'Rotor C is balanced with QC-0071.' },
  { id: 'b', text: 'Rotor B is balanced with QC-0070.' },
  { id: 'c', text: 'Hemolyzed specimens are rejected.' },
];

test.each([
  ['QC-0071', ['a']],
  ['hemolyzed specimen', ['c']],
  ['nothing of it', []],
  ['', []],
])('the texts with %j', (query, ids) => {
  const found = createKeywordIndex(texts).search(query);
  expect(found.map(({ id }) => id).slice(0, Math.max(1, ids.length))).toEqual(ids);
});

test('a hyphenated identifier counts whole and in parts, a number only whole', () => {
  expect(keywordTerms('QC-0071 2.5')).toEqual(['qc-0071', 'qc', '0071', '2.5']);
});

test('one micro sign is the other', () => {
  expect(termOf('\u03bcL')).toBe(termOf('µL'));
});

test('the ranking does not depend on the order of the texts, and top cuts it', () => {
  const forward = createKeywordIndex(texts).search('rotor balanced');
  expect(createKeywordIndex([...texts].reverse()).search('rotor balanced')).toEqual(forward);
  expect(createKeywordIndex(texts).search('rotor balanced', { top: 1 })).toEqual(forward.slice(0, 1));
});

test('any query is answered and no term is empty', () => {
  const index = createKeywordIndex(texts);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (query) => {
      expect(index.search(query).every(({ score }) => score > 0)).toBe(true);
      expect(keywordTerms(query)).not.toContain('');
    }),
  );
});

test('words without a subject', () => {
  expect(['What', 'is', 'the'].every(isFunctionWord)).toBe(true);
  expect(isFunctionWord('ammonia')).toBe(false);
});
