/** Rows of invented notes → a NOTEEVENTS file. */

import { writeFile } from 'node:fs/promises';

export const HEADER =
  'ROW_ID,SUBJECT_ID,HADM_ID,CHARTDATE,CHARTTIME,STORETIME,CATEGORY,DESCRIPTION,CGID,ISERROR,TEXT';

export interface Row {
  readonly patient: number;
  /** `2150-01-02 08:00:00`. */
  readonly charted: string;
  readonly text: string;
  readonly category?: string;
  readonly description?: string;
}

export function csvOf(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ patient, charted, text, category = 'Nursing', description = 'Note' }, at) =>
      `${at + 1},${patient},,${charted.slice(0, 10)},${charted},${charted},${category},${description},,,"${text.replaceAll('"', '""')}"`,
  );
  return [HEADER, ...lines, ''].join('\n');
}

export async function writeRows(path: string, rows: readonly Row[]): Promise<void> {
  await writeFile(path, csvOf(rows));
}
