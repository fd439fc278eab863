/** The whole pipeline on small planted charts and on the synthetic ones: nothing foreign, nothing stale, everything proved. */

import '../uuidForVectra.js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { openChartStore, type ChartStore } from '../../src/clirag/chartStore.js';
import { cleanText } from '../../src/clirag/clean.js';
import { ingestNotes } from '../../src/clirag/ingest/ingest.js';
import { renderNotePage } from '../../src/clirag/notePage.js';
import { renderMarkdown } from '../../src/clirag/renderNote.js';
import { writePrompt, writeSoapNote, type SoapNoteOptions } from '../../src/clirag/soapNote.js';
import { findVisit, listVisits } from '../../src/clirag/visits.js';
import type { QuotedSentence, SoapNote } from '../../src/clirag/note/noteRecord.js';
import { CHARTS_FILE, DEV_PATIENTS } from './charts.js';
import { wordOptions } from './wordOptions.js';

let folder = '';
let options: SoapNoteOptions;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'clirag-note-'));
  options = await wordOptions('generate');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function ingest(name: string, file: string): Promise<ChartStore> {
  const store = join(folder, name);
  await ingestNotes(store, {
    source: file,
    stdin: new PassThrough(),
    signal: new AbortController().signal,
  });
  return openChartStore(store);
}

type Row = readonly [patient: number, charted: string, stored: string, category: string, text: string];

async function storeOf(name: string, rows: readonly Row[]): Promise<ChartStore> {
  const head =
    'ROW_ID,SUBJECT_ID,HADM_ID,CHARTDATE,CHARTTIME,STORETIME,CATEGORY,DESCRIPTION,CGID,ISERROR,TEXT';
  const lines = rows.map(
    ([patient, charted, stored, category, text], at) =>
      `${at + 1},${patient},,${charted.slice(0, 10)},${charted},${stored},${category},Note,,,"${text.replace(/"/gu, '""')}"`,
  );
  const file = join(folder, `${name}.csv`);
  writeFileSync(file, [head, ...lines, ''].join('\n'));
  return ingest(name, file);
}

function sentencesOf({ sections, changes }: SoapNote): QuotedSentence[] {
  return [
    ...Object.values(sections).flatMap(({ sentences }) => sentences as readonly QuotedSentence[]),
    ...changes.conflicting.flatMap(({ sentences }) => sentences),
  ];
}

async function noteOf(
  store: ChartStore,
  patient: string,
  visit: string,
  more: Partial<SoapNoteOptions> = {},
) {
  const chart = await store.openPatient(patient);
  return writeSoapNote(chart, findVisit(chart.notes, visit), { ...options, ...more });
}

test("no word of one patient reaches another's prompt or note", async () => {
  const markers = ['zanquil', 'morvane', 'tibrosk'];
  const store = await storeOf(
    'markers',
    markers.flatMap((marker, at): Row[] =>
      [2, 3].map((day) => [
        at + 1,
        `2150-01-0${day} 08:00:00`,
        `2150-01-0${day} 08:10:00`,
        'Nursing',
        `Denies chest pain ${marker}. HR ${80 + at}, BP 120/${70 + at}. Plan: continue ${marker} 5 mg daily.`,
      ]),
    ),
  );
  for (const [at, marker] of markers.entries()) {
    const chart = await store.openPatient(String(at + 1));
    for (const visit of listVisits(chart.notes)) {
      const note = await writeSoapNote(chart, visit, options);
      const { prompt } = await writePrompt(chart, visit, options);
      const written = [JSON.stringify(note), renderMarkdown(note), renderNotePage([note]), prompt].join('\n');
      expect(written).toContain(marker);
      for (const other of markers) if (other !== marker) expect(written).not.toContain(other);
    }
  }
});

describe('time', () => {
  const rows: Row[] = [
    [
      7,
      '2150-01-02 08:00:00',
      '2150-01-02 08:10:00',
      'Nursing',
      'Patient reports nausea since breakfast. Potassium 3.1 at 06:00.',
    ],
    [
      7,
      '2150-01-02 16:00:00',
      '2150-01-02 16:10:00',
      'Physician ',
      'Potassium 4.2 after repletion. Plan: repeat potassium tomorrow.',
    ],
    [
      7,
      '2150-01-02 15:00:00',
      '2150-01-03 05:00:00',
      'Nursing',
      'Late entry: vomited 300 mL coffee ground material.',
    ],
    [
      7,
      '2150-01-03 09:00:00',
      '2150-01-03 09:10:00',
      'Nursing',
      'Potassium 3.6 this morning, no nausea now.',
    ],
  ];

  test('what was stored later, and what belongs to another day, is not told', async () => {
    const store = await storeOf('time', rows);
    const day = await noteOf(store, '7', '2150-01-02');
    expect(day.text).toContain('nausea since breakfast');
    expect(day.text).not.toContain('coffee ground');
    expect(day.text).not.toContain('3.6');
    const noon = await noteOf(store, '7', '2150-01-02', { asOf: '2150-01-02 12:00:00' });
    expect(noon.text).toContain('3.1');
    expect(noon.text).not.toContain('4.2');
  });

  test("a change since the visit before is told with that visit's date", async () => {
    const store = await storeOf('changes', rows);
    const next = await noteOf(store, '7', '2150-01-03');
    expect(next.changes.changed.map(({ text }) => text)).toEqual([
      'Potassium 3.6 at 09:00; on 2150-01-02 4.2',
    ]);
    expect(next.priorSummary?.from).toBe('generate');
    expect((await noteOf(store, '7', '2150-01-03', { prior: 'none' })).priorSummary).toBeUndefined();
  });
});

test('orders that contradict each other stand side by side with their times', async () => {
  const store = await storeOf('orders', [
    [
      5,
      '2150-01-02 08:00:00',
      '2150-01-02 08:10:00',
      'Physician ',
      'Plan: hold heparin infusion for the procedure.',
    ],
    [
      5,
      '2150-01-02 16:00:00',
      '2150-01-02 16:10:00',
      'Pharmacy',
      'Order received: continue heparin infusion 900 units/hr.',
    ],
  ]);
  const note = await noteOf(store, '5', '2150-01-02');
  expect(note.changes.conflicting).toMatchObject([
    { drug: 'heparin', sentences: [{ time: '08:00' }, { time: '16:00' }] },
  ]);
  const line = note.text.split('\n').find((each) => each.includes('Orders that differ'));
  expect(line).toMatch(/08:00.*hold heparin.*16:00.*continue heparin/u);
});

test('a corrected value is told only as such, and a sentence copied from an earlier day not at all', async () => {
  const store = await storeOf('corrected', [
    [
      6,
      '2150-01-01 08:00:00',
      '2150-01-01 08:10:00',
      'Nursing',
      'Remains sedated on the ventilator with a weak cough.',
    ],
    [
      6,
      '2150-01-02 08:00:00',
      '2150-01-02 08:10:00',
      'Nursing',
      'Potassium 6.9 this morning, MD aware.\nRemains sedated on the ventilator with a weak cough.',
    ],
    [
      6,
      '2150-01-02 10:00:00',
      '2150-01-02 10:10:00',
      'General',
      'Potassium 6.9 was hemolyzed and is to be disregarded.\nRepeat potassium 4.1 at 09:30.',
    ],
  ]);
  const note = await noteOf(store, '6', '2150-01-02');
  expect(note.text).not.toContain('MD aware');
  expect(note.text).not.toContain('weak cough');
  expect(note.text).toContain('4.1');
});

test('a visit without evidence has a note that says so', async () => {
  const store = await storeOf('late', [
    [8, '2150-01-02 08:00:00', '2150-01-04 08:10:00', 'Nursing', 'Written two days later.'],
  ]);
  const note = await noteOf(store, '8', '2150-01-02');
  expect(note.text).toContain('Nothing charted.');
  expect(note.sources).toEqual([]);
});

test('every sentence of the synthetic notes is in its source and in the raw note, none twice, no token left', async () => {
  const store = await ingest('charts', CHARTS_FILE);
  for (const patient of DEV_PATIENTS) {
    const chart = await store.openPatient(patient);
    const raw = new Map(chart.notes.map(({ id, text }) => [id, text]));
    for (const visit of listVisits(chart.notes)) {
      const note = await writeSoapNote(chart, visit, options);
      const sourceOf = new Map(note.sources.map((source) => [source.key, source]));
      const sentences = sentencesOf(note);
      for (const { text, citations, noteId, span, date } of sentences) {
        const [source] = citations.map((key) => sourceOf.get(key));
        expect(source?.text).toContain(text);
        expect(source?.noteId).toBe(noteId);
        expect(date).toBe(visit.date);
        const words =
          cleanText(raw.get(noteId)?.slice(span.start, span.end) ?? '').text.match(/\p{L}{4,}/gu) ?? [];
        for (const word of words.slice(0, 3)) expect(text.toLowerCase()).toContain(word.toLowerCase());
      }
      const places = sentences
        .filter(({ isValue }) => isValue !== true)
        .map(({ noteId, span }) => `${noteId} ${span.start}`);
      expect(new Set(places).size).toBe(places.length);
      expect(note.text).not.toMatch(/\[\*\*|\*\*\]/u);
      expect(note.words).toBeLessThanOrEqual(600);
    }
  }
});
