/** What a question asks of control data + an index → filters, and the segments that are no names of owners or approvers. */

import type { ControlFilters } from './controlFilters.js';
import type { CorpusQuestion } from './corpusQuestion.js';
import type { Segment } from './corpusTerms.js';
import type { RetrieveOptions } from '../retrieve.js';
import type { SopIndex } from '../sopIndex.js';

/** Every folder on the way to a document. */
export function folderNames(index: SopIndex): string[] {
  const folders = index.documents.flatMap(({ path }) => path.split('/').slice(0, -1));
  return [...new Set(folders)].filter((name) => name.length > 2);
}

/** `today`: the ISO day that the question means; the command's own filters on folders and documents hold too. */
export function readFilters(
  { control, segments }: CorpusQuestion,
  { index, today, options }: { index: SopIndex; today: string; options: RetrieveOptions },
): { filters: ControlFilters; segments: readonly Segment[] } {
  const { by } = control;
  const named = by === undefined ? undefined : takeName(segments, index, by);
  const folders = control.folders?.flatMap((name) => pathsOfFolder(index, name)) ?? options.filters?.folders;
  const reviewBefore = control.overdue === true ? today : control.reviewBefore;
  const { documents } = options.filters ?? {};
  return {
    filters: {
      ...(control.statuses === undefined ? {} : { statuses: control.statuses }),
      ...(control.allVersions === true ? { allVersions: true } : {}),
      ...(by === undefined || named === undefined ? {} : { [by]: named.name }),
      ...(control.effectiveFrom === undefined ? {} : { effectiveFrom: control.effectiveFrom }),
      ...(control.effectiveBefore === undefined ? {} : { effectiveBefore: control.effectiveBefore }),
      ...(control.reviewFrom === undefined ? {} : { reviewFrom: control.reviewFrom }),
      ...(control.missing === undefined ? {} : { missing: control.missing }),
      ...(reviewBefore === undefined ? {} : { reviewBefore }),
      ...(folders === undefined ? {} : { folders }),
      ...(documents === undefined ? {} : { documents }),
    },
    segments: named?.rest ?? segments,
  };
}

function pathsOfFolder(index: SopIndex, name: string): string[] {
  const paths = index.documents.flatMap(({ path }) => {
    const parts = path.split('/').slice(0, -1);
    const at = parts.indexOf(name);
    return at === -1 ? [] : [parts.slice(0, at + 1).join('/')];
  });
  return [...new Set(paths)];
}

/** The words that an owner's (approver's) entry of some document has; if none has any, the first segment is the name. */
function takeName(
  segments: readonly Segment[],
  index: SopIndex,
  by: 'owner' | 'approvedBy',
): { name: string; rest: readonly Segment[] } | undefined {
  const known = new Set(
    index.documents.flatMap(
      ({ control }) => (control[by] ?? '').toLowerCase().match(/[\p{L}\p{M}]{2,}/gu) ?? [],
    ),
  );
  const isKnown = (word: string): boolean => known.has(word.toLowerCase());
  const named = segments.filter(({ words }) => words.every(isKnown));
  const taken = named.length > 0 ? named : segments.slice(0, 1);
  if (taken.length === 0) return undefined;
  return {
    name: taken.flatMap(({ words }) => words).join(' '),
    rest: segments.filter((segment) => !taken.includes(segment)),
  };
}
