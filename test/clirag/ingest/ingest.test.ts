/** Files of notes → the store: partition, merge, interrupts. */

import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { packageRoot } from '../../../src/core/config.js';
import { openChartStore } from '../../../src/clirag/chartStore.js';
import { ingestNotes } from '../../../src/clirag/ingest/ingest.js';
import { patientFolder } from '../../../src/clirag/store/storeLayout.js';
import { CHARTS_FILE, readCharts } from '../charts.js';
import { SECRET, contents, failure, file, ingest, row, usePlace } from '../notesFile.js';

const place = usePlace();

describe('partition', () => {
  test('every note of the charts is in its patient’s place.folder, word for word', async () => {
    const result = await ingest(place, CHARTS_FILE);
    const expected = await readCharts();
    expect(result.counts.notes).toBe(expected.length);
    const opened = await openChartStore(place.store);
    const patients = await opened.patients();
    expect(patients.map(({ id }) => id)).toEqual(
      [...new Set(expected.map(({ patientId }) => patientId))].sort(),
    );
    for (const { id, notes, dates } of patients) {
      const chart = await opened.openPatient(id);
      expect(chart.notes).toHaveLength(notes);
      expect(new Set(chart.notes.map(({ date }) => date)).size).toBe(dates);
      for (const note of chart.notes)
        expect(note.text).toBe(expected.find((other) => other.id === note.id)?.text);
    }
  });

  test('one file a patient, private to the user, and nothing of the ingest is left', async () => {
    await ingest(place, file(place, [row(), row({ id: '2' }), row({ id: '3', patient: '8' })]));
    expect(readdirSync(patientFolder(place.store, '7'))).toEqual(['notes.chart']);
    expect(
      readdirSync(place.store)
        .sort()
        .map((name) => name.replace(/-[0-9a-f]{16}/u, '')),
    ).toEqual(['admissions.tsv', 'manifest.json', 'p', 'patients.jsonl']);
    if (process.platform !== 'win32') {
      expect(statSync(join(patientFolder(place.store, '7'), 'notes.chart')).mode & 0o077).toBe(0);
      expect(statSync(patientFolder(place.store, '7')).mode & 0o077).toBe(0);
    }
  });

  test('ids that are no file names get a folder of their own', async () => {
    await ingest(
      place,
      file(
        place,
        ['../x', 'CON', 'A1', 'a1', 'é/ü'].map((patient, at) => row({ id: String(at), patient })),
      ),
    );
    const opened = await openChartStore(place.store);
    for (const { id } of await opened.patients())
      expect((await opened.openPatient(id)).notes).toHaveLength(1);
    expect(new Set(['CON', 'A1', 'a1'].map((id) => patientFolder(place.store, id).toLowerCase())).size).toBe(
      3,
    );
    expect(existsSync(join(place.folder, 'x'))).toBe(false);
  });

  test('gzip, stdin, MIMIC-IV-Note and JSON lines give the same chart', async () => {
    const csv = file(place, [row({ time: '2154-03-02 08:15:00', admission: '9' })]);
    const gz = join(place.folder, 'n.csv.gz');
    writeFileSync(gz, gzipSync(readFileSync(csv)));
    const mimic4 = join(place.folder, 'discharge.csv');
    writeFileSync(
      mimic4,
      `note_id,subject_id,hadm_id,note_type,note_seq,charttime,storetime,text\n7-DS-1,7,9,DS,1,2154-03-02 00:00:00,2154-03-03 09:00:00,"${SECRET} slept."\n`,
    );
    const json = join(place.folder, 'notes.jsonl');
    writeFileSync(
      json,
      `${JSON.stringify({ id: 1, patientId: '7', admissionId: '9', date: '2154-03-02', time: '08:15:00', type: 'nursing', description: 'Report', text: `${SECRET} slept.` })}\n`,
    );
    const charts: unknown[] = [];
    for (const [source, stdin] of [[csv], [gz], ['-', Readable.from([readFileSync(csv)])], [json]] as const) {
      rmSync(place.store, { recursive: true, force: true });
      await ingest(place, source, stdin === undefined ? {} : { stdin });
      charts.push((await (await openChartStore(place.store)).openPatient('7')).notes);
    }
    for (const chart of charts) expect(chart).toEqual(charts[0]);
    rmSync(place.store, { recursive: true, force: true });
    await ingest(place, mimic4);
    const [note] = (await (await openChartStore(place.store)).openPatient('7')).notes;
    expect(note).toMatchObject({
      id: '7-DS-1',
      type: 'discharge_summary',
      date: '2154-03-02',
      admissionId: '9',
      stored: '2154-03-03 09:00:00',
    });
    expect(note?.time).toBeUndefined();
  });

  test('categories are trimmed, unknown ones filed as general and counted', async () => {
    const result = await ingest(
      place,
      file(place, [
        row({ category: 'Respiratory ' }),
        row({ id: '2', category: 'Dental' }),
        row({ id: '3', category: 'Physician ', description: 'Physician Resident Progress Note' }),
      ]),
    );
    expect(result.counts.unknownCategories).toEqual({ Dental: 1 });
    const { notes } = await (await openChartStore(place.store)).openPatient('7');
    expect(notes.map(({ type }) => type)).toEqual(['respiratory', 'general', 'progress_notes']);
  });

  test('an addendum is linked to its parent and is no summary of its own (pitfall 17)', async () => {
    await ingest(
      place,
      file(place, [
        row({ id: '1', admission: '5', category: 'Discharge summary', date: '2154-03-08' }),
        row({
          id: '2',
          admission: '5',
          category: 'Discharge summary',
          description: 'Addendum',
          date: '2154-03-09',
        }),
        row({ id: '3', time: '2154-03-02 17:50:00' }),
        row({ id: '4', time: '2154-03-02 18:30:00' }),
        row({ id: '5', time: '2154-03-02 20:00:00', text: 'ADDENDUM to my 17:50 note. Corrected.' }),
        row({ id: '6', patient: '8', text: 'ADDENDUM: of nothing' }),
      ]),
    );
    const { notes } = await (await openChartStore(place.store)).openPatient('7');
    expect(notes.find(({ id }) => id === '2')?.parentId).toBe('1');
    expect(notes.find(({ id }) => id === '5')?.parentId).toBe('3');
    const lone = (await (await openChartStore(place.store)).openPatient('8')).notes[0];
    expect(lone?.isAddendum).toBe(true);
    expect(lone?.parentId).toBeUndefined();
  });
});

describe('again and again', () => {
  test('the same file changes nothing', async () => {
    await ingest(place, CHARTS_FILE);
    const before = contents(place.store);
    const result = await ingest(place, CHARTS_FILE);
    expect(result.changed).toBe(0);
    expect(contents(place.store)).toEqual(before);
  });

  test('new rows are added, changed ones replaced, erroneous ones taken out', async () => {
    await ingest(place, file(place, [row(), row({ id: '2' }), row({ id: '3' })]));
    const result = await ingest(
      place,
      file(place, [row({ text: 'new words' }), row({ id: '2', error: '1' }), row({ id: '4' })]),
    );
    expect(result.changed).toBe(3);
    const { notes } = await (await openChartStore(place.store)).openPatient('7');
    expect(notes.map(({ id, text }) => [id, text])).toEqual([
      ['1', 'new words'],
      ['3', `${SECRET} slept.`],
      ['4', `${SECRET} slept.`],
    ]);
  });

  test('a second file adds to the first', async () => {
    await ingest(place, file(place, [row({ admission: '5' })]));
    await ingest(place, file(place, [row({ id: '2', patient: '8', admission: '5' })], 'other.csv'));
    const opened = await openChartStore(place.store);
    expect((await opened.patients()).map(({ id }) => id)).toEqual(['7', '8']);
    expect(opened.manifest.sources.map((source) => source.file)).toEqual(['NOTEEVENTS.csv', 'other.csv']);
    expect(await opened.patientsOfAdmission('5')).toEqual(['7', '8']);
  });

  test('a damaged chart is named, and written anew by indexing again', async () => {
    const source = file(place, [row()]);
    await ingest(place, source);
    const path = join(patientFolder(place.store, '7'), 'notes.chart');
    truncateSync(path, 100);
    const error = await failure((await openChartStore(place.store)).openPatient('7'));
    expect(error.exitCode).toBe(3);
    expect(error.message).toContain(path);
    await ingest(place, source);
    expect((await (await openChartStore(place.store)).openPatient('7')).notes).toHaveLength(1);
  });
});

describe('interrupts', () => {
  test('an interrupted run goes on where it stopped and gives the same store', async () => {
    const rows = Array.from({ length: 6000 }, (_, at) =>
      row({ id: String(at), patient: String(at % 97), text: `${SECRET} ${'word '.repeat(120)}${at}` }),
    );
    const source = file(place, rows);
    const whole = join(place.folder, 'whole');
    await ingestNotes(whole, { source, stdin: new PassThrough(), signal: new AbortController().signal });
    const controller = new AbortController();
    let calls = 0;
    const onProgress = (): void => {
      if (++calls === 2) controller.abort();
    };
    await expect(ingest(place, source, { signal: controller.signal, onProgress })).rejects.toThrow();
    const unfinished = await failure(openChartStore(place.store));
    expect(unfinished.message).toContain('interrupted');
    const result = await ingest(place, source);
    expect(result.continuedAt).toBeGreaterThan(0);
    expect(result.counts.rows).toBe(6000);
    expect(contents(place.store)).toEqual(contents(whole));
  });

  test('a kill at any moment leaves a store that the next run completes', async () => {
    const rows = Array.from({ length: 3000 }, (_, at) => row({ id: String(at), patient: String(at % 500) }));
    const source = file(place, rows);
    const bin = join(packageRoot, 'bin', 'clirag.js');
    for (const timeout of [250, 400, 600]) {
      try {
        execFileSync(process.execPath, [bin, 'index', source, '--index', place.store, '--quiet'], {
          timeout,
          killSignal: 'SIGKILL',
          stdio: 'ignore',
        });
      } catch {
        // Killed, as intended.
      }
    }
    const output = execFileSync(process.execPath, [bin, 'index', source, '--index', place.store, '--quiet'], {
      encoding: 'utf8',
    });
    expect(output).toContain('3000 notes of 500 patients');
    const opened = await openChartStore(place.store);
    expect(opened.manifest).toMatchObject({ patients: 500, notes: 3000 });
    for (const { id, notes } of await opened.patients())
      expect((await opened.openPatient(id)).notes).toHaveLength(notes);
  });
});
