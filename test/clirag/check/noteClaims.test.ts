/** Notes as people and tools write them → their statements, each cut from the text, with its section. */

import { expect, test } from '@jest/globals';
import { readNoteClaims } from '../../../src/clirag/check/noteClaims.js';
import { readFiledNotes, readNoteMap, renderNoteHeader } from '../../../src/clirag/check/noteFile.js';

const MARKDOWN = `# Progress note, patient 7, visit 2150-01-02

Known by 2150-01-02 23:59:59. 300 words. To be read and signed by a clinician.

## Subjective

- 08:15 nursing: Denies chest pain. [S1] Slept well. [S1, S2]

## Objective

- Latest values: Hct 26.3 (14:00) [S3]; K 4.2 (16:00) [S4]

## Assessment

Nothing charted.

## Plan

Wean oxygen. (⚠ not proved: its source does not say so)

## Sources

- [S1] nursing 2150-01-02 08:15 | Plan | chunk 1, note 12, characters 0 to 40
- [P3] physician 2150-01-01 05:50 | note 9
`;

test('Markdown as clirag writes it', () => {
  const { claims, sections, sources, plain } = readNoteClaims(MARKDOWN);
  expect(claims.map(({ section, text, citations }) => [section, text, citations.join()])).toEqual([
    ['S', 'Denies chest pain.', 'S1'],
    ['S', 'Slept well.', 'S1,S2'],
    ['O', expect.stringMatching(/^Hct:? 26\.3 \(14:00\)$/u), 'S3'],
    ['O', expect.stringMatching(/^K:? 4\.2 \(16:00\)$/u), 'S4'],
    ['P', 'Wean oxygen.', ''],
  ]);
  expect(sections).toEqual(['S', 'O', 'P']);
  expect(sources).toEqual([
    { key: 'S1', noteId: '12' },
    { key: 'P3', noteId: '9' },
  ]);
  for (const { span, written } of claims)
    expect(MARKDOWN.slice(span.start, span.end)).toContain(written.split(' ').at(-1));
  expect(plain).not.toMatch(/\[S|Sources|chunk|⚠|Known by/u);
  expect(plain).toContain('Subjective');
});

test.each([
  [
    'headings with a colon',
    'Subjective:\nDenies pain today.\n\nObjective:\nHR 88 regular.\n\nAssessment and Plan:\nWean oxygen now.',
    ['S', 'O', 'AP'],
  ],
  [
    'letters',
    'S: Denies pain today.\nO: HR 88 regular.\nA: Pneumonia improving.\nP: Wean oxygen now.',
    ['S', 'O', 'A', 'P'],
  ],
  [
    'capitals',
    'SUBJECTIVE\nDenies pain today.\n\nOBJECTIVE\nHR 88 regular.\n\nASSESSMENT\nPneumonia improving.\n\nPLAN\nWean oxygen now.',
    ['S', 'O', 'A', 'P'],
  ],
  ['bold', '**Subjective:**\nDenies pain today.\n\n**Objective:**\nHR 88 regular.', ['S', 'O']],
  ['none', 'Denies pain today. HR 88 regular.', [undefined, undefined]],
])('sections by %s', (_, text, parts) => {
  expect(readNoteClaims(text).claims.map(({ section }) => section)).toEqual(parts);
});

test('findings with a semicolon between are several statements', () => {
  expect(readNoteClaims('HR 96, AF; BP 110/58; improving').claims.map(({ written }) => written)).toEqual([
    'HR 96, AF',
    'BP 110/58; improving',
  ]);
});

test('the header goes round, and a file of several notes is read note by note', () => {
  const note = (visit: string): string =>
    `${renderNoteHeader({ patientId: '7', visitId: `7/${visit}`, asOf: `${visit} 23:59:59`, model: { embedder: 'm', generator: 'openai:http://127.0.0.1:1/v1#x' } })}Text of ${visit}.\n`;
  const file = `${note('2150-01-02')}\n${note('150003')}`;
  const notes = readFiledNotes(file);
  expect(notes.map(({ header }) => header)).toEqual([
    {
      patient: '7',
      visit: '2150-01-02',
      asOf: '2150-01-02 23:59:59',
      model: 'openai:http://127.0.0.1:1/v1#x',
      embedder: 'm',
    },
    {
      patient: '7',
      visit: '150003',
      asOf: '150003 23:59:59',
      model: 'openai:http://127.0.0.1:1/v1#x',
      embedder: 'm',
    },
  ]);
  for (const { start, text } of notes) expect(file.slice(start, start + text.length)).toBe(text);
  expect(readFiledNotes('A rule:\n---\nplain text\n---\n').map(({ header }) => header)).toEqual([{}]);
});

test('a mapping file is CSV or JSON lines; what lacks a field is an error that names the entry', async () => {
  const expected = [['a.txt', { patient: '7', visit: '2150-01-02' }]];
  expect([...(await readNoteMap('m', 'file,patient,visit\na.txt,7,2150-01-02\n'))]).toEqual(expected);
  expect([...(await readNoteMap('m', '{"file":"a.txt","patient":7,"visit":"2150-01-02"}\n'))]).toEqual(
    expected,
  );
  await expect(readNoteMap('m', 'file,patient\na.txt,7\n')).rejects.toThrow('entry 1');
  await expect(readNoteMap('m', '{"file":"a.txt"\n')).rejects.toThrow('line 1');
});
