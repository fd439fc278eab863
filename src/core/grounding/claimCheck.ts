/** One sentence and its evidence → whether the evidence says so, and if not, what differs. */

import { classMembers } from './facets.js';
import type { Comparison } from './comparison.js';
import { findMisquote, isVerbatim, renamer, type Evidence } from './evidence.js';
import { checkFacets } from './facetCheck.js';
import { checkConditions } from './conditionCheck.js';
import { checkHeads } from './headCheck.js';
import { checkLabel, checkOrder } from './orderCheck.js';
import { checkPolarities } from './polarityCheck.js';
import { compareQuantities } from './quantityComparison.js';
import { checkExchanges, checkQuantities } from './quantityCheck.js';
import { poleTerm, readStatement, supportTerms, type Statement } from './statements.js';

export interface ClaimCheck {
  readonly verdict: 'supported' | 'contradicted' | 'not-found';
  /** In plain words; empty when supported. */
  readonly reasons: readonly string[];
  /** 0 to 1: share of the claim's content words that the best statements cover. */
  readonly coverage: number;
  /** Position in the evidence of the statement that shares most with it; absent where a quotation decided. */
  readonly place?: number;
}

/**
 * Least share of a claim's content words that its source must have, by how many of the numbers, dates and names that the
 * claim gives stand in the source: a paraphrase keeps these and changes the words around them.
 */
const MIN_COVERAGE = [0.4, 0.35, 0.2] as const;
/** "worsening" or "high" is what a sentence states: it weighs more than the words for what it is stated of. */
const STATED_WEIGHT = 2;
/** Statements of the source that one sentence may put together. */
const MOST_STATEMENTS = 4;
/**
 * `isRenumbered`: the sentence stands in a list with numbers of its own, so that a step's number need not be the source's.
 */
export function checkClaim(sentence: string, evidence: Evidence, { isRenumbered = false } = {}): ClaimCheck {
  if (isVerbatim(sentence, evidence)) return { verdict: 'supported', reasons: [], coverage: 1 };
  const misquote = findMisquote(sentence, evidence);
  if (misquote !== undefined) {
    return {
      verdict: 'contradicted',
      reasons: [`says ${misquote.claim}, the source ${misquote.source}`],
      coverage: 1,
    };
  }
  const claim = readStatement(sentence);
  const rename = renamer(evidence);
  // A quantity that is missing is told by its own check.
  const terms = [...new Set(supportTerms(claim))].filter(
    (term) => !term.startsWith('#') || evidence.vocabulary.has(term),
  );
  const isCovered = coverer(claim, rename);
  const shares = evidence.supports.map((support) =>
    terms.length === 0 ? 1 : terms.filter((term) => isCovered(term, support)).length / terms.length,
  );
  const comparison: Comparison = { claim, evidence, rename, shares };
  const complements = new Set<number>();
  const { coverage, missing } = measureCoverage(terms, { claim, evidence, isCovered });
  const findings = [
    ...checkQuantities(comparison, complements),
    ...checkExchanges(comparison),
    ...checkFacets(comparison, complements),
    ...checkPolarities(comparison, complements),
    ...checkHeads(comparison),
    ...checkConditions(comparison),
    ...checkOrder(comparison),
    ...(isRenumbered ? [] : checkLabel(comparison)),
  ];
  const minimum = MIN_COVERAGE[Math.min(countAnchors(comparison), MIN_COVERAGE.length - 1)] ?? 0;
  if (coverage < minimum) {
    findings.push({
      verdict: 'not-found',
      reason: `the source does not speak of ${listWords(missing.map((term) => wordOf(claim, term)))}`,
    });
  }
  const isContradicted =
    coverage >= minimum && findings.some((finding) => finding.verdict === 'contradicted');
  const verdict = isContradicted ? 'contradicted' : findings.length > 0 ? 'not-found' : 'supported';
  return {
    verdict,
    reasons: [...new Set(findings.map(({ reason }) => reason))],
    coverage,
    place: shares.indexOf(Math.max(...shares)),
  };
}

/** Of the numbers, dates, codes and names that the claim gives: how many the source has. */
function countAnchors({ claim, evidence }: Comparison): number {
  const quantities = claim.quantities.filter((quantity) =>
    evidence.statements.some((statement) =>
      statement.quantities.some((other) => compareQuantities(quantity, other) === 'equal'),
    ),
  );
  const facets = claim.facets.filter(
    (facet) =>
      !facet.kind.startsWith('opposite') &&
      evidence.statements.some((statement) =>
        statement.facets.some(({ kind, value }) => kind === facet.kind && value === facet.value),
      ),
  );
  return 2 * quantities.length + facets.length;
}

type IsCovered = (term: string, support: ReadonlySet<string>) => boolean;

/** Whether a statement has a claim's term: the word, one of its stem, a drug of its class, another word for the same pole. */
function coverer(claim: Statement, rename: (term: string) => string): IsCovered {
  const poles = new Map<string, string[]>();
  for (const { term, start } of claim.terms) {
    const own = claim.facets.filter((facet) => facet.start === start && facet.kind.startsWith('opposite'));
    poles.set(term, [...(poles.get(term) ?? []), ...own.map(poleTerm)]);
  }
  return (term, support) =>
    support.has(rename(term)) ||
    [...classMembers(term), ...(poles.get(term) ?? [])].some((other) => support.has(other));
}

/** The few statements that together have most of the claim's words. */
function measureCoverage(
  terms: readonly string[],
  { claim, evidence, isCovered }: { claim: Statement; evidence: Evidence; isCovered: IsCovered },
): { coverage: number; missing: readonly string[] } {
  const opposed = claim.facets.filter(({ kind }) => kind.startsWith('opposite'));
  const stated = new Set(
    claim.terms.filter(({ start }) => opposed.some((facet) => facet.start === start)).map(({ term }) => term),
  );
  // With a quantity the sentence states that; the word only comments it.
  const statedWeight = claim.quantities.length === 0 ? STATED_WEIGHT : 1;
  let missing = [...terms];
  for (let taken = 0; taken < MOST_STATEMENTS && missing.length > 0; taken++) {
    let best = missing;
    for (const support of evidence.supports) {
      const left = missing.filter((term) => !isCovered(term, support));
      if (left.length < best.length) best = left;
    }
    if (best === missing) break;
    missing = best;
  }
  const weigh = (list: readonly string[]): number =>
    list.reduce((sum, term) => sum + (stated.has(term) ? statedWeight : 1), 0);
  return { coverage: terms.length === 0 ? 1 : 1 - weigh(missing) / weigh(terms), missing };
}

function wordOf(claim: Statement, term: string): string {
  return claim.terms.find((word) => word.term === term)?.text ?? term;
}

const MOST_LISTED = 4;

function listWords(words: readonly string[]): string {
  const shown = words.slice(0, MOST_LISTED).map((word) => `"${word}"`);
  return words.length > MOST_LISTED ? `${shown.join(', ')} and more` : shown.join(', ');
}
