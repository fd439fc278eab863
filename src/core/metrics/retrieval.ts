/**
 * A ranking of ids and graded judgements → recall, precision, reciprocal rank, nDCG and average precision.
 *
 * The values are those of ir_measures 0.4.3 (trec_eval): an id is relevant if its grade is above 0, unjudged ids are
 * not, and a question without relevant ids scores 0. An id that comes again keeps its rank and earns nothing (ψ may
 * lead several search units to one context unit), so that every value stays in [0, 1].
 */

/** Ids that were judged, with their grades (≥ 0). */
export type Grades = ReadonlyMap<string, number>;

export interface Cutoff {
  /** Only the first k ranks count; a whole number ≥ 1. */
  readonly k: number;
}

/** Relevant ids in the first k, per relevant id. */
export function recallAtK(ranking: readonly string[], grades: Grades, { k }: Cutoff): number {
  const hits = hitRanks(ranking, grades, { k }).length;
  return hits === 0 ? 0 : hits / countRelevant(grades);
}

/** Relevant ids in the first k, per k, also where the ranking is shorter. */
export function precisionAtK(ranking: readonly string[], grades: Grades, { k }: Cutoff): number {
  return hitRanks(ranking, grades, { k }).length / k;
}

/** 1 / rank of the first relevant id, 0 without one; its mean over questions is MRR. */
export function reciprocalRank(
  ranking: readonly string[],
  grades: Grades,
  options: Partial<Cutoff> = {},
): number {
  const [first] = hitRanks(ranking, grades, options);
  return first === undefined ? 0 : 1 / first;
}

/** The precision at each relevant id's rank, summed and divided by the number of relevant ids; its mean is MAP. */
export function averagePrecision(
  ranking: readonly string[],
  grades: Grades,
  options: Partial<Cutoff> = {},
): number {
  const ranks = hitRanks(ranking, grades, options);
  if (ranks.length === 0) return 0;
  return ranks.reduce((sum, rank, at) => sum + (at + 1) / rank, 0) / countRelevant(grades);
}

/** Gain is the grade itself, discount log2(rank + 1), the ideal is the best order of all judged ids (Järvelin, 2002). */
export function ndcgAtK(ranking: readonly string[], grades: Grades, { k }: Cutoff): number {
  const ranks = hitRanks(ranking, grades, { k });
  if (ranks.length === 0) return 0;
  const gain = ranks.reduce((sum, rank) => sum + gradeOf(ranking[rank - 1], grades) / discount(rank), 0);
  const ideal = [...grades.values()]
    .filter((grade) => grade > 0)
    .sort((a, b) => b - a)
    .slice(0, k)
    .reduce((sum, grade, at) => sum + grade / discount(at + 1), 0);
  // Equal sums can differ in their last bit.
  return Math.min(1, gain / ideal);
}

/** 1-based ranks up to k of relevant ids, each id's first place only. */
function hitRanks(ranking: readonly string[], grades: Grades, { k = Infinity }: Partial<Cutoff>): number[] {
  if (k !== Infinity && (!Number.isInteger(k) || k < 1))
    throw new RangeError(`k must be a whole number ≥ 1, not ${k}`);
  const seen = new Set<string>();
  const ranks: number[] = [];
  for (const [at, id] of ranking.slice(0, k).entries()) {
    if (!seen.has(id) && gradeOf(id, grades) > 0) ranks.push(at + 1);
    seen.add(id);
  }
  return ranks;
}

function gradeOf(id: string | undefined, grades: Grades): number {
  return id === undefined ? 0 : (grades.get(id) ?? 0);
}

function countRelevant(grades: Grades): number {
  return [...grades.values()].filter((grade) => grade > 0).length;
}

function discount(rank: number): number {
  return Math.log2(rank + 1);
}
