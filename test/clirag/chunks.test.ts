/** Sections and chunks of every chart: nothing is lost, nothing crosses a section, nothing is too long to embed. */

import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CHUNK_CHARACTERS, EMBED_TOKENS, chunkNote, embedTextOf } from '../../src/clirag/chunks.js';
import { loadTokenCounter, SPECIAL_TOKENS, type CountTokens } from '../../src/core/tokenCounter.js';
import type { Note } from '../../src/core/types.js';
import { readCharts } from './charts.js';

let notes: Note[] = [];
let countTokens: CountTokens = () => 0;
beforeAll(async () => {
  notes = await readCharts();
  countTokens = await loadTokenCounter();
});

function checkNote(note: Note): void {
  const { cleaned, sections, chunks } = chunkNote(note, { countTokens });
  const covered = new Uint8Array(cleaned.text.length);
  const cover = (start: number, end: number): void => void covered.fill(1, start, end);
  const outer = sections.filter(({ level }) => level === 1);
  outer.forEach(({ span, headerSpan, text }, at) => {
    expect(cleaned.text.slice(span.start, span.end)).toBe(text);
    expect(span.start).toBeGreaterThanOrEqual(outer[at - 1]?.span.end ?? 0);
    if (headerSpan !== undefined) cover(headerSpan.start, headerSpan.end);
  });
  for (const chunk of chunks) {
    expect(cleaned.text.slice(chunk.span.start, chunk.span.end)).toBe(chunk.text);
    expect(chunk.text.length).toBeLessThanOrEqual(CHUNK_CHARACTERS);
    expect(countTokens(embedTextOf(chunk))).toBe(chunk.tokens);
    expect(chunk.tokens + SPECIAL_TOKENS).toBeLessThanOrEqual(EMBED_TOKENS);
    const section = sections.find(({ id }) => id === chunk.sectionId);
    expect(section?.span.start).toBeLessThanOrEqual(chunk.span.start);
    expect(section?.span.end).toBeGreaterThanOrEqual(chunk.span.end);
    expect(chunk.rawSpan.end).toBeLessThanOrEqual(note.text.length);
    cover(chunk.span.start, chunk.span.end);
  }
  const lost = Array.from(covered, (is, at) => (is === 1 ? '' : cleaned.text.charAt(at))).join('');
  expect(lost.trim()).toBe('');
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(chunks.length);
  expect(new Set(sections.map(({ id }) => id)).size).toBe(sections.length);
}

test('every word of every chart is in a chunk or in its header', () => {
  for (const note of notes) checkNote(note);
});

test('and so it is for odd texts', () => {
  const piece = fc.constantFrom(
    'PLAN:\n',
    'Exam\n',
    'CV: regular\n',
    'x'.repeat(900),
    'word '.repeat(300),
    '1.2 | 3.4 | ',
    '\n\n',
    'He slept. ',
    '😀'.repeat(400),
    'Plan: the same\n',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      checkNote({
        id: '1',
        patientId: '2',
        visitId: '2/2154-03-02',
        date: '2154-03-02',
        type: 'general',
        text: pieces.join(''),
      });
    }),
    { numRuns: 200 },
  );
});

test('chunks are numbered within their section and overlap where one goes on', () => {
  const text = `HPI:\n${Array.from({ length: 60 }, (_, at) => `Sentence number ${at} is about nothing.`).join(' ')}\nPLAN:\nHome.`;
  const { chunks } = chunkNote(
    { id: '7', patientId: '2', visitId: '2/2154-03-02', date: '2154-03-02', type: 'physician', text },
    { countTokens },
  );
  const history = chunks.filter(({ header }) => header === 'History of Present Illness');
  expect(history.map(({ ordinal }) => ordinal)).toEqual([1, 2, 3, 4]);
  history.slice(1).forEach((chunk, at) => {
    const before = history[at];
    expect(chunk.span.start).toBeLessThan(before?.span.end ?? 0);
  });
  expect(chunks.at(-1)).toMatchObject({ header: 'Plan', ordinal: 1, text: 'Home.', soap: 'P' });
});

test('ids do not depend on what stands elsewhere in the note', () => {
  const note = (text: string): Note => ({
    id: '7',
    patientId: '2',
    visitId: '2/2154-03-02',
    date: '2154-03-02',
    type: 'nursing',
    text,
  });
  const ids = (text: string): string[] => chunkNote(note(text), { countTokens }).chunks.map(({ id }) => id);
  const plan = ids('PLAN:\nWean oxygen.').at(-1);
  expect(ids('EVENTS:\nFell.\nPLAN:\nWean oxygen.').at(-1)).toBe(plan);
});

test('a header with nothing under it is a chunk of its own', () => {
  const { chunks } = chunkNote(
    {
      id: '7',
      patientId: '2',
      visitId: '',
      date: '2154-03-02',
      type: 'radiology',
      text: 'No contraindications for IV contrast\nFINDINGS:\nClear.',
    },
    { countTokens },
  );
  expect(chunks.map(({ text }) => text)).toEqual(['No contraindications for IV contrast:', 'Clear.']);
});

test('flat chunks know no sections', () => {
  const { chunks } = chunkNote(
    {
      id: '7',
      patientId: '2',
      visitId: '',
      date: '2154-03-02',
      type: 'nursing',
      text: 'EVENTS:\nFell.\nPLAN:\nBed.',
    },
    { countTokens, flat: true },
  );
  expect(chunks).toHaveLength(1);
  expect(chunks[0]).toMatchObject({ header: 'Unlabeled' });
});
