import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sha256Hex, sliceSpan } from '../../src/core/text.js';
import { loadTokenCounter } from '../../src/core/tokenCounter.js';
import type { ContextUnit, Document } from '../../src/core/types.js';
import { buildContextUnits } from '../../src/labsage/contextUnits.js';
import { assemble, drafts, type Draft } from './documents/generatedDocument.js';

const countTokens = await loadTokenCounter();
const limits = fc.constantFrom(40, 120, 1500);

function unitsOf(document: Document, limitTokens = 1500): ContextUnit[] {
  return buildContextUnits(document, { countTokens, limitTokens });
}

function heading(level: number, text: string): Draft {
  return { kind: 'heading', level, text };
}

const paragraph = (text: string): Draft => ({ kind: 'paragraph', text });

test('units stand in order and hold every character that is no blank exactly once', () => {
  fc.assert(
    fc.property(drafts, limits, (list, limit) => {
      const document = assemble(list);
      let at = 0;
      for (const unit of unitsOf(document, limit)) {
        expect(document.text.slice(at, unit.span.start).trim()).toBe('');
        expect(unit.span.start).toBeGreaterThanOrEqual(at);
        expect(unit.span.end).toBeGreaterThan(unit.span.start);
        at = unit.span.end;
      }
      expect(document.text.slice(at).trim()).toBe('');
    }),
  );
});

test('hash, tokens and document are those of its words; ids are unique; what is carried stands outside of it', () => {
  fc.assert(
    fc.property(drafts, limits, (list, limit) => {
      const document = assemble(list);
      const units = unitsOf(document, limit);
      for (const { span, sha256, tokens, docId, carried } of units) {
        const words = sliceSpan(document.text, span);
        expect([sha256, tokens, docId]).toEqual([sha256Hex(words), countTokens(words), document.id]);
        for (const other of carried) {
          expect(other.end <= span.start || other.start >= span.end).toBe(true);
          expect(
            document.blocks.some(({ span: block }) => block.start === other.start && block.end === other.end),
          ).toBe(true);
        }
      }
      expect(new Set(units.map(({ id }) => id)).size).toBe(units.length);
    }),
  );
});

test('no unit begins inside a table or a list of steps', () => {
  fc.assert(
    fc.property(drafts, limits, (list, limit) => {
      const document = assemble(list);
      for (const { span } of unitsOf(document, limit).slice(1)) {
        const at = document.blocks.findIndex((block) => block.span.end > span.start);
        const [before, first] = [document.blocks[at - 1], document.blocks[at]];
        expect(first?.span.start).toBe(span.start);
        expect(before?.kind === 'step' && first?.kind === 'step').toBe(false);
      }
    }),
  );
});

test('the limit is kept by every unit that could be cut', () => {
  fc.assert(
    fc.property(drafts, limits, (list, limit) => {
      const document = assemble(list);
      for (const { span, tokens } of unitsOf(document, limit)) {
        if (tokens <= limit) continue;
        const inside = document.blocks.filter(
          (block) => block.span.start >= span.start && block.span.end <= span.end,
        );
        // A heading stays with what it heads, and warnings with the steps that they stand among.
        const runs = inside.filter(
          ({ kind }, at) =>
            kind !== 'heading' &&
            !(kind === 'step' && ['step', 'warning'].includes(inside[at - 1]?.kind ?? '')),
        );
        expect(runs.length).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test('inserting a section changes the id of no other', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), {
        minLength: 2,
        maxLength: 8,
        selector: (name) => name,
      }),
      fc.nat(),
      limits,
      (names, place, limit) => {
        const sections = names.map((name, at) => [
          heading(1, `${at + 1} ${name}`),
          paragraph(`Words of ${name}.`),
          heading(2, 'Details'),
          paragraph('The same everywhere. '.repeat(12).trim()),
        ]);
        const added = [heading(1, 'Inserted section'), paragraph('New.')];
        const at = place % (sections.length + 1);
        const before = unitsOf(assemble(sections.flat()), limit).map(({ id }) => id);
        const after = unitsOf(
          assemble([...sections.slice(0, at), added, ...sections.slice(at)].flat()),
          limit,
        );
        expect(after.map(({ id }) => id).filter((id) => !id.includes('inserted-section'))).toEqual(before);
      },
    ),
  );
});

test('3,000 sections of the same name and words have ids of their own', () => {
  const list = Array.from({ length: 3000 }, () => [heading(1, 'COMMENTS'), paragraph('None.')]).flat();
  const ids = unitsOf(assemble(list)).map(({ id }) => id);
  expect(ids).toHaveLength(3000);
  expect(new Set(ids).size).toBe(3000);
});

test('a long section is cut at its subsections, each with its introduction and warnings', () => {
  const long = 'Spin the plasma sample. '.repeat(30).trim();
  const document = assemble([
    heading(1, '1. PURPOSE'),
    paragraph('To measure.'),
    heading(1, '2. PROCEDURE'),
    paragraph('Wear gloves for all of it.'),
    { kind: 'warning', text: 'WARNING: toxic.' },
    heading(2, '2.1 Daily'),
    paragraph(long),
    heading(2, '2.2 Weekly'),
    paragraph(long),
  ]);
  const units = unitsOf(document, 150);
  expect(units.map(({ headingPath }) => headingPath)).toEqual([
    ['1. PURPOSE'],
    ['2. PROCEDURE'],
    ['2. PROCEDURE', '2.1 Daily'],
    ['2. PROCEDURE', '2.2 Weekly'],
  ]);
  for (const { carried } of units.slice(2)) {
    expect(carried.map((span) => sliceSpan(document.text, span))).toEqual([
      'Wear gloves for all of it.',
      'WARNING: toxic.',
    ]);
  }
});

test('the title as lone top heading is no section, and a document without headings is one unit', () => {
  const titled = assemble([
    heading(1, 'Ammonia, Plasma'),
    heading(2, 'Purpose'),
    paragraph('P.'),
    heading(2, 'Specimen'),
    paragraph('S.'),
  ]);
  expect(unitsOf(titled).map(({ headingPath }) => headingPath)).toEqual([[], ['Purpose'], ['Specimen']]);
  expect(unitsOf(assemble([paragraph('Only words.')])).map(({ id }) => id)).toEqual(['sop#front']);
  expect(unitsOf(assemble([]))).toEqual([]);
});
