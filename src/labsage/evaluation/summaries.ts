/** Measured series → means with intervals, paired comparisons with ours, means by kind of question, calibration. */

import {
  bootstrapMean,
  comparePaired,
  type MeanInterval,
  type PairedComparison,
  type ResamplingOptions,
} from '../../core/metrics/bootstrap.js';
import {
  brierScore,
  expectedCalibrationError,
  reliabilityBins,
  type Prediction,
  type ReliabilityBin,
} from '../../core/metrics/calibration.js';
import type { AskedCase } from './cases.js';
import { describeMetric, type MetricName } from './metricNames.js';
import type { Question } from './questions.js';
import type { QuestionSet } from './questionSet.js';
import type { Measured, QuestionGroup, Series } from './scoreSheet.js';
import type { SystemName } from './systemNames.js';

export interface Summary extends Measured, MeanInterval {
  readonly metric: MetricName;
  readonly group: QuestionGroup;
  readonly median: number;
}

/** `labsage` minus `against`, the same questions, embedder, generator, and k or words. */
export interface Comparison extends Omit<Measured, 'system'>, PairedComparison {
  readonly metric: MetricName;
  readonly against: SystemName;
}

export interface KindSummary {
  readonly kind: string;
  readonly count: number;
  readonly system: SystemName;
  readonly embedder: string;
  readonly generator?: string;
  readonly metric: MetricName;
  readonly mean: number;
}

export interface Calibration {
  readonly answered: number;
  readonly bins: readonly ReliabilityBin[];
  readonly expectedError: number;
  readonly brier: number;
}

export interface ResamplingPlan {
  readonly seed: number;
  /** Whether whole documents' questions are drawn, or single ones. */
  readonly clusters: 'document' | 'question';
}

/** Enough that the ends of an interval move by less than 0.003 from seed to seed. */
export const RESAMPLES = 4000;

/** With fewer documents an interval over whole documents says nothing. */
const LEAST_CLUSTERS = 10;

/** Questions about one document are not independent; an interval that treats them so would be too narrow. */
export function clusterBy({ answerable }: QuestionSet): ResamplingPlan['clusters'] {
  const documents = new Set(answerable.map(clusterOf));
  return documents.size >= LEAST_CLUSTERS ? 'document' : 'question';
}

function clusterOf({ evidence, id }: Question): string {
  return evidence[0]?.document ?? id;
}

export function summarize(
  series: readonly Series[],
  questions: QuestionSet,
  plan: ResamplingPlan,
): Summary[] {
  return series.flatMap((one) => {
    const { values, ...measured } = one;
    const interval = bootstrapMean(values, resampling(one.group, questions, plan));
    return interval === undefined ? [] : [{ ...measured, ...interval, median: medianOf(values) }];
  });
}

/** Of every series of another system that ours has too, times aside. */
export function compareWithOurs(
  series: readonly Series[],
  questions: QuestionSet,
  plan: ResamplingPlan,
): Comparison[] {
  const keyOf = ({ embedder, generator, k, words, metric }: Series): string =>
    JSON.stringify([embedder, generator, k, words, metric]);
  const ours = new Map(series.filter(({ system }) => system === 'labsage').map((one) => [keyOf(one), one]));
  return series.flatMap((other) => {
    const own = ours.get(keyOf(other));
    if (own === undefined || own === other || describeMetric(other.metric).of === 'time') return [];
    const compared = comparePaired(other.values, own.values, resampling(other.group, questions, plan));
    if (compared === undefined) return [];
    const { system: against, metric, embedder, generator, k, words } = other;
    return [
      {
        metric,
        against,
        embedder,
        ...(generator === undefined ? {} : { generator }),
        ...(k === undefined ? {} : { k }),
        ...(words === undefined ? {} : { words }),
        ...compared,
      },
    ];
  });
}

function resampling(
  group: QuestionGroup,
  questions: QuestionSet,
  { seed, clusters }: ResamplingPlan,
): ResamplingOptions {
  const byDocument = group === 'answerable' && clusters === 'document';
  return {
    seed,
    resamples: RESAMPLES,
    ...(byDocument ? { clusters: questions.answerable.map(clusterOf) } : {}),
  };
}

const KIND_METRICS: ReadonlySet<MetricName> = new Set([
  'context-recall',
  'section-recall',
  'answer-recall',
  'answer-complete',
  'false-refusals',
  'false-refusals-typo',
  'false-answers',
]);

/** At the one k at which answers are compared. */
export function summarizeKinds(
  series: readonly Series[],
  questions: QuestionSet,
  answerK: number,
): KindSummary[] {
  return series
    .filter(({ metric, k }) => KIND_METRICS.has(metric) && k === answerK)
    .flatMap(({ group, values, system, embedder, generator, metric }) => {
      const kinds = new Map<string, number[]>();
      questions[group].forEach(({ kind = 'none stated' }, at) => {
        const value = values[at];
        if (value !== undefined) kinds.set(kind, [...(kinds.get(kind) ?? []), value]);
      });
      return [...kinds].map(([kind, of]) => ({
        kind,
        count: of.length,
        system,
        embedder,
        ...(generator === undefined ? {} : { generator }),
        metric,
        mean: of.reduce((sum, value) => sum + value, 0) / of.length,
      }));
    });
}

/** Of the answers that state a confidence: right is an answer that contains the whole ground truth. */
export function calibrate(cases: readonly AskedCase[]): Calibration | undefined {
  const predictions: Prediction[] = cases.flatMap(({ group, answered, confidence, printed, statements }) =>
    group === 'lists' || answered !== true || confidence === undefined
      ? []
      : [{ confidence, correct: group === 'answerable' && printed === statements }],
  );
  const expectedError = expectedCalibrationError(predictions);
  const brier = brierScore(predictions);
  if (expectedError === undefined || brier === undefined) return undefined;
  return { answered: predictions.length, bins: reliabilityBins(predictions), expectedError, brier };
}

export function medianOf(values: readonly (number | undefined)[]): number {
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
}
