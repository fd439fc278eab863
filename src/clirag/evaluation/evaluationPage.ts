/** An evaluation → one HTML page: tables, contribution of note types, truth beside time, unsupported statements, the run's manifest. */

import { barPlot, niceAxis } from '../../core/plots.js';
import { markup, renderPage, renderTable, type Markup } from '../../core/report.js';
import type { NoteType } from '../../core/types.js';
import type { Evaluation } from './evaluation.js';
import { describeGate } from './gates.js';
import { METRIC_LIST } from './metricNames.js';
import { resultTables } from './tables.js';

export function renderEvaluationPage(evaluation: Evaluation): string {
  const { manifest, visits, gold, faulty, gates } = evaluation;
  const gateItems = gates.map(
    (gate) => markup`<li class="${gate.passed ? 'good' : 'bad'}">${describeGate(gate)}</li>`,
  );
  return renderPage({
    title: 'clirag eval',
    lead: markup`<p>${visits} visits of ${manifest.patients.count} patients, ${gold} with a clinician's note; embedder ${manifest.embedder.id}; systems ${manifest.systems.join(', ')}; judge ${manifest.judge ?? 'none'}.</p><p class="dim">${manifest.timeUtc}, clirag ${manifest.versions['clirag'] ?? ''}, ${manifest.machine.processor}. ${describeFailures(evaluation)}</p>`,
    sections: [
      ...(gates.length === 0 ? [] : [{ id: 'gates', title: 'Gates', body: markup`<ul>${gateItems}</ul>` }]),
      { id: 'tables', title: 'Tables', body: markup`${resultTables(evaluation).map(tableBody)}` },
      {
        id: 'plots',
        title: 'Plots',
        body: markup`<div class="plots">${contributionPlot(evaluation)}${truthPlot(evaluation)}</div>`,
      },
      {
        id: 'faults',
        title: `Statements that the chart does not support (${faulty.length} notes)`,
        body: markup`${faulty.map(faultyNote)}`,
      },
      {
        id: 'metrics',
        title: 'What is measured',
        body: renderTable({
          head: ['metric', 'meaning', 'better'],
          rows: METRIC_LIST.map(({ name, meaning, better }) => [name, meaning, better]),
        }),
      },
      {
        id: 'manifest',
        title: 'Run manifest',
        body: markup`<pre>${JSON.stringify(manifest, null, 2)}</pre>`,
      },
    ],
  });
}

export function describeFailures({ judgements, failed, manifest }: Evaluation): string {
  const replies = Object.entries(failed).map(
    ([system, count]) => `${count} replies of ${system} are missing.`,
  );
  const judged =
    manifest.judge === null ? [] : [`${judgements.failed} of ${judgements.asked} judgements failed.`];
  return [...judged, ...replies].join(' ');
}

function tableBody(table: ReturnType<typeof resultTables>[number]): Markup {
  const note = table.note === undefined ? markup`` : markup`<p class="dim">${table.note}</p>`;
  return markup`${renderTable({ head: table.head, rows: table.rows, caption: table.title })}${note}`;
}

/** The paper's second question: which note types contribute, to what is found and to what is proved. */
function contributionPlot({ retrieved, systems, goldScores }: Evaluation): Markup {
  const first = systems[0];
  const sources = [
    { name: 'found', counts: retrieved },
    ...(first === undefined ? [] : [{ name: first.name, counts: first.proved }]),
    { name: 'gold', counts: goldScores.proved },
  ].filter(({ counts }) => Object.keys(counts).length > 0);
  const totals = sources.map(({ counts }) => Object.values(counts).reduce((sum, count) => sum + count, 0));
  const shareOf = (at: number, type: NoteType): number =>
    (sources[at]?.counts[type] ?? 0) / (totals[at] ?? 1);
  const types = [...new Set(sources.flatMap(({ counts }) => Object.keys(counts) as NoteType[]))].sort(
    (a, b) => shareOf(0, b) - shareOf(0, a) || (a < b ? -1 : 1),
  );
  const series = sources.map(({ name }, at) => ({ name, values: types.map((type) => shareOf(at, type)) }));
  return barPlot({
    caption:
      'Contribution of note types: share of what the global stage found, of the statements of the first system that the chart proves, and of those of the clinicians.',
    x: niceAxis('share', { max: Math.max(0.1, ...series.flatMap(({ values }) => values)) }),
    groups: types.map((type) => type.replaceAll('_', ' ')),
    series,
  });
}

/** What copying forward gains and costs, system by system. */
function truthPlot({ goldScores, systems }: Evaluation): Markup {
  const columns = [goldScores, ...systems.filter(({ name }) => !name.startsWith('no-'))];
  const metrics = (['temporal', 'supported', 'stale', 'copied'] as const).filter((metric) =>
    columns.some((system) => system.metrics[metric] !== undefined),
  );
  return barPlot({
    caption:
      'Temporal consistency beside truth: a system that copies the note before is consistent, and stale.',
    x: niceAxis('share or cosine', { max: 1 }),
    groups: columns.map(({ name }) => (name.length > SHORT_NAME ? `…${name.slice(1 - SHORT_NAME)}` : name)),
    series: metrics.map((metric) => ({
      name: metric,
      values: columns.map((system) => system.metrics[metric]?.mean),
    })),
  });
}

const SHORT_NAME = 22;

function faultyNote({ system, visit, faults }: Evaluation['faulty'][number]): Markup {
  const items = faults.map(
    ({ text, verdict, reasons }) =>
      markup`<li><strong class="bad">${verdict}</strong> ${text} <span class="dim">${reasons.join('; ')}</span></li>`,
  );
  return markup`<details><summary>${visit} <span class="dim">${system}: ${faults.length}</span></summary><ul>${items}</ul></details>
`;
}
