/** The neighbourhood of a word or quantity → weights of the terms around it, by which claim and source are paired. */

import { quantityTerm } from './quantities.js';
import type { Statement } from './statements.js';
import type { Span } from '../types.js';

/** A word or quantity of a statement. */
export interface Place extends Span {
  readonly place: number;
}

/** term → 1 / (1 + distance in content words). */
export type Context = ReadonlyMap<string, number>;

const FARTHEST = 14;
/** "removed" or "high" may be said of everything: it tells less than the name of what it is said of. */
const PREDICATE_SHARE = 0.75;
const HEADING_WEIGHT = 0.12;

/** What stands around the item, itself left out; terms are renamed by `rename` (the source's word for a claim's). */
export function contextAt(
  statement: Statement,
  { start, end, place, rename = (term) => term }: Place & { rename?: (term: string) => string },
): Context {
  const context = new Map<string, number>();
  const predicates = new Set(
    statement.facets.filter(({ kind }) => kind.startsWith('opposite')).map((facet) => facet.start),
  );
  const add = (term: string, at: number, share = 1): void => {
    const distance = Math.abs(at - place);
    if (distance > FARTHEST) return;
    const weight = share / (1 + distance);
    const name = rename(term);
    if (weight > (context.get(name) ?? 0)) context.set(name, weight);
  };
  const isOther = (span: Span): boolean => span.end <= start || end <= span.start;
  for (const term of statement.terms) {
    if (term.isContent && isOther(term))
      add(term.term, term.place, predicates.has(term.start) ? PREDICATE_SHARE : 1);
  }
  for (const quantity of statement.quantities)
    if (isOther(quantity)) add(quantityTerm(quantity), quantity.place);
  for (const facet of statement.facets)
    if (facet.kind === 'code' && isOther(facet)) add(facet.value, facet.place);
  for (const term of statement.heading) if (!context.has(term)) context.set(term, HEADING_WEIGHT);
  return context;
}

/** 1 for equal neighbourhoods, 0 where nothing is shared; relative to what the claim's side could reach. */
export function contextMatch(claim: Context, source: Context): number {
  let shared = 0;
  let own = 0;
  for (const [term, weight] of claim) {
    own += weight * weight;
    shared += weight * Math.min(source.get(term) ?? 0, 2 * weight);
  }
  return own === 0 ? 0 : shared / own;
}
