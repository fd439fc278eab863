/** Offset maps: every character of the new text leads back to where it came from, also through composed maps. */

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  applyEdits,
  composeMaps,
  invertMap,
  spanAfter,
  spanBefore,
  type Edit,
} from '../../../src/clirag/clean/offsetMap.js';

/** A text and disjoint edits on it, sorted. */
const editedText = fc
  .record({
    text: fc.string({ minLength: 0, maxLength: 40 }),
    cuts: fc.array(fc.record({ gap: fc.nat(6), length: fc.nat(5), text: fc.string({ maxLength: 5 }) }), {
      maxLength: 8,
    }),
  })
  .map(({ text, cuts }) => ({ text, edits: placeEdits(text, cuts) }));

function placeEdits(text: string, cuts: readonly { gap: number; length: number; text: string }[]): Edit[] {
  const edits: Edit[] = [];
  let at = 0;
  for (const cut of cuts) {
    const start = at + cut.gap;
    const end = start + cut.length;
    if (end > text.length) break;
    edits.push({ start, end, text: cut.text });
    at = end;
  }
  return edits;
}

test('a verbatim character leads to itself, a written one to the edit that wrote it', () => {
  fc.assert(
    fc.property(editedText, ({ text, edits }) => {
      const { text: next, map } = applyEdits(text, edits);
      for (let at = 0; at < next.length; at++) {
        const raw = spanBefore(map, { start: at, end: at + 1 });
        const change = map.find(({ toStart, toEnd }) => toStart <= at && at < toEnd);
        if (change === undefined) expect(text.slice(raw.start, raw.end)).toBe(next[at]);
        else expect(raw).toEqual({ start: change.fromStart, end: change.fromEnd });
      }
    }),
  );
});

test('composing is the same as going back step by step', () => {
  fc.assert(
    fc.property(
      editedText,
      fc.array(fc.record({ gap: fc.nat(6), length: fc.nat(5), text: fc.string({ maxLength: 5 }) }), {
        maxLength: 8,
      }),
      ({ text, edits }, cuts) => {
        const first = applyEdits(text, edits);
        const second = applyEdits(first.text, placeEdits(first.text, cuts));
        const composed = composeMaps(first.map, second.map);
        let last = 0;
        for (let at = 0; at < second.text.length; at++) {
          const raw = spanBefore(composed, { start: at, end: at + 1 });
          const isVerbatim = composed.every(({ toStart, toEnd }) => at < toStart || at >= toEnd);
          if (isVerbatim) expect(text.slice(raw.start, raw.end)).toBe(second.text[at]);
          const stepwise = spanBefore(first.map, spanBefore(second.map, { start: at, end: at + 1 }));
          // One change may stand for two that touch the same characters: it then covers both.
          expect(raw.start).toBeLessThanOrEqual(stepwise.start);
          expect(raw.end).toBeGreaterThanOrEqual(stepwise.end);
          expect(raw.start).toBeGreaterThanOrEqual(last);
          last = raw.start;
        }
      },
    ),
    { numRuns: 500 },
  );
});

test('the changes of a composed map rebuild the new text', () => {
  fc.assert(
    fc.property(
      editedText,
      fc.array(fc.record({ gap: fc.nat(4), length: fc.nat(4), text: fc.string({ maxLength: 4 }) }), {
        maxLength: 8,
      }),
      ({ text, edits }, cuts) => {
        const first = applyEdits(text, edits);
        const second = applyEdits(first.text, placeEdits(first.text, cuts));
        const changes = composeMaps(first.map, second.map);
        const rebuilt = applyEdits(
          text,
          changes.map(({ fromStart, fromEnd, toStart, toEnd }) => ({
            start: fromStart,
            end: fromEnd,
            text: second.text.slice(toStart, toEnd),
          })),
        );
        expect(rebuilt.text).toBe(second.text);
      },
    ),
    { numRuns: 500 },
  );
});

test('a span that was kept is found again in the new text', () => {
  const { text, map } = applyEdits('seen [**5-2**] by RN', [{ start: 5, end: 14, text: '5/2' }]);
  expect(text).toBe('seen 5/2 by RN');
  expect(spanAfter(map, { start: 18, end: 20 })).toEqual({ start: 12, end: 14 });
  expect(spanBefore(map, { start: 5, end: 8 })).toEqual({ start: 5, end: 14 });
  expect(spanBefore(invertMap(map), { start: 0, end: 4 })).toEqual({ start: 0, end: 4 });
});

test('overlapping edits are refused', () => {
  expect(() =>
    applyEdits('abc', [
      { start: 0, end: 2, text: '' },
      { start: 1, end: 3, text: '' },
    ]),
  ).toThrow('overlaps');
});
