/** A temporary store, files of rows in MIMIC-III's columns, and their ingest. */

import { afterEach, beforeEach } from '@jest/globals';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { ingestNotes, type IngestResult } from '../../src/clirag/ingest/ingest.js';
import { ToolError } from '../../src/core/errors.js';

export const HEAD =
  'ROW_ID,SUBJECT_ID,HADM_ID,CHARTDATE,CHARTTIME,STORETIME,CATEGORY,DESCRIPTION,CGID,ISERROR,TEXT';
/** Stands in every text, and may stand in no message. */
export const SECRET = 'Mr. Quellwasser';

/** New for every test of a file that uses it. */
export interface Place {
  folder: string;
  store: string;
}

export function usePlace(): Place {
  const place: Place = { folder: '', store: '' };
  beforeEach(() => {
    place.folder = mkdtempSync(join(tmpdir(), 'clirag-'));
    place.store = join(place.folder, 'store');
  });
  afterEach(() => rmSync(place.folder, { recursive: true, force: true }));
  return place;
}

export interface RowFields {
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

export function row(fields: RowFields = {}): string {
  const { id = '1', patient = '7', admission = '', date = '2154-03-02', time = '', stored = '' } = fields;
  const { category = 'Nursing', description = 'Report', error = '', text = `${SECRET} slept.` } = fields;
  const quoted = `"${text.replaceAll('"', '""')}"`;
  return [id, patient, admission, date, time, stored, category, description, '', error, quoted].join(',');
}

export function file({ folder }: Place, rows: readonly string[], name = 'NOTEEVENTS.csv'): string {
  const path = join(folder, name);
  writeFileSync(path, [HEAD, ...rows, ''].join('\n'));
  return path;
}

export function ingest(
  { store }: Place,
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

export async function failure(work: Promise<unknown>): Promise<ToolError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

/** Every file of a folder with its bytes. */
export function contents(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  const names = readdirSync(root, { recursive: true, withFileTypes: true });
  for (const entry of names) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    found[path.slice(root.length)] = readFileSync(path, 'base64');
  }
  return found;
}
