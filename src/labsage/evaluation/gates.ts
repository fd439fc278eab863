/** `--min METRIC=VALUE` and `--max METRIC=VALUE` + an evaluation's summaries → what fell short. */

import { ExitCode, ToolError } from '../../core/errors.js';
import { describeMetric, isMetricName, METRIC_LIST, type MetricName } from './metricNames.js';
import type { Summary } from './summaries.js';
import { SYSTEM_NAMES, type SystemName } from './systemNames.js';

/** `[SYSTEM:]METRIC[@K|@NUMBERw]`, and the limit. */
export interface Gate {
  readonly text: string;
  readonly bound: 'min' | 'max';
  readonly system: SystemName;
  readonly metric: MetricName;
  readonly k?: number;
  readonly words?: number;
  readonly value: number;
}

export interface GateResult {
  readonly gate: Gate;
  /** Undefined where nothing was measured (all judgements failed). */
  readonly measured: number | undefined;
  readonly missing: number;
  readonly passed: boolean;
}

/**
 * Quantised vectors differ in their last digits between processors, which turns a rank now and then: what falls short by
 * less than this is no failure.
 */
export const DEFAULT_TOLERANCE = 0.005;

const FORM =
  /^(?:(?<system>[a-z+]+):)?(?<metric>[a-z0-9-]+)(?:@(?<at>\d+)(?<w>w)?)?=(?<value>\d+(?:\.\d+)?)$/u;

/** Throws (exit 2) for another form, an unknown metric or system. */
export function parseGate(text: string, bound: Gate['bound']): Gate {
  const groups = FORM.exec(text)?.groups;
  if (groups === undefined) {
    throw usage(
      `--${bound} ${text} is not of the form METRIC=VALUE`,
      'write it like context-recall=0.95, context-recall@600w=0.9 or paper:answer-recall@3=0.5',
    );
  }
  const { system = 'labsage', metric = '', at, w, value = '' } = groups;
  if (!isMetricName(metric))
    throw usage(
      `--${bound}: there is no metric ${metric}`,
      `the metrics are ${METRIC_LIST.map(({ name }) => name).join(', ')}`,
    );
  if (!isSystemName(system))
    throw usage(`--${bound}: there is no system ${system}`, `the systems are ${SYSTEM_NAMES.join(', ')}`);
  const { unit, better } = describeMetric(metric);
  if (unit === undefined && Number(value) > 1)
    throw usage(
      `--${bound} ${text}: ${metric} is a share of 1`,
      `write ${metric}=${Number(value) / 100} for ${value} %`,
    );
  if ((better === 'lower') === (bound === 'min'))
    throw usage(
      `--${bound} ${text}: ${metric} is better the ${better} it is`,
      `use --${bound === 'min' ? 'max' : 'min'} ${text}`,
    );
  const place = at === undefined ? {} : w === undefined ? { k: Number(at) } : { words: Number(at) };
  return { text, bound, system, metric, ...place, value: Number(value) };
}

/** What the evaluation has to measure for the gates, said before it starts. Throws (exit 2) where it would not. */
export function checkGatesMeasured(
  gates: readonly Gate[],
  plan: {
    systems: readonly SystemName[];
    ks: readonly number[];
    words: readonly number[];
    hasJudge: boolean;
    groups: Readonly<Record<'answerable' | 'unanswerable' | 'lists', number>>;
  },
): void {
  const { systems, ks, words: budgets, groups } = plan;
  for (const { text, bound, system, metric, k, words } of gates) {
    const { judged, of } = describeMetric(metric);
    const isOfAnswerable = of !== 'list' && metric !== 'false-answers';
    const obstacles: readonly (readonly [boolean, string])[] = [
      [judged === true && !plan.hasJudge, 'needs a --judge'],
      [!systems.includes(system), `needs ${system} among --systems`],
      [k !== undefined && !ks.includes(k), `needs ${k ?? 0} among -k`],
      [words !== undefined && !budgets.includes(words), `needs ${words ?? 0} among --words`],
      [
        words !== undefined && metric !== 'context-recall',
        'is measured at a number of contexts, not of words',
      ],
      [of === 'list' && groups.lists === 0, 'needs questions with "documents"'],
      [metric === 'false-answers' && groups.unanswerable === 0, 'needs questions without evidence'],
      [isOfAnswerable && groups.answerable === 0, 'needs questions with evidence'],
    ];
    const obstacle = obstacles.find(([applies]) => applies);
    if (obstacle !== undefined) throw usage(`--${bound} ${text} ${obstacle[1]}`);
  }
}

/** Of the first embedder and generator. A metric that could not be measured falls short. */
export function checkGates(
  gates: readonly Gate[],
  summaries: readonly Summary[],
  options: { answerK: number; tolerance: number },
): GateResult[] {
  return gates.map((gate) => {
    const { of, unit } = describeMetric(gate.metric);
    const k = gate.k ?? (gate.words === undefined && of !== 'list' ? options.answerK : undefined);
    const found = summaries.find(
      (summary) =>
        summary.metric === gate.metric &&
        summary.system === gate.system &&
        (k === undefined || summary.k === k) &&
        (gate.words === undefined || summary.words === gate.words),
    );
    const measured = unit === undefined ? found?.mean : found?.median;
    const slack = unit === undefined ? options.tolerance : 0;
    const passed =
      measured !== undefined &&
      (gate.bound === 'min' ? measured + slack >= gate.value : measured - slack <= gate.value);
    return { gate, measured, missing: found?.missing ?? 0, passed };
  });
}

/** `context-recall is 0.912, 0.95 is the least`. */
export function describeGate({ gate, measured, missing, passed }: GateResult): string {
  const name = gate.text.replace(/=.*$/u, '');
  const limit = `${gate.value} is the ${gate.bound === 'min' ? 'least' : 'most'}`;
  if (measured === undefined) return `${name} could not be measured, ${limit}`;
  const note = missing === 0 ? '' : ` (${missing} not measured)`;
  return `${name} is ${Number(measured.toFixed(4))}${note}, ${limit}${passed ? '' : ': fell short'}`;
}

function isSystemName(name: string): name is SystemName {
  return (SYSTEM_NAMES as readonly string[]).includes(name);
}

function usage(message: string, hint?: string): ToolError {
  return new ToolError(ExitCode.usage, message, hint === undefined ? {} : { hint });
}
