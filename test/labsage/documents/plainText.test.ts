import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { documentId, locate, readDocument } from '../../../src/labsage/document.js';
import { documentOf, headings, outline } from '../sampleDocument.js';

test('title, hard-wrapped paragraphs, bullets and nested steps', async () => {
  const document = await documentOf(
    [
      'Standard Operating Procedure for the',
      'Count of Platelets by Microscope',
      '1. PURPOSE',
      'This procedure says how platelets are counted in a chamber when the',
      'analyser flags clumps, and how the 24-',
      'hour quality check is read.',
      '2. STEPS',
      '1. Mix the tube by inverting it at least eight times, and look for',
      '   clots.',
      '   a. Discard a clotted tube.',
      '2. Fill the chamber:',
      '• left side',
      '◦ wait 10 minutes',
      '• right side',
    ].join('\n'),
  );
  expect(document.title).toBe('Standard Operating Procedure for the Count of Platelets by Microscope');
  expect(outline(document)).toEqual([
    'paragraph: Standard Operating Procedure for the Count of Platelets by Microscope',
    'heading 1: 1. PURPOSE',
    'paragraph: This procedure says how platelets are counted in a chamber when the analyser flags clumps, and how the 24-hour quality check is read.',
    'heading 1: 2. STEPS',
    'step 1: 1. Mix the tube by inverting it at least eight times, and look for clots.',
    'step 2: a. Discard a clotted tube.',
    'step 1: 2. Fill the chamber:',
    'step 2: - left side',
    'step 3: - wait 10 minutes',
    'step 2: - right side',
  ]);
});

test('warnings, also where the word stands on a line of its own', async () => {
  const document = await documentOf(
    '1. SAFETY\n\nWARNING: never open the rotor\nwhile it spins.\n\nCAUTION\nThe plate is hot.\n\nNote: see the manual.\n',
  );
  expect(outline(document).slice(1)).toEqual([
    'warning: WARNING: never open the rotor while it spins.',
    'warning: CAUTION The plate is hot.',
    'warning: Note: see the manual.',
  ]);
});

const tables: readonly (readonly [name: string, text: string, table: string, header: string | undefined])[] =
  [
    [
      'bars',
      '| Analyte | Unit |\n|---|---|\n| Sodium | mmol/L |\n| Glucose | mg/dL |',
      'Analyte | Unit\nSodium | mmol/L\nGlucose | mg/dL',
      'Analyte | Unit',
    ],
    [
      'columns under a rule',
      'Analyte     Low   High\n(unit)      g/L   g/L\n---------------------\nAlbumin     35    52\nProtein     64    83',
      'Analyte | Low | High\n(unit) | g/L | g/L\nAlbumin | 35 | 52\nProtein | 64 | 83',
      'Analyte | Low | High\n(unit) | g/L | g/L',
    ],
    [
      'columns whose first row alone has no numbers',
      'Group      Limit\nMen        15\nWomen      20',
      'Group | Limit\nMen | 15\nWomen | 20',
      'Group | Limit',
    ],
    [
      'columns without header',
      'LP     lumbar puncture\nCSF    cerebrospinal fluid\nEVD    external drain',
      'LP | lumbar puncture\nCSF | cerebrospinal fluid\nEVD | external drain',
      undefined,
    ],
    [
      'rows wrapped in their cells',
      'Sign                | Remedy\n--------------------+----------------\nIntercept above 0.2 | Auto rinse, new\ng/dL                | reagent pack\nNo peak             | Call service',
      'Sign | Remedy\nIntercept above 0.2 g/dL | Auto rinse, new reagent pack\nNo peak | Call service',
      'Sign | Remedy',
    ],
    [
      'an empty cell',
      'Analyte     Low   High\nAlbumin     35    52\nCRP               5',
      'Analyte | Low | High\nAlbumin | 35 | 52\nCRP | | 5',
      'Analyte | Low | High',
    ],
  ];

test.each(tables)('a table of %s', async (_, text, table, header) => {
  const document = await documentOf(`1. LIMITS\n\nThe limits:\n\n${text}\n\nThey are reviewed each year.\n`);
  const block = document.blocks.find((candidate) => candidate.kind === 'table');
  expect(block?.text).toBe(table);
  expect(
    block?.header === undefined ? undefined : document.text.slice(block.header.start, block.header.end),
  ).toBe(header);
  expect(document.blocks.map(({ kind }) => kind)).toEqual(['heading', 'paragraph', 'table', 'paragraph']);
});

test('a running head in the middle of a sentence and of a table is taken out, and the halves are joined', async () => {
  const head = (page: number): string => `HEM-012  Platelet Count   v3.1   Page ${page} of 3`;
  const document = await documentOf(
    [
      head(1),
      '',
      'Platelet Count',
      '',
      '1. PURPOSE',
      'This procedure says how platelets are counted in a chamber when the',
      '',
      head(2),
      '',
      'analyser flags clumps.',
      '',
      '2. LIMITS',
      'Group      Limit',
      'Men        15',
      '',
      head(3),
      '',
      'Women      20',
      'Children   25',
    ].join('\n'),
  );
  expect(outline(document)).toEqual([
    'paragraph: Platelet Count',
    'heading 1: 1. PURPOSE',
    'paragraph: This procedure says how platelets are counted in a chamber when the analyser flags clumps.',
    'heading 1: 2. LIMITS',
    'table: Group | Limit\nMen | 15\nWomen | 20\nChildren | 25',
  ]);
  expect(document.boilerplate.map(({ kind, line }) => [kind, line])).toEqual([
    ['running-head', 1],
    ['running-head', 8],
    ['running-head', 16],
  ]);
  expect(document.control.version).toBe('3.1');
});

test('form feeds part pages; heads, feet and bare page numbers at their edges are boilerplate', async () => {
  const page = (number: number, text: string): string =>
    `Harrow Laboratory\n\n${text}\n\nUncontrolled when printed\n${number}\n`;
  const document = await documentOf(
    [
      page(1, '1. PURPOSE\nTo count cells.'),
      page(2, '2. SCOPE\nAll staff.'),
      page(3, '3. STEPS\n1. Mix.'),
    ].join('\f'),
  );
  expect(document.pages).toBe(3);
  expect(headings(document)).toEqual(['1 1. PURPOSE', '1 2. SCOPE', '1 3. STEPS']);
  expect(document.text).not.toContain('Uncontrolled');
  expect(document.boilerplate).toHaveLength(9);
});

test('a table of contents is boilerplate', async () => {
  const document = await documentOf(
    'Cell Count\n\nTABLE OF CONTENTS\n\n1. PURPOSE ........ 1\n2. SCOPE .......... 2\n\n1. PURPOSE\nTo count.\n\n2. SCOPE\nAll staff.\n',
  );
  expect(headings(document)).toEqual(['1 1. PURPOSE', '1 2. SCOPE']);
  expect(document.boilerplate.map(({ kind }) => kind)).toEqual(['contents', 'contents', 'contents']);
});

test('a quote is located by its lines', async () => {
  const document = await documentOf('1. PURPOSE\n\nTo count platelets when the\nanalyser flags\nclumps.\n');
  const at = (words: string): { start: number; end: number } => ({
    start: document.text.indexOf(words),
    end: document.text.indexOf(words) + words.length,
  });
  expect(locate(document, at('analyser'))).toEqual({ file: 'sample.txt', lines: [4, 4] });
  expect(locate(document, at('when the analyser flags clumps.'))).toEqual({
    file: 'sample.txt',
    lines: [3, 5],
  });
});

const encodings: readonly (readonly [name: string, bytes: Uint8Array])[] = [
  ['UTF-8', Buffer.from('Store at 2–8 °C • dark')],
  [
    'UTF-8 with a mark',
    Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('Store at 2–8 °C • dark')]),
  ],
  ['UTF-16 LE', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Store at 2–8 °C • dark', 'utf16le')])],
  ['UTF-16 LE without a mark', Buffer.from('Store at 2–8 °C • dark', 'utf16le')],
  [
    'UTF-16 BE',
    Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from('Store at 2–8 °C • dark', 'utf16le').swap16()]),
  ],
  ['windows-1252', Buffer.from('Store at 2\x968 \xb0C \x95 dark', 'latin1')],
];

test.each(encodings)('%s', async (_, bytes) => {
  expect((await readDocument(bytes, { path: 'a.txt' })).text).toBe('Store at 2–8 °C • dark');
});

test.each(['\n', '\r\n', '\r'])('line ends %j', async (end) => {
  const document = await documentOf(['1. PURPOSE', 'To count.', '', 'Twice.'].join(end));
  expect(outline(document)).toEqual(['heading 1: 1. PURPOSE', 'paragraph: To count.', 'paragraph: Twice.']);
  expect(document.origins.map(({ line }) => line)).toEqual([1, 2, 4]);
});

const refused: readonly (readonly [name: string, path: string, bytes: Uint8Array, message: RegExp])[] = [
  ['NUL bytes', 'a.txt', new Uint8Array(64), /not a text file/],
  [
    'random bytes',
    'a.md',
    Uint8Array.from({ length: 512 }, (_, index) => (index * 7 + 3) % 32),
    /not a text file/,
  ],
  ['a PNG image', 'a.txt', Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), /PNG/],
  ['a zip archive', 'a.txt', Uint8Array.from([0x50, 0x4b, 3, 4, 0, 0]), /zip/],
  ['an old Word file', 'a.doc', Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), /\.doc/],
  ['an unknown extension', 'a.xyz', Buffer.from('words'), /format/],
  ['a file over the limit', 'a.txt', new Uint8Array(17 * 1024 * 1024).fill(97), /17 MB/],
];

test.each(refused)('%s is refused by name', async (_, path, bytes, message) => {
  await expect(readDocument(bytes, { path })).rejects.toMatchObject({
    name: 'ToolError',
    exitCode: 3,
    message: expect.stringMatching(message),
  });
});

test('an empty file is an empty document with a note', async () => {
  const document = await documentOf('');
  expect(document).toMatchObject({
    text: '',
    blocks: [],
    title: 'sample',
    notes: ['the file holds no text'],
  });
});

test.each([
  ['SOPs/HEM-012 Platelet Count.docx', 'hem-012-platelet-count'],
  ['other\\HEM-012 Platelet Count.txt', 'hem-012-platelet-count'],
  ['Zählung v3.1.md', 'zahlung-v3-1'],
  ['...', 'document'],
])('the id of %s is %s', (path, id) => {
  expect(documentId(path)).toBe(id);
});

const word = fc.constantFrom(
  'Mix',
  'the',
  'tube',
  'EDTA',
  '2-8',
  '°C',
  '10',
  'mL',
  'pH',
  '7.4',
  '(gel)',
  'WARNING:',
  'Note:',
  'PURPOSE',
  'SCOPE',
  '1.',
  '4.2',
  'a.',
  'IV.',
  '•',
  'and/',
  '24-',
  'Version:',
  'end.',
  'Page',
  '3',
  'of',
  'x',
  '|',
  'é',
  '𝛼',
);
const line = fc
  .tuple(
    fc.constantFrom('', '  ', '    ', '\t'),
    fc.array(word, { maxLength: 14 }),
    fc.constantFrom(' ', '  ', '\t'),
  )
  .map(([indent, words, gap]) => indent + words.join(gap));
const anyText = fc
  .array(fc.oneof(line, fc.constantFrom('', '-----', '=====', 'Page 2 of 9', '\f')), {
    maxLength: 60,
  })
  .map((lines) => lines.join('\n'));

/** Bullets, bars and rules are drawn anew; all else must be kept. */
function signs(text: string): string {
  return [...text.replace(/[\s•|\-=]/gu, '')].sort().join('');
}

test('property: nothing is lost and nothing invented; spans cut their own text; origins are sorted and located', async () => {
  await fc.assert(
    fc.asyncProperty(anyText, async (text) => {
      const document = await documentOf(text);
      expect(signs(document.text + document.boilerplate.map((item) => item.text).join(''))).toBe(signs(text));
      let end = 0;
      for (const block of document.blocks) {
        expect(block.span.start).toBeGreaterThanOrEqual(end);
        expect(document.text.slice(block.span.start, block.span.end)).toBe(block.text);
        expect(document.text.slice(end, block.span.start).trim()).toBe('');
        if (block.header !== undefined)
          expect(block.text.startsWith(document.text.slice(block.header.start, block.header.end))).toBe(true);
        end = block.span.end;
      }
      expect(document.text.slice(end).trim()).toBe('');
      expect(document.origins.map(({ at }) => at)).toEqual(
        [...document.origins.map(({ at }) => at)].sort((a, b) => a - b),
      );
      const lines = text.split('\n').length;
      for (const block of document.blocks) {
        const [first, last] = locate(document, block.span).lines ?? [0, 0];
        expect(first).toBeGreaterThan(0);
        expect(last).toBeLessThanOrEqual(lines);
      }
    }),
    { numRuns: 400 },
  );
});
