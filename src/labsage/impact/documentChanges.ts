/** Two sets of documents → which were changed, added and removed, each with its control data and sections that differ. */

import type { Document, DocumentControl } from '../../core/types.js';
import { compareSections, type SectionChange } from './sectionChanges.js';
import { compareText } from '../documents/sopFiles.js';

export interface ControlChange {
  readonly field: keyof DocumentControl;
  readonly before?: string;
  readonly after?: string;
}

export interface DocumentChange {
  readonly kind: 'changed' | 'added' | 'removed';
  readonly before?: Document;
  readonly after?: Document;
  readonly control: readonly ControlChange[];
  readonly sections: readonly SectionChange[];
  /** The version that both state though their texts differ: a fault of document control. */
  readonly sameVersion?: string;
}

/** By path of the new (or removed) document. Documents without any difference are not in it. */
export function compareDocuments(old: readonly Document[], current: readonly Document[]): DocumentChange[] {
  const partners = pairDocuments(old, current);
  const paired = new Set(partners.values());
  const changes: DocumentChange[] = [];
  for (const after of current) {
    const before = partners.get(after);
    if (before === undefined) changes.push({ kind: 'added', after, control: [], sections: [] });
    else {
      const control = compareControl(before.control, after.control);
      const sections = compareSections(before, after);
      if (control.length + sections.length > 0)
        changes.push({
          kind: 'changed',
          before,
          after,
          control,
          sections,
          ...sameVersion(after, { control, sections }),
        });
    }
  }
  for (const before of old) {
    if (!paired.has(before)) changes.push({ kind: 'removed', before, control: [], sections: [] });
  }
  const pathOf = ({ before, after }: DocumentChange): string => after?.path ?? before?.path ?? '';
  return changes.sort((a, b) => compareText(pathOf(a), pathOf(b)));
}

/** New document → old one: by path, else by number, else by title; one of each is a pair whatever it is called. */
function pairDocuments(old: readonly Document[], current: readonly Document[]): Map<Document, Document> {
  const partners = new Map<Document, Document>();
  const [onlyOld, onlyCurrent] = [old[0], current[0]];
  if (old.length === 1 && current.length === 1 && onlyOld !== undefined && onlyCurrent !== undefined)
    return new Map([[onlyCurrent, onlyOld]]);
  const free = new Set(old);
  const keys: readonly ((document: Document) => string | undefined)[] = [
    ({ path }) => path.toLowerCase(),
    ({ control }) => control.number?.toLowerCase(),
    ({ title }) => title.toLowerCase(),
  ];
  for (const keyOf of keys) {
    for (const after of current) {
      const key = keyOf(after);
      if (partners.has(after) || key === undefined) continue;
      const before = [...free].find((document) => keyOf(document) === key);
      if (before === undefined) continue;
      partners.set(after, before);
      free.delete(before);
    }
  }
  return partners;
}

function sameVersion(
  { control: { version } }: Document,
  change: Pick<DocumentChange, 'control' | 'sections'>,
): Pick<DocumentChange, 'sameVersion'> {
  const isSame = change.sections.length > 0 && change.control.every(({ field }) => field !== 'version');
  return isSame && version !== undefined ? { sameVersion: version } : {};
}

function compareControl(before: DocumentControl, after: DocumentControl): ControlChange[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof DocumentControl)[];
  return fields
    .filter((field) => before[field] !== after[field])
    .map((field) => ({
      field,
      ...(before[field] === undefined ? {} : { before: before[field] }),
      ...(after[field] === undefined ? {} : { after: after[field] }),
    }));
}
