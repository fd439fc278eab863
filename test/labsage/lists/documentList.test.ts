import '../../uuidForVectra.js';
import { expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { Chalk } from 'chalk';
import { parseDay, type ControlFilters } from '../../../src/labsage/lists/controlFilters.js';
import { listDocuments, type DocumentList } from '../../../src/labsage/lists/documentList.js';
import { LIST_COLUMNS, listCsv, listRecord, renderListLines } from '../../../src/labsage/lists/renderList.js';
import { parseTermQuery } from '../../../src/labsage/lists/termQuery.js';
import { TODAY, controlledSop, withControlledIndex } from './controlledCorpus.js';

function list(terms: string, filters: ControlFilters = {}): Promise<DocumentList> {
  return withControlledIndex((index) =>
    listDocuments(terms === '' ? undefined : parseTermQuery(terms, 'stemmed'), index, {
      filters,
      mode: 'stemmed',
      today: TODAY,
    }),
  );
}

function names({ documents }: DocumentList): string[] {
  return documents.map(
    ({ document }) => `${document.control.number ?? ''} v${document.control.version ?? ''}`,
  );
}

test('every document in force that mentions the terms, with its lines, places and counts', async () => {
  const found = await list('calcium chloride');
  expect(names(found)).toEqual(['HE-300 v4.0']);
  expect(found).toMatchObject({ query: 'calcium chloride', examined: 3, mentions: 1 });
  expect(found.documents[0]?.lines).toMatchObject([
    {
      text: 'Calcium chloride starts the clot.',
      count: 1,
      headingPath: ['Principle'],
      location: { file: 'hematology/HE-300-aptt.md', lines: [13, 13] },
    },
  ]);
});

test('superseded and future versions only if they are asked for', async () => {
  expect(names(await list('calcium chloride', { allVersions: true }))).toEqual([
    'HE-300 v4.0',
    'HE-300 v3.0',
  ]);
  expect(names(await list('calcium chloride', { statuses: ['superseded'] }))).toEqual(['HE-300 v3.0']);
  expect(names(await list('', { statuses: ['not-yet-effective'] }))).toEqual(['HE-400 v5.0']);
});

test.each<[string, ControlFilters, readonly string[]]>([
  ['all in force', {}, ['CH-100 v2.0', 'CH-200 v1.0', 'HE-300 v4.0']],
  ['overdue', { statuses: ['overdue'] }, ['CH-200 v1.0']],
  ['owner, in any order and case', { owner: 'byron ada' }, ['CH-100 v2.0', 'CH-200 v1.0']],
  ['effective from a day on', { effectiveFrom: '2025-06-02' }, ['CH-100 v2.0', 'HE-300 v4.0']],
  ['effective before a day', { effectiveBefore: '2025-06-02' }, ['CH-200 v1.0']],
  ['review before a day', { reviewBefore: '2027-01-15' }, ['CH-200 v1.0']],
  ['review before the next day', { reviewBefore: '2027-01-16' }, ['CH-200 v1.0', 'HE-300 v4.0']],
  ['folder', { folders: ['hematology'] }, ['HE-300 v4.0']],
  ['document', { documents: ['ch-200'] }, ['CH-200 v1.0']],
  ['a missing review date', { missing: 'review', allVersions: true }, ['HE-400 v5.0', 'HE-300 v3.0']],
  ['two at once', { owner: 'Byron', reviewBefore: '2026-01-01' }, ['CH-200 v1.0']],
])('filter: %s', async (_, filters, expected) => {
  expect(names(await list('', filters)).sort()).toEqual([...expected].sort());
});

test('documents without a date that a filter asks for are named, not passed over in silence', async () => {
  const undated = controlledSop({ number: 'X-1', title: 'Undated', version: '1', sections: { A: 'Words.' } });
  await withControlledIndex(
    async (index) => {
      const found = await listDocuments(undefined, index, {
        filters: { reviewBefore: '2030-01-01' },
        mode: 'stemmed',
        today: TODAY,
      });
      expect(found.documents).toEqual([]);
      expect(found.undated).toEqual(['x-1.md']);
    },
    { 'x-1.md': undated },
  );
});

test('the title counts where the text does not say it', async () => {
  const found = await list('"Partial Thromboplastin"', { documents: ['HE-300'] });
  expect(names(found)).toEqual(['HE-300 v4.0']);
});

test('as lines for a person, as JSON and as rows of a spreadsheet', async () => {
  const found = await list('heparin');
  const lines = renderListLines(found, { color: new Chalk({ level: 0 }), lines: 3 });
  expect(lines[0]).toBe('2 of 3 documents: heparin, 2 mentions');
  expect(lines).toContain('  line 13, Specimen: Serum only; never a heparin tube.');
  expect(found.documents.map(listRecord)).toMatchObject([
    {
      document: { path: 'chemistry/CH-200-lithium.md' },
      mentions: 1,
      lines: [{ headingPath: ['Specimen'] }],
    },
    { document: { path: 'hematology/HE-300-aptt.md' }, mentions: 1 },
  ]);
  const rows = parse(found.documents.flatMap(listCsv).join('\n'));
  expect(rows).toHaveLength(2);
  expect(rows[0]).toHaveLength(LIST_COLUMNS.length);
  expect(rows[0]?.at(-1)).toBe('Serum only; never a heparin tube.');
});

test.each([
  ['2026-11-30', '2026-11-30'],
  ['30 November 2026', '2026-11-30'],
])('a day may be written as %s', (text, iso) => {
  expect(parseDay(text, '--since')).toBe(iso);
});

test.each(['soon', '1/2/2027', '2026-02-31'])('%s is no day', (text) => {
  expect(() => parseDay(text, '--since')).toThrow(expect.objectContaining({ exitCode: 2 }));
});
