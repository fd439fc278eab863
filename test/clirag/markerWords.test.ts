/** A word of its own in every note of every patient of the synthetic charts: none in a note or prompt of any other patient. */

import '../uuidForVectra.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { openChartStore, type ChartStore } from '../../src/clirag/chartStore.js';
import { ingestNotes } from '../../src/clirag/ingest/ingest.js';
import { renderMarkdown } from '../../src/clirag/renderNote.js';
import { writePrompt, writeSoapNote, type SoapNoteOptions } from '../../src/clirag/soapNote.js';
import { listVisits } from '../../src/clirag/visits.js';
import { CHARTS_FILE, readRows } from './charts.js';
import { HEAD } from './notesFile.js';
import { wordOptions } from './wordOptions.js';

const MARKER = /zq(\d+)n\d+zq/gu;

let folder = '';
let store: ChartStore;
let options: SoapNoteOptions;
let planted = 0;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'clirag-markers-'));
  options = await wordOptions('generate');
  const file = join(folder, 'NOTEEVENTS.csv');
  const lines = (await readRows(CHARTS_FILE)).map(({ row, values, text }) => {
    const { id, patient = '', admission, date, time, stored, category, description, error } = values;
    const marker = `zq${patient}n${row}zq`;
    planted++;
    // Within the lines, so that whatever of a note is quoted has its word.
    const marked = `${text.toString('utf8').replace(/^(?=.{30})\s*\S+ \S+/gmu, `$& ${marker}`)}\nSeen by ${marker} today.\n`;
    const cells = [id, patient, admission, date, time, stored, category, description, '', error, marked];
    return cells.map((cell = '') => `"${cell.replaceAll('"', '""')}"`).join(',');
  });
  await writeFile(file, [HEAD, ...lines, ''].join('\n'));
  await ingestNotes(join(folder, 'store'), {
    source: file,
    stdin: new PassThrough(),
    signal: new AbortController().signal,
  });
  store = await openChartStore(join(folder, 'store'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function ownersIn(text: string): string[] {
  return [...new Set([...text.matchAll(MARKER)].map(([, patient = '']) => patient))];
}

test('every pair of patients', async () => {
  const patients = await store.patients();
  expect(patients).toHaveLength(12);
  expect(planted).toBeGreaterThan(400);
  for (const { id } of patients) {
    const chart = await store.openPatient(id);
    const visits = listVisits(chart.notes);
    for (const [at, visit] of visits.entries()) {
      // What goes from visit to visit is the patient's own chart, which the last one tells as well as all.
      const prior = at === visits.length - 1 ? 'generate' : 'none';
      const note = await writeSoapNote(chart, visit, { ...options, prior });
      const { prompt } = await writePrompt(chart, visit, { ...options, prior });
      // Its own words are there, so that others would be, too.
      for (const text of [renderMarkdown(note), JSON.stringify(note), JSON.stringify(prompt)])
        expect(ownersIn(text)).toEqual([id]);
    }
  }
}, 300_000);
