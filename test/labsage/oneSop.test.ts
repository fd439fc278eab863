import { expect, test } from '@jest/globals';

import { readDocument } from '../../src/labsage/document.js';
import type { Document } from '../../src/core/types.js';
import { CONTROL, REAGENTS, SOP_FORMATS, SOP_NAME } from './oneSop.js';
import { outline } from './sampleDocument.js';

const EXPECTED = [
  'paragraph: Platelet Count by Phase Microscopy',
  `table: ${CONTROL.map((row) => row.join(' | ')).join('\n')}`,
  'heading 1: 1. PURPOSE',
  'paragraph: This procedure says how platelets are counted in a chamber when the analyser flags clumps, and what is reported.',
  'heading 1: 2. SPECIMEN',
  'heading 2: 2.1 Tube',
  'paragraph: K2EDTA whole blood, at least 0.5 mL, not older than 5 hours.',
  'heading 2: 2.2 Rejection',
  'step 1: - Clotted blood.',
  'step 1: - A tube filled to less than half of its mark.',
  'heading 1: 3. REAGENTS',
  `table: ${REAGENTS.map((row) => row.join(' | ')).join('\n')}`,
  'heading 1: 4. PROCEDURE',
  'warning: WARNING: Filter the oxalate before each use. Crystals look like platelets.',
  'heading 2: 4.1 Dilution',
  'step 1: 1. Pipette 20 µL of blood into 1.98 mL of oxalate.',
  'step 1: 2. Mix for 10 minutes:',
  'step 2: - on the roller, not by hand;',
  'step 2: - away from sunlight.',
  'step 1: 3. Discard the mixture after 30 minutes.',
  'heading 2: 4.2 Counting',
  'step 1: 4.2.1 Fill both sides of the chamber and wait 15 minutes in a moist dish.',
  'step 1: 4.2.2 Count the platelets of 25 squares. If the sides differ by more than 10 %, fill a new chamber.',
  'heading 1: 5. RESULTS',
  'paragraph: The count of both sides is averaged and multiplied by 1,000.',
  'warning: Note: counts below 20 are phoned within 30 minutes.',
  'heading 1: 6. REFERENCES',
  'step 1: - Analyser manual, section 9.',
];

test.each(SOP_FORMATS)(
  'one SOP as %s has the same blocks, title and control data as in every format',
  async (extension, bytes) => {
    const document: Document = await readDocument(bytes(), { path: `${SOP_NAME}.${extension}` });
    expect(outline(document)).toEqual(EXPECTED);
    expect(document.title).toBe('Platelet Count by Phase Microscopy');
    expect(document.id).toBe('hem-050-platelet-count');
    expect(document.control).toEqual({
      number: 'HEM-050',
      version: '2.4',
      effective: '2026-03-14',
      review: '2028-03-13',
      owner: 'Hematology Lead',
      approvedBy: 'Dr. N. Farrow',
      status: 'current',
    });
    const tables = document.blocks.filter((block) => block.kind === 'table');
    expect(
      tables.map(
        (block) => block.header !== undefined && document.text.slice(block.header.start, block.header.end),
      ),
    ).toEqual([false, 'Reagent | Storage | Open for']);
  },
);
