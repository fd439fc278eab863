/** The notes of one patient ↔ one file: a line that says what it holds, then each note as a line of JSON and its words. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitCode, ToolError, systemCode } from '../../core/errors.js';
import { sha256Hex } from '../../core/text.js';
import type { Note } from '../../core/types.js';
import type { NoteHead } from '../notes.js';

export const NOTES_FILE = 'notes.chart';
const NOTES_FORMAT = 1;

/** A note whose words are still bytes (UTF-8). */
export interface StoredNote {
  readonly head: NoteHead;
  readonly text: Buffer;
  /** Head and words as they were encoded, if the head is still the same. */
  readonly record?: Buffer;
}

interface FileHead {
  readonly format: number;
  readonly patientId: string;
  readonly notes: number;
  /** Of all bytes after the first line. */
  readonly sha256: string;
}

export function encodeNotes(patientId: string, notes: readonly StoredNote[]): Buffer {
  const body = Buffer.concat(
    notes.flatMap(({ head, text, record }) =>
      record !== undefined ? [record] : [Buffer.from(headLine(head, text)), text, LINE_FEED],
    ),
  );
  const head: FileHead = { format: NOTES_FORMAT, patientId, notes: notes.length, sha256: sha256Hex(body) };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`, 'utf8'), body]);
}

/** A record is `{…,"bytes":2041}`, a line feed, the words, a line feed; this is its first line. */
export function headLine(head: object, text: Buffer): string {
  return `${JSON.stringify(head).slice(0, -1)},"bytes":${text.length}}\n`;
}

const LINE_FEED = Buffer.from('\n');

export interface DecodedRecord<Head> {
  readonly head: Head;
  readonly text: Buffer;
  readonly record: Buffer;
}

/** The records in `data`, from `start` on, as views on it. Throws a plain error where it is no such data. */
export function decodeRecords<Head>(data: Buffer, start = 0): DecodedRecord<Head>[] {
  const records: DecodedRecord<Head>[] = [];
  for (let at = start; at < data.length;) {
    const lineEnd = data.indexOf(0x0a, at);
    if (lineEnd === -1) throw new Error('a record is cut short');
    const { bytes, ...head } = JSON.parse(data.toString('utf8', at, lineEnd)) as { bytes: number };
    const textEnd = lineEnd + 1 + bytes;
    if (!Number.isInteger(bytes) || data[textEnd] !== 0x0a)
      throw new Error('a record has another length than it states');
    records.push({
      head: head as Head,
      text: data.subarray(lineEnd + 1, textEnd),
      record: data.subarray(at, textEnd + 1),
    });
    at = textEnd + 1;
  }
  return records;
}

/** Throws (exit 3) where the bytes are not what was written. */
export function decodeNotes(data: Buffer, path: string): { patientId: string; notes: StoredNote[] } {
  try {
    const lineEnd = data.indexOf(0x0a);
    const head = JSON.parse(data.toString('utf8', 0, Math.max(0, lineEnd))) as FileHead;
    if (head.format !== NOTES_FORMAT) throw new Error(`format ${head.format}`);
    if (sha256Hex(data.subarray(lineEnd + 1)) !== head.sha256) throw new Error('another checksum');
    return { patientId: head.patientId, notes: decodeRecords<NoteHead>(data, lineEnd + 1) };
  } catch (error) {
    throw new ToolError(ExitCode.input, `${path} is damaged`, {
      hint: 'run clirag index with the same file again: it writes what is missing or damaged',
      cause: error,
    });
  }
}

/** All notes of the patient's folder, by date and time; undefined where there is none. Throws (exit 3) if damaged. */
export async function readPatientNotes(
  folder: string,
): Promise<{ patientId: string; notes: Note[] } | undefined> {
  const path = join(folder, NOTES_FILE);
  const data = await readIfThere(path);
  if (data === undefined) return undefined;
  const { patientId, notes } = decodeNotes(data, path);
  return { patientId, notes: notes.map(({ head, text }) => ({ ...head, text: text.toString('utf8') })) };
}

export async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
