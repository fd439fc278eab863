/** The notes that a spill holds for one shard → each patient's notes file, merged with what it held, written if it changed. */

import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ToolError, systemCode } from '../../core/errors.js';
import type { NoteType } from '../../core/types.js';
import { linkAddenda, type HeadWithOpening } from './addenda.js';
import type { NoteHead } from '../notes.js';
import {
  NOTES_FILE,
  decodeNotes,
  encodeNotes,
  type DecodedRecord,
  type StoredNote,
} from '../store/patientNotes.js';
import type { SpillHead } from './spill.js';
import { patientFolder, type PatientEntry } from '../store/storeLayout.js';

/** Of an addendum's first words. */
const OPENING_BYTES = 80;

type SpillRecord = DecodedRecord<SpillHead>;

export interface ShardResult {
  /** Of every patient of the shard that the spill has notes of; `undefined` where no note is left. */
  readonly entries: readonly (readonly [id: string, entry: PatientEntry | undefined])[];
  /** Notes that were new or had another text before, and those whose id came twice in the file. */
  readonly changed: number;
  readonly repeated: number;
}

/** Synchronous: it runs in a thread of its own, beside others. */
export function publishShard(store: string, records: readonly SpillRecord[]): ShardResult {
  const byPatient = new Map<string, SpillRecord[]>();
  for (const record of records) {
    const list = byPatient.get(record.head.patientId);
    if (list === undefined) byPatient.set(record.head.patientId, [record]);
    else list.push(record);
  }
  const results = [...byPatient].map(([patientId, own]) => publishPatient(store, patientId, own));
  return {
    entries: results.map(({ id, entry }) => [id, entry] as const),
    changed: results.reduce((sum, { changed }) => sum + changed, 0),
    repeated: results.reduce((sum, { repeated }) => sum + repeated, 0),
  };
}

interface PatientResult {
  readonly id: string;
  readonly entry: PatientEntry | undefined;
  readonly changed: number;
  readonly repeated: number;
}

function publishPatient(store: string, patientId: string, records: readonly SpillRecord[]): PatientResult {
  const folder = patientFolder(store, patientId);
  const path = join(folder, NOTES_FILE);
  const before = existsSync(path) ? readFileSync(path) : undefined;
  const notes = new Map<string, StoredNote>();
  for (const note of before === undefined ? [] : readOrReplace(before, path)) notes.set(note.head.id, note);
  const seen = new Set<string>();
  let changed = 0;
  let repeated = 0;
  for (const { head, text, record } of records) {
    if ('erroneous' in head) {
      if (notes.delete(head.erroneous)) changed++;
      continue;
    }
    if (seen.has(head.id)) repeated++;
    seen.add(head.id);
    const stored = notes.get(head.id);
    if (stored?.text.equals(text) !== true || !isSameHead(stored.head, head)) changed++;
    notes.set(head.id, { head, text, record });
  }
  if (notes.size === 0) return { id: patientId, entry: undefined, changed, repeated };
  const linked = linkNotes([...notes.values()]);
  const data = encodeNotes(patientId, linked);
  if (before?.equals(data) !== true) {
    createPatientFolder(folder);
    writeNotesFile(path, data);
  }
  return { id: patientId, entry: entryOf(patientId, linked, data.length), changed, repeated };
}

/** A damaged file is written anew from the source, which is at hand. */
function readOrReplace(data: Buffer, path: string): StoredNote[] {
  try {
    return decodeNotes(data, path).notes;
  } catch (error) {
    if (error instanceof ToolError) return [];
    throw error;
  }
}

function isSameHead(a: NoteHead, b: NoteHead): boolean {
  const plain = ({ parentId: _parent, ...head }: NoteHead): string => JSON.stringify(head);
  return plain(a) === plain(b);
}

/** In order, with their parents; a note without one keeps its record as it is. */
function linkNotes(notes: readonly StoredNote[]): StoredNote[] {
  const noteOf = new Map(notes.map((note) => [note.head.id, note]));
  const heads = notes.map(({ head, text }) =>
    head.isAddendum === true ? { ...head, opening: text.toString('utf8', 0, OPENING_BYTES) } : head,
  );
  return linkAddenda<HeadWithOpening>(heads).map((linked) => {
    const note = noteOf.get(linked.id);
    if (note === undefined) throw new Error(`note ${linked.id} was lost`);
    if (note.head.parentId === linked.parentId) return note;
    const { opening: _opening, ...head } = linked;
    return { head, text: note.text };
  });
}

function entryOf(id: string, notes: readonly StoredNote[], bytes: number): PatientEntry {
  const types: Partial<Record<NoteType, number>> = {};
  for (const { head } of notes) types[head.type] = (types[head.type] ?? 0) + 1;
  const dates = new Set(notes.map(({ head }) => head.date));
  const sorted = [...dates].sort();
  return {
    id,
    notes: notes.length,
    dates: dates.size,
    first: sorted[0] ?? '',
    last: sorted.at(-1) ?? '',
    types,
    admissions: [
      ...new Set(notes.flatMap(({ head }) => (head.admissionId === undefined ? [] : [head.admissionId]))),
    ],
    bytes,
  };
}

/** As `writeFileAtomic`, but not flushed to the disk: that is done once for all files, before the store is published. */
function writeNotesFile(path: string, data: Buffer): void {
  const temporary = join(dirname(path), `.notes.${process.pid}.tmp`);
  try {
    const file = openSync(temporary, 'w', 0o600);
    try {
      for (let at = 0; at < data.length;) at += writeSync(file, data, at);
    } finally {
      closeSync(file);
    }
    renameWithRetry(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Waits between attempts to rename over a file that another program has open. */
const RENAME_RETRY_MS = [10, 50, 200, 800, 2000];

function renameWithRetry(from: string, to: string): void {
  for (const waitMs of RENAME_RETRY_MS) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if (!['EPERM', 'EBUSY', 'EACCES'].includes(systemCode(error) ?? '')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs);
    }
  }
  renameSync(from, to);
}

/** One call for a folder whose parent is there, which after the first patients of a shard is always so. */
function createPatientFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return;
    if (systemCode(error) !== 'ENOENT') throw error;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
}
