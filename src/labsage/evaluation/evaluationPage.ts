/** An evaluation → one HTML page: tables, plots, every failed question with what was retrieved and answered, the run's manifest. */

import { barPlot, linePlot, niceAxis, type PlotSeries } from '../../core/plots.js';
import { markup, renderPage, renderTable, type Markup } from '../../core/report.js';
import { isFailed, type AskedCase } from './cases.js';
import type { Evaluation } from './evaluation.js';
import { findSummary } from './evaluation.js';
import { describeGate } from './gates.js';
import { METRIC_LIST } from './metricNames.js';
import { groupCases, table4, type CaseGroup } from './sideBySideCases.js';
import type { SystemName } from './systemNames.js';
import { describeIntervals, describeJudgements, resultTables, systemsOf } from './tables.js';

export function renderEvaluationPage(evaluation: Evaluation): string {
  const { manifest } = evaluation;
  const failed = groupCases(evaluation.cases).filter(({ cases }) =>
    cases.some((one) => one.system === 'labsage' && isFailed(one)),
  );
  const { answerable, unanswerable, lists } = manifest.asked;
  const sideBySide = table4(evaluation.cases);
  return renderPage({
    title: 'labsage eval',
    lead: markup`<p>${answerable} questions with an answer, ${unanswerable} without, ${lists} for documents; ${manifest.corpus.documents} SOPs; embedder ${manifest.embedders.map(({ id }) => id).join(', ')}; generator ${manifest.generators.join(', ')}; judge ${manifest.judge ?? 'none'}.</p><p class="dim">${manifest.timeUtc}, labsage ${manifest.versions['labsage'] ?? ''}, ${manifest.machine.processor}. ${describeIntervals(evaluation)} ${describeFailures(evaluation)}</p>`,
    sections: [
      ...(evaluation.gates.length === 0 ? [] : [{ id: 'gates', title: 'Gates', body: gateList(evaluation) }]),
      { id: 'plots', title: 'Plots', body: markup`<div class="plots">${plots(evaluation)}</div>` },
      { id: 'tables', title: 'Tables', body: markup`${resultTables(evaluation).map(tableBody)}` },
      ...(sideBySide === undefined
        ? []
        : [{ id: 'side-by-side', title: 'Side by side', body: tableBody(sideBySide) }]),
      {
        id: 'failed',
        title: `Failed questions (${failed.length})`,
        body: markup`<p class="dim">Not all of the ground truth printed, answered without grounds, or another list of documents.</p>${failed.map(failedCase)}`,
      },
      { id: 'metrics', title: 'What is measured', body: metricList() },
      {
        id: 'manifest',
        title: 'Run manifest',
        body: markup`<pre>${JSON.stringify(manifest, null, 2)}</pre>`,
      },
    ],
  });
}

function describeFailures(evaluation: Evaluation): string {
  const answers = Object.entries(evaluation.failed.answers).map(
    ([generator, count]) => `${count} replies of ${generator} are missing.`,
  );
  return [...(evaluation.manifest.judge === null ? [] : [describeJudgements(evaluation)]), ...answers].join(
    ' ',
  );
}

function gateList({ gates }: Evaluation): Markup {
  const items = gates.map(
    (gate) => markup`<li class="${gate.passed ? 'good' : 'bad'}">${describeGate(gate)}</li>`,
  );
  return markup`<ul>${items}</ul>`;
}

function tableBody(table: ReturnType<typeof resultTables>[number]): Markup {
  const note = table.note === undefined ? markup`` : markup`<p class="dim">${table.note}</p>`;
  const isOurs = (row: readonly string[]): boolean => row.slice(0, 2).includes('labsage');
  return markup`${renderTable({ head: table.head, rows: table.rows, caption: table.title, highlight: isOurs })}${note}`;
}

function plots(evaluation: Evaluation): Markup[] {
  return [
    recallAgainstWords(evaluation),
    ...(evaluation.calibration === null ? [] : [calibrationPlot(evaluation.calibration)]),
    recallByKind(evaluation),
    times(evaluation),
  ];
}

/** Ours first, in the first colour. */
function plottedSystems(evaluation: Evaluation): SystemName[] {
  const others = systemsOf(evaluation).filter((system) => system !== 'none' && system !== 'labsage');
  return systemsOf(evaluation).includes('labsage') ? ['labsage', ...others] : others;
}

function recallAgainstWords(evaluation: Evaluation): Markup {
  const { manifest, summaries } = evaluation;
  const embedder = manifest.embedders[0]?.id ?? '';
  const budgets = [...new Set(summaries.flatMap(({ words }) => words ?? []))].sort((a, b) => a - b);
  const series: PlotSeries[] = plottedSystems(evaluation).map((system) => ({
    name: system,
    points: budgets.flatMap((words) => {
      const found = findSummary(evaluation, { embedder, system, words, metric: 'context-recall' });
      return found === undefined ? [] : [{ x: words, y: found.mean, low: found.low, high: found.high }];
    }),
  }));
  const lowest = Math.min(1, ...series.flatMap(({ points }) => points.map(({ low = 1 }) => low)));
  return linePlot({
    caption: `Context recall against words of context (${embedder}), with 95 % intervals.`,
    x: niceAxis('words of context', { max: budgets.at(-1) ?? 1 }),
    y: niceAxis('context recall', { min: Math.floor(lowest * 5) / 5, max: 1 }),
    series,
  });
}

function calibrationPlot({
  bins,
  answered,
  expectedError,
  brier,
}: NonNullable<Evaluation['calibration']>): Markup {
  const points = bins.flatMap(({ meanConfidence: x, accuracy: y, count: weight }) =>
    x === undefined || y === undefined ? [] : [{ x, y, weight }],
  );
  return linePlot({
    caption: `Calibration of labsage: stated confidence against the share of answers that hold the whole ground truth, ${answered} answers, larger marks for more; expected calibration error ${expectedError.toFixed(3)}, Brier score ${brier.toFixed(3)}.`,
    x: niceAxis('confidence', { max: 1 }),
    y: niceAxis('share right', { max: 1 }),
    series: [{ name: 'labsage', points }],
    diagonal: true,
  });
}

function recallByKind(evaluation: Evaluation): Markup {
  const { kinds, manifest, answerK } = evaluation;
  const embedder = manifest.embedders[0]?.id;
  const of = kinds.filter((one) => one.metric === 'context-recall' && one.embedder === embedder);
  const groups = [...new Set(of.map(({ kind }) => kind))];
  const series = plottedSystems(evaluation).map((system) => ({
    name: system,
    values: groups.map((kind) => of.find((one) => one.system === system && one.kind === kind)?.mean),
  }));
  return barPlot({
    caption: `Context recall by kind of question, k = ${answerK}.`,
    x: niceAxis('context recall', { max: 1 }),
    groups,
    series,
  });
}

function times(evaluation: Evaluation): Markup {
  const { manifest, answerK: k } = evaluation;
  const embedder = manifest.embedders[0]?.id ?? '';
  const systems = plottedSystems(evaluation);
  const series = (['retrieve-ms', 'answer-ms'] as const).map((metric) => ({
    name: metric === 'retrieve-ms' ? 'retrieval' : 'answer',
    values: systems.map((system) => findSummary(evaluation, { embedder, system, k, metric })?.median),
  }));
  const most = Math.max(1, ...series.flatMap(({ values }) => values.map((value = 0) => value)));
  return barPlot({
    caption: `Median milliseconds from question to contexts, and to the extractive answer, one question at a time (${embedder}).`,
    x: niceAxis('milliseconds', { max: most }),
    groups: systems,
    series,
  });
}

function failedCase({ cases }: CaseGroup): Markup {
  const ours = cases.find(({ system }) => system === 'labsage');
  const [any = ours] = cases;
  if (any === undefined || ours === undefined) return markup``;
  const wanted = any.wanted.map(
    ({ document, section, quote }) =>
      markup`<li>${document}${section === undefined ? '' : ` › ${section}`}${quote === undefined ? markup`` : markup`<blockquote>${quote}</blockquote>`}</li>`,
  );
  const heading =
    any.group === 'unanswerable' ? markup`<p>The SOPs do not answer it.</p>` : markup`<ul>${wanted}</ul>`;
  return markup`<details><summary>${any.question} <span class="dim">${any.id}, ${any.kind}: ${describeOutcome(ours)}</span></summary>
<div class="case"><div><h3>Ground truth</h3>${heading}</div>${cases.map(caseColumn)}</div></details>
`;
}

function describeOutcome(one: AskedCase): string {
  if (one.group === 'unanswerable') return 'answered without grounds';
  if (one.group === 'lists')
    return `${one.listed?.length ?? 0} documents listed, ${one.wanted.length} wanted`;
  if (one.answered === false) return 'refused';
  return `${one.retrieved} of ${one.statements} retrieved, ${one.printed} printed`;
}

function caseColumn(one: AskedCase): Markup {
  const confidence = one.confidence === undefined ? '' : `, confidence ${one.confidence.toFixed(2)}`;
  const contexts = one.contexts.map(
    ({ document, heading, words, isUseful }) =>
      markup`<li class="${isUseful ? 'good' : 'dim'}">${document}${heading === '' ? '' : ` › ${heading}`} (${words} words${isUseful ? ', useful' : ''})</li>`,
  );
  const listed = one.listed === undefined ? markup`` : markup`<p>Listed: ${one.listed.join(', ')}</p>`;
  return markup`<div><h3>${one.system}: <span class="${isFailed(one) ? 'bad' : 'good'}">${describeOutcome(one)}</span>${confidence}</h3><ol>${contexts}</ol>${listed}<pre>${one.answer}</pre></div>`;
}

function metricList(): Markup {
  return renderTable({
    head: ['metric', 'meaning', 'better'],
    rows: METRIC_LIST.map(({ name, meaning, better }) => [name, meaning, better]),
  });
}
