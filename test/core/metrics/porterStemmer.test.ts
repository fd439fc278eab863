import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { porterStem } from '../../../src/core/metrics/porterStemmer.js';
import { goldenTest } from './golden.js';

test.each([
  // step 1: plurals, past tenses, y
  ['specimens', 'specimen'],
  ['ties', 'tie'],
  ['flies', 'fli'],
  ['tied', 'tie'],
  ['agreed', 'agre'],
  ['bled', 'bled'],
  ['fitted', 'fit'],
  ['falling', 'fall'],
  ['sized', 'size'],
  ['filing', 'file'],
  ['dry', 'dri'],
  ['day', 'day'],
  ['by', 'by'],
  // steps 2 to 5
  ['relational', 'relat'],
  ['haematologically', 'haematolog'],
  ['cardiology', 'cardiolog'],
  ['carefulness', 'care'],
  ['adjustment', 'adjust'],
  ['adoption', 'adopt'],
  ['controlled', 'control'],
  ['cease', 'ceas'],
  ['ate', 'ate'],
  // irregular in NLTK, and case
  ['dying', 'die'],
  ['Skies', 'sky'],
  ['succeed', 'succeed'],
  ['succeeds', 'succe'],
])('%s → %s', (word, stem) => {
  expect(porterStem(word)).toBe(stem);
});

test('a stem is always lower case, no longer than the word and begins like it', () => {
  const suffix = fc.constantFrom(
    '',
    's',
    'ies',
    'ied',
    'ed',
    'ing',
    'y',
    'ational',
    'fulness',
    'alli',
    'logi',
    'ion',
  );
  const word = fc.tuple(fc.stringMatching(/^[a-z]{1,8}$/u), suffix).map((parts) => parts.join(''));
  fc.assert(
    fc.property(word, (text) => {
      const stem = porterStem(text);
      expect(stem).toBe(stem.toLowerCase());
      expect(stem.length).toBeGreaterThan(0);
      expect(stem.length).toBeLessThanOrEqual(text.length);
      expect(stem[0]).toBe(text[0]);
    }),
  );
});

test('a very long run of y costs neither the stack nor quadratic time', () => {
  expect(porterStem('y'.repeat(200_000))).toHaveLength(200_000);
});

goldenTest('stems are those of NLTK', ({ porter_stems: { stems } }) => {
  expect(Object.keys(stems).length).toBeGreaterThan(1000);
  const ours = Object.keys(stems).map((word) => [word, porterStem(word)]);
  expect(Object.fromEntries(ours)).toEqual(stems);
});
