import { expect, test } from '@jest/globals';
import { deflateSync } from 'node:zlib';
import { decodeBounded } from '../../../src/labsage/documents/readers/pdfFilters.js';
import { readDocument } from '../../../src/labsage/document.js';
import { docxFile, p, r, zipFile, part } from './docxFile.js';
import { pdfFile, type Placed } from './pdfFile.js';

const MEGABYTE = 1024 * 1024;

/** A PDF of one page whose drawing commands are these bytes, under these filters. */
function pdfOf(stream: Buffer, filters: string, more = ''): Uint8Array {
  const whole = Buffer.from(pdfFile([[{ text: 'MARK', x: 50, y: 700 }]])).toString('latin1');
  const dictionary = `<< /Length ${stream.length} /Filter ${filters} >>`;
  return Buffer.from(
    whole.replace(
      /<< \/Length \d+ >>\nstream\n[^]*?\nendstream/u,
      () => `${dictionary}\nstream\n${stream.toString('latin1')}\nendstream\nendobj\n${more}`,
    ),
    'latin1',
  );
}

const drawn = (megabytes: number): Buffer =>
  deflateSync(
    Buffer.concat([
      Buffer.from('BT /F1 10 Tf 50 700 Td (To count.) Tj ET'),
      Buffer.alloc(megabytes * MEGABYTE, ' '),
    ]),
  );

function bytesOf(bits: string): Buffer {
  const bytes = bits.match(/.{1,8}/gu) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)));
}

/** 9-bit codes: a clear code, each byte as it is, a clear code before the codes grow, the end. */
function lzwOf(bytes: Buffer): Buffer {
  const codes = [...bytes].flatMap((byte, at) => (at % 200 === 0 ? [256, byte] : [byte]));
  return bytesOf([...codes, 257].map((code) => code.toString(2).padStart(9, '0')).join(''));
}

/** Blanks in strings of 1, 2, 3 … bytes: a round of six thousand bytes makes seven million. */
function lzwBomb(rounds: number): Buffer {
  let body = '000100000';
  for (let code = 258; code < 4095; code++) {
    const width = code >= 2047 ? 12 : code >= 1023 ? 11 : code >= 511 ? 10 : 9;
    body += code.toString(2).padStart(width, '0');
  }
  const bits = `100000000${body}${`000100000000${body}`.repeat(rounds - 1)}`;
  return bytesOf(bits);
}

const runLengths = (count: number): Buffer => Buffer.alloc(2 * count, Buffer.from([129, 32]));
const asHex = (bytes: Buffer): Buffer => Buffer.from(`${bytes.toString('hex')}>`);

/** Each is small on the disk and large once it is read. */
const BOMBS: readonly (readonly [name: string, path: string, bytes: () => Uint8Array, message: RegExp])[] = [
  [
    'a PDF page of 200 MB of blanks',
    'a.pdf',
    () => pdfOf(drawn(200), '/FlateDecode'),
    /^a\.pdf: inflates to more than 64 MB/u,
  ],
  [
    'a PDF page deflated twice',
    'a.pdf',
    () => pdfOf(deflateSync(drawn(200)), '[/FlateDecode /Fl]'),
    /^a\.pdf: inflates to more than 64 MB/u,
  ],
  [
    'a PDF page of 220 MB of blanks under LZW',
    'a.pdf',
    () => pdfOf(lzwBomb(30), '/LZWDecode'),
    /^a\.pdf: inflates to more than 64 MB/u,
  ],
  [
    'a PDF page of 70 MB of blanks in runs, written in hexadecimal',
    'a.pdf',
    () => pdfOf(asHex(runLengths(580_000)), '[/ASCIIHexDecode /RunLengthDecode]'),
    /^a\.pdf: inflates to more than 64 MB/u,
  ],
  [
    'a PDF page whose runs are deflated, under a name that is spelled in codes',
    'a.pdf',
    () => pdfOf(deflateSync(runLengths(580_000)), '[/Flate#44ecode /RL]'),
    /^a\.pdf: inflates to more than 64 MB/u,
  ],
  [
    'a PDF page whose filter is named by another object',
    'a.pdf',
    () => pdfOf(drawn(200), '99 0 R', '99 0 obj\n[ /FlateDecode ]\nendobj\n'),
    /^a\.pdf: inflates to more than 64 MB/u,
  ],
  [
    'a PDF page whose filter is an object that is missing',
    'a.pdf',
    () => pdfOf(drawn(200), '98 0 R'),
    /^a\.pdf: inflates to more than 64 MB/u,
  ],
  [
    'a Word file of a million empty paragraphs',
    'a.docx',
    () =>
      zipFile({ 'word/document.xml': part('document', `<w:body>${'<w:p/>'.repeat(1_000_001)}</w:body>`) }),
    /^a\.docx: more than 1 million elements/u,
  ],
  [
    'a page with 17 MB of text',
    'a.docx',
    () => docxFile(p('word '.repeat(3_500_000))),
    /^a\.docx: 17 MB of text, more than the 16 MB/u,
  ],
];

test.each(BOMBS)('%s is refused by name', async (_, path, bytes, message) => {
  await expect(readDocument(bytes(), { path })).rejects.toMatchObject({
    name: 'ToolError',
    exitCode: 3,
    message: expect.stringMatching(message),
  });
});

const words = Buffer.from('BT /F1 10 Tf 50 700 Td (To count.) Tj ET');
/** Copied as it is, 128 bytes at the most at a time. */
const asRuns = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([bytes.length - 1]), bytes, Buffer.from([128])]);

test.each([
  ['/FlateDecode', drawn(1)],
  ['/LZWDecode', lzwOf(words)],
  ['/RunLengthDecode', asRuns(words)],
  ['[/AHx /LZW]', asHex(lzwOf(words))],
])('a page of ordinary size under %s is read', async (filters, stream) => {
  expect((await readDocument(pdfOf(stream, filters), { path: 'a.pdf' })).text).toBe('To count.');
});

test('a cell of a PDF that spans thousands of places of a ruled table is not repeated without end', async () => {
  const text = 'word '.repeat(250).trim();
  const page: Placed[] = [{ text, x: 52, y: 790, size: 0.5 }];
  const step = { x: 480 / 39, y: 780 / 299 };
  for (let row = 0; row <= 299; row += 1)
    page.push({ line: [row === 0 || row === 299 ? 50 : 530, 800 - row * step.y, 545, 800 - row * step.y] });
  for (let column = 0; column <= 39; column += 1)
    page.push({
      line: [50 + column * step.x, 800, 50 + column * step.x, column === 0 || column === 39 ? 20 : 796],
    });
  page.push({ text: 'a', x: 535, y: 700, size: 2 }, { text: 'b', x: 535, y: 600, size: 2 });
  const document = await readDocument(pdfFile([page]), { path: 'a.pdf' });
  expect(document.text).toContain(text);
  expect(document.text.length).toBeLessThan(1_200_000);
});

test('a page of graph paper is read in bounded time', async () => {
  const page: Placed[] = [{ text: 'Levey-Jennings chart', x: 50, y: 820 }];
  for (let at = 0; at < 1400; at += 1) {
    page.push({ line: [40, 20 + at * 0.55, 560, 20 + at * 0.55] });
    page.push({ line: [40 + at * 0.37, 20, 40 + at * 0.37, 800] });
  }
  expect((await readDocument(pdfFile([page]), { path: 'a.pdf' })).text).toBe('Levey-Jennings chart');
});

test('cells that span 60 columns 5,000 times do not multiply their text without end, and each stands once', async () => {
  const cell = (text: string): string =>
    `<w:tc><w:tcPr><w:gridSpan w:val="60"/></w:tcPr><w:p>${r(text)}</w:p></w:tc><w:tc><w:p/></w:tc>`;
  const rows = Array.from({ length: 5_000 }, (_, at) => `<w:tr>${cell(`${'word '.repeat(9)}n${at}`)}</w:tr>`);
  const { text } = await readDocument(docxFile(`<w:tbl>${rows.join('')}</w:tbl>`), { path: 'a.docx' });
  expect(text.length).toBeLessThan(2_500_000);
  expect(new Set(text.match(/n\d+/gu)).size).toBe(5_000);
});

test('an HTML table of more than 50,000 cells loses none; spans stop being repeated', async () => {
  const rows = Array.from({ length: 26_000 }, (_, at) => `<tr><td>a${at}</td><td>b${at}</td></tr>`);
  const plain = await readDocument(Buffer.from(`<table>${rows.join('')}</table>`), { path: 'a.html' });
  expect(new Set(plain.text.match(/[ab]\d+/gu)).size).toBe(52_000);
  const spanned = rows.map((row) => row.replaceAll('<td>', '<td rowspan="100" colspan="100">'));
  const { text } = await readDocument(Buffer.from(`<table>${spanned.slice(0, 2_000).join('')}</table>`), {
    path: 'a.html',
  });
  expect(new Set(text.match(/[ab]\d+/gu)).size).toBe(4_000);
  expect(text.length).toBeLessThan(2_500_000);
});

test.each(['# ', '# word '])(
  'a heading of 400,000 characters (%j) is a paragraph, and titles are short',
  async (unit) => {
    const { title, text, blocks } = await readDocument(Buffer.from(unit.repeat(399_000 / unit.length)), {
      path: 'a.md',
    });
    expect(title.length).toBeLessThanOrEqual(300);
    expect(text.length).toBeGreaterThan(300_000);
    expect(blocks.map(({ kind }) => kind)).not.toContain('heading');
  },
);

test('streams are decoded to the bytes that their writers gave', () => {
  const decode = (data: Uint8Array, dictionary: string): string =>
    Buffer.from(decodeBounded(data, { dictionary, limit: 10 * MEGABYTE }) ?? []).toString('latin1');
  expect(decode(lzwOf(words), '/Filter /LZWDecode')).toBe(words.toString());
  expect(decode(asRuns(words), '/Filter /RunLengthDecode')).toBe(words.toString());
  expect(decode(asHex(words), '/Filter [ /ASCIIHexDecode ]')).toBe(words.toString());
  expect(decode(Buffer.from('87cURD]i,"Ebo80~>'), '/Filter /ASCII85Decode')).toBe('Hello World!');
  const bomb = decodeBounded(lzwBomb(1), { dictionary: '/Filter /LZW', limit: 10 * MEGABYTE });
  expect(bomb?.length).toBe((3838 * 3839) / 2);
  expect(bomb?.every((byte) => byte === 32)).toBe(true);
});
