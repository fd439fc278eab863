import { expect, test } from '@jest/globals';

import { documentOf, headings, outline } from '../sampleDocument.js';

const cases: readonly (readonly [name: string, text: string, expected: readonly string[]])[] = [
  [
    'numbered capitals',
    '1. PURPOSE\nTo count cells.\n2. SCOPE\nAll staff.\n10. REFERENCES\n• Manual',
    ['1 1. PURPOSE', '1 2. SCOPE', '1 10. REFERENCES'],
  ],
  [
    'numbers that stay at one',
    '1. PURPOSE\nTo count cells.\n1. SCOPE\nAll staff.\n1. PROCEDURE\n1. Mix the tube.\n2. Spin it.',
    ['1 1. PURPOSE', '1 1. SCOPE', '1 1. PROCEDURE'],
  ],
  [
    'capitals alone',
    'Glucose by meter\n\nPURPOSE\nTo measure.\n\nSPECIMEN REQUIREMENTS\nBlood.\n\nPROCEDURE\n1. Prick.',
    ['1 PURPOSE', '1 SPECIMEN REQUIREMENTS', '1 PROCEDURE'],
  ],
  [
    'numbers of depth',
    '4. QUALITY CONTROL\n4.1 Controls\nTwo levels.\n4.2 Frequency\n4.2.1 Daily QC\nEach morning at six.\n4.2.2 Weekly QC\nOn Monday.',
    ['1 4. QUALITY CONTROL', '2 4.1 Controls', '2 4.2 Frequency', '3 4.2.1 Daily QC', '3 4.2.2 Weekly QC'],
  ],
  [
    'colon labels',
    '5. PROCEDURE\nPreparation:\n• Warm the reagents.\nQuality Control:\n1. Run two levels.',
    ['1 5. PROCEDURE', '2 Preparation:', '2 Quality Control:'],
  ],
  [
    'colon labels as majors',
    'Purpose:\nTo measure.\n\nQuality Control:\nTwo levels.\n\nReferences:\nManual.',
    ['1 Purpose:', '1 Quality Control:', '1 References:'],
  ],
  [
    'underlined',
    'Cell Count\n==========\n\nPurpose\n-------\nTo count.\n\nSteps\n-----\n1. Mix.',
    ['1 Purpose', '1 Steps'],
  ],
  [
    'Roman numerals over letters',
    'I. PURPOSE\nTo count.\nII. SPECIMEN\nA. Collection\nIn EDTA.\nB. Storage\nAt 4 °C.\nIII. PROCEDURE\nMix.\nIV. LIMITS\nNone.\nV. REFERENCES\nManual.',
    [
      '1 I. PURPOSE',
      '1 II. SPECIMEN',
      '2 A. Collection',
      '2 B. Storage',
      '1 III. PROCEDURE',
      '1 IV. LIMITS',
      '1 V. REFERENCES',
    ],
  ],
  [
    'letters under numbers',
    '6. PROCEDURE\nA. Preparing Sections\n1. Cut 4 µm.\n2. Dry.\nB. Staining\n1. Dip.\nH. Mounting\n1. Mount.\nI. Reading Slides\n1. Read.',
    ['1 6. PROCEDURE', '2 A. Preparing Sections', '2 B. Staining', '2 H. Mounting', '2 I. Reading Slides'],
  ],
  [
    'a run-in heading',
    '1. PURPOSE The purpose is to count.\n2. SCOPE This applies to all staff.',
    ['1 1. PURPOSE', '1 2. SCOPE'],
  ],
  [
    'a wrapped heading',
    '4. PROCEDURE\nA. PREPARATION OF CALIBRATION STANDARDS AND QUALITY\nCONTROLS\n1. Prepare the standards at the concentrations of the table.\n',
    ['1 4. PROCEDURE', '2 A. PREPARATION OF CALIBRATION STANDARDS AND QUALITY CONTROLS'],
  ],
  [
    'closing capitals after numbered majors',
    '1. PURPOSE\nTo count.\n2. PROCEDURE\nMix.\nREFERENCES\n• Manual',
    ['1 1. PURPOSE', '1 2. PROCEDURE', '1 REFERENCES'],
  ],
  [
    'a lettered run-in heading',
    '6. PROCEDURE\nA. Sample Preparation 1. Label the tube with the number.\n2. Spin it.\nB. Reading 1. Read it.\n2. Note it.',
    ['1 6. PROCEDURE', '2 A. Sample Preparation', '2 B. Reading'],
  ],
  [
    'short capitals that go on in the next line',
    '1. PURPOSE\nTo count.\n2. QUALIFICATION AND\nMAINTENANCE\nEach month.',
    ['1 1. PURPOSE', '1 2. QUALIFICATION AND MAINTENANCE'],
  ],
  [
    'names with colons among majors without',
    '1. Purpose\nTo count.\n2. Procedure\nIn steps.\n1. Analysis:\n• Load.\n2. Calibration:\n• Run.\n3. References\nManual.',
    ['1 1. Purpose', '1 2. Procedure', '1 3. References'],
  ],
  [
    'run-in headings before a dash or a later number',
    '1. PURPOSE To count.\n2. SPECIMEN REQUIREMENTS - Whole blood - 2 mL\n3. PROCEDURE\nB) Washing 12. Wash the slide twice.',
    ['1 1. PURPOSE', '1 2. SPECIMEN REQUIREMENTS', '1 3. PROCEDURE', '2 B) Washing'],
  ],
];

test.each(cases)('%s', async (_, text, expected) => {
  expect(headings(await documentOf(text))).toEqual(expected);
});

const notHeadings: readonly (readonly [name: string, line: string, kind: string])[] = [
  ['a step that ends in a full stop', '5.2 Reject clotted EDTA tubes.', 'step'],
  ['a label with words', 'Storage: 2-8 °C', 'paragraph'],
  ['an abbreviation', 'EDTA', 'paragraph'],
  ['a unit', 'pH', 'paragraph'],
  ['a sentence', 'Refrigerate', 'paragraph'],
  ['an address', '12 Mill Lane, Harrow', 'paragraph'],
  ['a line for a signature', 'Approved by:', 'paragraph'],
  ['an introduction to a list', 'The following are needed:', 'paragraph'],
];

test.each(notHeadings)('%s is no heading', async (_, line, kind) => {
  const document = await documentOf(
    `5. SPECIMEN\n\nWhole blood is drawn.\n\n${line}\n\nIt is stored cold.\n`,
  );
  expect(headings(document)).toEqual(['1 5. SPECIMEN']);
  expect(document.blocks.find((block) => block.text === line)?.kind).toBe(kind);
});

test('numbered short lines in a row are steps', async () => {
  const document = await documentOf(
    '5. PROCEDURE\n5.1 Mix the tube\n5.2 Spin the tube\n5.3 Read the meniscus\n',
  );
  expect(outline(document)).toEqual([
    'heading 1: 5. PROCEDURE',
    'step 1: 5.1 Mix the tube',
    'step 1: 5.2 Spin the tube',
    'step 1: 5.3 Read the meniscus',
  ]);
});

test('a wrapped line that starts with a number or capitals is no heading', async () => {
  const document = await documentOf(
    '9. LIMITS\nThe coefficient of variation of the three replicates is at most\n3.0 % for sodium and is described together with the others in section\n2.1. It is checked on the first day of each month by the staff of the\nEMERGENCY UNIT and by nobody else, as the rules of the hospital say.\n',
  );
  expect(document.blocks.map((block) => block.kind)).toEqual(['heading', 'paragraph']);
});
