import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  collapseBlanks,
  overlapping,
  overlaps,
  slugify,
  splitSentences,
  splitWords,
  trimSpan,
  uniqueId,
} from '../../src/core/text.js';

test.each([
  ['Plasma Ammonia (NH₃)', 'plasma-ammonia-nh3'],
  ['Contrôle de qualité', 'controle-de-qualite'],
  ['5. QUALITY CONTROL', '5-quality-control'],
  ['—', 'section'],
])('the slug of %s is %s', (text, slug) => {
  expect(slugify(text)).toBe(slug);
});

test('always: no id is given twice, and the first of its name keeps it', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'a-2', 'a-2-2', 'a-3')), (names) => {
      const given = new Map<string, number>();
      const ids = names.map((name) => uniqueId(name, given));
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids[0]).toBe(names[0]);
      ids.forEach((id, at) => expect(id.startsWith(names[at] ?? '')).toBe(true));
    }),
  );
});

test.each([
  ['Mix well. Spin 8 min. Read.', ['Mix well.', 'Spin 8 min. Read.']],
  ['Store at 2.5 °C. Do not freeze!', ['Store at 2.5 °C.', 'Do not freeze!']],
  ['See ref. No. 12 and Fig. 3. Then stop.', ['See ref. No. 12 and Fig. 3.', 'Then stop.']],
  ['1. Load the rack. 2. Press start.', ['1. Load the rack.', '2. Press start.']],
  ['He said "Stop." Then he left.', ['He said "Stop."', 'Then he left.']],
  ['first row\nsecond row', ['first row', 'second row']],
  ['Give 5 mg p.o. 2 times a day.', ['Give 5 mg p.o. 2 times a day.']],
  ['Aspirin 81 mg p.o. QD. Then wait.', ['Aspirin 81 mg p.o. QD.', 'Then wait.']],
  ['Give 2 g i.v. Flush the line.', ['Give 2 g i.v.', 'Flush the line.']],
  ['Take 5 mg b.i.d. 10 days, then q.i.d. 5 days.', ['Take 5 mg b.i.d. 10 days, then q.i.d. 5 days.']],
  [
    'Ask Dr. Vogel, e.g. Monday, i.e. at 8 a.m. 2 days on.',
    ['Ask Dr. Vogel, e.g. Monday, i.e. at 8 a.m. 2 days on.'],
  ],
  ['Compare A vs. B (approx. 5 mL). See Fig. 2.', ['Compare A vs. B (approx. 5 mL).', 'See Fig. 2.']],
  [
    'Use tube No. 5 at room temp. 20 °C for 1 hr. 30 min. 2 s.',
    ['Use tube No. 5 at room temp. 20 °C for 1 hr. 30 min. 2 s.'],
  ],
  ['Incubate for 1 hr. Remove it.', ['Incubate for 1 hr.', 'Remove it.']],
])('the sentences of %j', (text, sentences) => {
  expect(splitSentences(text).map(({ start, end }) => text.slice(start, end))).toEqual(sentences);
});

const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        'a.',
        'B',
        '12',
        '!',
        '\n',
        ' ',
        '"',
        '(3)',
        'e.g.',
        'µL',
        'p.o.',
        ' i.v.',
        'Then',
        '\t',
        '🧪',
      ),
      {
        maxLength: 40,
      },
    )
    .map((parts) => parts.join('')),
);

test('sentences are in order, trimmed, and hold every character that is no blank exactly once', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const sentences = splitSentences(text);
      let at = 0;
      for (const span of sentences) {
        expect(text.slice(at, span.start).trim()).toBe('');
        expect(span.end).toBeGreaterThan(span.start);
        expect(trimSpan(text, span)).toEqual(span);
        at = span.end;
      }
      expect(text.slice(at).trim()).toBe('');
    }),
  );
});

test('always: items that overlap a span are those that a look at each of them finds', () => {
  const span = (start: number, length: number): { start: number; end: number } => ({
    start,
    end: start + length,
  });
  fc.assert(
    fc.property(
      fc.array(fc.nat(4)),
      fc.nat(40),
      fc.integer({ min: 1, max: 20 }),
      (lengths, start, length) => {
        let end = 0;
        const items = lengths.map((gap, at) => {
          const item = { span: span(end + gap, 1 + (at % 3)) };
          end = item.span.end;
          return item;
        });
        const wanted = span(start, length);
        expect(overlapping(items, wanted)).toEqual(items.filter((item) => overlaps(item.span, wanted)));
      },
    ),
  );
});

test('words stand where their spans say and do not overlap', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const words = splitWords(text);
      words.forEach((word, at) => {
        expect(text.slice(word.start, word.end)).toBe(word.text);
        const next = words[at + 1];
        expect(next !== undefined && overlaps(word, next)).toBe(false);
      });
    }),
  );
});

test('identifiers, decimals and units are one word', () => {
  const words = splitWords('CS-5100 at 2.5 mmol/L, 8 % and QC-0071.').map(({ text }) => text);
  expect(words).toEqual(['CS-5100', 'at', '2.5', 'mmol/L', '8', '%', 'and', 'QC-0071']);
});

test('collapsing blanks twice changes nothing more', () => {
  fc.assert(fc.property(texts, (text) => collapseBlanks(collapseBlanks(text)) === collapseBlanks(text)));
});
