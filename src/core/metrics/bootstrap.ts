/**
 * Scores by question → a confidence interval of their mean, and whether two systems' means differ by more than chance.
 *
 * Deterministic: the same scores, options and seed give the same figures. What is missing on a side is left out and
 * counted. With `clusters` (a patient's visits, a document's questions), whole clusters are drawn or swapped, because
 * scores inside one are not independent and would make the interval too narrow.
 * B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 13 and 15.
 */

import { seededRandom } from './random.js';

export interface ResamplingOptions {
  /** Default 10,000. */
  readonly resamples?: number;
  /** Coverage of the interval, in (0, 1); default 0.95. */
  readonly confidence?: number;
  /** A whole number; default 1. */
  readonly seed?: number;
  /** For each score, the cluster that it belongs to; by default each stands alone. */
  readonly clusters?: readonly string[];
}

/** Percentile interval of a mean; with one score or cluster, an interval of no width. */
export interface MeanInterval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** Scores that were there. */
  readonly count: number;
  readonly missing: number;
}

export interface PairedComparison extends MeanInterval {
  /** Two-sided; the chance of a mean difference this large if the two systems' labels meant nothing. In (0, 1]. */
  readonly p: number;
}

/** The addends of a mean that are drawn together. */
interface Cluster {
  readonly sum: number;
  readonly count: number;
}

type Score = number | undefined;

/** Undefined where no score is there. */
export function bootstrapMean(
  scores: readonly Score[],
  options: ResamplingOptions = {},
): MeanInterval | undefined {
  const clusters = toClusters(scores, options.clusters);
  if (clusters.length === 0) return undefined;
  const { resamples = 10_000, confidence = 0.95, seed = 1 } = options;
  checkOptions(resamples, confidence);
  const sums = Float64Array.from(clusters, (cluster) => cluster.sum);
  const counts = Float64Array.from(clusters, (cluster) => cluster.count);
  const random = seededRandom(seed);
  const means = new Float64Array(resamples);
  for (let resample = 0; resample < resamples; resample++) {
    let drawnSum = 0;
    let drawnCount = 0;
    for (let draw = 0; draw < sums.length; draw++) {
      const drawn = Math.floor(random() * sums.length);
      drawnSum += sums[drawn]!;
      drawnCount += counts[drawn]!;
    }
    means[resample] = drawnSum / drawnCount;
  }
  means.sort();
  const tail = (1 - confidence) / 2;
  const count = total(counts);
  return {
    mean: total(sums) / count,
    low: quantile(means, tail),
    high: quantile(means, 1 - tail),
    count,
    missing: scores.length - count,
  };
}

/**
 * `after` minus `before`, question by question (same order and length): mean difference with its bootstrap interval,
 * and the p of a paired permutation test, exact where all 2^n swaps are no more than `resamples`. Questions that
 * either system lacks are left out. Undefined where no pair is complete.
 */
export function comparePaired(
  before: readonly Score[],
  after: readonly Score[],
  options: ResamplingOptions = {},
): PairedComparison | undefined {
  if (before.length !== after.length) {
    throw new RangeError(
      `a paired comparison needs two lists of one length, not ${before.length} and ${after.length}`,
    );
  }
  const differences = before.map((score, at) => {
    const other = after[at];
    return score === undefined || other === undefined ? undefined : other - score;
  });
  const interval = bootstrapMean(differences, options);
  if (interval === undefined) return undefined;
  return { ...interval, p: permutationP(toClusters(differences, options.clusters), options) };
}

/** Swapping the two systems in a cluster turns its difference's sign; those without a difference cannot matter. */
function permutationP(
  clusters: readonly Cluster[],
  { resamples = 10_000, seed = 1 }: ResamplingOptions,
): number {
  const sums = clusters.map((cluster) => cluster.sum).filter((sum) => sum !== 0);
  // A permuted sum that is mathematically equal may differ in its last bits.
  const observed = Math.abs(total(sums)) - 1e-12 * total(sums.map(Math.abs));
  if (2 ** sums.length <= resamples) {
    let labellings = [0];
    for (const value of sums) labellings = labellings.flatMap((sum) => [sum + value, sum - value]);
    return labellings.filter((sum) => Math.abs(sum) >= observed).length / labellings.length;
  }
  const random = seededRandom(seed);
  let extreme = 0;
  for (let resample = 0; resample < resamples; resample++) {
    let sum = 0;
    for (const value of sums) sum += random() < 0.5 ? -value : value;
    if (Math.abs(sum) >= observed) extreme++;
  }
  // The observed labelling is one of the permutations, so p is never 0 (Phipson and Smyth, 2010).
  return (extreme + 1) / (resamples + 1);
}

function toClusters(scores: readonly Score[], names: readonly string[] | undefined): Cluster[] {
  if (names !== undefined && names.length !== scores.length) {
    throw new RangeError(`${scores.length} scores with ${names.length} cluster names`);
  }
  const clusters = new Map<string | number, Cluster>();
  for (const [at, score] of scores.entries()) {
    if (score === undefined) continue;
    if (!Number.isFinite(score)) throw new RangeError(`score ${at + 1} is ${score}`);
    const key = names?.[at] ?? at;
    const { sum, count } = clusters.get(key) ?? { sum: 0, count: 0 };
    clusters.set(key, { sum: sum + score, count: count + 1 });
  }
  return [...clusters.values()];
}

/** Linear between neighbours (R's type 7, numpy's default). */
function quantile(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1);
  const below = sorted[Math.floor(at)] ?? NaN;
  const above = sorted[Math.ceil(at)] ?? NaN;
  return below + (at - Math.floor(at)) * (above - below);
}

function total(values: readonly number[] | Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

function checkOptions(resamples: number, confidence: number): void {
  if (!Number.isInteger(resamples) || resamples < 1)
    throw new RangeError(`resamples must be ≥ 1, not ${resamples}`);
  if (!(confidence > 0 && confidence < 1))
    throw new RangeError(`confidence must be in (0, 1), not ${confidence}`);
}
