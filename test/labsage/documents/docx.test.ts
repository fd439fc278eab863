import { deflateRawSync } from 'node:zlib';

import { expect, test } from '@jest/globals';

import type { Document } from '../../../src/core/types.js';
import { locate, readDocument } from '../../../src/labsage/document.js';
import { docxFile, p, part, r, table, zipFile } from './docxFile.js';
import { outline } from '../sampleDocument.js';

function read(body: string, parts: Readonly<Record<string, string>> = {}): Promise<Document> {
  return readDocument(docxFile(body, parts), { path: 'a.docx' });
}

const HEADING = part(
  'styles',
  '<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>',
);
const h1 = (text: string): string => p(text, '<w:pStyle w:val="H1"/>');

function numbering(
  levels: readonly (readonly [format: string, text: string, extra?: string])[],
  nums = '',
): Readonly<Record<string, string>> {
  const abstract = levels.map(
    ([format, text, extra = ''], index) =>
      `<w:lvl w:ilvl="${index}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/>${extra}<w:pPr><w:ind w:left="${(index + 1) * 360}"/></w:pPr></w:lvl>`,
  );
  return {
    'word/numbering.xml': part(
      'numbering',
      `<w:abstractNum w:abstractNumId="0">${abstract.join('')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>${nums}`,
    ),
  };
}

const item = (text: string, level = 0, id = 1): string =>
  p(text, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${id}"/></w:numPr>`);

test('automatic numbers: letters, Roman numerals, restarts after an outer level, prefixes', async () => {
  const document = await read(
    [item('Mix'), item('gently', 1), item('twice', 1), item('slowly', 2), item('Spin'), item('cold', 1)].join(
      '',
    ),
    numbering([
      ['decimal', '%1.'],
      ['lowerLetter', '%2)'],
      ['lowerRoman', '%3.'],
    ]),
  );
  expect(outline(document)).toEqual([
    'step 1: 1. Mix',
    'step 2: a) gently',
    'step 2: b) twice',
    'step 3: i. slowly',
    'step 1: 2. Spin',
    'step 2: a) cold',
  ]);
});

test('a list with its own start counts anew; lists of one definition count on together', async () => {
  const more =
    '<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num><w:num w:numId="3"><w:abstractNumId w:val="0"/></w:num>';
  const document = await read(
    [item('a'), item('b', 0, 3), item('c', 0, 2), item('d', 0, 2)].join(''),
    numbering([['decimal', '%1.']], more),
  );
  expect(outline(document)).toEqual(['step 1: 1. a', 'step 1: 2. b', 'step 1: 5. c', 'step 1: 6. d']);
});

test('a level that never restarts, legal numbers, a level that shows no number', async () => {
  const document = await read(
    [item('I', 0), item('x', 1), item('II', 0), item('y', 1), item('z', 2)].join(''),
    numbering([
      ['upperRoman', '%1.'],
      ['decimal', '%1.%2', '<w:lvlRestart w:val="0"/><w:isLgl/>'],
      ['none', ''],
    ]),
  );
  expect(document.blocks.map((block) => block.text)).toEqual(['I. I', '1.1 x', 'II. II', '2.2 y', 'z']);
});

test('tracked changes: insertions stay, deletions and moved-away words go, a deleted paragraph end joins two paragraphs', async () => {
  const body = `<w:p>${r('Spin ')}<w:del><w:r><w:delText>8</w:delText></w:r></w:del><w:ins>${r('12')}</w:ins>${r(' minutes')}<w:moveFrom>${r(' gone')}</w:moveFrom><w:moveTo>${r(' at 4 °C.')}</w:moveTo></w:p><w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>${r('Then ')}</w:p>${p('decant.')}`;
  expect(outline(await read(body))).toEqual([
    'paragraph: Spin 12 minutes at 4 °C.',
    'paragraph: Then decant.',
  ]);
});

test('raised, struck-out and hidden words, symbols, breaks, tabs and non-breaking hyphens', async () => {
  const body = `<w:p>${r('10')}${r('9', '<w:vertAlign w:val="superscript"/>')}${r('/L, ')}${r('5', '<w:strike/>')}${r('secret', '<w:vanish/>')}<w:r><w:t>2</w:t><w:noBreakHyphen/><w:t>8 </w:t><w:sym w:font="Symbol" w:char="F0B0"/><w:t>C</w:t><w:br/><w:t>dark</w:t><w:tab/><w:t>cold</w:t></w:r></w:p>`;
  const document = await read(body);
  expect(outline(document)).toEqual(['paragraph: 10⁹/L, 2-8 °C dark cold']);
  expect(document.notes).toEqual(['struck-out words left out in paragraph 1: "5"']);
});

test('a text box is read once, although a fallback repeats it, after the paragraph that it is anchored in', async () => {
  const box = `<w:txbxContent>${p('Caution: hot.')}</w:txbxContent>`;
  const body = `<w:p>${r('Heat the block.')}<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx>${box}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>${box}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>${p('Wait.')}`;
  expect(outline(await read(body))).toEqual([
    'paragraph: Heat the block.',
    'warning: Caution: hot.',
    'paragraph: Wait.',
  ]);
});

test('footnotes stand after the paragraph that refers to them, under the number shown', async () => {
  const body = `<w:p>${r('Use EDTA')}<w:r><w:footnoteReference w:id="7"/></w:r>${r('.')}</w:p>${p('Mix.')}`;
  const notes = part(
    'footnotes',
    `<w:footnote w:id="0" w:type="separator">${p('---')}</w:footnote><w:footnote w:id="7"><w:p><w:r><w:footnoteRef/></w:r>${r(' K2EDTA only.')}</w:p></w:footnote>`,
  );
  const document = await read(body, { 'word/footnotes.xml': notes });
  expect(outline(document)).toEqual([
    'paragraph: Use EDTA[1].',
    'paragraph: [1] K2EDTA only.',
    'paragraph: Mix.',
  ]);
  expect(locate(document, document.blocks[2]!.span)).toEqual({
    file: 'a.docx',
    paragraphs: [2, 2],
  });
});

test('a footnote of a table cell stands after the table, so that the row is whole', async () => {
  const noted = `<w:tc><w:p>${r('Schistocytes')}<w:r><w:footnoteReference w:id="2"/></w:r></w:p></w:tc>`;
  const rows = [
    `<w:tr><w:tc>${p('Finding')}</w:tc><w:tc>${p('1+')}</w:tc></w:tr>`,
    `<w:tr>${noted}<w:tc>${p('below 1')}</w:tc></w:tr>`,
  ];
  const notes = part('footnotes', `<w:footnote w:id="2">${p('Counted on 1,000 cells.')}</w:footnote>`);
  const document = await read(`<w:tbl>${rows.join('')}</w:tbl>${p('Mix.')}`, { 'word/footnotes.xml': notes });
  expect(outline(document)).toEqual([
    'table: Finding | 1+\nSchistocytes[1] | below 1',
    'paragraph: [1] Counted on 1,000 cells.',
    'paragraph: Mix.',
  ]);
});

test('tables: spans, vertical merges, header rows, rows deleted by a tracked change', async () => {
  const cell = (text: string, properties = ''): string =>
    `<w:tc><w:tcPr>${properties}</w:tcPr>${p(text)}</w:tc>`;
  const rows = [
    `<w:tr><w:trPr><w:tblHeader/></w:trPr>${cell('Analyte')}${cell('Limits', '<w:gridSpan w:val="2"/>')}</w:tr>`,
    `<w:tr>${cell('Sodium', '<w:vMerge w:val="restart"/>')}${cell('135')}${cell('145')}</w:tr>`,
    `<w:tr>${cell('', '<w:vMerge/>')}${cell('1')}${cell('2')}</w:tr>`,
    `<w:tr><w:trPr><w:del/></w:trPr>${cell('Old')}${cell('0')}${cell('0')}</w:tr>`,
  ];
  const [block] = (await read(`<w:tbl>${rows.join('')}</w:tbl>`)).blocks;
  expect(block?.text).toBe('Analyte | Limits | Limits\nSodium | 135 | 145\nSodium | 1 | 2');
  expect(block?.header).toEqual({ start: 0, end: 'Analyte | Limits | Limits'.length });
});

test('heads and feet give control data and are boilerplate; contents fields are boilerplate', async () => {
  const field = (type: string): string => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
  const contents = `<w:p>${field('begin')}<w:r><w:instrText> TOC \\o "1-3" </w:instrText></w:r>${field('separate')}${r('PURPOSE 1')}</w:p><w:p>${r('SCOPE 2')}${field('end')}</w:p>`;
  const document = await read(`${contents}${h1('PURPOSE')}${p('To count.')}${h1('SCOPE')}${p('All.')}`, {
    'word/styles.xml': HEADING,
    'word/header2.xml': part(
      'hdr',
      table([
        ['SOP No.: HEM-012', 'Rev. 3'],
        ['Effective: 2026-03-14', 'DRAFT'],
      ]),
    ),
  });
  expect(outline(document)).toEqual([
    'heading 1: PURPOSE',
    'paragraph: To count.',
    'heading 1: SCOPE',
    'paragraph: All.',
  ]);
  expect(document.control).toEqual({
    number: 'HEM-012',
    version: '3',
    effective: '2026-03-14',
    status: 'draft',
  });
  expect(document.boilerplate.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    'contents PURPOSE 1',
    'contents SCOPE 2',
    'running-head SOP No.: HEM-012 Rev. 3',
    'running-head Effective: 2026-03-14 DRAFT',
  ]);
});

test('without heading styles, short bold numbered paragraphs are headings', async () => {
  const bold = (text: string): string => `<w:p>${r(text, '<w:b/>')}</w:p>`;
  const document = await read(
    [
      bold('1. Purpose'),
      p('To count.'),
      bold('2. Procedure'),
      p('2.1 Mix the tube.'),
      p('2.2 Spin the tube.'),
    ].join(''),
  );
  expect(outline(document)).toEqual([
    'heading 1: 1. Purpose',
    'paragraph: To count.',
    'heading 1: 2. Procedure',
    'step 1: 2.1 Mix the tube.',
    'step 1: 2.2 Spin the tube.',
  ]);
});

test('custom properties are control data', async () => {
  const custom =
    '<Properties><property name="Document Number"><lpwstr>HEM-012</lpwstr></property><property name="Version"><i4>4</i4></property></Properties>';
  expect((await read(p('Mix.'), { 'docProps/custom.xml': custom })).control).toEqual({
    number: 'HEM-012',
    version: '4',
    status: 'current',
  });
});

/** A deflated part that unpacks to far more than it holds. */
function bomb(): Uint8Array {
  const stored = Buffer.from(
    zipFile({ 'word/document.xml': deflateRawSync(Buffer.alloc(200 * 1024 * 1024, 32)) }),
  );
  for (let at = 0; at < stored.length - 4; at += 1) {
    if (stored.readUInt32LE(at) === 0x04034b50) stored.writeUInt16LE(8, at + 8);
    if (stored.readUInt32LE(at) === 0x02014b50) stored.writeUInt16LE(8, at + 10);
  }
  return stored;
}

const refused: readonly (readonly [name: string, path: string, bytes: () => Uint8Array, message: RegExp])[] =
  [
    ['a zip bomb', 'a.docx', bomb, /damaged|inflates/],
    ['an archive without a document', 'a.docx', () => zipFile({ 'a.txt': 'x' }), /no Word document/],
    [
      'a broken part',
      'a.docx',
      () => zipFile({ 'word/document.xml': '<w:document><w:body>' }),
      /not well-formed/,
    ],
    [
      'entities that expand each other',
      'a.docx',
      () =>
        zipFile({
          'word/document.xml':
            '<!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "&b;&b;">]><document><body><p><r><t>&c;</t></r></p></body></document>',
        }),
      /not well-formed/,
    ],
    ['half an archive', 'a.docx', () => docxFile(p('x')).slice(0, 200), /damaged/],
    ['an encrypted file', 'a.docx', () => Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0]), /encrypted/],
    ['an old Word file', 'a.doc', () => Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0]), /Word 97-2003/],
  ];

test.each(refused)('%s is refused by name', async (_, path, bytes, message) => {
  await expect(readDocument(bytes(), { path })).rejects.toMatchObject({
    name: 'ToolError',
    exitCode: 3,
    message: expect.stringMatching(message),
  });
});

test('tab stops part the fields of a page header and footer', async () => {
  const tabbed = (fields: readonly string[]): string =>
    `<w:p>${fields.map((field) => r(field)).join('<w:r><w:tab/></w:r>')}</w:p>`;
  const document = await read(h1('Specimen') + p('Serum is drawn.'), {
    'word/styles.xml': HEADING,
    'word/header1.xml': part('hdr', tabbed(['Riverside Hospital', 'CHEM-031', 'Version 4.0'])),
    'word/footer1.xml': part(
      'ftr',
      tabbed(['Effective date: 2025-03-01', 'Owner: Chemistry supervisor', 'Page 1 of 9']),
    ),
  });
  expect(document.control).toMatchObject({
    number: 'CHEM-031',
    version: '4.0',
    effective: '2025-03-01',
    owner: 'Chemistry supervisor',
  });
});
