/** Sentences of a visit → those that still hold, and why the others do not. */

import { expect, test } from '@jest/globals';
import { findOrders } from '../../../src/clirag/note/drugOrders.js';
import { findValues } from '../../../src/clirag/note/measuredValues.js';
import type { NoteSentence } from '../../../src/clirag/note/noteSentences.js';
import { judgeSentences } from '../../../src/clirag/note/soundSentences.js';
import type { Note } from '../../../src/core/types.js';

/** Each text is a note of its own, an hour after the one before. */
function judge(texts: readonly string[], earlier: readonly string[] = []): string[] {
  const sentences = texts.map((text, at): NoteSentence => {
    const time = `${String(at + 6).padStart(2, '0')}:00`;
    const span = { start: 0, end: text.length };
    return {
      text,
      chunk: {
        id: `c${at}`,
        sectionId: `s${at}`,
        noteId: `n${at}`,
        patientId: '1',
        visitId: '1/2150-01-02',
        date: '2150-01-02',
        time: `${time}:00`,
        type: 'nursing',
        header: 'Unlabeled',
        ordinal: 1,
        span,
        rawSpan: span,
        text,
        tokens: 1,
        subheaders: [],
      },
      span,
      rawSpan: span,
      rawOf: (other) => other,
      part: 'O',
      score: 1,
      values: findValues(text),
      orders: findOrders(text),
      charted: `2150-01-02 ${time}`,
    };
  });
  const notes = earlier.map((text): Note => ({
    id: 'e',
    patientId: '1',
    visitId: '',
    date: '2150-01-01',
    type: 'nursing',
    text,
  }));
  return judgeSentences(sentences, { earlier: notes }).unsound.map(
    ({ sentence, reason }) => `${sentence.text} | ${reason}`,
  );
}

test.each<[string, string[]]>([
  ['Remains intubated on PSV 10/5.', ['Extubated at 10:30 to nasal cannula.']],
  ['Continues on vanco and zosyn.', ['Vancomycin and pip-tazo both stopped this morning.']],
  ['Octreotide infusion continues.', ['Octreotide stopped at noon.']],
  ['Metoprolol is still held.', ['Metoprolol restarted at 25 mg.']],
  ['Phototherapy continues, eyes shielded: still under lights.', ['Phototherapy off at 09:00.']],
  ['Still on norepinephrine 0.04.', ['Off pressors since 11:00.']],
  ['Foley in place, draining clear urine.', ['Foley removed at 14:00, voided 200 mL.']],
  ['Norepinephrine infusion at 0.08 mcg/kg/min.', ['Norepinephrine stopped at 15:00.']],
  ['A&O x3, follows commands.', ['Obtunded, GCS 8.']],
])('%s is over', (state, later) => {
  expect(judge([state, ...later])).toEqual([`${state} | state has ended`]);
  expect(judge([state])).toEqual([]);
});

test('an end of an earlier day makes a copy of what is said to go on; one that begins again does not', () => {
  const earlier = ['Extubated at 20:10 to face mask.'];
  expect(judge(['Patient intubated, sedated on propofol.'], earlier)).toHaveLength(1);
  expect(judge(['Reintubated at 05:30 for stridor.', 'Remains intubated.'], earlier)).toEqual([]);
});

test('a plan that has been carried out is over, what stands beside it is not', () => {
  expect(judge(['Pull the a-line today, continue cefazolin 1 g q8h.', 'A-line removed at 06:40.'])).toEqual([
    'Pull the a-line today, continue cefazolin 1 g q8h. | state has ended',
  ]);
});

test('the end of an infusion is not the end of the tablets', () => {
  expect(judge(['Amiodarone 400 mg PO BID.', 'Amiodarone drip off at 06:30.'])).toEqual([]);
});

test('what is only planned ends nothing', () => {
  expect(judge(['Foley in place, draining well.', 'Foley removed tomorrow if walking.'])).toEqual([]);
});

test.each<[string, string]>([
  ['Hct 21.4, down from 30.', 'The Hct 21.4 was a diluted sample; repeat 29.8.'],
  [
    'Blood culture: gram negative rods in 1 of 4 bottles.',
    'The blood culture gram negative rods result was withdrawn, another patient.',
  ],
])('%s is corrected', (wrong, correction) => {
  expect(judge([wrong, correction])).toEqual([`${wrong} | corrected later`]);
});

test('what was said while a repeat was awaited is over once it came', () => {
  const waiting = 'K 6.9: repeat pending, no K in fluids.';
  expect(judge([waiting, 'K 5.4 on the repeat.'])).toHaveLength(1);
  expect(judge([waiting])).toEqual([]);
});

test('a sentence of an earlier day word for word is a copy; a short one is a habit', () => {
  expect(
    judge(
      ['He looks comfortable and follows commands with both hands.', 'No pain.'],
      ['He looks comfortable and follows commands with both hands. No pain.'],
    ),
  ).toEqual(['He looks comfortable and follows commands with both hands. | copied forward']);
});
