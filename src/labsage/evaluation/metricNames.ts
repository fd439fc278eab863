/** The metrics of `labsage eval`: their names, what they mean and in which direction they are better. Data, no code but look-ups. */

export interface MetricDescription {
  readonly name: string;
  readonly label: string;
  readonly meaning: string;
  /** `context`: of what was retrieved, at k and at a number of words; `answer`: of what was printed, at k; else once. */
  readonly of: 'context' | 'answer' | 'refusal' | 'list' | 'time';
  readonly better: 'higher' | 'lower';
  /** Shown as a share of 1 unless another unit is named. */
  readonly unit?: 'words' | 'tokens' | 'ms';
  /** Asked of a judge model. */
  readonly judged?: true;
}

const METRICS = [
  {
    name: 'context-recall',
    label: 'context recall',
    meaning: 'share of the ground-truth sentences, steps and rows that the context contains',
    of: 'context',
    better: 'higher',
  },
  {
    name: 'context-precision',
    label: 'context precision',
    meaning: 'average precision at k of the contexts that contain a ground-truth sentence',
    of: 'context',
    better: 'higher',
  },
  {
    name: 'entity-recall',
    label: 'entity recall',
    meaning: "share of the ground truth's numbers, codes and names that the context contains",
    of: 'context',
    better: 'higher',
  },
  {
    name: 'section-recall',
    label: 'right section',
    meaning:
      'share of the ground-truth quotes whose section (half of it or of the chunk at least) was retrieved',
    of: 'context',
    better: 'higher',
  },
  {
    name: 'context-words',
    label: 'context words',
    meaning: 'words of context',
    of: 'context',
    better: 'lower',
    unit: 'words',
  },
  {
    name: 'context-tokens',
    label: 'context tokens',
    meaning: 'WordPiece tokens of context',
    of: 'context',
    better: 'lower',
    unit: 'tokens',
  },
  {
    name: 'answer-recall',
    label: 'answer recall',
    meaning: 'share of the ground-truth sentences, steps and rows that the printed answer contains',
    of: 'answer',
    better: 'higher',
  },
  {
    name: 'answer-complete',
    label: 'complete answers',
    meaning: 'share of questions whose printed answer contains the whole ground truth',
    of: 'answer',
    better: 'higher',
  },
  {
    name: 'answer-precision',
    label: 'answer precision',
    meaning: "share of the printed answer's words that are the ground truth's",
    of: 'answer',
    better: 'higher',
  },
  {
    name: 'answer-f1',
    label: 'token F1',
    meaning: 'harmonic mean of token precision and token recall of the printed answer',
    of: 'answer',
    better: 'higher',
  },
  {
    name: 'answer-words',
    label: 'answer words',
    meaning: 'words of the printed answer, of those that answer',
    of: 'answer',
    better: 'lower',
    unit: 'words',
  },
  {
    name: 'false-refusals',
    label: 'false refusals',
    meaning: 'share of the answerable questions that are refused, questions with typos left out',
    of: 'refusal',
    better: 'lower',
  },
  {
    name: 'false-refusals-typo',
    label: 'false refusals, typos',
    meaning: 'the same of the questions with typos',
    of: 'refusal',
    better: 'lower',
  },
  {
    name: 'false-answers',
    label: 'false answers',
    meaning: 'share of the unanswerable questions that are answered',
    of: 'refusal',
    better: 'lower',
  },
  {
    name: 'list-recall',
    label: 'list recall',
    meaning: 'share of the documents that a whole-corpus question asks for which are listed',
    of: 'list',
    better: 'higher',
  },
  {
    name: 'list-precision',
    label: 'list precision',
    meaning: 'share of the listed documents that the question asks for',
    of: 'list',
    better: 'higher',
  },
  {
    name: 'judged-context-recall',
    label: 'context recall (judge)',
    meaning: 'RAGAS: share of the statements of the ground truth that the judge finds in the context',
    of: 'context',
    better: 'higher',
    judged: true,
  },
  {
    name: 'judged-context-precision',
    label: 'context precision (judge)',
    meaning: 'RAGAS: average precision at k of the contexts that the judge finds useful',
    of: 'context',
    better: 'higher',
    judged: true,
  },
  {
    name: 'judged-entity-recall',
    label: 'entity recall (judge)',
    meaning: "RAGAS: share of the ground truth's entities, as the judge lists them, that the context has",
    of: 'context',
    better: 'higher',
    judged: true,
  },
  {
    name: 'answer-accuracy',
    label: 'answer accuracy (judge)',
    meaning:
      'RAGAS: two ratings of 0, 2 or 4, the second with answer and ground truth swapped; their mean over 4',
    of: 'answer',
    better: 'higher',
    judged: true,
  },
  {
    name: 'retrieve-ms',
    label: 'retrieval',
    meaning: 'median milliseconds to the contexts, no vector reused',
    of: 'time',
    better: 'lower',
    unit: 'ms',
  },
  {
    name: 'answer-ms',
    label: 'question to answer',
    meaning: 'median milliseconds to the answer, no vector reused',
    of: 'time',
    better: 'lower',
    unit: 'ms',
  },
] as const satisfies readonly MetricDescription[];

export type MetricName = (typeof METRICS)[number]['name'];

export const METRIC_LIST: readonly (MetricDescription & { readonly name: MetricName })[] = METRICS;

export function describeMetric(name: MetricName): MetricDescription {
  const found = METRIC_LIST.find((metric) => metric.name === name);
  if (found === undefined) throw new RangeError(`no metric ${name}`);
  return found;
}

export function isMetricName(name: string): name is MetricName {
  return METRIC_LIST.some((metric) => metric.name === name);
}

/** For `--help`: a metric a line. */
export function metricHelp(): string {
  const width = Math.max(...METRIC_LIST.map(({ name }) => name.length));
  return METRIC_LIST.map(({ name, meaning }) => `  ${name.padEnd(width)}  ${meaning}`).join('\n');
}
