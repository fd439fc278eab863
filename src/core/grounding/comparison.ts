/** A claim and its evidence → for each item of the claim its candidates in the source, the best fit of neighbourhoods first. */

import { contextAt, contextMatch, type Context, type Place } from './context.js';
import type { Evidence } from './evidence.js';
import type { Statement } from './statements.js';

/** What every check of one claim needs. */
export interface Comparison {
  readonly claim: Statement;
  readonly evidence: Evidence;
  /** The source's word for a claim's. */
  readonly rename: (term: string) => string;
  /** Of each statement of the evidence: the share of the claim's terms that it has. */
  readonly shares: readonly number[];
}

/** What a check found wrong, in plain words. */
export interface Finding {
  readonly verdict: 'contradicted' | 'not-found';
  readonly reason: string;
}

export interface Candidate<T> {
  readonly item: T;
  /** Index of its statement. */
  readonly statement: number;
  readonly score: number;
}

/** How much better a differing counterpart must fit than an agreeing one, as factor and addend. */
const RIVAL_FACTOR = 1.1;
const RIVAL_MARGIN = 0.06;
/** Least fit of a differing item for it to count as the counterpart where none agrees. */
export const MIN_RIVAL = 0.1;
/** What a statement counts that has none of the claim's other words. */
const STATEMENT_FLOOR = 0.3;

/** `pairs`: 1 where one pair is weighed against one, 2 where two pairs are against two. */
export function fitsClearlyBetter(
  rival: number,
  { own, pairs = 1 }: { own: number; pairs?: number },
): boolean {
  return rival > own * RIVAL_FACTOR + pairs * RIVAL_MARGIN;
}

/** `itemsOf` picks what can be the counterpart of `item` in a statement. */
export function rankCandidates<T extends Place>(
  comparison: Comparison,
  { item, itemsOf }: { item: Place; itemsOf: (statement: Statement) => readonly T[] },
): Candidate<T>[] {
  const own = contextAt(comparison.claim, { ...placeOf(item), rename: comparison.rename });
  return comparison.evidence.statements
    .flatMap((statement, index) =>
      itemsOf(statement).map((other) => ({
        item: other,
        statement: index,
        score: scoreOf(own, { comparison, statement: index, other }),
      })),
    )
    .sort((a, b) => b.score - a.score);
}

function placeOf({ start, end, place }: Place): Place {
  return { start, end, place };
}

/** Fit of two neighbourhoods, higher in statements that have more of the claim's words. */
function scoreOf(
  own: Context,
  { comparison, statement, other }: { comparison: Comparison; statement: number; other: Place },
): number {
  const source = comparison.evidence.statements[statement];
  if (source === undefined) return 0;
  return (
    contextMatch(own, contextAt(source, placeOf(other))) *
    (STATEMENT_FLOOR + (comparison.shares[statement] ?? 0))
  );
}
