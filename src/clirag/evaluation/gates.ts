/** `--min METRIC=VALUE` and `--max METRIC=VALUE` + scores → what fell short. */

import { ExitCode, ToolError } from '../../core/errors.js';
import { METRIC_LIST, describeMetric, isMetricName, type MetricName } from './metricNames.js';
import type { SystemScores } from './scores.js';

export interface Gate {
  readonly text: string;
  readonly bound: 'min' | 'max';
  /** The first system where it names none. */
  readonly system?: string;
  readonly metric: MetricName;
  readonly value: number;
}

export interface GateResult {
  readonly gate: Gate;
  readonly measured: number | undefined;
  readonly passed: boolean;
}

/** Quantised vectors differ in their last digits between processors. */
const TOLERANCE = 0.005;

/** Throws (exit 2) for another form or an unknown metric. */
export function parseGate(text: string, bound: Gate['bound']): Gate {
  const at = text.lastIndexOf('=');
  const [head, value] = [text.slice(0, at), Number(text.slice(at + 1))];
  const colon = head.lastIndexOf(':');
  const metric = head.slice(colon + 1);
  if (at < 1 || text.slice(at + 1).trim() === '' || Number.isNaN(value))
    throw usage(
      `--${bound} ${text} is not of the form METRIC=VALUE`,
      'write it like fact-recall=0.9 or no-bm25:rouge-1=0.2',
    );
  if (!isMetricName(metric))
    throw usage(
      `--${bound}: there is no metric ${metric}`,
      `the metrics are ${METRIC_LIST.map(({ name }) => name).join(', ')}`,
    );
  const { better } = describeMetric(metric);
  if ((better === 'lower' && bound === 'min') || (better === 'higher' && bound === 'max'))
    throw usage(
      `--${bound} ${text}: ${metric} is better the ${better} it is`,
      `use --${bound === 'min' ? 'max' : 'min'} ${text}`,
    );
  return { text, bound, metric, value, ...(colon < 0 ? {} : { system: head.slice(0, colon) }) };
}

/** What the run has to measure, said before it starts. Throws (exit 2) where it would not. */
export function checkGatesMeasured(
  gates: readonly Gate[],
  plan: { systems: readonly string[]; hasJudge: boolean; hasFacts: boolean },
): void {
  const ofFacts = new Set<MetricName>(['fact-recall', 'right-section', 'forbidden', 'undated']);
  for (const { text, bound, system, metric } of gates) {
    if (system !== undefined && !plan.systems.includes(system))
      throw usage(
        `--${bound} ${text} names no system of this run`,
        `the systems are ${plan.systems.join(', ')}`,
      );
    if (metric === 'preference' && !plan.hasJudge)
      throw usage(`--${bound} ${text} needs a --judge`, 'add one');
    if (ofFacts.has(metric) && !plan.hasFacts) throw usage(`--${bound} ${text} needs --facts FILE`, 'add it');
  }
}

export function checkGates(gates: readonly Gate[], systems: readonly SystemScores[]): GateResult[] {
  return gates.map((gate) => {
    const found = gate.system === undefined ? systems[0] : systems.find(({ name }) => name === gate.system);
    const measured = found?.metrics[gate.metric]?.mean;
    const passed =
      measured !== undefined &&
      (gate.bound === 'min' ? measured + TOLERANCE >= gate.value : measured - TOLERANCE <= gate.value);
    return { gate, measured, passed };
  });
}

export function describeGate({ gate, measured, passed }: GateResult): string {
  const name = gate.text.replace(/=.*$/u, '');
  const limit = `${gate.value} is the ${gate.bound === 'min' ? 'least' : 'most'}`;
  if (measured === undefined) return `${name} could not be measured, ${limit}`;
  return `${name} is ${Number(measured.toFixed(4))}, ${limit}${passed ? '' : ': fell short'}`;
}

function usage(message: string, hint: string): ToolError {
  return new ToolError(ExitCode.usage, message, { hint });
}
