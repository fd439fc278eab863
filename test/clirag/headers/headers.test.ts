/** Section headers: the marked charts as written, without colons and in small letters; and lines that are none. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { cleanText } from '../../../src/clirag/clean.js';
import { spanBefore } from '../../../src/clirag/clean/offsetMap.js';
import { findHeaders } from '../../../src/clirag/headers/headerLines.js';
import type { Note } from '../../../src/core/types.js';
import { DEV_PATIENTS, readMarkedHeaders, readRows, CHARTS_FILE, type MarkedHeader } from '../charts.js';

const marked = readMarkedHeaders();
let notes: Pick<Note, 'id' | 'patientId' | 'text'>[] = [];
beforeAll(async () => {
  // Erroneous notes are marked, too.
  notes = (await readRows(CHARTS_FILE)).map(({ values, text }) => ({
    id: values.id ?? '',
    patientId: values.patient ?? '',
    text: text.toString('utf8'),
  }));
});

type Variant = (
  text: string,
  headers: readonly MarkedHeader[],
) => { text: string; headers: readonly MarkedHeader[] };

const asWritten: Variant = (text, headers) => ({ text, headers });
const inSmallLetters: Variant = (text, headers) => ({ text: text.toLowerCase(), headers });
const withoutColons: Variant = (text, headers) => {
  const moved: MarkedHeader[] = [];
  let shorter = '';
  let at = 0;
  for (const header of [...headers].sort((a, b) => a.start - b.start)) {
    shorter += text.slice(at, header.start);
    const words = text.slice(header.start, header.end).replace(/\s*:$/u, '');
    moved.push({ ...header, start: shorter.length, end: shorter.length + words.length });
    shorter += words;
    at = header.end;
  }
  return { text: shorter + text.slice(at), headers: moved };
};

/** A header is found if its words are, from the first to the last; colon and level do not count. */
function scoreHeaders(variant: Variant, isWanted: (patientId: string) => boolean): number {
  let found = 0;
  let right = 0;
  let wanted = 0;
  for (const note of notes) {
    const gold = marked.get(Number(note.id));
    if (gold === undefined || !isWanted(note.patientId)) continue;
    const { text, headers } = variant(note.text, gold);
    const cleaned = cleanText(text);
    const places = new Set(headers.map((header) => placeOf(text, header)));
    const own = (cleaned.headers ?? []).map(({ span }) => placeOf(text, spanBefore(cleaned.map, span)));
    wanted += places.size;
    found += own.length;
    right += own.filter((place) => places.has(place)).length;
  }
  return (2 * right) / (found + wanted);
}

function placeOf(text: string, { start, end }: { start: number; end: number }): string {
  const words = text.slice(start, end);
  const from = start + words.length - words.trimStart().length;
  return `${from}-${from + words.trim().replace(/\s*:$/u, '').length}`;
}

describe('F1 on hand-marked headers, through the whole cleaning', () => {
  const isDev = (patientId: string): boolean => DEV_PATIENTS.has(patientId);
  // Floors a little below what was measured (README); the test part was never looked at.
  test.each([
    ['as written', asWritten, 0.97, 0.98, 0.95],
    ['without colons', withoutColons, 0.945, 0.965, 0.92],
    ['in small letters', inSmallLetters, 0.96, 0.975, 0.95],
  ])('%s', (_, variant, all, dev, other) => {
    expect(scoreHeaders(variant, () => true)).toBeGreaterThanOrEqual(all);
    expect(scoreHeaders(variant, isDev)).toBeGreaterThanOrEqual(dev);
    expect(scoreHeaders(variant, (patientId) => !isDev(patientId))).toBeGreaterThanOrEqual(other);
  });
});

describe('headers', () => {
  const wordsOf = (text: string): string[] => findHeaders(text).map(({ words }) => words);

  test('an unknown header after a blank line is one (pitfall 6)', () => {
    expect(wordsOf('ALLERGIES: none\n\nFOOT CARE\nDry skin, heels intact.')).toEqual([
      'ALLERGIES',
      'FOOT CARE',
    ]);
    expect(wordsOf('allergies: none\n\nfoot care\ndry skin, heels intact.')).toEqual([
      'allergies',
      'foot care',
    ]);
  });

  test.each([
    'No known drug allergies.',
    'His vital signs remained stable.',
    'Plan to wean oxygen tonight.',
    'Pain controlled with oxycodone.',
    'Respiratory failure improved on BiPAP.',
    'HR: 88 (72 - 104) bpm',
    'Chest tube output 130 mL since midnight.',
    'A right-sided catheter is in place.',
    '14:20: called to the bedside',
  ])('%s is none', (text) => {
    expect(wordsOf(text)).toEqual([]);
  });

  test('systems are sub-headings under an examination and a problem’s steps under the problem', () => {
    const exam = findHeaders('Physical Exam:\nGen: well\nCV: regular\nPlan:\nhome');
    expect(exam.map(({ level }) => level)).toEqual([1, 2, 2, 1]);
    const problem = findHeaders(
      'Renal failure, acute\nAssessment:\noliguria\nAction:\nfluids given\nResponse:\nbetter\nPlan:\nwatch',
    );
    expect(problem.map(({ words, level }) => [words, level])).toEqual([
      ['Renal failure, acute', 1],
      ['Assessment', 2],
      ['Action', 2],
      ['Response', 2],
      ['Plan', 2],
    ]);
  });
});
