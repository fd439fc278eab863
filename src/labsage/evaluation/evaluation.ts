/** Measurements + a run's description → the record that is printed, written as JSON and drawn as a page. */

import type { AskedCase } from './cases.js';
import type { GateResult } from './gates.js';
import type { JudgeCounts } from '../../core/judging.js';
import type { Measurements } from './evaluate.js';
import type { QuestionSet } from './questionSet.js';
import type { RunManifest } from './runManifest.js';
import {
  calibrate,
  compareWithOurs,
  summarize,
  summarizeKinds,
  type Calibration,
  type Comparison,
  type KindSummary,
  type ResamplingPlan,
  type Summary,
} from './summaries.js';

/** JSON-safe. */
export interface Evaluation {
  readonly manifest: RunManifest;
  readonly answerK: number;
  readonly intervals: ResamplingPlan;
  readonly summaries: readonly Summary[];
  readonly comparisons: readonly Comparison[];
  readonly kinds: readonly KindSummary[];
  readonly calibration: Calibration | null;
  /** What could not be had; never a score of 0. */
  readonly failed: {
    readonly judgements: JudgeCounts;
    /** Replies by generator. */
    readonly answers: Readonly<Record<string, number>>;
  };
  readonly cases: readonly AskedCase[];
  readonly gates: readonly GateResult[];
}

export function assembleEvaluation(parts: {
  manifest: RunManifest;
  measurements: Measurements;
  questions: QuestionSet;
  intervals: ResamplingPlan;
  judgements: JudgeCounts;
}): Evaluation {
  const { manifest, measurements, questions, intervals } = parts;
  const { series, cases, answerK, failedAnswers } = measurements;
  return {
    manifest,
    answerK,
    intervals,
    summaries: summarize(series, questions, intervals),
    comparisons: compareWithOurs(series, questions, intervals),
    kinds: summarizeKinds(series, questions, answerK),
    calibration: calibrate(cases) ?? null,
    failed: { judgements: parts.judgements, answers: failedAnswers },
    cases,
    gates: [],
  };
}

/** The summary of a metric at a place, or undefined where it was not measured. */
export function findSummary(
  { summaries }: Pick<Evaluation, 'summaries'>,
  place: Partial<Omit<Summary, 'mean' | 'low' | 'high'>>,
): Summary | undefined {
  const wanted = Object.entries(place) as [keyof Summary, unknown][];
  return summaries.find((summary) => wanted.every(([name, value]) => summary[name] === value));
}
