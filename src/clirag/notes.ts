/** Rows of a source → notes, and a count of what was dropped or rejected, by reason and with row numbers. */

import type { Note } from '../core/types.js';
import type { SourceRow } from './ingest/noteSources.js';
import { noteTypeOf, type TypedNote } from './ingest/noteTypes.js';

/** Why a row became no note; `marked erroneous` is the chart's own doing, all others are faults of the file. */
export type RejectReason =
  | NonNullable<SourceRow['problem']>
  | 'marked erroneous'
  | 'no note id'
  | 'no patient id'
  | 'no date'
  | 'date that is none'
  | 'no text'
  | 'binary text';

export interface NoteCounts {
  readonly rows: number;
  readonly notes: number;
  readonly rejected: Readonly<
    Partial<Record<RejectReason, { readonly count: number; readonly rows: readonly number[] }>>
  >;
  /** Categories that are in no table, filed as general, with their number of notes. */
  readonly unknownCategories: Readonly<Record<string, number>>;
  /** Rows that were no UTF-8 and were read as windows-1252. */
  readonly foreignRows: number;
}

/** Row numbers that are kept by reason; the rest is only counted. */
const MAX_ROWS_KEPT = 20;
/** Different unknown categories that are kept. */
const MAX_CATEGORIES_KEPT = 50;

/** All of a note but its words. */
export type NoteHead = Omit<Note, 'text'>;

/** A row that became a note, was rejected, or tells that a note (which an earlier run may have stored) was erroneous. */
export type ReadNote =
  | { readonly note: NoteHead; readonly text: Buffer; readonly unknownCategory?: string }
  | {
      readonly reason: RejectReason;
      readonly erroneous?: { readonly id: string; readonly patientId: string };
    };

/**
 * A reader of rows. Addenda are marked here, and linked to their parents when all notes of the patient are together.
 * It remembers the types of the categories that it saw, which are few.
 */
export function createNoteReader(): (row: SourceRow) => ReadNote {
  const types = new Map<string, TypedNote>();
  return ({ values, text, problem }) => {
    if (problem !== undefined) return { reason: problem };
    const id = (values.id ?? '').trim();
    const patientId = (values.patient ?? '').trim();
    if (id === '') return { reason: 'no note id' };
    if (patientId === '') return { reason: 'no patient id' };
    const error = values.error ?? '';
    if (error !== '' && /^\s*(?:1|1\.0|true|t|y|yes)\s*$/iu.test(error)) {
      return { reason: 'marked erroneous', erroneous: { id, patientId } };
    }
    const when = readWhen(values);
    if (typeof when === 'string') return { reason: when };
    const first = firstVisible(text);
    if (first === -1) return { reason: 'no text' };
    if (isBinary(text)) return { reason: 'binary text' };
    const { category = '', description = '' } = values;
    const key = `${category}\n${description}`;
    let typed = types.get(key);
    if (typed === undefined) {
      typed = noteTypeOf(category, description);
      if (types.size < MAX_TYPES_KEPT) types.set(key, typed);
    }
    const { type, isKnown } = typed;
    const admissionId = trimId(values.admission);
    const author = trimId(values.author);
    const isAddendum = typed.isAddendum || ADDENDUM.test(text.toString('latin1', first, first + 10));
    const note: Mutable<NoteHead> = {
      id,
      patientId,
      visitId: `${patientId}/${when.date}`,
      date: when.date,
      type,
    };
    if (admissionId !== undefined) note.admissionId = admissionId;
    // A discharge summary has a date; MIMIC-IV writes midnight.
    if (when.time !== undefined && !(type === 'discharge_summary' && when.time === '00:00:00'))
      note.time = when.time;
    if (when.stored !== undefined) note.stored = when.stored;
    if (description.trim() !== '') note.description = description.trim();
    if (author !== undefined) note.author = author;
    if (isAddendum) note.isAddendum = true;
    return isKnown ? { note, text } : { note, text, unknownCategory: category.trim() };
  };
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

const MAX_TYPES_KEPT = 5000;
const ADDENDUM = /^addendum\b/iu;

/** Exported tables turn ids with gaps into floating-point numbers: `150001.0`. */
function trimId(value: string | undefined): string | undefined {
  const id = (value ?? '').trim();
  if (id === '') return undefined;
  return id.endsWith('.0') ? id.slice(0, -2) : id;
}

interface When {
  readonly date: string;
  readonly time?: string;
  readonly stored?: string;
}

function readWhen(values: SourceRow['values']): When | 'no date' | 'date that is none' {
  const chartedDate = (values.date ?? '').trim();
  const chartedTime = (values.time ?? '').trim();
  const storedTime = (values.stored ?? '').trim();
  // Our own JSON has the time of day alone.
  const isClock = chartedTime[2] === ':';
  const time =
    chartedTime === ''
      ? undefined
      : parseTime(isClock ? `${chartedDate.slice(0, 10)} ${chartedTime}` : chartedTime);
  const date = chartedDate === '' ? undefined : parseTime(chartedDate);
  const stored = storedTime === '' ? undefined : parseTime(storedTime);
  const isWrong =
    (chartedTime !== '' && time === undefined) ||
    (chartedDate !== '' && date === undefined) ||
    (storedTime !== '' && stored === undefined);
  if (isWrong) return 'date that is none';
  const day = time?.date ?? date?.date;
  if (day === undefined) return 'no date';
  const when: Mutable<When> = { date: day };
  if (time?.time !== undefined) when.time = time.time;
  if (stored !== undefined) when.stored = `${stored.date} ${stored.time ?? '00:00:00'}`;
  return when;
}

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/u;

/** `2154-03-02` or `2154-03-02 08:15:00` (or with a T), if there is such a day and time; zones are ignored: times are local. */
export function parseTime(text: string): { readonly date: string; readonly time?: string } | undefined {
  if (!TIMESTAMP.test(text)) return undefined;
  if (!isDate(Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10))))
    return undefined;
  const date = text.slice(0, 10);
  if (text.length === 10) return { date };
  const seconds = text[16] === ':' ? text.slice(17, 19) : '00';
  if (Number(text.slice(11, 13)) > 23 || Number(text.slice(14, 16)) > 59 || Number(seconds) > 59)
    return undefined;
  return { date, time: `${text.slice(11, 16)}:${seconds}` };
}

function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return day <= (month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31);
}

/** Offset of the first byte that is more than a blank or a control character; -1 where there is none. */
function firstVisible(text: Buffer): number {
  for (let at = 0; at < text.length; at++) if ((text[at] ?? 0) > 0x20) return at;
  return -1;
}

const HEAD_BYTES = 300;

/** NUL bytes, or more than a tenth of control characters at the beginning. */
function isBinary(text: Buffer): boolean {
  if (text.includes(0)) return true;
  const end = Math.min(text.length, HEAD_BYTES);
  let odd = 0;
  for (let at = 0; at < end; at++) {
    const byte = text[at] ?? 0;
    if (byte < 0x09 || (byte > 0x0d && byte < 0x20) || byte === 0x7f) odd++;
  }
  return odd > 3 && odd > end / 10;
}

export interface NoteCounter {
  add(row: SourceRow, read: ReadNote): void;
  counts(): NoteCounts;
}

/** `before`: counts of an interrupted run. */
export function createNoteCounter(before?: NoteCounts): NoteCounter {
  let { rows = 0, notes = 0, foreignRows = 0 } = before ?? {};
  const rejected = new Map(
    Object.entries(before?.rejected ?? {}).map(([reason, { count, rows: kept }]) => [
      reason,
      { count, rows: [...kept] },
    ]),
  );
  const unknown = new Map(Object.entries(before?.unknownCategories ?? {}));
  return {
    add(row, read) {
      rows++;
      if (row.isForeign) foreignRows++;
      if ('note' in read) {
        notes++;
        if (read.unknownCategory === undefined) return;
        const isKept = unknown.has(read.unknownCategory) || unknown.size < MAX_CATEGORIES_KEPT;
        // A category is a word or two; what is not is no name to repeat.
        const name =
          isKept && /^[\p{L}][\p{L} /&-]{0,39}$/u.test(read.unknownCategory) ? read.unknownCategory : 'other';
        unknown.set(name, (unknown.get(name) ?? 0) + 1);
        return;
      }
      const entry = rejected.get(read.reason) ?? { count: 0, rows: [] };
      entry.count++;
      if (entry.rows.length < MAX_ROWS_KEPT) entry.rows.push(row.row);
      rejected.set(read.reason, entry);
    },
    counts: () => ({
      rows,
      notes,
      rejected: Object.fromEntries(rejected),
      unknownCategories: Object.fromEntries(unknown),
      foreignRows,
    }),
  };
}
