/** All notes of one patient → the same with each addendum linked to the note that it adds to. */

import { compareIds } from '../store/compareIds.js';
import type { NoteHead } from '../notes.js';

/** What linking needs to know of a note's words: an addendum may name the time of its parent. */
export type HeadWithOpening = NoteHead & { readonly opening?: string };

/**
 * The parent is a note of the same category group, before the addendum, on its date or in its admission; the latest one,
 * unless the addendum's first words name a time (`ADDENDUM to my 17:50 note`). Where there is none, none is linked.
 */
export function linkAddenda<Head extends HeadWithOpening>(notes: readonly Head[]): Head[] {
  const sorted = [...notes].sort(compareNotes);
  return sorted.map((note, at) => {
    if (note.isAddendum !== true) return note;
    const { parentId: _former, ...rest } = note;
    const unlinked = rest as unknown as Head;
    const candidates = sorted.filter(
      (other, before) =>
        other.isAddendum !== true &&
        isOfOneKind(other, note) &&
        isNear(other, note) &&
        (before < at || isUntimed(other, note)),
    );
    const named = /\b(\d{1,2}):?(\d{2})\b/u.exec(note.opening ?? '');
    const clock = named === null ? undefined : `${(named[1] ?? '').padStart(2, '0')}:${named[2] ?? ''}`;
    const parent =
      candidates.find(
        ({ date, time }) => clock !== undefined && date === note.date && time?.startsWith(clock) === true,
      ) ?? candidates.at(-1);
    return parent === undefined ? unlinked : { ...unlinked, parentId: parent.id };
  });
}

/** By date, then by time; a note without a time comes after those of its date; then by id, figures by size. */
export function compareNotes(a: NoteHead, b: NoteHead): number {
  return compareText(a.date, b.date) || compareText(a.time ?? '~', b.time ?? '~') || compareIds(a.id, b.id);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Progress notes and other notes of physicians are one kind, so are both kinds of nursing notes. */
function isOfOneKind(a: NoteHead, b: NoteHead): boolean {
  return kindOf(a) === kindOf(b);
}

function kindOf({ type }: NoteHead): string {
  if (type === 'progress_notes') return 'physician';
  return type === 'nursing_other' ? 'nursing' : type;
}

function isNear(a: NoteHead, b: NoteHead): boolean {
  return a.date === b.date || (a.admissionId !== undefined && a.admissionId === b.admissionId);
}

/** Of two notes of one date of which one has no time, either may be the earlier. */
function isUntimed(a: NoteHead, b: NoteHead): boolean {
  return a.date === b.date && (a.time === undefined || b.time === undefined);
}
