/** What a document states about itself + today's date → whether it may be searched and what an answer must warn of. */

import type { DocumentControl } from '../../core/types.js';

/** The version in force: not superseded, withdrawn or a draft, and effective already. `today` is an ISO date. */
export function isSearchable(control: DocumentControl, today: string): boolean {
  return control.status === 'current' && !isNotYetEffective(control, today);
}

export function isNotYetEffective({ effective }: DocumentControl, today: string): boolean {
  return effective !== undefined && effective > today;
}

export function isReviewOverdue({ review }: DocumentControl, today: string): boolean {
  return review !== undefined && review < today;
}

/** One line for the status of a document, as a table shows it. */
export function describeStatus(control: DocumentControl, today: string): string {
  if (control.status !== 'current') return control.status;
  if (isNotYetEffective(control, today)) return `not effective before ${control.effective ?? ''}`;
  return isReviewOverdue(control, today) ? `review overdue since ${control.review ?? ''}` : 'current';
}

/** Documents that state one number and are all in force: which of them holds is for the owner to say. */
export interface SharedNumber {
  readonly number: string;
  readonly documents: readonly { readonly path: string; readonly version?: string }[];
}

export function sharedNumbers(
  documents: readonly { readonly path: string; readonly control: DocumentControl }[],
  today: string,
): SharedNumber[] {
  const byNumber = new Map<string, { number: string; documents: { path: string; version?: string }[] }>();
  for (const { path, control } of documents) {
    const { number, version } = control;
    if (number === undefined || !isSearchable(control, today)) continue;
    const key = number.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '');
    const shared = byNumber.get(key) ?? { number, documents: [] };
    shared.documents.push({ path, ...(version !== undefined && { version }) });
    byNumber.set(key, shared);
  }
  return [...byNumber.values()].filter((shared) => shared.documents.length > 1);
}

/** The local calendar day, ISO. */
export function localDate(now: Date): string {
  const two = (value: number): string => value.toString().padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
