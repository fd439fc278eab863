import { expect, test } from '@jest/globals';
import { lengthRatio, splitWhitespace, trimTrailing } from '../../../src/core/metrics/whitespace.js';
import { expectClose, goldenTest } from './golden.js';

test.each([
  ['a\x1cb\x1fc\x85d', ['a', 'b', 'c', 'd']],
  ['a\ufeffb\u200bc', ['a\ufeffb\u200bc']],
  ['\u00a0a\u2009b\u202fc\u3000', ['a', 'b', 'c']],
  [' \t\r\n\v\f', []],
])('words of %j', (text, words) => {
  expect(splitWhitespace(text)).toEqual(words);
});

test('only trailing white space goes', () => {
  expect(trimTrailing(' a b\x85\n \x1f')).toBe(' a b');
  expect(trimTrailing('a\ufeff')).toBe('a\ufeff');
});

test('length ratio', () => {
  expect(lengthRatio('a b', 'a b c')).toBe(1.5);
  expect(lengthRatio(' ', 'a')).toBeUndefined();
});

goldenTest('words and length ratios are those of Python', ({ pairs }) => {
  for (const { id: label, reference, candidate, words, length_ratio: ratio } of pairs) {
    expectClose(splitWhitespace(reference).length, words.reference, { label });
    expectClose(splitWhitespace(candidate).length, words.candidate, { label });
    expectClose(lengthRatio(reference, candidate), ratio, { label });
  }
});
