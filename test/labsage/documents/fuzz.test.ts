import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { ToolError } from '../../../src/core/errors.js';
import { readDocument } from '../../../src/labsage/document.js';
import { part, zipFile } from './docxFile.js';
import { SOP_FORMATS, SOP_NAME } from '../oneSop.js';

/** One damage done to a file; places are shares of its length. */
type Damage =
  | { readonly kind: 'cut'; readonly at: number; readonly length: number }
  | { readonly kind: 'double'; readonly at: number; readonly length: number }
  | { readonly kind: 'set'; readonly at: number; readonly value: number }
  | { readonly kind: 'insert'; readonly at: number; readonly bytes: Uint8Array };

const at = fc.double({ min: 0, max: 0.999, noNaN: true });
const length = fc.integer({ min: 1, max: 400 });
const anyDamage: fc.Arbitrary<Damage> = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), at, length }),
  fc.record({ kind: fc.constant('double' as const), at, length }),
  fc.record({ kind: fc.constant('set' as const), at, value: fc.integer({ min: 0, max: 255 }) }),
  fc.record({
    kind: fc.constant('insert' as const),
    at,
    bytes: fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc
        .constantFrom(
          '<table><tr><td rowspan=9>',
          '</w:p>',
          '\n| a | b',
          '\f',
          '> > - 1. ',
          '&#x0;',
          ' 0 R ',
          '\r\n\r\n',
        )
        .map((text) => new Uint8Array(Buffer.from(text))),
    ),
  }),
);

function damaged(bytes: Uint8Array, damages: readonly Damage[]): Uint8Array {
  let file = Buffer.from(bytes);
  for (const damage of damages) {
    const place = Math.floor(damage.at * file.length);
    const [before, after] = [file.subarray(0, place), file.subarray(place)];
    if (damage.kind === 'set' && place < file.length) file[place] = damage.value;
    else if (damage.kind === 'cut') file = Buffer.concat([before, after.subarray(damage.length)]);
    else if (damage.kind === 'double')
      file = Buffer.concat([before, after.subarray(0, damage.length), after]);
    else if (damage.kind === 'insert') file = Buffer.concat([before, damage.bytes, after]);
  }
  return file;
}

/** The document is whole, or the error is one that a user can act on. */
async function expectWholeOrRefused(bytes: Uint8Array, path: string): Promise<void> {
  try {
    const document = await readDocument(bytes, { path });
    let end = 0;
    for (const { span, text } of document.blocks) {
      expect(span.start).toBeGreaterThanOrEqual(end);
      expect(document.text.slice(span.start, span.end)).toBe(text);
      end = span.end;
    }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    expect(error.exitCode).toBe(3);
    expect(error.message.startsWith(`${path}: `)).toBe(true);
    expect(error.message).not.toContain('\n');
  }
}

test.each(SOP_FORMATS)('500 damaged %s files are read or refused', async (extension, bytes) => {
  const file = bytes();
  await fc.assert(
    fc.asyncProperty(fc.array(anyDamage, { minLength: 1, maxLength: 6 }), async (damages) => {
      await expectWholeOrRefused(damaged(file, damages), `${SOP_NAME}.${extension}`);
    }),
    { numRuns: 500 },
  );
});

const element = fc.constantFrom(
  'p',
  'r',
  't',
  'tab',
  'br',
  'tbl',
  'tr',
  'tc',
  'tcPr',
  'pPr',
  'rPr',
  'numPr',
  'ins',
  'del',
  'sdt',
  'sdtContent',
  'fldChar',
  'txbxContent',
  'footnoteReference',
  'AlternateContent',
);
const attributes = fc.constantFrom(
  '',
  ' w:val="1"',
  ' w:val="-1"',
  ' w:id="1"',
  ' w:fldCharType="begin"',
  ' w:fldCharType="end"',
  ' w:val="continue"',
);
const { xml: anyXml } = fc.letrec<{ xml: string }>((tie) => ({
  xml: fc.oneof(
    { maxDepth: 7 },
    fc.constantFrom('', 'word', '1. PURPOSE', ' '),
    fc
      .tuple(element, attributes, fc.array(tie('xml'), { maxLength: 4 }))
      .map(([name, attribute, inner]) => `<w:${name}${attribute}>${inner.join('')}</w:${name}>`),
  ),
}));

test('500 DOCX files whose elements stand where they should not are read or refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyXml, { maxLength: 8 }), anyXml, async (body, notes) => {
      await expectWholeOrRefused(
        zipFile({
          'word/document.xml': part('document', `<w:body>${body.join('')}</w:body>`),
          'word/footnotes.xml': part('footnotes', `<w:footnote w:id="1">${notes}</w:footnote>`),
        }),
        'a.docx',
      );
    }),
    { numRuns: 500 },
  );
});

test.each(['md', 'txt', 'html'])(
  '500 %s files of random characters are read or refused',
  async (extension) => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.uint8Array({ maxLength: 300 })),
        async (content) => {
          await expectWholeOrRefused(new Uint8Array(Buffer.from(content)), `a.${extension}`);
        },
      ),
      { numRuns: 500 },
    );
  },
);

/** Patterns that take quadratic time or deep stacks where a reader is careless; each is 60,000 characters long. */
const HOSTILE: readonly (readonly [path: string, unit: string])[] = [
  ['a.md', '*a_ '],
  ['a.md', '['],
  ['a.md', '> '],
  ['a.md', '~~a~b'],
  ['a.md', '# h\n\nx\n\n'],
  ['a.md', '- a\n'],
  ['a.txt', 'word '],
  ['a.txt', '1.1.1.1 A\n'],
  ['a.txt', 'a  b  '],
  ['a.txt', 'a ..... 1\n'],
  ['a.txt', 'head\nx\nfoot\f'],
  ['a.txt', 'Version: '],
  ['a.txt', 'the end\n\nPage 1 of 2\n\nof it  x\n'],
  ['a.txt', ' '],
  ['a.html', '<div>'],
  ['a.html', '<table><tr><td>'],
  ['a.html', '<b><i><u>x</b>'],
  ['a.html', '<tr><td rowspan=999 colspan=999>a'],
];

test.each(HOSTILE)(
  '%s of 60,000 characters %j is read in time',
  async (path, unit) => {
    await expectWholeOrRefused(
      Buffer.from((path === 'a.html' ? '<table>' : '') + unit.repeat(60_000 / unit.length)),
      path,
    );
  },
  60_000,
);
