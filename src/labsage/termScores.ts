/** A question's terms + the term table → how well each document and each section inside its document fits them. */

import type { QuestionTerm } from './question/questionTerms.js';
import type { TermTable } from './index/termTable.js';

/** All values 0 to about 1; positions are those of the index. */
export interface TermScores {
  /** Share of the question's weight that the document contains at all. */
  readonly documentCoverage: Float64Array;
  /** The same, each term weighed by how much of the document is about it: its share of the units, and the title. */
  readonly documentFocus: Float64Array;
  /**
   * BM25 of the unit with each term's weight lowered by how common it is inside its own document: a title's words stand in
   * every section and tell none of them apart.
   */
  readonly unit: Float64Array;
}

/** BM25 constants, chosen on the development questions (bench/retrieval). */
const K1 = 0.6;
const B = 0.3;
/** A term in a third of the units is what the document is about. */
const FOCUS_SHARE = 1 / 3;

export function scoreTerms(
  terms: readonly QuestionTerm[],
  table: TermTable,
  layout: { readonly documentOf: Uint32Array; readonly unitsOf: Uint32Array },
): TermScores {
  const { documentOf, unitsOf } = layout;
  const scores: TermScores = {
    documentCoverage: new Float64Array(table.documents),
    documentFocus: new Float64Array(table.documents),
    unit: new Float64Array(table.units),
  };
  const known = terms.filter(({ known: isKnown }) => isKnown);
  let documentWeight = 0;
  let unitWeight = 0;
  const meanLength = meanUnitLength(table);
  for (const term of known) {
    const { weight } = term;
    const inUnits = new Uint32Array(table.documents);
    const postings = postingsOf(term, table);
    const unitCount = postings.size;
    for (const unit of postings.keys()) {
      const document = documentOf[unit] ?? 0;
      inUnits[document] = (inUnits[document] ?? 0) + 1;
    }
    const idf = probabilisticIdf(unitCount, table.units);
    documentWeight += weight;
    unitWeight += idf;
    const inTitle = new Set(titlesOf(term, table));
    for (let document = 0; document < table.documents; document++) {
      const found = inUnits[document] ?? 0;
      const titled = inTitle.has(document);
      if (found === 0 && !titled) continue;
      const share = found / (unitsOf[document] ?? 1);
      add(scores.documentCoverage, document, weight);
      add(scores.documentFocus, document, weight * Math.min(1, share / FOCUS_SHARE + (titled ? 1 : 0)));
    }
    for (const [unit, occurrences] of postings) {
      const document = documentOf[unit] ?? 0;
      const units = unitsOf[document] ?? 1;
      const inside = probabilisticIdf(inUnits[document] ?? 0, units) / Math.log(1 + units);
      const length = 1 - B + (B * table.unitLength(unit)) / meanLength;
      const saturated = (occurrences * (K1 + 1)) / (occurrences + K1 * length);
      add(scores.unit, unit, idf * inside * saturated);
    }
  }
  scaleBy(scores.documentCoverage, documentWeight);
  scaleBy(scores.documentFocus, documentWeight);
  scaleBy(scores.unit, unitWeight);
  return scores;
}

/** Units that have the term or other words for it, with how often. */
function postingsOf({ term, also }: QuestionTerm, table: TermTable): Map<number, number> {
  const all = new Map<number, number>();
  for (const phrase of [[term], ...also]) {
    let found: Map<number, number> | undefined;
    for (const stem of phrase) {
      const units = new Map<number, number>();
      table.eachUnit(stem, (unit, occurrences) => {
        const least = found === undefined ? occurrences : Math.min(occurrences, found.get(unit) ?? 0);
        if (least > 0) units.set(unit, least);
      });
      found = units;
    }
    for (const [unit, occurrences] of found ?? []) all.set(unit, Math.max(occurrences, all.get(unit) ?? 0));
  }
  return all;
}

function titlesOf({ term, also }: QuestionTerm, table: TermTable): number[] {
  return [[term], ...also].flatMap((phrase) =>
    phrase
      .map((stem) => table.titlesWith(stem))
      .reduce((shared, titles) => shared.filter((title) => titles.includes(title))),
  );
}

function meanUnitLength(table: TermTable): number {
  let sum = 0;
  for (let unit = 0; unit < table.units; unit++) sum += table.unitLength(unit);
  return Math.max(1, sum / Math.max(1, table.units));
}

function probabilisticIdf(containing: number, all: number): number {
  return Math.log(1 + (all - containing + 0.5) / (containing + 0.5));
}

function add(values: Float64Array, at: number, amount: number): void {
  values[at] = (values[at] ?? 0) + amount;
}

function scaleBy(values: Float64Array, total: number): void {
  if (total === 0) return;
  for (let at = 0; at < values.length; at++) values[at] = (values[at] ?? 0) / total;
}
