/** Bad input: rows are counted by reason, files give one clear line; and no message shows a patient's words. */

import { expect, test } from '@jest/globals';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { openChartStore } from '../../../src/clirag/chartStore.js';
import { CHARTS_FILE } from '../charts.js';
import { HEAD, SECRET, contents, failure, file, ingest, row, usePlace } from '../notesFile.js';

const place = usePlace();

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
  const { counts } = await ingest(place, file(place, rows));
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
  const path = join(place.folder, 'bad.csv');
  write(path);
  const error = await failure(ingest(place, path));
  expect(error.exitCode).toBe(3);
  expect(error.message).toContain(message);
  expect(`${error.message}${error.hint ?? ''}`).not.toContain(SECRET);
  // Nothing of a file that can't be read to its end is in the store.
  expect(existsSync(join(place.store, 'manifest.json'))).toBe(false);
});

test('a missing file, a place.folder, a store that is something else', async () => {
  expect((await failure(ingest(place, join(place.folder, 'none.csv')))).message).toContain(
    'there is no file',
  );
  expect((await failure(ingest(place, place.folder))).message).toContain('is a folder');
  place.store = place.folder;
  writeFileSync(join(place.folder, 'letter.txt'), 'x');
  expect((await failure(ingest(place, CHARTS_FILE))).message).toContain('no chart store');
});

test('a faulty file does not harm what is there', async () => {
  await ingest(place, file(place, [row()]));
  const before = contents(place.store);
  await failure(ingest(place, file(place, [row({ id: '2' }), '3,7,"x'])));
  expect(contents(place.store)).toEqual(before);
});

test('a note of 5 MB is a note', async () => {
  const text = `${SECRET} ${'was seen again. '.repeat(330_000)}`;
  await ingest(place, file(place, [row({ text })]));
  expect((await (await openChartStore(place.store)).openPatient('7')).notes[0]?.text).toBe(text);
});

test('an unknown patient: the nearest are named', async () => {
  await ingest(
    place,
    file(place, [
      row({ patient: '40001' }),
      row({ id: '2', patient: '40002' }),
      row({ id: '3', patient: '99' }),
    ]),
  );
  const error = await failure((await openChartStore(place.store)).openPatient('4001'));
  expect(error).toMatchObject({ exitCode: 3, message: 'there is no patient 4001 in the store' });
  expect(error.hint).toContain('40001, 40002');
});
