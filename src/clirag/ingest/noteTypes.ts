/** CATEGORY and DESCRIPTION as charted → one of the fifteen note types, or progress_notes: a table. */

import type { NoteType } from '../../core/types.js';

/** MIMIC-III's CATEGORY values and MIMIC-IV-Note's `note_type` codes, in lower case with single blanks. */
const TYPE_OF_CATEGORY: Readonly<Record<string, NoteType>> = {
  'case management': 'case_management',
  consult: 'consult',
  'discharge summary': 'discharge_summary',
  ecg: 'ecg',
  echo: 'echo',
  general: 'general',
  nursing: 'nursing',
  'nursing/other': 'nursing_other',
  nutrition: 'nutrition',
  pharmacy: 'pharmacy',
  physician: 'physician',
  radiology: 'radiology',
  'rehab services': 'rehab_services',
  respiratory: 'respiratory',
  'social work': 'social_work',
  ds: 'discharge_summary',
  ad: 'discharge_summary',
  rr: 'radiology',
  ar: 'radiology',
  // Other systems' names for the same.
  'progress note': 'progress_notes',
  'progress notes': 'progress_notes',
  'consultation note': 'consult',
  'nursing other': 'nursing_other',
  ekg: 'ecg',
  rehab: 'rehab_services',
};

/** note_type codes of MIMIC-IV-Note that mark an addendum. */
const ADDENDUM_CATEGORIES = new Set(['ad', 'ar']);

const PROGRESS_NOTE = /\bprogress\s+notes?\b/iu;

export interface TypedNote {
  readonly type: NoteType;
  /** False where the category is in no table and the note is filed as general. */
  readonly isKnown: boolean;
  readonly isAddendum: boolean;
}

/** A "Progress Note" is one only by a physician: a "Nursing Progress Note" stays nursing. */
export function noteTypeOf(category: string, description = ''): TypedNote {
  const key = category
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/gu, ' ');
  const type = TYPE_OF_CATEGORY[key];
  return {
    type: type === 'physician' && PROGRESS_NOTE.test(description) ? 'progress_notes' : (type ?? 'general'),
    isKnown: type !== undefined,
    isAddendum: ADDENDUM_CATEGORIES.has(key) || /^\s*addendum\b/iu.test(description),
  };
}

/** Every type, in alphabetical order. */
export const NOTE_TYPES: readonly NoteType[] = [...new Set(Object.values(TYPE_OF_CATEGORY))].sort();
