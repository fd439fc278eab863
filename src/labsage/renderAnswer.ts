/** An answer → the lines that a person reads in a terminal. */

import type { ChalkInstance } from 'chalk';
import { shortId } from '../core/auditLog.js';
import { sliceSpan } from '../core/text.js';
import type { Answer, Citation, Location } from '../core/types.js';
import { CLOSING_LINE, type ExplainedAnswer } from './answer.js';
import { describeContext, documentReference } from './describe.js';

export interface RenderOptions {
  readonly color: ChalkInstance;
  readonly full: boolean;
  readonly explain: boolean;
  readonly showQuestion: boolean;
}

export function renderAnswer(explained: ExplainedAnswer, options: RenderOptions): string {
  const { answer } = explained;
  const { color } = options;
  const lines: string[] = [];
  if (options.showQuestion) lines.push(color.bold(answer.question), '');
  if (answer.answered && explained.written !== undefined) lines.push(answer.text, '');
  if (answer.answered) lines.push(...answer.citations.flatMap((citation) => citationLines(citation, color)));
  else lines.push(answer.text, '', ...nearestSections(explained, color));
  for (const warning of answer.warnings) lines.push(color.yellow(`! ${warning}`));
  if (answer.answered) lines.push(confidenceLine(answer, color));
  if (options.full) lines.push(...fullSections(explained, color));
  if (options.explain) lines.push(...explainLines(explained, color));
  lines.push(color.dim(CLOSING_LINE));
  return lines.join('\n');
}

/** How far to trust it; the command that records what a reviewer found names the answer by its record. */
function confidenceLine({ confidence, needsReview, auditId }: Answer, color: ChalkInstance): string {
  if (!needsReview) return color.dim(`Confidence ${confidence.toFixed(2)}.`);
  const id = auditId === undefined ? 'ID' : shortId(auditId);
  return color.yellow(
    `! Confidence ${confidence.toFixed(2)}, low: have a person review this answer: labsage review record ${id} --verdict …`,
  );
}

/** A citation with its quotes and where they stand. */
export function citationLines(citation: Citation, color: ChalkInstance): string[] {
  const heads = [
    `${color.bold(`[${citation.key}]`)} ${color.cyan(describeContext(citation.document, citation.headingPath))}`,
  ];
  const quotes = citation.quotes.flatMap(({ text, subheadings = [] }, at) => {
    const above = subheadings.join(' › ');
    const isNew = above !== (citation.quotes[at - 1]?.subheadings ?? []).join(' › ');
    return [
      ...(isNew && above !== '' ? [color.dim(`  ${above}`)] : []),
      `  ${text.replaceAll('\n', '\n  ')}`,
    ];
  });
  const last = citation.quotes.at(-1)?.location;
  const first = citation.quotes[0]?.location;
  const place =
    first === undefined || last === undefined ? citation.document.path : describeRange(first, last);
  return [...heads, ...quotes, color.dim(`  ${place}`), ''];
}

export function describeRange(first: Location, last: Location): string {
  const join = (name: string, from: number | undefined, to: number | undefined): string | undefined => {
    if (from === undefined || to === undefined) return undefined;
    return from === to ? `${name} ${from}` : `${name}s ${from}-${to}`;
  };
  const place =
    join('line', first.lines?.[0], last.lines?.[1]) ??
    join('page', first.pages?.[0], last.pages?.[1]) ??
    join('paragraph', first.paragraphs?.[0], last.paragraphs?.[1]);
  return place === undefined ? first.file : `${first.file}, ${place}`;
}

function nearestSections({ contexts }: ExplainedAnswer, color: ChalkInstance): string[] {
  if (contexts.length === 0) return [];
  const sections = contexts.map(
    ({ document, context }) => `  ${describeContext(documentReference(document), context.headingPath)}`,
  );
  return [color.dim('Nearest sections:'), ...sections, ''];
}

function fullSections({ answer }: ExplainedAnswer, color: ChalkInstance): string[] {
  return answer.sources.flatMap(({ key, text, location }) => [
    color.bold(`--- ${key}, complete section (${describeRange(location, location)})`),
    text,
    '',
  ]);
}

function explainLines(
  { answer, terms, judgement, signals, contexts, scored }: ExplainedAnswer,
  color: ChalkInstance,
): string[] {
  const three = (value: number): string => value.toFixed(3);
  const parts = (values: Readonly<Record<string, number>>): string =>
    Object.entries(values)
      .map(([name, value]) => `${name} ${three(value)}`)
      .join('  ');
  return [
    color.bold('--- explanation'),
    `terms: ${terms.map(({ word, weight, known, corrected }) => `${word}${corrected === undefined ? '' : `→${corrected}`} ${known ? weight.toFixed(2) : 'unknown'}`).join(', ')}`,
    `confidence ${three(answer.confidence)}: ${parts({ ...signals })}`,
    `answerable ${three(judgement.answerable)}: ${parts({ ...judgement.features })}`,
    ...contexts.map(
      ({ context, score, hits }) => `section ${three(score)}  ${parts(hits[0]?.parts ?? {})}  ${context.id}`,
    ),
    ...scored
      .slice(0, 8)
      .map(
        ({ evidence, score, parts: of }) =>
          `piece ${three(score)}  ${parts(of)}  ${sliceSpan(evidence.text, { start: 0, end: 80 })}`,
      ),
    '',
  ];
}
