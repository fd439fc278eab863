/** An evaluation → the tables that terminal and page show. */

import type { ResultTable } from '../../core/evaluationOutput.js';
import type { Evaluation } from './evaluation.js';
import { METRIC_LIST, type MetricName } from './metricNames.js';
import { PAPER_MODELS, PAPER_NOTE, PAPER_TABLE_1 } from './paperFigures.js';
import type { MetricScore, SystemScores } from './scores.js';

const NONE = '–';

export function resultTables(evaluation: Evaluation): ResultTable[] {
  return [
    table1(evaluation),
    truthTable(evaluation),
    ...ablationTable(evaluation),
    ...consistencyTable(evaluation),
    ...voteTable(evaluation),
  ];
}

function isAblation({ name }: SystemScores): boolean {
  return name.startsWith('no-');
}

/** Systems that are no ablations of the first. */
function mainSystems({ systems }: Evaluation): SystemScores[] {
  return systems.filter((system) => !isAblation(system));
}

function table1(evaluation: Evaluation): ResultTable {
  const systems = mainSystems(evaluation);
  const rows = METRIC_LIST.filter(({ inTable1 }) => inTable1 === true).map(({ name }) => [
    name,
    ...PAPER_MODELS.map((_, at) => figure(PAPER_TABLE_1[name]?.[at], decimalsOf(name))),
    ...systems.map(({ metrics }) => withInterval(metrics[name], decimalsOf(name))),
  ]);
  return {
    title: "Table 1 of the paper, and this run: against the clinicians' notes",
    head: ['metric', ...PAPER_MODELS.map((model) => `${model} *`), ...systems.map(({ name }) => name)],
    rows,
    note: `${PAPER_NOTE} Intervals of 95 % over whole patients. ${describePrior(evaluation)}`,
  };
}

/** Which note the summary of the visit before was of. */
export function describePrior(evaluation: Evaluation): string {
  const told = evaluation.systems
    .filter((system) => !isAblation(system))
    .map(({ name, priorFrom }) => {
      const counts = Object.entries(priorFrom).map(([from, count]) => `${PRIORS[from] ?? from} ${count}`);
      return `${name}: ${counts.join(', ') || 'no notes'}`;
    });
  return `Note of the visit before, by notes: ${told.join('; ')}.`;
}

const PRIORS: Readonly<Record<string, string>> = {
  generate: 'generated',
  gold: 'gold',
  stored: 'stored by clirag',
  none: 'none',
};

function truthTable(evaluation: Evaluation): ResultTable {
  const columns = [evaluation.goldScores, ...mainSystems(evaluation)];
  const rows = METRIC_LIST.filter(({ inTable1 }) => inTable1 !== true)
    .filter(({ name }) => columns.some(({ metrics }) => metrics[name] !== undefined))
    .map(({ name }) => [name, ...columns.map(({ metrics }) => withInterval(metrics[name], 3))]);
  return {
    title: 'Beyond the paper: whole notes, facts, truth',
    head: ['metric', ...columns.map(({ name }) => name)],
    rows,
    note: 'Copying forward raises temporal consistency and lowers truth: read temporal beside stale, forbidden and copied. "gold" is what the clinicians wrote, measured the same way; they saw more than the chart holds.',
  };
}

const ABLATED: readonly MetricName[] = [
  'rouge-1',
  'rouge-l',
  'similarity-whole',
  'temporal-whole',
  'fact-recall',
  'right-section',
  'forbidden',
  'supported',
  'stale',
];

function ablationTable({ systems }: Evaluation): ResultTable[] {
  const [base] = systems;
  const ablations = systems.filter(isAblation);
  if (base === undefined || ablations.length === 0) return [];
  const shown = ABLATED.filter((metric) => base.metrics[metric] !== undefined);
  return [
    {
      title: `Ablations of ${base.name}`,
      head: ['left out', ...shown],
      rows: [base, ...ablations].map(({ name, metrics }) => [
        name === base.name ? 'nothing' : name.slice('no-'.length),
        ...shown.map((metric) => figure(metrics[metric]?.mean, 3)),
      ]),
      note: 'sections: flat chunks instead; local: the global stage alone; prior: no visit before.',
    },
  ];
}

function consistencyTable({ consistency }: Evaluation): ResultTable[] {
  if (consistency.length === 0) return [];
  return [
    {
      title: 'Consistency: how alike two systems write of the same visits',
      head: ['systems', 'visits', 'cosine of whole notes', 'ROUGE-L'],
      rows: consistency.map(({ systems: [a, b], visits, similarity, rougeL }) => [
        `${a} and ${b}`,
        visits.toString(),
        similarity.toFixed(3),
        rougeL.toFixed(3),
      ]),
    },
  ];
}

function voteTable({ systems, manifest }: Evaluation): ResultTable[] {
  const judged = systems.filter(({ votes }) => votes !== undefined);
  if (judged.length === 0) return [];
  return [
    {
      title: `Blinded votes of ${manifest.judge ?? 'the judge'}, each pair in both orders`,
      head: ['system', 'note preferred', 'gold preferred', 'tie', 'failed'],
      rows: judged.map(({ name, votes }) => [
        name,
        ...(['note', 'gold', 'tie', 'failed'] as const).map((vote) => (votes?.[vote] ?? 0).toString()),
      ]),
      note: 'A judge that names the first text, or the second, in both orders has no preference: a tie. Failed votes count for nobody.',
    },
  ];
}

function decimalsOf(name: MetricName): number {
  return name.startsWith('bleu') ? 4 : 3;
}

function figure(value: number | undefined, decimals: number): string {
  return value === undefined ? NONE : value.toFixed(decimals);
}

function withInterval(score: MetricScore | undefined, decimals: number): string {
  if (score === undefined) return NONE;
  const { mean, low, high } = score;
  const isWide = low !== undefined && high !== undefined && high - low > 10 ** -decimals;
  return isWide
    ? `${mean.toFixed(decimals)} (${low.toFixed(decimals)} to ${high.toFixed(decimals)})`
    : mean.toFixed(decimals);
}
