/** The headings of a document, each with the family that its form belongs to, in; their levels, 1 and deeper, out. */

import type { Label } from './labels.js';
import type { ReaderEntry } from './readerEntries.js';
import { isClosingName, isSectionName } from './sectionNames.js';

/** How a heading shows itself. Families nest in each other; members of one family are siblings. */
export type Family = 'given' | 'roman' | 'letter' | 'decimal' | 'capitals' | 'underlined' | 'colon' | 'bold';

export interface Candidate {
  readonly family: Family;
  /** Decimal: how many numbers its label has. Given: its rank. Underlined: 1 for `=`, 2 for `-`. Bold: 1 for the largest type. */
  readonly depth: number;
  readonly label?: Label;
  /** The words after the label. */
  readonly name: string;
  /** Height of its type in points, where that is larger than the type of what follows. */
  readonly size?: number;
  /** Its form alone is enough; if false, it must also head something and not sit in a run of its like. */
  readonly sure: boolean;
}

/** Index of an entry → its heading level, 1 and deeper. */
export type HeadingLevels = ReadonlyMap<number, number>;

export function levelsOf(
  found: ReadonlyMap<number, Candidate>,
  entries: readonly ReaderEntry[],
): HeadingLevels {
  const candidates = rankedBySize(found, entries);
  const levels = new Map<number, number>();
  const order = familyOrder(candidates);
  const rootLevel = new Map(order.map((family, index) => [family, index + 1]));
  const hasDepthOne = [...candidates.values()].some(
    (candidate) => candidate.family === 'decimal' && candidate.depth === 1,
  );
  // Ranks on the way down from the root to the heading before this one.
  const open: OpenHeading[] = [];
  for (const [index, candidate] of candidates) {
    const rank = rankOf(candidate, { open, rootLevel, hasDepthOne });
    while (open.length > 0 && (open.at(-1)?.rank ?? 0) >= rank) open.pop();
    open.push({ rank, family: candidate.family, ...(candidate.size && { size: candidate.size }) });
    levels.set(index, open.length);
  }
  return levels;
}

/** The families that majors are of, outermost first: those that are not only ever found inside another. */
function familyOrder(candidates: ReadonlyMap<number, Candidate>): Family[] {
  const order: Family[] = [];
  const counts = new Map<Family, number>();
  for (const { family } of candidates.values()) counts.set(family, (counts.get(family) ?? 0) + 1);
  for (const candidate of candidates.values()) {
    const { family, name } = candidate;
    if (family === 'colon' || family === 'bold' || order.includes(family)) continue;
    if (
      family === 'capitals' &&
      (counts.get('capitals') ?? 0) < 2 &&
      order.length === 0 &&
      candidates.size > 1 &&
      !isSectionName(name)
    )
      continue;
    if (family === 'underlined' || family === 'given') order.unshift(family);
    else order.push(family);
  }
  return order;
}

const RANK_STEP = 10;

interface OpenHeading {
  readonly rank: number;
  readonly family: Family;
  readonly size?: number;
}

interface Ranking {
  readonly open: readonly OpenHeading[];
  readonly rootLevel: ReadonlyMap<Family, number>;
  readonly hasDepthOne: boolean;
}

/** A number that is smaller the farther out a heading stands; only its order counts. */
function rankOf(candidate: Candidate, { open, rootLevel, hasDepthOne }: Ranking): number {
  const enclosing = (families: readonly Family[]): number =>
    open.findLast((heading) => !families.includes(heading.family))?.rank ?? 0;
  const root = (rootLevel.get(candidate.family) ?? 1) * RANK_STEP;
  switch (candidate.family) {
    case 'given':
      // Numbers say more than ranks where an author left all headings at one rank.
      return RANK_STEP + candidate.depth;
    case 'underlined':
      return candidate.label?.kind === 'decimal'
        ? RANK_STEP + candidate.label.numbers.length
        : RANK_STEP + candidate.depth;
    case 'decimal':
      return rootLevel.get('given') === 1
        ? enclosing(['decimal', 'letter', 'colon', 'bold']) + 0.001 * candidate.depth
        : root + (hasDepthOne ? candidate.depth : candidate.depth - 1);
    case 'roman':
      return root;
    case 'letter':
      return rootLevel.get('letter') === 1 ? root : enclosing(['letter', 'colon', 'bold']) + 0.01;
    case 'capitals':
      if (rootLevel.get('capitals') === 1 || open.length === 0) return RANK_STEP;
      if (isClosingName(candidate.name)) return open[0]?.rank ?? RANK_STEP;
      return enclosing(['capitals', 'colon', 'bold', 'letter']) + 0.005;
    case 'bold': {
      const { size } = candidate;
      // What is set in no larger type does not enclose it.
      const around = open.findLast(
        (heading) =>
          heading.family !== 'colon' &&
          heading.family !== 'bold' &&
          !(size !== undefined && heading.size !== undefined && heading.size < size + SAME_SIZE),
      );
      return (around?.rank ?? 0) + 0.05 + 0.0001 * candidate.depth;
    }
    case 'colon':
      return enclosing(['colon']) + 0.1;
  }
}

/** Sizes of type that differ by less are one, in points. */
export const SAME_SIZE = 0.75;

/** Headings that only bold or larger type shows: the larger the type, the farther out. */
function rankedBySize(
  candidates: ReadonlyMap<number, Candidate>,
  entries: readonly ReaderEntry[],
): Map<number, Candidate> {
  const sizeOf = (index: number): number => entries[index]?.size ?? 0;
  const bold = [...candidates].filter(([, { family }]) => family === 'bold').map(([index]) => index);
  const depths = new Map<number, number>();
  let depth = 0;
  let last = Infinity;
  for (const size of bold.map(sizeOf).sort((a, b) => b - a)) {
    if (last - size >= SAME_SIZE) {
      depth += 1;
      last = size;
    }
    depths.set(size, depth);
  }
  return new Map(
    [...candidates].map(([index, candidate]) => [
      index,
      candidate.family === 'bold' ? { ...candidate, depth: depths.get(sizeOf(index)) ?? 1 } : candidate,
    ]),
  );
}
