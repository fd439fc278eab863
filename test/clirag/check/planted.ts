/** Rows of an invented chart → the chart as the store gives it, without a store. */

import type { PatientChart } from '../../../src/clirag/chartStore.js';
import type { Note, NoteType } from '../../../src/core/types.js';

/** `2150-01-02 08:00`; `stored` is the same unless it is given. */
export type PlantedRow = readonly [charted: string, type: NoteType, text: string, stored?: string];

export function plantedChart(rows: readonly PlantedRow[], patientId = '7'): PatientChart {
  const notes = rows.map(([charted, type, text, stored = charted], at): Note => {
    const [date = '', time] = charted.split(' ');
    return {
      id: String(at + 1),
      patientId,
      visitId: `${patientId}/${date}`,
      date,
      ...(time === undefined ? {} : { time: `${time}:00` }),
      stored: `${stored}:00`,
      type,
      text,
    };
  });
  return { patientId, folder: '', notes };
}
