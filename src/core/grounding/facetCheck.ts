/** A claim's sides, drugs, named things and opposed words → those that the evidence has otherwise or not at all. */

import { findOtherOwner, isToldOf, isToldOfOwn, weighPlaces } from './binding.js';
import {
  fitsClearlyBetter,
  MIN_RIVAL,
  rankCandidates,
  type Candidate,
  type Comparison,
  type Finding,
} from './comparison.js';
import type { PlacedFacet } from './statements.js';

/** `complements`: statements whose limit the claim tells from its other side (accept from … on, reject below …). */
export function checkFacets(comparison: Comparison, complements: ReadonlySet<number>): Finding[] {
  const { claim } = comparison;
  return claim.facets.flatMap((facet): Finding[] => {
    const candidates = rankCandidates(comparison, {
      item: facet,
      itemsOf: (statement) => statement.facets.filter(({ kind }) => kind === facet.kind),
    });
    const equal = candidates.find(({ item }) => item.value === facet.value);
    if (equal !== undefined && facet.isDenied && facet.kind !== 'side') return [];
    const rival = candidates.find(
      ({ item, statement }) =>
        item.value !== facet.value &&
        !(facet.kind.startsWith('opposite') && complements.has(statement)) &&
        !claim.facets.some(
          (other) =>
            other !== facet && !other.isDenied && other.kind === facet.kind && other.value === item.value,
        ),
    );
    if (equal !== undefined) {
      const isBeaten = rival !== undefined && isBeatenBy(comparison, { facet, equal, rival });
      if (isBeaten) return [{ verdict: 'contradicted', reason: describeFacets(facet, rival.item) }];
      if (!OWNED.has(facet.kind)) return [];
      const places = candidates.filter(({ item }) => item.value === facet.value);
      const ofOther = findOtherOwner(comparison, { item: facet, places, isAlone: false });
      return ofOther === undefined ? [] : [ofOther];
    }
    if (isNamedOtherwise(facet, comparison)) return [];
    if (rival !== undefined && rival.score >= MIN_RIVAL)
      return [{ verdict: 'contradicted', reason: describeFacets(facet, rival.item) }];
    return facet.mustBeNamed || facet.kind === 'side'
      ? [{ verdict: 'not-found', reason: `the source does not name ${facet.text}` }]
      : [];
  });
}

/** What is done with a drug or told of a value: of another it says nothing. */
const OWNED = new Set(['start', 'hold', 'continue', 'sign'].map((name) => `opposite ${name}`));

/** Whether the claim's other words are those of the place where the source has another name. */
function isBeatenBy(
  comparison: Comparison,
  {
    facet,
    equal,
    rival,
  }: { facet: PlacedFacet; equal: Candidate<PlacedFacet>; rival: Candidate<PlacedFacet> },
): boolean {
  const isAlone = !comparison.claim.facets.some(
    ({ kind, start }) => kind === facet.kind && start !== facet.start,
  );
  const told = weighPlaces(comparison, { item: facet, own: equal, rival, isAlone });
  if (isToldOfOwn(told)) return false;
  if (isToldOf(told) && !facet.kind.startsWith('opposite')) return true;
  return fitsClearlyBetter(rival.score, { own: equal.score });
}

/** A code written with other separators, a drug that the source has as an ordinary word. */
function isNamedOtherwise(facet: PlacedFacet, { claim, evidence }: Comparison): boolean {
  if (facet.kind === 'code')
    return (
      evidence.plain.some((text) => text.replace(/[\s-]/gu, '').includes(facet.value.toLowerCase())) &&
      !/^\p{L}\d+$/u.test(facet.value)
    );
  if (facet.kind.startsWith('opposite')) {
    const own = claim.terms.find(({ start }) => start === facet.start)?.term;
    // Denied there: the check of negations is its check.
    return evidence.statements.some(({ terms }) =>
      terms.some(({ term, polarity }) => term === own && polarity.denied !== 'no'),
    );
  }
  return facet.kind === 'drug' && evidence.vocabulary.has(facet.value);
}

function describeFacets(claim: PlacedFacet, source: PlacedFacet): string {
  return `says ${claim.text}, the source ${source.text}`;
}
