/** The synthetic charts and, where it is there, the shared public notes: raw texts for tests. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { packageRoot } from '../../src/core/config.js';
import { openSource, type SourceRow } from '../../src/clirag/ingest/noteSources.js';
import { createNoteReader } from '../../src/clirag/notes.js';
import type { Note } from '../../src/core/types.js';

export const CHARTS_FOLDER = join(packageRoot, 'corpora', 'charts');
export const CHARTS_FILE = join(CHARTS_FOLDER, 'NOTEEVENTS.csv');
/** Used while developing; the others are the test part. */
export const DEV_PATIENTS = new Set(['40001', '40002', '40005', '40006', '40009', '40011']);

const shared = process.env['LABSAGE_SHARED'] ?? join(packageRoot, '..', 'shared');
const publicFile = join(shared, 'public', 'notes', 'NOTEEVENTS.csv');
/** Public sample reports; undefined where they are not on this machine. */
export const PUBLIC_FILE = existsSync(publicFile) ? publicFile : undefined;

export async function readRows(file: string): Promise<SourceRow[]> {
  const source = await openSource(file, { stdin: new PassThrough() });
  const rows: SourceRow[] = [];
  for await (const batch of source.rows)
    for (const row of batch) rows.push({ ...row, text: Buffer.from(row.text) });
  return rows;
}

export async function readCharts(file = CHARTS_FILE): Promise<Note[]> {
  const readNote = createNoteReader();
  return (await readRows(file)).flatMap((row) => {
    const read = readNote(row);
    return 'note' in read ? [{ ...read.note, text: read.text.toString('utf8') }] : [];
  });
}

export interface MarkedHeader {
  readonly noteId: number;
  readonly start: number;
  readonly end: number;
  readonly title: string;
  readonly level: 1 | 2;
}

/** Hand-marked headers by note id; notes that have none have an empty list. */
export function readMarkedHeaders(): Map<number, MarkedHeader[]> {
  const marked = new Map<number, MarkedHeader[]>();
  const none = JSON.parse(readFileSync(join(CHARTS_FOLDER, 'headers-none.json'), 'utf8')) as number[];
  for (const id of none) marked.set(id, []);
  for (const line of readFileSync(join(CHARTS_FOLDER, 'headers.jsonl'), 'utf8').split('\n')) {
    if (line.trim() === '') continue;
    const header = JSON.parse(line) as MarkedHeader;
    marked.set(header.noteId, [...(marked.get(header.noteId) ?? []), header]);
  }
  return marked;
}
