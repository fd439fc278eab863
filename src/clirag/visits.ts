/** A patient's notes → visits, the visit that a user means, and the notes that are evidence for it (design.md, Time). */

import { ExitCode, ToolError } from '../core/errors.js';
import type { Note, Visit } from '../core/types.js';
import { compareIds } from './store/compareIds.js';
import { nearestIds } from './store/nearestIds.js';
import { parseTime } from './notes.js';

/** One visit for each charted date, in order: the paper's visit, and the default. */
export function listVisits(notes: readonly Note[]): Visit[] {
  const byDate = groupBy(notes, ({ date }) => date);
  return [...byDate]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([date, own], at) => {
      const admissions = new Set(
        own.flatMap(({ admissionId }) => (admissionId === undefined ? [] : [admissionId])),
      );
      const [admissionId] = admissions;
      return {
        id: `${own[0]?.patientId ?? ''}/${date}`,
        patientId: own[0]?.patientId ?? '',
        date,
        lastDate: date,
        // Said only where it is one.
        ...(admissionId !== undefined && admissions.size === 1 ? { admissionId } : {}),
        ordinal: at + 1,
        noteIds: own.map(({ id }) => id),
      };
    });
}

/** One visit for each admission id, in the order of first charted days; notes without one are in none. */
export function listAdmissions(notes: readonly Note[]): Visit[] {
  const admitted = notes.filter(({ admissionId }) => admissionId !== undefined);
  return [...groupBy(admitted, ({ admissionId }) => admissionId ?? '')]
    .map(([admissionId, own]) => {
      const dates = own.map(({ date }) => date).sort();
      return { admissionId, own, first: dates[0] ?? '', last: dates.at(-1) ?? '' };
    })
    .sort((a, b) =>
      a.first < b.first ? -1 : a.first > b.first ? 1 : compareIds(a.admissionId, b.admissionId),
    )
    .map(({ admissionId, own, first, last }, at) => ({
      id: `${own[0]?.patientId ?? ''}/${admissionId}`,
      patientId: own[0]?.patientId ?? '',
      date: first,
      lastDate: last,
      admissionId,
      ordinal: at + 1,
      noteIds: own.map(({ id }) => id),
    }));
}

/** What a user may write for a visit: a date (also its beginning), `#N`, or an admission id. */
export type VisitReference =
  | { readonly kind: 'date'; readonly date: string }
  | { readonly kind: 'ordinal'; readonly ordinal: number }
  | { readonly kind: 'admission'; readonly admissionId: string };

/** Throws (exit 2) for `#0` and the like. */
export function parseVisitReference(text: string): VisitReference {
  const reference = text.trim();
  if (/^\d{4}-(?:\d{2}(?:-\d{2})?)?$/u.test(reference)) return { kind: 'date', date: reference };
  if (!reference.startsWith('#')) return { kind: 'admission', admissionId: reference };
  const ordinal = Number(reference.slice(1));
  if (Number.isInteger(ordinal) && ordinal > 0) return { kind: 'ordinal', ordinal };
  throw new ToolError(ExitCode.usage, `${reference} names no visit`, {
    hint: 'the first visit is #1, the last is listed by: clirag visits',
  });
}

/** The one visit that is meant. Throws: none (exit 3, the nearest suggested), several (exit 2, with the candidates). */
export function findVisit(notes: readonly Note[], reference: string): Visit {
  const visits = listVisits(notes);
  const meant = parseVisitReference(reference);
  const patient = notes[0]?.patientId ?? '';
  const missing = (near: readonly string[]): ToolError => {
    const hint = near.length === 0 ? '' : `the nearest are ${near.join(', ')}; `;
    return new ToolError(ExitCode.input, `patient ${patient} has no visit ${reference}`, {
      hint: `${hint}list them with: clirag visits --patient ${patient}`,
    });
  };
  if (meant.kind === 'ordinal') {
    const visit = visits[meant.ordinal - 1];
    if (visit === undefined)
      throw missing(visits.slice(-1).map(({ ordinal, date }) => `#${ordinal} (${date}), the last`));
    return visit;
  }
  if (meant.kind === 'date') {
    const found = visits.filter(({ date }) => date.startsWith(meant.date));
    if (found.length > 1)
      throw ambiguous(
        reference,
        found.map(({ date, ordinal }) => `${date} (#${ordinal})`),
      );
    if (found[0] === undefined)
      throw missing(
        nearestDates(
          meant.date,
          visits.map(({ date }) => date),
        ),
      );
    return found[0];
  }
  const admissions = listAdmissions(notes);
  const admission = admissions.find(({ admissionId }) => admissionId === meant.admissionId);
  if (admission !== undefined) return admission;
  throw missing(
    nearestIds(
      meant.admissionId,
      admissions.map(({ admissionId }) => admissionId ?? ''),
    ),
  );
}

export function ambiguous(reference: string, candidates: readonly string[]): ToolError {
  return new ToolError(ExitCode.usage, `${reference} is ambiguous: it may be ${candidates.join(', ')}`, {
    hint: 'name one of them',
  });
}

function nearestDates(wanted: string, dates: readonly string[]): string[] {
  const day = (date: string): number =>
    Date.parse(`${date.padEnd(7, '01').padEnd(8, '-').padEnd(10, '01')}T00:00:00Z`);
  return [...dates]
    .sort((a, b) => Math.abs(day(a) - day(wanted)) - Math.abs(day(b) - day(wanted)))
    .slice(0, 3);
}

export interface EvidenceOptions {
  /** `YYYY-MM-DD HH:MM:SS`; default the end of the visit's last date. */
  readonly asOf?: string;
  /** Also the progress notes of other services. */
  readonly withProgressNotes?: boolean;
}

/** Why a note of the visit is no evidence for it. */
export type ExclusionReason =
  'progress note' | 'charted later' | 'stored later' | 'discharge summary of the day';

export interface Evidence {
  /** `YYYY-MM-DD HH:MM:SS`. */
  readonly asOf: string;
  readonly notes: readonly Note[];
  readonly excluded: readonly { readonly noteId: string; readonly reason: ExclusionReason }[];
}

/** What was charted and stored for the visit by a time. Notes of other dates come in only through the prior summary. */
export function selectEvidence(
  notes: readonly Note[],
  visit: Visit,
  options: EvidenceOptions = {},
): Evidence {
  const asOf = options.asOf ?? `${visit.lastDate} 23:59:59`;
  const own = new Set(visit.noteIds);
  const evidence: Note[] = [];
  const excluded: { noteId: string; reason: ExclusionReason }[] = [];
  for (const note of notes) {
    if (!own.has(note.id)) continue;
    const reason = exclusionOf(note, { asOf, withProgressNotes: options.withProgressNotes === true });
    if (reason === undefined) evidence.push(note);
    else excluded.push({ noteId: note.id, reason });
  }
  return { asOf, notes: evidence, excluded };
}

function exclusionOf(
  note: Note,
  options: { asOf: string; withProgressNotes: boolean },
): ExclusionReason | undefined {
  if (note.type === 'progress_notes' && !options.withProgressNotes) return 'progress note';
  if (
    note.type === 'discharge_summary' &&
    note.time === undefined &&
    note.date >= options.asOf.slice(0, 10)
  ) {
    return 'discharge summary of the day';
  }
  if (chartedAt(note) > options.asOf) return 'charted later';
  return note.stored !== undefined && note.stored > options.asOf ? 'stored later' : undefined;
}

/** A note without a time was charted when it was stored, if that was on its date; else nobody knows, so by the day's end. */
function chartedAt({ date, time, stored }: Note): string {
  if (time !== undefined) return `${date} ${time}`;
  return stored?.startsWith(date) === true ? stored : `${date} 23:59:59`;
}

/** `2154-03-02`, `2154-03-02 12:00` or with a T. A date alone means its end. Throws (exit 2) for what is no time. */
export function parseAsOf(text: string): string {
  const time = parseTime(text.trim());
  if (time === undefined) {
    throw new ToolError(ExitCode.usage, `--as-of ${text} is no time`, {
      hint: 'write it as 2154-03-02 or "2154-03-02 14:30"',
    });
  }
  return `${time.date} ${time.time ?? '23:59:59'}`;
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
