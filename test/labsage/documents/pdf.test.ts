import { expect, test } from '@jest/globals';

import type { Document } from '../../../src/core/types.js';
import { locate, readDocument } from '../../../src/labsage/document.js';
import { pdfFile, type Placed } from './pdfFile.js';
import { outline } from '../sampleDocument.js';

function read(...pages: (readonly Placed[])[]): Promise<Document> {
  return readDocument(pdfFile(pages), { path: 'a.pdf' });
}

/** Lines from y = 760 down, 13 points apart; an empty one leaves a gap. */
function lines(texts: readonly string[], x = 50): Placed[] {
  return texts.flatMap((text, index) => (text === '' ? [] : [{ text, x, y: 760 - index * 13 }]));
}

const FULL = 'This procedure says how platelets are counted in a chamber when the analyser flags';

test('hyphens at line ends are undone in words, kept in compounds and ranges', async () => {
  const document = await read(
    lines([
      `${FULL} immuno-`,
      'assay interference and anti-',
      'platelet antibodies at 2-',
      '8 °C; see the anti-platelet kit of the CLIA-',
      'certified laboratory.',
    ]),
  );
  expect(document.text).toBe(
    `${FULL} immunoassay interference and anti-platelet antibodies at 2-8 °C; see the anti-platelet kit of the CLIA-certified laboratory.`,
  );
});

test('headings by weight and size, without numbers', async () => {
  const document = await read([
    { text: 'Platelet Count', x: 50, y: 780, size: 18, bold: true },
    { text: 'Principle of the Method', x: 50, y: 740, bold: true },
    { text: `${FULL} clumps.`, x: 50, y: 722 },
    { text: 'Specimen', x: 50, y: 700, bold: true },
    { text: 'Whole blood is drawn.', x: 50, y: 682 },
  ]);
  expect(outline(document)).toEqual([
    'paragraph: Platelet Count',
    'heading 1: Principle of the Method',
    `paragraph: ${FULL} clumps.`,
    'heading 1: Specimen',
    'paragraph: Whole blood is drawn.',
  ]);
});

test('two columns are read one after the other', async () => {
  const left = Array.from(
    { length: 12 },
    (_, index) => `left words of line ${index} go on up to the gutter of the page`,
  );
  const right = Array.from({ length: 12 }, (_, index) => `right words of line ${index} go on`);
  const document = await read([...lines(left, 50), ...lines(right, 320)]);
  expect(document.text.indexOf('left words of line 11')).toBeLessThan(
    document.text.indexOf('right words of line 0'),
  );
});

test('raised digits stay raised; the micro sign is one', async () => {
  const document = await read([
    { text: 'Count 10', x: 50, y: 700 },
    { text: '9', x: 90.6, y: 704, size: 6 },
    { text: '/L in 20 µL.', x: 94, y: 700 },
  ]);
  expect(document.text).toBe('Count 10⁹/L in 20 µL.');
});

test('running heads, page numbers and contents are boilerplate; a sentence over a page break is one; pages locate it', async () => {
  const page = (number: number, texts: readonly string[]): Placed[] => [
    { text: 'HEM-012 Rev. 3', x: 50, y: 810, size: 8 },
    ...lines(texts),
    { text: String(number), x: 290, y: 30, size: 8 },
  ];
  const document = await read(
    page(1, ['CONTENTS', '1. PURPOSE ........ 2', '2. SCOPE .......... 3']),
    page(2, ['1. PURPOSE', '', `${FULL} and`]),
    page(3, ['shows clumps.', '', '2. SCOPE', '', 'All staff.']),
  );
  expect(outline(document)).toEqual([
    'heading 1: 1. PURPOSE',
    `paragraph: ${FULL} and shows clumps.`,
    'heading 1: 2. SCOPE',
    'paragraph: All staff.',
  ]);
  expect(document.control).toMatchObject({ number: 'HEM-012', version: '3' });
  expect(document.pages).toBe(3);
  expect(locate(document, document.blocks[1]!.span)).toEqual({ file: 'a.pdf', pages: [2, 3] });
  expect(document.boilerplate.filter(({ kind }) => kind === 'contents')).toHaveLength(3);
});

test('a watermark says the status and is no text', async () => {
  const document = await read([
    ...lines(['1. PURPOSE', '', 'To count.']),
    { text: 'SUPERSEDED', x: 150, y: 300, size: 60, tilted: true },
  ]);
  expect(document.control.status).toBe('superseded');
  expect(document.text).not.toContain('SUPERSEDED');
});

test('pages of images beside pages of text are noted', async () => {
  expect((await read(lines(['1. PURPOSE', '', 'To count.']), [])).notes).toEqual([
    'no text on page 2: images only',
  ]);
});

const ENCRYPTED = `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${'ab'.repeat(32)}> /U <${'cd'.repeat(32)}> /P -4 >> /ID [<00> <00>]`;

const refused: readonly (readonly [name: string, bytes: Uint8Array, message: RegExp])[] = [
  ['an encrypted file', pdfFile([lines(['x'])], ENCRYPTED), /encrypted/],
  ['a file without text', pdfFile([[]]), /images of pages/],
  ['a torn file', Buffer.from('%PDF-1.4\n1 0 obj\n<< /Type /Cat'), /damaged/],
  ['a file of another kind', Buffer.from('words'), /not a PDF/],
];

test.each(refused)('%s is refused by name', async (_, bytes, message) => {
  await expect(readDocument(bytes, { path: 'a.pdf' })).rejects.toMatchObject({
    name: 'ToolError',
    exitCode: 3,
    message: expect.stringMatching(message),
  });
});

test('columns of different leading on a part of a page are read one after the other, each with its own margin', async () => {
  const left = Array.from({ length: 9 }, (_, index) => ({
    text: `left words of line ${index} go on`,
    x: 50,
    y: 600 - index * 13,
  }));
  const right = Array.from({ length: 9 }, (_, index) => ({
    text: `right words of line ${index} go on`,
    x: 320,
    y: 600 - index * 15,
  }));
  const document = await read([
    { text: 'HEM-012 Platelet Count', x: 50, y: 800 },
    { text: 'Rev. 3', x: 400, y: 800 },
    { text: `${FULL} clumps.`, x: 50, y: 640 },
    ...left,
    ...right,
  ]);
  const joined = (side: string): string =>
    Array.from({ length: 9 }, (_, index) => `${side} words of line ${index} go on`).join(' ');
  expect(document.blocks.map((block) => block.text).slice(-2)).toEqual([joined('left'), joined('right')]);
});

test('a list label at its own stop makes no table', async () => {
  const step = (label: string, text: string, y: number): Placed[] => [
    { text: label, x: 50, y },
    { text, x: 90, y },
  ];
  const document = await read([
    ...step('1.', 'Mix the tube.', 700),
    ...step('2.', 'Spin the tube.', 686),
    ...step('3.', 'Read the meniscus.', 672),
    ...step('•', 'at once', 658),
  ]);
  expect(outline(document)).toEqual([
    'step 1: 1. Mix the tube.',
    'step 1: 2. Spin the tube.',
    'step 1: 3. Read the meniscus.',
    'step 2: - at once',
  ]);
});

test('type of two heights shows two ranks; larger type than all else is the title, whatever stands above it', async () => {
  const document = await read([
    { text: 'All documents of the laboratory', x: 50, y: 800 },
    { text: 'Serum Osmolality', x: 50, y: 770, size: 20, bold: true },
    { text: 'Specimen', x: 50, y: 735, size: 14, bold: true },
    { text: 'Three millilitres of serum are drawn.', x: 50, y: 715 },
    { text: 'Storage', x: 50, y: 690, size: 12, bold: true },
    { text: 'Serum keeps for ten hours in a closed tube.', x: 50, y: 672 },
    { text: 'Waste', x: 50, y: 640, size: 14, bold: true },
    { text: 'Tubes go into the yellow bin.', x: 50, y: 620 },
  ]);
  expect(document.title).toBe('Serum Osmolality');
  expect(outline(document).filter((line) => line.startsWith('heading'))).toEqual([
    'heading 1: Specimen',
    'heading 2: Storage',
    'heading 1: Waste',
  ]);
});

test('the head and the foot of a single page are no text of its sections', async () => {
  const document = await read([
    { text: 'Riverside Hospital', x: 50, y: 820, size: 8 },
    { text: 'CHEM-031', x: 250, y: 820, size: 8 },
    { text: 'Version 4.0', x: 480, y: 820, size: 8 },
    { text: 'Serum Osmolality', x: 50, y: 780, size: 18, bold: true },
    { text: 'Specimen', x: 50, y: 740, bold: true },
    { text: 'Serum is drawn.', x: 50, y: 722 },
    { text: 'Owner: Chemistry supervisor', x: 50, y: 30, size: 8 },
    { text: 'Page 1 of 1', x: 480, y: 30, size: 8 },
  ]);
  expect(document.text).toBe('Serum Osmolality\n\nSpecimen\nSerum is drawn.');
  expect(document.control).toMatchObject({
    number: 'CHEM-031',
    version: '4.0',
    owner: 'Chemistry supervisor',
  });
});

test('a text box beside a paragraph is read as a block, not line by line between its neighbour’s', async () => {
  const box = ['WARNING: Never reuse a tube;', 'residue lowers the result.'];
  const beside = ['Clean the probe with a tissue', 'between two samples.'];
  for (const shift of [3.4, 6]) {
    const document = await read([
      { text: `${FULL} clumps.`, x: 50, y: 740 },
      ...box.map((text, index) => ({ text, x: 60, y: 700 - shift - index * 13 })),
      ...beside.map((text, index) => ({ text, x: 320, y: 700 - index * 13 })),
      { text: `${FULL} again.`, x: 50, y: 640 },
    ]);
    expect(document.text).toContain('WARNING: Never reuse a tube; residue lowers the result.');
    expect(document.text).toContain('Clean the probe with a tissue between two samples.');
  }
});

test('words that a line strikes out are left out and named', async () => {
  const document = await read([
    { text: 'Serum is stable for', x: 50, y: 700 },
    { text: '4 hours', x: 145, y: 700 },
    { text: '2 hours at room temperature.', x: 185, y: 700 },
    { line: [145, 703, 180, 703] },
  ]);
  expect(document.text).toBe('Serum is stable for 2 hours at room temperature.');
  expect(document.notes).toEqual(['struck-out words left out on page 1: "4 hours"']);
});

/** A table with all its lines drawn; `open` are sides between cells that are not: [row, column] of the cell above. */
function ruled(
  rows: readonly (readonly string[])[],
  open: readonly (readonly [number, number])[] = [],
): Placed[] {
  const [left, top, width, height] = [50, 700, 150, 34];
  const placed: Placed[] = [];
  const columns = rows[0]?.length ?? 0;
  rows.forEach((row, at) => {
    row.forEach((cell, column) => {
      cell
        .split('\n')
        .filter((text) => text !== '')
        .forEach((text, line) =>
          placed.push({ text, x: left + column * width + 4, y: top - at * height - 12 - line * 12 }),
        );
      if (!open.some(([r, c]) => r === at && c === column)) {
        const y = top - (at + 1) * height;
        placed.push({ line: [left + column * width, y, left + (column + 1) * width, y] });
      }
    });
  });
  const bottom = top - rows.length * height;
  placed.push({ line: [left, top, left + columns * width, top] });
  for (let column = 0; column <= columns; column += 1)
    placed.push({ line: [left + column * width, top, left + column * width, bottom] });
  return placed;
}

test('drawn lines part a table: wrapped cells stay whole, a cell over two rows stands in both', async () => {
  const document = await read([
    { text: `${FULL} clumps.`, x: 50, y: 740 },
    ...ruled(
      [
        ['Specimen', 'Storage', 'Limit'],
        ['Plasma, whole\nblood excluded', '2-8 °C', '24 hours'],
        ['', '-20 °C', '40 days, thaw\nonce only'],
      ],
      [[1, 0]],
    ),
    { text: `${FULL} again.`, x: 50, y: 560 },
  ]);
  expect(outline(document)).toEqual([
    `paragraph: ${FULL} clumps.`,
    'table: Specimen | Storage | Limit\nPlasma, whole blood excluded | 2-8 °C | 24 hours\nPlasma, whole blood excluded | -20 °C | 40 days, thaw once only',
    `paragraph: ${FULL} again.`,
  ]);
});

test('a frame around paragraphs is no table', async () => {
  const frame: Placed[] = [
    [40, 720, 540, 720],
    [40, 600, 540, 600],
    [40, 720, 40, 600],
    [540, 720, 540, 600],
  ].map((line) => ({ line: line as [number, number, number, number] }));
  const document = await read([...frame, ...lines([`${FULL} clumps.`]).map((line) => ({ ...line, y: 690 }))]);
  expect(outline(document)).toEqual([`paragraph: ${FULL} clumps.`]);
});
