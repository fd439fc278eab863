/** Files of notes → the store: partition, merge, interrupts, damaged input; and that no message shows a patient's words. */

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { openChartStore } from '../../src/clirag/chartStore.js';
import { ingestNotes, type IngestResult } from '../../src/clirag/ingest.js';
import { patientFolder } from '../../src/clirag/storeLayout.js';
import { ToolError } from '../../src/core/errors.js';
import { CHARTS_FILE, readCharts } from './charts.js';

const HEAD = 'ROW_ID,SUBJECT_ID,HADM_ID,CHARTDATE,CHARTTIME,STORETIME,CATEGORY,DESCRIPTION,CGID,ISERROR,TEXT';
/** Stands in every text, and may stand in no message. */
const SECRET = 'Mr. Quellwasser';

let folder = '';
let store = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clirag-'));
  store = join(folder, 'store');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface RowFields {
  readonly id?: string;
  readonly patient?: string;
  readonly admission?: string;
  readonly date?: string;
  readonly time?: string;
  readonly stored?: string;
  readonly category?: string;
  readonly description?: string;
  readonly error?: string;
  readonly text?: string;
}

function row(fields: RowFields = {}): string {
  const { id = '1', patient = '7', admission = '', date = '2154-03-02', time = '', stored = '' } = fields;
  const { category = 'Nursing', description = 'Report', error = '', text = `${SECRET} slept.` } = fields;
  const quoted = `"${text.replaceAll('"', '""')}"`;
  return [id, patient, admission, date, time, stored, category, description, '', error, quoted].join(',');
}

function file(rows: readonly string[], name = 'NOTEEVENTS.csv'): string {
  const path = join(folder, name);
  writeFileSync(path, [HEAD, ...rows, ''].join('\n'));
  return path;
}

function ingest(
  source: string,
  options: { stdin?: NodeJS.ReadableStream; signal?: AbortSignal; onProgress?: () => void } = {},
): Promise<IngestResult> {
  return ingestNotes(store, {
    source,
    stdin: options.stdin ?? new PassThrough(),
    signal: options.signal ?? new AbortController().signal,
    ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
  });
}

async function failure(work: Promise<unknown>): Promise<ToolError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

/** Every file of a folder with its bytes. */
function contents(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  const names = readdirSync(root, { recursive: true, withFileTypes: true });
  for (const entry of names) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    found[path.slice(root.length)] = readFileSync(path, 'base64');
  }
  return found;
}

describe('partition', () => {
  test('every note of the charts is in its patient’s folder, word for word', async () => {
    const result = await ingest(CHARTS_FILE);
    const expected = await readCharts();
    expect(result.counts.notes).toBe(expected.length);
    const opened = await openChartStore(store);
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
    await ingest(file([row(), row({ id: '2' }), row({ id: '3', patient: '8' })]));
    expect(readdirSync(patientFolder(store, '7'))).toEqual(['notes.chart']);
    expect(
      readdirSync(store)
        .sort()
        .map((name) => name.replace(/-[0-9a-f]{16}/u, '')),
    ).toEqual(['admissions.tsv', 'manifest.json', 'p', 'patients.jsonl']);
    if (process.platform !== 'win32') {
      expect(statSync(join(patientFolder(store, '7'), 'notes.chart')).mode & 0o077).toBe(0);
      expect(statSync(patientFolder(store, '7')).mode & 0o077).toBe(0);
    }
  });

  test('ids that are no file names get a folder of their own', async () => {
    await ingest(
      file(['../x', 'CON', 'A1', 'a1', 'é/ü'].map((patient, at) => row({ id: String(at), patient }))),
    );
    const opened = await openChartStore(store);
    for (const { id } of await opened.patients())
      expect((await opened.openPatient(id)).notes).toHaveLength(1);
    expect(new Set(['CON', 'A1', 'a1'].map((id) => patientFolder(store, id).toLowerCase())).size).toBe(3);
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  test('gzip, stdin, MIMIC-IV-Note and JSON lines give the same chart', async () => {
    const csv = file([row({ time: '2154-03-02 08:15:00', admission: '9' })]);
    const gz = join(folder, 'n.csv.gz');
    writeFileSync(gz, gzipSync(readFileSync(csv)));
    const mimic4 = join(folder, 'discharge.csv');
    writeFileSync(
      mimic4,
      `note_id,subject_id,hadm_id,note_type,note_seq,charttime,storetime,text\n7-DS-1,7,9,DS,1,2154-03-02 00:00:00,2154-03-03 09:00:00,"${SECRET} slept."\n`,
    );
    const json = join(folder, 'notes.jsonl');
    writeFileSync(
      json,
      `${JSON.stringify({ id: 1, patientId: '7', admissionId: '9', date: '2154-03-02', time: '08:15:00', type: 'nursing', description: 'Report', text: `${SECRET} slept.` })}\n`,
    );
    const charts: unknown[] = [];
    for (const [source, stdin] of [[csv], [gz], ['-', Readable.from([readFileSync(csv)])], [json]] as const) {
      rmSync(store, { recursive: true, force: true });
      await ingest(source, stdin === undefined ? {} : { stdin });
      charts.push((await (await openChartStore(store)).openPatient('7')).notes);
    }
    for (const chart of charts) expect(chart).toEqual(charts[0]);
    rmSync(store, { recursive: true, force: true });
    await ingest(mimic4);
    const [note] = (await (await openChartStore(store)).openPatient('7')).notes;
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
      file([
        row({ category: 'Respiratory ' }),
        row({ id: '2', category: 'Dental' }),
        row({ id: '3', category: 'Physician ', description: 'Physician Resident Progress Note' }),
      ]),
    );
    expect(result.counts.unknownCategories).toEqual({ Dental: 1 });
    const { notes } = await (await openChartStore(store)).openPatient('7');
    expect(notes.map(({ type }) => type)).toEqual(['respiratory', 'general', 'progress_notes']);
  });

  test('an addendum is linked to its parent and is no summary of its own (pitfall 17)', async () => {
    await ingest(
      file([
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
    const { notes } = await (await openChartStore(store)).openPatient('7');
    expect(notes.find(({ id }) => id === '2')?.parentId).toBe('1');
    expect(notes.find(({ id }) => id === '5')?.parentId).toBe('3');
    const lone = (await (await openChartStore(store)).openPatient('8')).notes[0];
    expect(lone?.isAddendum).toBe(true);
    expect(lone?.parentId).toBeUndefined();
  });
});

describe('again and again', () => {
  test('the same file changes nothing', async () => {
    await ingest(CHARTS_FILE);
    const before = contents(store);
    const result = await ingest(CHARTS_FILE);
    expect(result.changed).toBe(0);
    expect(contents(store)).toEqual(before);
  });

  test('new rows are added, changed ones replaced, erroneous ones taken out', async () => {
    await ingest(file([row(), row({ id: '2' }), row({ id: '3' })]));
    const result = await ingest(
      file([row({ text: 'new words' }), row({ id: '2', error: '1' }), row({ id: '4' })]),
    );
    expect(result.changed).toBe(3);
    const { notes } = await (await openChartStore(store)).openPatient('7');
    expect(notes.map(({ id, text }) => [id, text])).toEqual([
      ['1', 'new words'],
      ['3', `${SECRET} slept.`],
      ['4', `${SECRET} slept.`],
    ]);
  });

  test('a second file adds to the first', async () => {
    await ingest(file([row({ admission: '5' })]));
    await ingest(file([row({ id: '2', patient: '8', admission: '5' })], 'other.csv'));
    const opened = await openChartStore(store);
    expect((await opened.patients()).map(({ id }) => id)).toEqual(['7', '8']);
    expect(opened.manifest.sources.map((source) => source.file)).toEqual(['NOTEEVENTS.csv', 'other.csv']);
    expect(await opened.patientsOfAdmission('5')).toEqual(['7', '8']);
  });

  test('a damaged chart is named, and written anew by indexing again', async () => {
    const source = file([row()]);
    await ingest(source);
    const path = join(patientFolder(store, '7'), 'notes.chart');
    truncateSync(path, 100);
    const error = await failure((await openChartStore(store)).openPatient('7'));
    expect(error.exitCode).toBe(3);
    expect(error.message).toContain(path);
    await ingest(source);
    expect((await (await openChartStore(store)).openPatient('7')).notes).toHaveLength(1);
  });
});

describe('interrupts', () => {
  test('an interrupted run goes on where it stopped and gives the same store', async () => {
    const rows = Array.from({ length: 6000 }, (_, at) =>
      row({ id: String(at), patient: String(at % 97), text: `${SECRET} ${'word '.repeat(120)}${at}` }),
    );
    const source = file(rows);
    const whole = join(folder, 'whole');
    await ingestNotes(whole, { source, stdin: new PassThrough(), signal: new AbortController().signal });
    const controller = new AbortController();
    let calls = 0;
    const onProgress = (): void => {
      if (++calls === 2) controller.abort();
    };
    await expect(ingest(source, { signal: controller.signal, onProgress })).rejects.toThrow();
    const unfinished = await failure(openChartStore(store));
    expect(unfinished.message).toContain('interrupted');
    const result = await ingest(source);
    expect(result.continuedAt).toBeGreaterThan(0);
    expect(result.counts.rows).toBe(6000);
    expect(contents(store)).toEqual(contents(whole));
  });

  test('a kill at any moment leaves a store that the next run completes', async () => {
    const rows = Array.from({ length: 3000 }, (_, at) => row({ id: String(at), patient: String(at % 500) }));
    const source = file(rows);
    const bin = join(import.meta.dirname, '..', '..', '..', 'bin', 'clirag.js');
    for (const timeout of [250, 400, 600]) {
      try {
        execFileSync(process.execPath, [bin, 'index', source, '--index', store, '--quiet'], {
          timeout,
          killSignal: 'SIGKILL',
          stdio: 'ignore',
        });
      } catch {
        // Killed, as intended.
      }
    }
    const output = execFileSync(process.execPath, [bin, 'index', source, '--index', store, '--quiet'], {
      encoding: 'utf8',
    });
    expect(output).toContain('3000 notes of 500 patients');
    const opened = await openChartStore(store);
    expect(opened.manifest).toMatchObject({ patients: 500, notes: 3000 });
    for (const { id, notes } of await opened.patients())
      expect((await opened.openPatient(id)).notes).toHaveLength(notes);
  });
});

describe('bad input: one clear line, nothing of a patient in it', () => {
  test('rows that are none are counted by reason with their numbers', async () => {
    const rows = [
      row(),
      `2,7,,2154-03-02,,,Nursing,Report,,${SECRET}`,
      row({ id: '3', date: '2154-02-30' }),
      row({ id: '4', time: '2154-03-02 25:00:00' }),
      row({ id: '5', patient: '' }),
      row({ id: '', patient: '7' }),
      row({ id: '7', text: '  ' }),
      row({ id: '8', text: `\0${SECRET}` }),
      row({ id: '9', error: '1' }),
      row({ id: '10', date: '' }),
    ];
    const { counts } = await ingest(file(rows));
    expect(counts.notes).toBe(1);
    expect(counts.rejected).toEqual({
      'wrong number of columns': { count: 1, rows: [2] },
      'date that is none': { count: 2, rows: [3, 4] },
      'no patient id': { count: 1, rows: [5] },
      'no note id': { count: 1, rows: [6] },
      'no text': { count: 1, rows: [7] },
      'binary text': { count: 1, rows: [8] },
      'marked erroneous': { count: 1, rows: [9] },
      'no date': { count: 1, rows: [10] },
    });
  });

  test.each<[string, (path: string) => void, string]>([
    [
      'columns missing',
      (path) => writeFileSync(path, `ROW_ID,SUBJECT_ID,CATEGORY\n1,2,x\n`),
      'lacks the columns TEXT, CHARTDATE: its columns are ROW_ID, SUBJECT_ID, CATEGORY',
    ],
    [
      'no header line',
      (path) => writeFileSync(path, `${row()}\n`),
      'its first line is no list of column names (11 fields)',
    ],
    [
      'an open quote',
      (path) => writeFileSync(path, `${HEAD}\n${row()}\n2,7,,2154-03-02,,,Nursing,Report,,,"${SECRET}\n`),
      'wrong quoting in row 2',
    ],
    ['empty', (path) => writeFileSync(path, ''), 'is empty'],
    ['UTF-16', (path) => writeFileSync(path, Buffer.from(`\uFEFF${HEAD}`, 'utf16le')), 'is UTF-16'],
    ['an archive', (path) => writeFileSync(path, Buffer.from('PK\x03\x04xxxx')), 'is a ZIP archive'],
    [
      'gzip cut short',
      (path) =>
        writeFileSync(
          path,
          gzipSync(
            Buffer.from(
              `${HEAD}\n${Array.from({ length: 500 }, (_, at) => row({ id: String(at) })).join('\n')}`,
            ),
          ).subarray(0, 300),
        ),
      'it was cut short',
    ],
    [
      'gzip damaged',
      (path) => {
        const data = gzipSync(Buffer.from(`${HEAD}\n${row()}\n`));
        data[30] = (data[30] ?? 0) ^ 0xff;
        writeFileSync(path, data);
      },
      "can't be unpacked to its end",
    ],
  ])('%s', async (_, write, message) => {
    const path = join(folder, 'bad.csv');
    write(path);
    const error = await failure(ingest(path));
    expect(error.exitCode).toBe(3);
    expect(error.message).toContain(message);
    expect(`${error.message}${error.hint ?? ''}`).not.toContain(SECRET);
    // Nothing of a file that can't be read to its end is in the store.
    expect(existsSync(join(store, 'manifest.json'))).toBe(false);
  });

  test('a missing file, a folder, a store that is something else', async () => {
    expect((await failure(ingest(join(folder, 'none.csv')))).message).toContain('there is no file');
    expect((await failure(ingest(folder))).message).toContain('is a folder');
    store = folder;
    writeFileSync(join(folder, 'letter.txt'), 'x');
    expect((await failure(ingest(CHARTS_FILE))).message).toContain('no chart store');
  });

  test('a faulty file does not harm what is there', async () => {
    await ingest(file([row()]));
    const before = contents(store);
    await failure(ingest(file([row({ id: '2' }), '3,7,"x'])));
    expect(contents(store)).toEqual(before);
  });

  test('a note of 5 MB is a note', async () => {
    const text = `${SECRET} ${'was seen again. '.repeat(330_000)}`;
    await ingest(file([row({ text })]));
    expect((await (await openChartStore(store)).openPatient('7')).notes[0]?.text).toBe(text);
  });

  test('an unknown patient: the nearest are named', async () => {
    await ingest(
      file([row({ patient: '40001' }), row({ id: '2', patient: '40002' }), row({ id: '3', patient: '99' })]),
    );
    const error = await failure((await openChartStore(store)).openPatient('4001'));
    expect(error).toMatchObject({ exitCode: 3, message: 'there is no patient 4001 in the store' });
    expect(error.hint).toContain('40001, 40002');
  });
});
