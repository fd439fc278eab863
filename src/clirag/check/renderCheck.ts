/** Checked notes → lines for a terminal, records for JSON, one HTML page. */

import { markup, renderPage, type Markup, type PageSection } from '../../core/report.js';
import type { CheckedFile } from './checkedNotes.js';
import { CHECK_VERDICTS, type ChartQuote, type CheckedClaim, type CheckVerdict } from './checkedClaim.js';

const WORDS: Readonly<Record<CheckVerdict, string>> = {
  supported: 'supported',
  contradicted: 'contradicted',
  stale: 'stale',
  'not-found': 'not found',
};

/** `24 statements: 20 supported, 1 contradicted, 0 stale, 3 not found`. */
export function describeCounts(files: readonly CheckedFile[]): string {
  const total = files.reduce((sum, { checked }) => sum + checked.claims.length, 0);
  const counts = CHECK_VERDICTS.map(
    (verdict) => `${files.reduce((sum, { checked }) => sum + checked.counts[verdict], 0)} ${WORDS[verdict]}`,
  );
  return `${total} statements: ${counts.join(', ')}`;
}

export function titleOf({ file, header, checked }: CheckedFile): string {
  const model = header.model === undefined ? '' : `, written by ${header.model}`;
  return `${file}: visit ${checked.visitId}, chart as of ${checked.asOf}${model}`;
}

export interface CheckLine {
  readonly verdict: CheckVerdict;
  readonly label: string;
  readonly text: string;
  /** Reasons, remarks and sources, a line each. */
  readonly details: readonly string[];
}

export function checkLines({ checked }: CheckedFile): CheckLine[] {
  return checked.claims.map((claim) => ({
    verdict: claim.verdict,
    label: WORDS[claim.verdict],
    text: claim.written,
    details: [...claim.reasons, ...claim.remarks, ...claim.sources.map(describeQuote)],
  }));
}

function describeQuote(quote: ChartQuote): string {
  return `${placeOf(quote)}: "${quote.text.replace(/\s+/gu, ' ')}"`;
}

function placeOf({ type, date, time, noteId, span }: ChartQuote): string {
  return `${type} ${date}${time === undefined ? '' : ` ${time}`}, note ${noteId}, characters ${span.start} to ${span.end}`;
}

/** Spans of claims lead into the file; those of sources into the raw TEXT of their notes. */
export function checkRecord({ file, header, start, checked }: CheckedFile): Record<string, unknown> {
  const { patientId, visitId, asOf, counts, claims } = checked;
  return {
    file,
    patientId,
    visitId,
    asOf,
    ...(header.model === undefined ? {} : { model: header.model }),
    counts,
    statements: claims.map(({ span, text: _, written, ...claim }) => ({
      text: written,
      ...claim,
      span: { start: span.start + start, end: span.end + start },
    })),
  };
}

export function renderCheckPage(files: readonly CheckedFile[]): string {
  const sections = files.map((file, at): PageSection => ({
    id: `note-${at + 1}`,
    title: `${file.file}, visit ${file.checked.visitId}`,
    body: markup`<p>${titleOf(file)}. ${describeCounts([file])}.</p>${file.checked.claims.map(renderClaim)}`,
  }));
  return renderPage({
    title: 'Notes checked against the chart',
    lead: markup`<p>${describeCounts(files)}. Compared word by word by clirag, without a language model; to be read by a clinician.</p>`,
    sections,
  });
}

function renderClaim({ written, verdict, reasons, remarks, sources }: CheckedClaim): Markup {
  const quotes = sources.map(
    (quote) => markup`<p class="dim">${placeOf(quote)}</p><blockquote>${quote.text}</blockquote>`,
  );
  const told = [...reasons, ...remarks].map((line) => markup`<li>${line}</li>`);
  const summary = markup`<summary><strong class="${verdict === 'supported' ? 'good' : 'bad'}">${WORDS[verdict]}</strong> ${written}</summary>`;
  const body = markup`${told.length === 0 ? markup`` : markup`<ul>${told}</ul>`}${quotes}`;
  return verdict === 'supported'
    ? markup`<details>${summary}${body}</details>
`
    : markup`<details open="">${summary}${body}</details>
`;
}
