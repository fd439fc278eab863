/** One SOP written by hand in Markdown, plain text and HTML, and built as DOCX and PDF: the bytes of each. */

import { readFileSync } from 'node:fs';

import { docxFile, p, part, table } from './documents/docxFile.js';
import { pdfFile, type Placed } from './documents/pdfFile.js';

export const SOP_NAME = 'HEM-050-platelet-count';

export const CONTROL: readonly (readonly [string, string])[] = [
  ['Document number', 'HEM-050'],
  ['Version', '2.4'],
  ['Effective date', '14 March 2026'],
  ['Review by', '13 March 2028'],
  ['Owner', 'Hematology Lead'],
  ['Approved by', 'Dr. N. Farrow'],
];

export const REAGENTS: readonly (readonly string[])[] = [
  ['Reagent', 'Storage', 'Open for'],
  ['Ammonium oxalate 1 %', '2-8 °C', '30 days'],
  ['Control blood, level 2', '2-8 °C', '14 days'],
];

/** The numbers of headings and steps are Word's own: none of them stands in the text. */
function asDocx(): Uint8Array {
  const style = (id: string, name: string, level: number, list: string): string =>
    `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/><w:pPr>${list}<w:outlineLvl w:val="${level}"/></w:pPr></w:style>`;
  const level = (index: number, format: string, text: string, left: number): string =>
    `<w:lvl w:ilvl="${index}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/><w:pPr><w:ind w:left="${left}"/></w:pPr></w:lvl>`;
  const list = (id: number, at: number): string =>
    `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${id}"/></w:numPr>`;
  const h1 = (text: string): string => p(text, '<w:pStyle w:val="H1"/>');
  const h2 = (text: string): string => p(text, '<w:pStyle w:val="H2"/>');
  const body = [
    p('Platelet Count by Phase Microscopy', '<w:pStyle w:val="Titel"/>'),
    table(CONTROL),
    h1('PURPOSE'),
    p(
      'This procedure says how platelets are counted in a chamber when the analyser flags clumps, and what is reported.',
    ),
    h1('SPECIMEN'),
    h2('Tube'),
    p('K2EDTA whole blood, at least 0.5 mL, not older than 5 hours.'),
    h2('Rejection'),
    p('Clotted blood.', list(3, 0)),
    p('A tube filled to less than half of its mark.', list(3, 0)),
    h1('REAGENTS'),
    table(REAGENTS, 1),
    h1('PROCEDURE'),
    p('WARNING: Filter the oxalate before each use. Crystals look like platelets.'),
    h2('Dilution'),
    p('Pipette 20 µL of blood into 1.98 mL of oxalate.', list(2, 0)),
    p('Mix for 10 minutes:', list(2, 0)),
    p('on the roller, not by hand;', list(3, 1)),
    p('away from sunlight.', list(3, 1)),
    p('Discard the mixture after 30 minutes.', list(2, 0)),
    h2('Counting'),
    p('Fill both sides of the chamber and wait 15 minutes in a moist dish.', list(1, 2)),
    p(
      'Count the platelets of 25 squares. If the sides differ by more than 10 %, fill a new chamber.',
      list(1, 2),
    ),
    h1('RESULTS'),
    p('The count of both sides is averaged and multiplied by 1,000.'),
    p('Note: counts below 20 are phoned within 30 minutes.'),
    h1('REFERENCES'),
    p('Analyser manual, section 9.', list(3, 0)),
  ].join('');
  return docxFile(body, {
    'word/styles.xml': part(
      'styles',
      style('Base', 'heading 1', 0, list(1, 0)) +
        style('H2', 'heading 2', 1, list(1, 1)) +
        '<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="Own"/><w:basedOn w:val="Base"/></w:style><w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style>',
    ),
    'word/numbering.xml': part(
      'numbering',
      `<w:abstractNum w:abstractNumId="1">${level(0, 'decimal', '%1.', 0)}${level(1, 'decimal', '%1.%2', 0)}${level(2, 'decimal', '%1.%2.%3', 0)}</w:abstractNum>` +
        `<w:abstractNum w:abstractNumId="2">${level(0, 'decimal', '%1.', 360)}</w:abstractNum>` +
        `<w:abstractNum w:abstractNumId="3">${level(0, 'bullet', '\uf0b7', 360)}${level(1, 'bullet', 'o', 720)}</w:abstractNum>` +
        [1, 2, 3].map((id) => `<w:num w:numId="${id}"><w:abstractNumId w:val="${id}"/></w:num>`).join(''),
    ),
    'word/header1.xml': part('hdr', p('HEM-050   Platelet Count   v2.4')),
  });
}

/** Two pages; the table is broken between them, and lines are wrapped at the right margin. */
function asPdf(): Uint8Array {
  const pages: Placed[][] = [];
  let page: Placed[] = [];
  let y = 0;
  const newPage = (): void => {
    page = [];
    pages.push(page);
    page.push(
      { text: 'HEM-050', x: 50, y: 800, size: 8 },
      { text: 'Platelet Count', x: 250, y: 800, size: 8 },
      { text: `v2.4   Page ${pages.length} of 2`, x: 450, y: 800, size: 8 },
    );
    y = 760;
  };
  const line = (text: string, { x = 50, size = 10, bold = false, gap = 0 } = {}): void => {
    y -= 13 + gap;
    page.push({ text, x, y, size, bold });
  };
  const row = (cells: readonly string[], { bold = false, gap = 0 } = {}): void => {
    y -= 13 + gap;
    cells.forEach((text, index) => page.push({ text, x: 50 + index * 170, y, bold }));
  };
  const heading = (text: string): void => line(text, { bold: true, gap: 8, size: 11 });
  newPage();
  line('Platelet Count by Phase Microscopy', { size: 18, bold: true });
  CONTROL.forEach((cells, index) => row(cells, { gap: index === 0 ? 14 : 0 }));
  heading('1. PURPOSE');
  line('This procedure says how platelets are counted in a chamber when the analyser flags clumps, and', {
    gap: 6,
  });
  line('what is reported.');
  heading('2. SPECIMEN');
  heading('2.1 Tube');
  line('K2EDTA whole blood, at least 0.5 mL, not older than 5 hours.', { gap: 6 });
  heading('2.2 Rejection');
  line('• Clotted blood.', { gap: 6 });
  line('• A tube filled to less than half of its mark.');
  heading('3. REAGENTS');
  row(REAGENTS[0] ?? [], { bold: true, gap: 6 });
  row(REAGENTS[1] ?? []);
  newPage();
  row(REAGENTS[2] ?? []);
  heading('4. PROCEDURE');
  line('WARNING: Filter the oxalate before each use. Crystals look like platelets.', { gap: 6 });
  heading('4.1 Dilution');
  line('1. Pipette 20 µL of blood into 1.98 mL of oxalate.', { gap: 6 });
  line('2. Mix for 10 minutes:');
  line('• on the roller, not by hand;', { x: 68 });
  line('• away from sunlight.', { x: 68 });
  line('3. Discard the mixture after 30 minutes.');
  heading('4.2 Counting');
  line('4.2.1 Fill both sides of the chamber and wait 15 minutes in a moist dish.', { gap: 6 });
  line('4.2.2 Count the platelets of 25 squares. If the sides differ by more than 10 %, fill a new cham-');
  line('ber.', { x: 76 });
  heading('5. RESULTS');
  line('The count of both sides is averaged and multiplied by 1,000.', { gap: 6 });
  line('Note: counts below 20 are phoned within 30 minutes.', { gap: 6 });
  heading('6. REFERENCES');
  line('• Analyser manual, section 9.', { gap: 6 });
  return pdfFile(pages);
}

function fixture(extension: string): Uint8Array {
  return readFileSync(new URL(`../../../test/fixtures/one-sop/${SOP_NAME}.${extension}`, import.meta.url));
}

export const SOP_FORMATS: readonly (readonly [extension: string, bytes: () => Uint8Array])[] = [
  ['md', () => fixture('md')],
  ['txt', () => fixture('txt')],
  ['html', () => fixture('html')],
  ['docx', asDocx],
  ['pdf', asPdf],
];
