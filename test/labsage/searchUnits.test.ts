import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sliceSpan } from '../../src/core/text.js';
import { SPECIAL_TOKENS, loadTokenCounter } from '../../src/core/tokenCounter.js';
import { buildContextUnits } from '../../src/labsage/contextUnits.js';
import type { Document } from '../../src/core/types.js';
import { EMBED_TOKENS, buildSearchUnits, type BuiltSearchUnit } from '../../src/labsage/searchUnits.js';
import { assemble, drafts, titles, type Draft } from './documents/generatedDocument.js';

const countTokens = await loadTokenCounter();

function unitsByContext(document: Document, prefix = true): Map<string, BuiltSearchUnit[]> {
  const contexts = buildContextUnits(document, { countTokens });
  return new Map(
    contexts.map((context) => [context.id, buildSearchUnits(document, context, { countTokens, prefix })]),
  );
}

test('ψ is total: every unit stands inside the context unit that it names, and each has at least one', () => {
  fc.assert(
    fc.property(drafts, (list) => {
      const document = assemble(list);
      for (const context of buildContextUnits(document, { countTokens })) {
        const units = buildSearchUnits(document, context, { countTokens, prefix: true });
        expect(units.length).toBeGreaterThan(0);
        for (const { contextId, span } of units) {
          expect(contextId).toBe(context.id);
          expect(span.start).toBeGreaterThanOrEqual(context.span.start);
          expect(span.end).toBeLessThanOrEqual(context.span.end);
        }
      }
    }),
  );
});

test('every character of a context unit that is no blank is in at least one of its units', () => {
  fc.assert(
    fc.property(drafts, titles, (list, title) => {
      const document = assemble(list, { title });
      for (const context of buildContextUnits(document, { countTokens })) {
        let at = context.span.start;
        for (const { span } of buildSearchUnits(document, context, { countTokens, prefix: true })) {
          expect(document.text.slice(at, Math.max(at, span.start)).trim()).toBe('');
          at = Math.max(at, span.end);
        }
        expect(document.text.slice(at, context.span.end).trim()).toBe('');
      }
    }),
  );
});

test.each([true, false])(
  'no embedded text is longer than the embedder reads, whatever title and words (prefix %s)',
  (prefix) => {
    fc.assert(
      fc.property(drafts, titles, (list, title) => {
        for (const { embedText, tokens } of [
          ...unitsByContext(assemble(list, { title }), prefix).values(),
        ].flat()) {
          expect(tokens).toBe(countTokens(embedText));
          expect(tokens + SPECIAL_TOKENS).toBeLessThanOrEqual(EMBED_TOKENS);
        }
      }),
    );
  },
);

test('ids are unique in the document and depend on nothing but the words and the section', () => {
  fc.assert(
    fc.property(drafts, (list) => {
      const ids = [...unitsByContext(assemble(list)).values()].flat().map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      const above: Draft[] = [
        { kind: 'heading', level: 1, text: 'Something new' },
        { kind: 'paragraph', text: 'New words.' },
      ];
      const sections: Draft[] = [
        { kind: 'heading', level: 1, text: 'A' },
        { kind: 'paragraph', text: 'Of A.' },
      ];
      const fixed: Draft[] = [
        ...sections,
        { kind: 'heading', level: 1, text: 'Z' },
        ...list.filter(({ kind }) => kind !== 'heading'),
      ];
      const before = [...unitsByContext(assemble(fixed)).values()].flat().map(({ id }) => id);
      const after = [...unitsByContext(assemble([...sections, ...above, ...fixed.slice(2)])).values()].flat();
      expect(after.map(({ id }) => id).filter((id) => !id.includes('something-new'))).toEqual(before);
    }),
  );
});

test('every unit with rows of a table has its header, carried or in its own words', () => {
  fc.assert(
    fc.property(drafts, (list) => {
      const document = assemble(list);
      for (const { span, carried } of [...unitsByContext(document).values()].flat()) {
        for (const { header, span: table } of document.blocks) {
          if (header === undefined || countTokens(sliceSpan(document.text, header)) > 60) continue;
          const hasRows = span.end > header.end + 1 && span.start < table.end && span.start >= table.start;
          if (!hasRows || span.end > table.end) continue;
          const isInside = span.start <= header.start;
          expect(isInside || carried.some(({ start }) => start === header.start)).toBe(true);
        }
      }
    }),
  );
});

test('a table of forty rows says its columns and units in each of its units', () => {
  const rows = [
    'Analyte | Low | High | Unit',
    ...Array.from({ length: 40 }, (_, at) => `Analyte ${at} | ${at} | ${at + 10} | mmol/L`),
  ];
  const document = assemble([
    { kind: 'heading', level: 1, text: '7. REFERENCE INTERVALS' },
    { kind: 'table', text: rows.join('\n'), rows },
    { kind: 'heading', level: 1, text: '8. NOTES' },
    { kind: 'paragraph', text: 'None.' },
  ]);
  const units = unitsByContext(document).get('sop#7-reference-intervals') ?? [];
  expect(units.length).toBeGreaterThan(3);
  for (const { embedText } of units) {
    expect(embedText.split(rows[0] ?? '')).toHaveLength(2);
    expect(embedText.startsWith('Ammonia, Plasma › 7. REFERENCE INTERVALS')).toBe(true);
  }
});

test('a paragraph longer than a unit is cut with a sentence of overlap, and the paper preset embeds the words alone', () => {
  const text = Array.from({ length: 40 }, (_, at) => `Sentence number ${at} speaks of plasma.`).join(' ');
  const document = assemble([{ kind: 'paragraph', text }]);
  const units = [...unitsByContext(document, false).values()].flat();
  expect(units.length).toBeGreaterThan(2);
  units.forEach(({ span, embedText }, at) => {
    expect(embedText).toBe(sliceSpan(document.text, span));
    const next = units[at + 1];
    if (next !== undefined) expect(next.span.start).toBeLessThan(span.end);
  });
});
