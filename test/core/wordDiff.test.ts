import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { coarsenDiff, diffWords, type DiffRun } from '../../src/core/wordDiff.js';

function mark(runs: readonly DiffRun[]): string {
  return runs
    .map(({ kind, text }) => (kind === 'same' ? text : kind === 'added' ? `{+${text}}` : `[-${text}]`))
    .join('');
}

test.each([
  ['Spin 8 min.', 'Spin 12 min.', 'Spin[- 8]{+ 12} min.'],
  ['a b c', 'a b c', 'a b c'],
  ['', 'new words', '{+new words}'],
  ['gone now', '', '[-gone now]'],
  ['keep this end', 'keep end', 'keep[- this] end'],
  ['a\nb', 'a b', 'a b'],
])('%j to %j', (before, after, marked) => {
  expect(mark(diffWords(before, after))).toBe(marked);
});

const words = fc.array(fc.constantFrom('spin', 'the', 'tube', 'at', '4', 'C'), { maxLength: 40 });

test('always: each side can be put together from the runs, and shared words are a longest common subsequence', () => {
  fc.assert(
    fc.property(words, words, (a, b) => {
      const runs = diffWords(a.join(' '), b.join(' '));
      const side = (other: string): string[] =>
        runs
          .flatMap(({ kind, text }) => (kind === other ? [] : text.split(' ')))
          .filter((word) => word !== '');
      expect(side('added')).toEqual(a);
      expect(side('removed')).toEqual(b);
      const shared = runs.flatMap(({ kind, text }) => (kind === 'same' ? text.trim().split(' ') : []));
      expect(shared.filter((word) => word !== '').length).toBe(longestCommon(a, b));
    }),
  );
});

test('always: a coarser diff has the same two sides', () => {
  fc.assert(
    fc.property(words, words, (a, b) => {
      const runs = coarsenDiff(diffWords(a.join(' '), b.join(' ')));
      const side = (other: string): string =>
        runs
          .flatMap(({ kind, text }) => (kind === other ? [] : text.trim().split(/\s+/u)))
          .join(' ')
          .trim();
      expect(side('added').replace(/\s+/gu, ' ')).toBe(a.join(' '));
      expect(side('removed').replace(/\s+/gu, ' ')).toBe(b.join(' '));
    }),
  );
});

test('a lone shared word between changes is part of the change', () => {
  const runs = diffWords(
    'Warfarin control, screening of patients on request only',
    'The test monitors antagonists of vitamin K, screens deficiency',
  );
  expect(runs.map(({ kind }) => kind)).toContain('same');
  expect(coarsenDiff(runs).map(({ kind }) => kind)).toEqual(['removed', 'added']);
});

test('texts that share nothing are shown whole, quickly', () => {
  const side = (prefix: string): string =>
    Array.from({ length: 5000 }, (_, at) => `${prefix}${at}`).join(' ');
  expect(diffWords(side('a'), side('b')).map(({ kind }) => kind)).toEqual(['removed', 'added']);
});

function longestCommon(a: readonly string[], b: readonly string[]): number {
  let last = new Array<number>(b.length + 1).fill(0);
  for (const word of a) {
    const row = [0];
    b.forEach((other, at) =>
      row.push(word === other ? (last[at] ?? 0) + 1 : Math.max(last[at + 1] ?? 0, row[at] ?? 0)),
    );
    last = row;
  }
  return last[b.length] ?? 0;
}
