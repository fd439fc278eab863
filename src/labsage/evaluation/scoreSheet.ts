/** Scores as they come, question by question → series of equal length that can be averaged and compared in pairs. */

import type { MetricName } from './metricNames.js';
import type { Scores } from './questionScores.js';
import type { SystemName } from './systemNames.js';

/** The questions that a series runs over. */
export type QuestionGroup = 'answerable' | 'unanswerable' | 'lists';

/** What was measured and where. */
export interface Measured {
  readonly embedder: string;
  readonly system: SystemName;
  /** Of answers; absent where only retrieval is measured. */
  readonly generator?: string;
  /** Contexts read. */
  readonly k?: number;
  /** Words of context, instead of `k`. */
  readonly words?: number;
}

export interface Series extends Measured {
  readonly metric: MetricName;
  readonly group: QuestionGroup;
  /** One for each question of the group, in order; undefined where the metric has no meaning or could not be had. */
  readonly values: readonly (number | undefined)[];
}

export interface ScoreSheet {
  add(at: { group: QuestionGroup; question: number }, measured: Measured, scores: Scores): void;
  /** In the order in which they were first added. */
  series(): Series[];
}

export function createScoreSheet(sizes: Readonly<Record<QuestionGroup, number>>): ScoreSheet {
  const sheet = new Map<string, Series & { readonly values: (number | undefined)[] }>();
  return {
    add({ group, question }, measured, scores) {
      for (const [metric, value] of Object.entries(scores) as [MetricName, number | undefined][]) {
        const key = seriesKey({ ...measured, metric });
        let series = sheet.get(key);
        if (series === undefined) {
          series = { ...measured, metric, group, values: new Array<undefined>(sizes[group]).fill(undefined) };
          sheet.set(key, series);
        }
        series.values[question] = value;
      }
    },
    series: () => [...sheet.values()],
  };
}

export function seriesKey({
  embedder,
  system,
  generator,
  k,
  words,
  metric,
}: Measured & { metric: MetricName }): string {
  return JSON.stringify([embedder, system, generator ?? null, k ?? null, words ?? null, metric]);
}
