/** The cascade as a whole, on every synthetic chart and on odd texts. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CLEAN_STEPS, cleanText } from '../../src/clirag/clean.js';
import { spanBefore, type OffsetMap } from '../../src/clirag/clean/offsetMap.js';
import { PUBLIC_FILE, readCharts } from './charts.js';

let texts: string[] = [];
beforeAll(async () => {
  texts = (await readCharts()).map(({ text }) => text);
});

test('no token, tag or control character is left', () => {
  for (const raw of texts) {
    const { text } = cleanText(raw);
    expect(text).not.toMatch(/\[\*\*|\*\*\]|<br|&nbsp;|javascript:|onclick=/iu);
    expect(text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f]/);
    expect(text).not.toMatch(/[ \t]{2}|\n{3}|^\s|\s$/u);
  }
});

/** Faults of a map, in words; no `expect` for every one of a million characters. */
function findFaults(raw: string, { text, map }: { text: string; map: OffsetMap }): string[] {
  const faults: string[] = [];
  let last = 0;
  let change = 0;
  for (let at = 0; at < text.length; at++) {
    while ((map[change]?.toEnd ?? Infinity) <= at) change++;
    const isVerbatim = at < (map[change]?.toStart ?? Infinity);
    const span = spanBefore(map, { start: at, end: at + 1 });
    if (isVerbatim && raw.slice(span.start, span.end) !== text[at]) faults.push(`${at} is another character`);
    if (span.start < last) faults.push(`${at} goes back`);
    if (span.end > raw.length || span.end < span.start) faults.push(`${at} is outside`);
    last = span.start;
  }
  return faults;
}

test('every character leads back into the raw text, and forward in order', () => {
  for (const raw of texts) expect(findFaults(raw, cleanText(raw))).toEqual([]);
});

test('all figures and words of a chart are kept, but for those of tokens, markup and page headers', () => {
  // A word of the raw text that stands in no change of the map stands in the clean text.
  for (const raw of texts) {
    const { text, map } = cleanText(raw);
    let at = 0;
    const kept: string[] = [];
    for (const { fromStart, fromEnd } of map) {
      kept.push(raw.slice(at, fromStart));
      at = fromEnd;
    }
    kept.push(raw.slice(at));
    let from = 0;
    const lost = kept.filter((piece) => {
      const found = text.indexOf(piece, from);
      if (found >= from) from = found + piece.length;
      return found < from - piece.length || found === -1;
    });
    expect(lost).toEqual([]);
  }
});

test('clean text stays as it is', () => {
  const changed = texts.filter((raw) => {
    const { text } = cleanText(raw);
    return cleanText(text).text !== text;
  });
  // Joining wrapped lines looks at a note's longest line, which joining changes: one note in two hundred.
  expect(changed.length).toBeLessThanOrEqual(Math.ceil(texts.length / 200));
});

test('a step that is left out leaves its part alone', () => {
  const raw = 'PHYSICAL EXAM\nSeen [**5-2**], SpO2 ≥ 92%';
  expect(cleanText(raw).text).toBe('Physical Exam:\nSeen 5/2, SpO2 >= 92%');
  expect(cleanText(raw, { skip: ['deid'] }).text).toContain('[**5-2**]');
  expect(cleanText(raw, { skip: ['headers'] }).text).toContain('PHYSICAL EXAM\n');
  expect(cleanText(raw, { skip: CLEAN_STEPS.map(({ name }) => name) })).toEqual({ text: raw, map: [] });
});

test('what each step did is told with its place in the raw text', () => {
  const raw = 'Seen [**5-2**] by\x1f RN';
  const steps: { name: string; before: string; raw: string }[] = [];
  cleanText(raw, {
    onStep: ({ name, changes }) =>
      changes.forEach((change) =>
        steps.push({ name, before: change.before, raw: raw.slice(change.raw.start, change.raw.end) }),
      ),
  });
  expect(steps).toEqual([
    { name: 'controls', before: '\x1f', raw: '\x1f' },
    { name: 'deid', before: '[**5-2**]', raw: '[**5-2**]' },
  ]);
});

describe('odd texts', () => {
  const piece = fc.constantFrom(
    '[**2154-3-2**]',
    '[**Known',
    '**]',
    '\n',
    ' ',
    '  ',
    'ASSESSMENT:',
    'PLAN',
    'WBC 17.5',
    '<br>',
    '&amp;',
    '&lt;br&gt;',
    '\x0b',
    '→',
    '½',
    '* ',
    '(Over)\n',
    '(Cont)',
    'Page 1 of 2',
    '| 1 | 2 |',
    '____',
    'the patient was seen and slept well',
    '😀',
    '\uD83D',
  );
  test('never break it, and every span stays inside', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const raw = pieces.join('');
        const { text, map } = cleanText(raw);
        const whole = spanBefore(map, { start: 0, end: text.length });
        expect(whole.start).toBeGreaterThanOrEqual(0);
        expect(whole.end).toBeLessThanOrEqual(raw.length);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['one line', 'a'.repeat(5_000_000)],
    ['blanks', ' '.repeat(2_000_000)],
    ['line breaks', '\n'.repeat(1_000_000)],
    ['opened tokens', '[**First Name '.repeat(200_000)],
    ['tags', '<br'.repeat(500_000)],
    ['headers', 'PLAN: rest\n'.repeat(200_000)],
    ['figures', 'WBC 17.5  '.repeat(200_000)],
  ])('a note of megabytes of %s takes seconds, not hours', (_, raw) => {
    const startMs = Date.now();
    cleanText(raw);
    expect(Date.now() - startMs).toBeLessThan(60_000);
  });
});

(PUBLIC_FILE === undefined ? test.skip : test)(
  'public sample reports are cleaned without a token left',
  async () => {
    for (const { text } of await readCharts(PUBLIC_FILE))
      expect(cleanText(text).text).not.toMatch(/\[\*\*|\*\*\]/u);
  },
);
