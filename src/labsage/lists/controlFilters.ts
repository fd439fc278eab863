/** What a document states about itself + what is asked of it → whether it is in the list. */

import { ExitCode, ToolError } from '../../core/errors.js';
import type { DocumentControl } from '../../core/types.js';
import { readDate } from '../documents/dates.js';
import { isNotYetEffective, isReviewOverdue, isSearchable } from '../documents/documentControl.js';
import type { IndexedDocument } from '../index/indexFormat.js';
import { foldCase } from './lineTokens.js';
import { isInFolder, matchesDocument } from '../retrieve.js';
import type { ListedStatus } from './listedStatuses.js';

export const CONTROL_FIELDS = ['number', 'version', 'effective', 'review', 'owner', 'approvedBy'] as const;
export type ControlField = (typeof CONTROL_FIELDS)[number];

/** All that are given must hold. Dates are ISO; a document that states no such date is not in the list. */
export interface ControlFilters {
  readonly statuses?: readonly ListedStatus[];
  /** Words that the owner's entry contains. */
  readonly owner?: string;
  readonly approvedBy?: string;
  /** On this day or later. */
  readonly effectiveFrom?: string;
  /** Earlier than this day. */
  readonly effectiveBefore?: string;
  readonly reviewFrom?: string;
  readonly reviewBefore?: string;
  /** Which the document does not state. */
  readonly missing?: ControlField;
  readonly folders?: readonly string[];
  /** Numbers, ids or paths. */
  readonly documents?: readonly string[];
  /** Versions that are not in force too. */
  readonly allVersions?: boolean;
}

/** `today` is an ISO date. */
export function matchesFilters(document: IndexedDocument, filters: ControlFilters, today: string): boolean {
  const { control, path } = document;
  const { statuses, folders } = filters;
  const isInScope =
    statuses === undefined
      ? filters.allVersions === true || isSearchable(control, today)
      : statuses.some((status) => hasStatus(control, status, today));
  return (
    isInScope &&
    contains(control.owner, filters.owner) &&
    contains(control.approvedBy, filters.approvedBy) &&
    isWithin(control.effective, { from: filters.effectiveFrom, before: filters.effectiveBefore }) &&
    isWithin(control.review, { from: filters.reviewFrom, before: filters.reviewBefore }) &&
    (filters.missing === undefined || control[filters.missing] === undefined) &&
    (folders === undefined || folders.some((folder) => isInFolder(path, folder))) &&
    matchesDocument(document, filters.documents)
  );
}

export function hasStatus(control: DocumentControl, status: ListedStatus, today: string): boolean {
  switch (status) {
    case 'overdue':
      return isSearchable(control, today) && isReviewOverdue(control, today);
    case 'not-yet-effective':
      return control.status === 'current' && isNotYetEffective(control, today);
    case 'current':
      return isSearchable(control, today);
    case 'superseded':
    case 'withdrawn':
    case 'draft':
      return control.status === status;
  }
}

/** A day from the command line, ISO. Throws (exit 2) for what is no day, or may be two. */
export function parseDay(text: string, option: string): string {
  const date = readDate(text, 'unknown');
  if (date !== undefined && 'iso' in date) return date.iso;
  throw new ToolError(
    ExitCode.usage,
    `${option} ${text}: ${date === undefined ? 'no date' : 'day and month cannot be told apart'}`,
    { hint: 'write it as YYYY-MM-DD' },
  );
}

/** All words, in any order: `Lindqvist Hannah` finds `Hannah Lindqvist, MLS(ASCP)`. */
function contains(entry: string | undefined, words: string | undefined): boolean {
  if (words === undefined) return true;
  const known = foldCase(entry ?? '');
  return foldCase(words)
    .split(' ')
    .every((word) => known.includes(word));
}

function isWithin(
  date: string | undefined,
  { from, before }: { from: string | undefined; before: string | undefined },
): boolean {
  if (from === undefined && before === undefined) return true;
  return (
    date !== undefined && (from === undefined || date >= from) && (before === undefined || date < before)
  );
}
