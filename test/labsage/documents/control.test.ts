import { expect, test } from '@jest/globals';

import { dateOrder, readDate } from '../../../src/labsage/documents/dates.js';
import { sharedNumbers } from '../../../src/labsage/documents/documentControl.js';
import { documentOf } from '../sampleDocument.js';

const BODY = '\n\n1. PURPOSE\nTo count cells.\n';

const stated: readonly (readonly [name: string, path: string, text: string, expected: object])[] = [
  [
    'key lines',
    'a.txt',
    `Cell Count Procedure\nSOP No.: HEM-012\nVersion: 3.1\nEffective date: 14 March 2026\nReview by: 13 March 2028\nOwner: A. Stone\nApproved by: B. Hill, MD, on 2026-03-10\nSupersedes: HEM-012 version 3.0${BODY}`,
    {
      number: 'HEM-012',
      version: '3.1',
      effective: '2026-03-14',
      review: '2028-03-13',
      owner: 'A. Stone',
      approval: '2026-03-10',
      approvedBy: 'B. Hill, MD',
      supersedes: 'HEM-012 version 3.0',
      status: 'current',
    },
  ],
  [
    'aligned columns',
    'a.txt',
    `Cell Count\n\nNumber       HEM-012\nVersion      3.1\nEffective    4 May 2026\nStatus       DRAFT${BODY}`,
    { number: 'HEM-012', version: '3.1', effective: '2026-05-04', status: 'draft' },
  ],
  [
    'two fields a line',
    'a.txt',
    `Cell Count\nDocument ID: HEM-012    Rev: C    Effective: 2026-01-02${BODY}`,
    { number: 'HEM-012', version: 'C', effective: '2026-01-02', status: 'current' },
  ],
  [
    'front matter',
    'a.md',
    '---\ntitle: Cell Count\nsop_number: HEM-012\nversion: "3.1"\neffective_date: 2026-03-14\nstatus: withdrawn\n---\n\n## Purpose\n\nTo count.\n',
    { number: 'HEM-012', version: '3.1', effective: '2026-03-14', status: 'withdrawn' },
  ],
  [
    'a control table',
    'a.md',
    '# Cell Count\n\n| Field | Value |\n|---|---|\n| Document number | HEM-012 |\n| Version | 3.1 |\n| Approved by | B. Hill |\n\n## Purpose\n\nTo count.\n',
    { number: 'HEM-012', version: '3.1', approvedBy: 'B. Hill', status: 'current' },
  ],
  [
    'a superseded mark',
    'a.txt',
    `*** SUPERSEDED ***\nCell Count\nVersion: 2${BODY}`,
    { version: '2', status: 'superseded' },
  ],
  [
    'the word supersedes alone',
    'a.txt',
    `Cell Count\nSupersedes: version 1${BODY}`,
    { supersedes: 'version 1', status: 'current' },
  ],
  [
    'running heads',
    'a.txt',
    [
      'SOP No. HEM-012   Rev. 3   Page 1 of 2',
      '',
      'Cell Count',
      '',
      '1. PURPOSE',
      'To count.',
      '\fSOP No. HEM-012   Rev. 3   Page 2 of 2',
      '',
      '2. SCOPE',
      'All staff.',
      '',
    ].join('\n'),
    { number: 'HEM-012', version: '3', status: 'current' },
  ],
  [
    'a page head in HTML',
    'a.html',
    '<header>SOP No.: HEM-012 | Version: 3.1</header><h1>Cell Count</h1><h2>Purpose</h2><p>To count.</p>',
    { number: 'HEM-012', version: '3.1', status: 'current' },
  ],
  [
    'a definition list',
    'a.html',
    '<h1>Cell Count</h1><dl><dt>Document number</dt><dd>HEM-012</dd><dt>Effective date</dt><dd>March 4, 2026</dd></dl><h2>Purpose</h2><p>To count.</p>',
    { number: 'HEM-012', effective: '2026-03-04', status: 'current' },
  ],
  [
    'a revision table, as the last resort',
    'a.md',
    '# Cell Count\n\n## Purpose\n\nTo count.\n\n## Revisions\n\n| Version | Effective date | Change |\n|---|---|---|\n| 1.10 | 2026-02-01 | b |\n| 1.9 | 2025-02-01 | a |\n',
    { version: '1.10', effective: '2026-02-01', status: 'current' },
  ],
  [
    'blanks to be filled in',
    'a.txt',
    `Cell Count\nVersion: ____\nEffective date: [DD/MM/YYYY]${BODY}`,
    { status: 'current' },
  ],
];

test.each(stated)('control data from %s', async (_, path, text, expected) => {
  expect((await documentOf(text, path)).control).toEqual(expected);
});

test('an ambiguous date is left out and noted, unless the document shows its order', async () => {
  const doubtful = await documentOf(`Cell Count\nEffective date: 03/04/2026${BODY}`);
  expect(doubtful.control.effective).toBeUndefined();
  expect(doubtful.notes?.join()).toContain('03/04/2026');
  const shown = await documentOf(`Cell Count\nEffective date: 03/04/2026\nReview date: 03/31/2028${BODY}`);
  expect(shown.control).toMatchObject({ effective: '2026-03-04', review: '2028-03-31' });
});

test.each([
  ['14 March 2026', '2026-03-14'],
  ['14-Mar-26', '2026-03-14'],
  ['March 14, 2026', '2026-03-14'],
  ['the 1st of March 2026', '2026-03-01'],
  ['2026/3/4', '2026-03-04'],
  ['20260304', '2026-03-04'],
  ['2026-Mar-04', '2026-03-04'],
  ['14.03.2026', '2026-03-14'],
  ['03/14/2026', '2026-03-14'],
  ['14/03/2026', '2026-03-14'],
  ['05/05/2026', '2026-05-05'],
])('%s is %s', (text, iso) => {
  expect(readDate(text, 'unknown')).toMatchObject({ iso });
});

test.each(['31 February 2026', 'soon', '2026', '99/99/2026'])('%s is no date', (text) => {
  expect(readDate(text, 'unknown')).toBeUndefined();
});

test('the order of day and month is told from dates that leave no doubt', () => {
  expect(dateOrder('on 03/14/2026 and 04/05/2026')).toBe('month-first');
  expect(dateOrder('on 14/03/2026')).toBe('day-first');
  expect(dateOrder('on 14/03/2026 and 03/14/2026')).toBe('unknown');
});

test.each(['[Name], Laboratory Director', '____________', 'Name, Title'])(
  'a blank for the approver (%s) names nobody',
  async (blank) => {
    expect((await documentOf(`Cell Count\nApproved by: ${blank}${BODY}`)).control).toEqual({
      status: 'current',
    });
  },
);

test('a title under a signature is not the title of the document', async () => {
  const document = await documentOf(
    `Cell Count Procedure${BODY}\n2. APPROVAL\nApproved by: B. Hill\nTitle: Medical Director\n`,
  );
  expect(document.title).toBe('Cell Count Procedure');
});

test('a number that several documents in force state is named with their versions', () => {
  const file = (
    path: string,
    number: string,
    control: object,
  ): Parameters<typeof sharedNumbers>[0][number] => ({
    path,
    control: { number, status: 'current', ...control },
  });
  const documents = [
    file('a.md', 'HEM-012', { version: '3' }),
    file('b.pdf', 'hem 012', { version: '4' }),
    file('c.md', 'HEM-012', { version: '2', status: 'superseded' }),
    file('d.md', 'HEM-012', { version: '5', effective: '2099-01-01' }),
    file('e.md', 'HEM-013', {}),
  ];
  expect(sharedNumbers(documents, '2026-12-01')).toEqual([
    {
      number: 'HEM-012',
      documents: [
        { path: 'a.md', version: '3' },
        { path: 'b.pdf', version: '4' },
      ],
    },
  ]);
});
