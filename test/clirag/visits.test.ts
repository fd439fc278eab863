/** Visits, what a user may call them, and what counts as evidence at which time. */

import { describe, expect, test } from '@jest/globals';
import { ToolError } from '../../src/core/errors.js';
import type { Note, NoteType } from '../../src/core/types.js';
import { findVisit, listAdmissions, listVisits, parseAsOf, selectEvidence } from '../../src/clirag/visits.js';

function note(id: string, date: string, more: Partial<Omit<Note, 'id' | 'date' | 'text'>> = {}): Note {
  return { id, patientId: '7', visitId: `7/${date}`, date, type: 'nursing', text: 'slept', ...more };
}

const NOTES = [
  note('1', '2154-03-02', { time: '08:00:00', admissionId: '90' }),
  note('2', '2154-03-03', { time: '09:00:00', admissionId: '90' }),
  note('3', '2154-03-03', { type: 'progress_notes', time: '10:00:00', admissionId: '90' }),
  note('4', '2154-05-01', { admissionId: '91' }),
  note('5', '2154-05-01'),
];

function failure(work: () => unknown): ToolError {
  try {
    work();
  } catch (error) {
    if (error instanceof ToolError) return error;
  }
  throw new Error('it did not fail');
}

test('a visit is a date, or an admission', () => {
  expect(listVisits(NOTES).map(({ id, ordinal, noteIds }) => [id, ordinal, noteIds])).toEqual([
    ['7/2154-03-02', 1, ['1']],
    ['7/2154-03-03', 2, ['2', '3']],
    ['7/2154-05-01', 3, ['4', '5']],
  ]);
  expect(listAdmissions(NOTES)).toMatchObject([
    { id: '7/90', date: '2154-03-02', lastDate: '2154-03-03', noteIds: ['1', '2', '3'] },
    { id: '7/91', noteIds: ['4'] },
  ]);
});

test.each([
  ['2154-03-03', '7/2154-03-03'],
  ['#3', '7/2154-05-01'],
  ['90', '7/90'],
  ['2154-05', '7/2154-05-01'],
])('%s is visit %s', (reference, id) => {
  expect(findVisit(NOTES, reference).id).toBe(id);
});

test.each([
  ['2154-03', 2, 'ambiguous: it may be 2154-03-02 (#1), 2154-03-03 (#2)', 'name one'],
  ['2154-03-04', 3, 'has no visit 2154-03-04', 'the nearest are 2154-03-03, 2154-03-02, 2154-05-01'],
  ['#9', 3, 'has no visit #9', '#3 (2154-05-01), the last'],
  ['92', 3, 'has no visit 92', 'the nearest are 91, 90'],
  ['#0', 2, '#0 names no visit', '#1'],
])('%s is exit %d', (reference, exitCode, message, hint) => {
  const error = failure(() => findVisit(NOTES, reference));
  expect(error.exitCode).toBe(exitCode);
  expect(error.message).toContain(message);
  expect(error.hint).toContain(hint);
});

describe('evidence', () => {
  const day = '2154-03-02';
  const evidenceOf = (own: Note, options: { asOf?: string; withProgressNotes?: boolean } = {}): string => {
    const [visit] = listVisits([own]);
    if (visit === undefined) throw new Error('no visit');
    return selectEvidence([own], visit, options).excluded[0]?.reason ?? 'evidence';
  };
  const at = (type: NoteType, more: Partial<Omit<Note, 'id' | 'date' | 'text'>> = {}): Note =>
    note('1', day, { type, ...more });

  test.each<[string, Note, { asOf?: string; withProgressNotes?: boolean }, string]>([
    [
      'charted and stored on the day',
      at('nursing', { time: '08:00:00', stored: `${day} 09:00:00` }),
      {},
      'evidence',
    ],
    [
      'stored the day after',
      at('nursing', { time: '08:00:00', stored: '2154-03-03 07:00:00' }),
      {},
      'stored later',
    ],
    [
      'the same once it is stored',
      at('nursing', { time: '08:00:00', stored: '2154-03-03 07:00:00' }),
      { asOf: '2154-03-03 12:00:00' },
      'evidence',
    ],
    [
      'charted after the time',
      at('nursing', { time: '08:00:00' }),
      { asOf: `${day} 07:59:59` },
      'charted later',
    ],
    [
      'no time, stored by then',
      at('ecg', { stored: `${day} 06:00:00` }),
      { asOf: `${day} 07:00:00` },
      'evidence',
    ],
    ['no time at all, before the end of the day', at('ecg'), { asOf: `${day} 12:00:00` }, 'charted later'],
    ['no time at all, at its end', at('ecg'), {}, 'evidence'],
    ['a discharge summary of the day', at('discharge_summary'), {}, 'discharge summary of the day'],
    ['the same from the day after', at('discharge_summary'), { asOf: '2154-03-03 00:00:01' }, 'evidence'],
    ['a progress note', at('progress_notes', { time: '08:00:00' }), {}, 'progress note'],
    [
      'a progress note that is asked for',
      at('progress_notes', { time: '08:00:00' }),
      { withProgressNotes: true },
      'evidence',
    ],
  ])('%s', (_, own, options, verdict) => {
    expect(evidenceOf(own, options)).toBe(verdict);
  });

  test('notes of other dates are none', () => {
    const visit = findVisit(NOTES, '2154-03-03');
    expect(selectEvidence(NOTES, visit).notes.map(({ id }) => id)).toEqual(['2']);
  });
});

test('a time to write for', () => {
  expect(parseAsOf('2154-03-02')).toBe('2154-03-02 23:59:59');
  expect(parseAsOf('2154-03-02T14:30')).toBe('2154-03-02 14:30:00');
  expect(failure(() => parseAsOf('yesterday')).exitCode).toBe(2);
});
