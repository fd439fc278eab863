/** A note of five megabytes in a chart: a bounded number of its passages is read; the visit's note says what the short notes say, and tells what it left. */

import '../uuidForVectra.js';
import { expect, test } from '@jest/globals';
import { openChartStore } from '../../src/clirag/chartStore.js';
import { renderMarkdown } from '../../src/clirag/renderNote.js';
import { MOST_CHUNKS } from '../../src/clirag/retrieval/limitChunks.js';
import { writeSoapNote } from '../../src/clirag/soapNote.js';
import { findVisit } from '../../src/clirag/visits.js';
import { file, ingest, row, usePlace } from './notesFile.js';
import { wordOptions } from './wordOptions.js';

const place = usePlace();

test('a note of five megabytes', async () => {
  const line = (at: number): string =>
    `Heart rate ${60 + (at % 70)}, urine ${at % 90} mL, slept, turned to the left.`;
  const long = Array.from({ length: 90_000 }, (_, at) => line(at)).join('\n');
  expect(long.length).toBeGreaterThan(4_500_000);
  const path = file(place, [
    row({ id: '1', time: '2154-03-02 08:00:00', text: 'Creatinine 1.9 this morning. Denies chest pain.' }),
    row({ id: '2', time: '2154-03-02 09:00:00', text: long }),
  ]);
  await ingest(place, path);
  const chart = await (await openChartStore(place.store)).openPatient('7');
  const options = await wordOptions('none');
  let embedded = 0;
  const note = await writeSoapNote(chart, findVisit(chart.notes, '#1'), {
    ...options,
    onProgress: (done) => (embedded = done),
  });
  expect(embedded).toBeLessThanOrEqual(MOST_CHUNKS);
  expect(note.text).toContain('1.9');
  expect(note.words).toBeLessThanOrEqual(600);
  expect(note.leftOut).toBeGreaterThan(1000);
  expect(renderMarkdown(note)).toContain(`${note.leftOut} passages of very long notes were not read.`);
});
