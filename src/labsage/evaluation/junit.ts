/** An evaluation's gates → a JUnit XML file, as every CI shows it; the measured values are its properties. */

import { escapeMarkup } from '../../core/report.js';
import type { Evaluation } from './evaluation.js';
import { describeGate } from './gates.js';

/** Without gates, one test that passed: the evaluation itself. */
export function renderJunit({ gates, summaries, manifest, answerK }: Evaluation): string {
  const failures = gates.filter(({ passed }) => !passed).length;
  const properties = [
    ['labsage', manifest.versions['labsage'] ?? ''],
    ['embedder', manifest.embedders[0]?.id ?? ''],
    ['corpus-sha256', manifest.corpus.sha256],
    ...summaries
      .filter(
        ({ system, k, embedder }) =>
          system === 'labsage' && k === answerK && embedder === manifest.embedders[0]?.id,
      )
      .map(({ metric, mean, generator }) => [
        `${metric}${generator === undefined ? '' : ` (${generator})`}`,
        mean.toFixed(4),
      ]),
  ].map(
    ([name = '', value = '']) =>
      `    <property name="${escapeMarkup(name)}" value="${escapeMarkup(value)}"/>`,
  );
  const tests = gates.map((result) => {
    const name = escapeMarkup(`--${result.gate.bound} ${result.gate.text}`);
    const line = escapeMarkup(describeGate(result));
    const failure = result.passed ? '' : `<failure message="${line}"/>`;
    return `    <testcase classname="labsage.eval" name="${name}">${failure}<system-out>${line}</system-out></testcase>`;
  });
  if (tests.length === 0) tests.push('    <testcase classname="labsage.eval" name="evaluation"/>');
  const counts = `tests="${tests.length}" failures="${failures}" errors="0"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts}>
  <testsuite name="labsage eval" ${counts} timestamp="${manifest.timeUtc}">
    <properties>
${properties.join('\n')}
    </properties>
${tests.join('\n')}
  </testsuite>
</testsuites>
`;
}
