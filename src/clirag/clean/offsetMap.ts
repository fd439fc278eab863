/** Edits on a text → the new text and a map that leads every span of it back to the text before; maps compose. */

import type { Span } from '../../core/types.js';

/** Replaces `[start, end)` of the text before by `text`; empty `text` deletes, an empty range inserts. */
export interface Edit extends Span {
  readonly text: string;
}

/** `[toStart, toEnd)` of the new text stands for `[fromStart, fromEnd)` of the old; all between is verbatim. */
export interface Change {
  readonly fromStart: number;
  readonly fromEnd: number;
  readonly toStart: number;
  readonly toEnd: number;
}

/** Sorted and disjoint on both sides, except that spans made by composing may share a hull. */
export type OffsetMap = readonly Change[];

export const IDENTITY: OffsetMap = [];

/** `edits` must be sorted and disjoint; those that change nothing are dropped. */
export function applyEdits(text: string, edits: readonly Edit[]): { text: string; map: OffsetMap } {
  const parts: string[] = [];
  const map: Change[] = [];
  let from = 0;
  let to = 0;
  for (const edit of edits) {
    if (edit.start < from || edit.end < edit.start)
      throw new Error(`edit at ${edit.start} overlaps the one before`);
    if (text.startsWith(edit.text, edit.start) && edit.text.length === edit.end - edit.start) continue;
    to += edit.start - from;
    parts.push(text.slice(from, edit.start), edit.text);
    map.push({ fromStart: edit.start, fromEnd: edit.end, toStart: to, toEnd: to + edit.text.length });
    to += edit.text.length;
    from = edit.end;
  }
  if (map.length === 0) return { text, map: IDENTITY };
  parts.push(text.slice(from));
  return { text: parts.join(''), map };
}

/** Edits in any order → sorted and disjoint ones: of two that overlap the one that begins first stays, then the longer. */
export function sortDisjoint(edits: readonly Edit[]): Edit[] {
  const sorted = [...edits].sort((a, b) => a.start - b.start || b.end - a.end);
  let end = 0;
  return sorted.filter((edit) => {
    if (edit.start < end) return false;
    end = edit.end;
    return true;
  });
}

/** `a` leads from text 1 to text 2, `b` from text 2 to text 3: the result from text 1 to text 3. */
export function composeMaps(a: OffsetMap, b: OffsetMap): OffsetMap {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const composed: Change[] = [];
  // How far text 1 is ahead of text 2, and text 3 of text 2, in what is verbatim right after the last change.
  let shiftA = 0;
  let shiftB = 0;
  let atA = 0;
  let atB = 0;
  while (atA < a.length || atB < b.length) {
    // A cluster: changes of both maps that overlap in text 2, taken as one change.
    const seedA = a[atA];
    const seedB = b[atB];
    let start: number;
    let end: number;
    let fromStart: number;
    let toStart: number;
    if (seedA !== undefined && (seedB === undefined || comesFirst(seedA, seedB))) {
      ({ toStart: start, toEnd: end } = seedA);
      [fromStart, toStart] = [start + shiftA, start + shiftB];
      shiftA = seedA.fromEnd - end;
      atA++;
    } else if (seedB !== undefined) {
      ({ fromStart: start, fromEnd: end } = seedB);
      [fromStart, toStart] = [start + shiftA, start + shiftB];
      shiftB = seedB.toEnd - end;
      atB++;
    } else break;
    for (;;) {
      const nextA = a[atA];
      const nextB = b[atB];
      if (nextA !== undefined && isInside(nextA.toStart, { start, end })) {
        shiftA = nextA.fromEnd - nextA.toEnd;
        end = Math.max(end, nextA.toEnd);
        atA++;
      } else if (nextB !== undefined && isInside(nextB.fromStart, { start, end })) {
        shiftB = nextB.toEnd - nextB.fromEnd;
        end = Math.max(end, nextB.fromEnd);
        atB++;
      } else break;
    }
    composed.push({ fromStart, fromEnd: end + shiftA, toStart, toEnd: end + shiftB });
  }
  return composed;
}

/** What was deleted before a place comes before what a later step changes there. */
function comesFirst(a: Change, b: Change): boolean {
  if (a.toStart !== b.fromStart) return a.toStart < b.fromStart;
  return a.toEnd === a.toStart || b.fromEnd > b.fromStart;
}

/** A change that starts where the cluster ends only touches it. */
function isInside(at: number, cluster: Span): boolean {
  return at < cluster.end && at >= cluster.start;
}

/** Where the characters of `span` (in the new text) stood in the old text: from the first one's start to the last one's end. */
export function spanBefore(map: OffsetMap, span: Span): Span {
  const start = startBefore(map, span.start);
  return { start, end: span.end > span.start ? Math.max(start, endBefore(map, span.end)) : start };
}

/** The other way: where the characters of `span` (in the old text) stand in the new text; deleted ones are an empty span. */
export function spanAfter(map: OffsetMap, span: Span): Span {
  return spanBefore(invertMap(map), span);
}

export function invertMap(map: OffsetMap): OffsetMap {
  return map.map(({ fromStart, fromEnd, toStart, toEnd }) => ({
    fromStart: toStart,
    fromEnd: toEnd,
    toStart: fromStart,
    toEnd: fromEnd,
  }));
}

function startBefore(map: OffsetMap, at: number): number {
  const change = map[lastIndex(map, (candidate) => candidate.toStart <= at)];
  if (change === undefined) return at;
  return at < change.toEnd ? change.fromStart : at - change.toEnd + change.fromEnd;
}

function endBefore(map: OffsetMap, end: number): number {
  const change = map[lastIndex(map, (candidate) => candidate.toStart < end)];
  if (change === undefined) return end;
  return end <= change.toEnd ? change.fromEnd : end - change.toEnd + change.fromEnd;
}

/** Index of the last change for which `holds`, which must hold for a prefix of the map; -1 for none. */
function lastIndex(map: OffsetMap, holds: (change: Change) => boolean): number {
  let low = 0;
  let high = map.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const change = map[middle];
    if (change !== undefined && holds(change)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
