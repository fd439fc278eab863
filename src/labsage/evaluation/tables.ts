/** An evaluation → its tables: the paper's Tables 1 to 3 beside the paper's figures, equal words, pairs, kinds, refusals, times. */

import type { ResultTable } from '../../core/evaluationOutput.js';
import { findSummary, type Evaluation } from './evaluation.js';
import type { MetricName } from './metricNames.js';
import {
  PAPER_NOTE,
  PAPER_TABLE_1,
  PAPER_TABLE_2,
  PAPER_TABLE_3,
  type PaperFigures,
} from './paperFigures.js';
import type { Summary } from './summaries.js';
import type { SystemName } from './systemNames.js';

const EXACT: readonly MetricName[] = ['context-recall', 'context-precision', 'entity-recall'];
const JUDGED: readonly MetricName[] = [
  'judged-context-recall',
  'judged-context-precision',
  'judged-entity-recall',
];
const RETRIEVAL_HEAD = ['context recall', 'context precision', 'entity recall'];
const PAPER_HEAD = ['recall*', 'precision*', 'entities*', 'accuracy*'];

/** Tables without a row are left out. */
export function resultTables(evaluation: Evaluation): ResultTable[] {
  const isJudged = evaluation.manifest.judge !== null;
  return [
    table1(evaluation, { judged: false }),
    ...(isJudged ? [table1(evaluation, { judged: true })] : []),
    equalWords(evaluation),
    table2(evaluation, { judged: isJudged }),
    table3(evaluation, { judged: isJudged }),
    pairedTests(evaluation),
    byKind(evaluation),
    refusalsAndLists(evaluation),
    costs(evaluation),
  ].filter(({ rows }) => rows.length > 0);
}

/** Rows of the paper's Table 1: a generator and a system each. */
function table1(evaluation: Evaluation, { judged }: { judged: boolean }): ResultTable {
  const { answerK: k, manifest } = evaluation;
  const [embedder] = manifest.embedders;
  const answers: readonly MetricName[] = judged
    ? ['answer-accuracy']
    : ['answer-recall', 'answer-f1', 'answer-words'];
  const rows = manifest.generators.flatMap((generator) =>
    systemsOf(evaluation).flatMap((system) => {
      const at = { embedder: embedder?.id ?? '', system, k };
      const answered = answers.map((metric) => figure(findSummary(evaluation, { ...at, generator, metric })));
      if (answered.every((cell) => cell === '–')) return [];
      const retrieved = (judged ? JUDGED : EXACT).map((metric) =>
        figure(findSummary(evaluation, { ...at, metric })),
      );
      return [[generator, system, ...retrieved, ...answered, ...paperCells(paperRow1(system))]];
    }),
  );
  const answerHead = judged ? ['answer accuracy'] : ['answer recall', 'token F1', 'words (median)'];
  return {
    title: `Table 1${judged ? `, judged by ${manifest.judge ?? ''}` : ''}: k = ${k}${judged ? '' : ', no judge'}`,
    note: `${judged ? `${describeJudgements(evaluation)} ` : ''}${PAPER_NOTE} Accuracies*: Qwen / Llama.`,
    head: ['generator', 'system', ...RETRIEVAL_HEAD, ...answerHead, ...PAPER_HEAD],
    rows,
  };
}

/** The paper's LabSage is our system `paper`; ours has no row there. */
function paperRow1(system: SystemName): (PaperFigures & { accuracy: string }) | undefined {
  const strategy = system === 'paper' ? 'labsage' : system;
  if (system === 'labsage' || (strategy !== 'none' && strategy !== 'standard' && strategy !== 'labsage'))
    return undefined;
  const qwen = PAPER_TABLE_1['Qwen-2.5-7B'][strategy];
  const llama = PAPER_TABLE_1['Llama-3.1-8B'][strategy];
  return { ...qwen, accuracy: `${three(qwen.answerAccuracy)} / ${three(llama.answerAccuracy)}` };
}

function paperCells(figures: (PaperFigures & { accuracy?: string }) | undefined): string[] {
  if (figures === undefined) return ['–', '–', '–', '–'];
  const { contextRecall, contextPrecision, entityRecall, answerAccuracy, accuracy } = figures;
  return [
    three(contextRecall),
    three(contextPrecision),
    three(entityRecall),
    accuracy ?? three(answerAccuracy),
  ];
}

/** Rows of the paper's Table 2: an embedder and a system each. */
function table2(evaluation: Evaluation, { judged }: { judged: boolean }): ResultTable {
  const { answerK: k, manifest } = evaluation;
  const [generator] = manifest.generators;
  const metrics = judged ? JUDGED : EXACT;
  const answer: MetricName = judged ? 'answer-accuracy' : 'answer-recall';
  const rows = manifest.embedders.flatMap(({ id: embedder }) =>
    systemsOf(evaluation)
      .filter((system) => system !== 'none')
      .map((system) => [
        embedder,
        system,
        ...metrics.map((metric) => figure(findSummary(evaluation, { embedder, system, k, metric }))),
        figure(
          findSummary(evaluation, {
            embedder,
            system,
            k,
            metric: answer,
            ...(generator === undefined ? {} : { generator }),
          }),
        ),
        '–',
        '–',
        '–',
        '–',
      ]),
  );
  const theirs = (Object.keys(PAPER_TABLE_2) as (keyof typeof PAPER_TABLE_2)[]).flatMap((embedder) =>
    (['standard', 'labsage'] as const).map((strategy) => [
      `${embedder}*`,
      strategy === 'labsage' ? 'paper' : strategy,
      ...['–', '–', '–', '–'],
      ...paperCells(PAPER_TABLE_2[embedder][strategy]),
    ]),
  );
  return {
    title: `Table 2: embedders, k = ${k}, ${judged ? 'judged' : 'no judge'}`,
    note: PAPER_NOTE,
    head: [
      'embedder',
      'system',
      ...RETRIEVAL_HEAD,
      judged ? 'answer accuracy' : 'answer recall',
      ...PAPER_HEAD,
    ],
    rows: rows.length === 0 ? [] : [...rows, ...theirs],
  };
}

/** Rows of the paper's Table 3: a number of contexts each. */
function table3(evaluation: Evaluation, { judged }: { judged: boolean }): ResultTable {
  const { manifest } = evaluation;
  const [embedder] = manifest.embedders;
  const [generator] = manifest.generators;
  const [recall, precision] = judged ? JUDGED : EXACT;
  const answer: MetricName = judged ? 'answer-accuracy' : 'answer-recall';
  const ks = [
    ...new Set(evaluation.summaries.filter(({ system }) => system === 'labsage').flatMap(({ k }) => k ?? [])),
  ];
  const rows = ks
    .sort((a, b) => a - b)
    .map((k) => {
      const at = { embedder: embedder?.id ?? '', k };
      const ours = { ...at, system: 'labsage' as const };
      const paper = { ...at, system: 'paper' as const };
      const { contextRecall, contextPrecision, answerAccuracy } = PAPER_TABLE_3.get(k) ?? {};
      return [
        String(k),
        interval(findSummary(evaluation, { ...ours, ...named('metric', recall) })),
        figure(findSummary(evaluation, { ...ours, ...named('metric', precision) })),
        figure(findSummary(evaluation, { ...ours, metric: answer, ...named('generator', generator) })),
        figure(findSummary(evaluation, { ...ours, metric: 'context-words' })),
        figure(findSummary(evaluation, { ...paper, metric: 'context-recall' })),
        figure(findSummary(evaluation, { ...paper, metric: 'context-words' })),
        three(contextRecall),
        three(contextPrecision),
        three(answerAccuracy),
      ];
    });
  return {
    title: `Table 3: numbers of contexts, labsage, ${judged ? 'judged' : 'no judge'}`,
    note: PAPER_NOTE,
    head: [
      'k',
      'context recall [95 %]',
      'context precision',
      judged ? 'answer accuracy' : 'answer recall',
      'words (median)',
      'recall of paper',
      'words of paper',
      'recall*',
      'precision*',
      'accuracy*',
    ],
    rows,
  };
}

function equalWords(evaluation: Evaluation): ResultTable {
  const budgets = [...new Set(evaluation.summaries.flatMap(({ words }) => words ?? []))].sort(
    (a, b) => a - b,
  );
  const rows = evaluation.manifest.embedders.flatMap(({ id: embedder }) =>
    systemsOf(evaluation)
      .filter((system) => system !== 'none')
      .map((system) => [
        embedder,
        system,
        ...budgets.map((words) =>
          interval(findSummary(evaluation, { embedder, system, words, metric: 'context-recall' })),
        ),
      ]),
  );
  return {
    title: 'Context recall at equal words of context, no judge',
    note: `${describeIntervals(evaluation)} Contexts are added in rank order until the next does not fit.`,
    head: ['embedder', 'system', ...budgets.map((words) => `${words} words`)],
    rows: budgets.length === 0 ? [] : rows,
  };
}

const PAIRED: ReadonlySet<MetricName> = new Set([
  'context-recall',
  'context-precision',
  'answer-recall',
  'answer-f1',
  'judged-context-recall',
  'answer-accuracy',
]);

function pairedTests({ comparisons, manifest, answerK }: Evaluation): ResultTable {
  const [embedder] = manifest.embedders;
  const rows = comparisons
    .filter(
      (one) => PAIRED.has(one.metric) && one.embedder === embedder?.id && (one.k ?? answerK) === answerK,
    )
    .map(({ metric, against, k, words, generator, mean, low, high, p, count }) => [
      metric,
      words === undefined ? `k = ${k ?? answerK}` : `${words} words`,
      against,
      generator ?? '–',
      `${signed(mean)} [${signed(low)}, ${signed(high)}]`,
      p < 0.001 ? '<0.001' : three(p),
      String(count),
    ]);
  return {
    title: 'labsage minus the other system, question by question',
    note: 'Paired permutation tests, two-sided, not corrected for their number.',
    head: ['metric', 'at', 'against', 'generator', 'difference [95 %]', 'p', 'questions'],
    rows,
  };
}

function byKind({ kinds, manifest, answerK }: Evaluation): ResultTable {
  const [embedder] = manifest.embedders;
  const [generator] = manifest.generators;
  const of = kinds.filter(
    (one) =>
      one.system === 'labsage' && one.embedder === embedder?.id && (one.generator ?? generator) === generator,
  );
  const rows = [...new Set(of.map(({ kind }) => kind))].map((kind) => {
    const cell = (...metrics: readonly MetricName[]): string =>
      three(of.find((one) => one.kind === kind && metrics.includes(one.metric))?.mean);
    return [
      kind,
      String(Math.max(...of.filter((one) => one.kind === kind).map(({ count }) => count))),
      cell('context-recall'),
      cell('section-recall'),
      cell('answer-recall'),
      cell('answer-complete'),
      cell('false-refusals', 'false-refusals-typo'),
      cell('false-answers'),
    ];
  });
  return {
    title: `labsage by kind of question, k = ${answerK}`,
    head: [
      'kind',
      'questions',
      'context recall',
      'right section',
      'answer recall',
      'complete',
      'refused',
      'answered',
    ],
    rows,
  };
}

function refusalsAndLists(evaluation: Evaluation): ResultTable {
  const [embedder] = evaluation.manifest.embedders;
  const metrics: readonly MetricName[] = ['false-refusals', 'false-refusals-typo', 'false-answers'];
  const rows = evaluation.manifest.generators.flatMap((generator) =>
    systemsOf(evaluation).map((system) => {
      const at = { embedder: embedder?.id ?? '', system };
      const refusals = metrics.map((metric) =>
        interval(findSummary(evaluation, { ...at, generator, metric })),
      );
      const lists = (['list-recall', 'list-precision'] as const).map((metric) =>
        interval(findSummary(evaluation, { ...at, metric })),
      );
      return [generator, system, ...refusals, ...lists];
    }),
  );
  return {
    title: 'Refusals and whole-corpus questions',
    note: 'With the extractive generator only labsage refuses. The other systems list the documents of as many contexts as they were given at most.',
    head: [
      'generator',
      'system',
      'false refusals',
      'of typos',
      'false answers',
      'list recall',
      'list precision',
    ],
    rows: rows.filter((row) => row.slice(2).some((cell) => cell !== '–')),
  };
}

function costs(evaluation: Evaluation): ResultTable {
  const { answerK: k } = evaluation;
  const metrics: readonly MetricName[] = ['context-words', 'context-tokens', 'retrieve-ms', 'answer-ms'];
  const rows = evaluation.manifest.embedders.flatMap(({ id: embedder }) =>
    systemsOf(evaluation)
      .filter((system) => system !== 'none')
      .map((system) => [
        embedder,
        system,
        ...metrics.map((metric) => figure(findSummary(evaluation, { embedder, system, k, metric }))),
      ]),
  );
  return {
    title: `Cost of a question, medians, k = ${k}, extractive`,
    head: ['embedder', 'system', 'context words', 'context tokens', 'retrieval ms', 'question to answer ms'],
    rows,
  };
}

export function systemsOf({ summaries }: Pick<Evaluation, 'summaries'>): SystemName[] {
  const order: readonly SystemName[] = ['none', 'standard', 'standard+title', 'paper', 'labsage'];
  return order.filter((name) => summaries.some(({ system }) => system === name));
}

/** A share to three digits, or the median of words, tokens and milliseconds. */
function figure(summary: Summary | undefined): string {
  if (summary === undefined) return '–';
  return /-(?:words|tokens|ms)$/u.test(summary.metric)
    ? String(Math.round(summary.median))
    : three(summary.mean);
}

function interval(summary: Summary | undefined): string {
  if (summary === undefined) return '–';
  return `${three(summary.mean)} [${three(summary.low)}, ${three(summary.high)}]`;
}

export function describeIntervals({ intervals }: Pick<Evaluation, 'intervals'>): string {
  const drawn = intervals.clusters === 'document' ? 'whole documents with their questions' : 'questions';
  return `In brackets: 95 % bootstrap intervals; ${drawn} drawn.`;
}

export function describeJudgements({ failed: { judgements } }: Pick<Evaluation, 'failed'>): string {
  const { asked, failed } = judgements;
  return failed === 0
    ? `${asked} judgements, none failed.`
    : `${failed} of ${asked} judgements failed; they are left out, not counted as 0.`;
}

function named<Name extends string, Value>(name: Name, value: Value | undefined): { [key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [key in Name]?: Value };
}

function three(value: number | undefined): string {
  return value === undefined ? '–' : value.toFixed(3);
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
}
