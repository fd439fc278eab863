/** A SOAP note → its body, and the whole as Markdown or a self-contained HTML page. */

import { countWords } from '../core/text.js';
import type { NoteSource, SoapNote, SoapSentence } from '../core/types.js';

type Body = Pick<SoapNote, 'sections' | 'changes' | 'date' | 'priorSummary'>;

const HEADINGS = [
  ['subjective', 'Subjective'],
  ['objective', 'Objective'],
  ['assessment', 'Assessment'],
  ['plan', 'Plan'],
] as const;

/** The sentences of one note side by side, after its time and type. */
export function renderBody(note: Body): string {
  const parts = HEADINGS.flatMap(([name, heading]) => {
    const lines = groupByNote(note.sections[name].sentences, note.date);
    if (name === 'plan')
      lines.push(...note.changes.conflicting.map((conflict) => renderConflict(conflict, note.date)));
    return [`## ${heading}`, lines.length === 0 ? 'Nothing charted.' : lines.join('\n')];
  });
  const changes = [
    ...note.changes.new.map(({ text, citations }) => `- New: ${text} ${mark(citations)}`),
    ...note.changes.changed.map(({ text, citations }) => `- Changed: ${text} ${mark(citations)}`),
    ...note.changes.resolved.map(({ text, citations }) => `- Ended: ${text} ${mark(citations)}`),
  ];
  if (note.priorSummary !== undefined && changes.length > 0)
    parts.push(`## Since the visit of ${note.priorSummary.date}`, changes.join('\n'));
  return parts.join('\n\n');
}

function groupByNote(sentences: readonly SoapSentence[], date: string): string[] {
  const groups = new Map<string, SoapSentence[]>();
  const values = sentences.filter(({ isValue }) => isValue === true);
  for (const sentence of sentences.filter(({ isValue }) => isValue !== true))
    groups.set(sentence.noteId, [...(groups.get(sentence.noteId) ?? []), sentence]);
  const lines = [...groups.values()].map((own) => {
    const said = own.map((sentence) => renderSentence(sentence)).join(' ');
    return `- ${own[0] === undefined ? '' : whenAndWho(own[0], date)}: ${said}`;
  });
  if (values.length > 0) {
    const told = values.map(
      ({ text, time, citations }) => `${text} (${time ?? 'no time'}) ${mark(citations)}`,
    );
    lines.push(`- Latest values: ${told.join('; ')}`);
  }
  return lines;
}

function renderConflict(
  { drug, sentences }: SoapNote['changes']['conflicting'][number],
  date: string,
): string {
  const said = sentences.map((sentence) => `${whenAndWho(sentence, date)}: ${renderSentence(sentence)}`);
  return `- Orders that differ (${drug}): ${said.join(' / ')}`;
}

function renderSentence({ text, label, citations }: SoapSentence): string {
  const end = /[.!?]$/u.test(text) ? text : `${text}.`;
  return `${label === undefined ? '' : `(${label}) `}${end} ${mark(citations)}`;
}

function whenAndWho({ date, time, type }: SoapSentence, visitDate: string): string {
  const day = date === visitDate ? '' : `${date} `;
  return `${day}${time ?? (day === '' ? 'no time' : '')} ${type.replace('_', ' ')}`
    .replace(/ {2,}/gu, ' ')
    .trim();
}

function mark(citations: readonly string[]): string {
  return `[${citations.join(', ')}]`;
}

/** Words of a body as a reader counts them: without marks, headings and list signs. */
export function countBodyWords(body: string): number {
  return countWords(
    body
      .replace(/^## .*$/gmu, '')
      .replace(/\[[SP]\d+(?:, [SP]\d+)*\]/gu, '')
      .replace(/^- /gmu, ''),
  );
}

const CLOSING =
  'Composed from the chart by clirag, without a language model. To be read and signed by a clinician.';

export function renderMarkdown(note: SoapNote): string {
  return `${[
    `# Progress note, patient ${note.patientId}, visit ${note.date}`,
    `Known by ${note.asOf}. ${note.words} words. ${CLOSING}`,
    note.text,
    '## Sources',
    [
      ...note.sources.map((source) => `- [${source.key}] ${describeSource(source)}`),
      ...citedPrior(note).map(
        ({ citations, noteId, date, time, type }) =>
          `- [${citations.join()}] ${type} ${date} ${time ?? ''}, note ${noteId}`,
      ),
    ].join('\n'),
  ].join('\n\n')}\n`;
}

function describeSource({ type, date, time, header, ordinal, noteId, span }: NoteSource): string {
  return `${type} ${date} ${time ?? ''} | ${header} | chunk ${ordinal}, note ${noteId}, characters ${span.start} to ${span.end}`.replace(
    / {2,}/gu,
    ' ',
  );
}

function citedPrior({ priorSummary, changes }: SoapNote): SoapSentence[] {
  const cited = new Set([...changes.changed, ...changes.resolved].flatMap(({ citations }) => citations));
  return (priorSummary?.sentences ?? []).filter(({ citations }) => citations.some((key) => cited.has(key)));
}

/** Every mark links to the words of its source; no script, nothing is loaded. */
export function renderHtml(note: SoapNote): string {
  const inline = (text: string): string =>
    escapeHtml(text).replace(
      /\[((?:[SP]\d+)(?:, [SP]\d+)*)\]/gu,
      (_, keys: string) =>
        `<sup>${keys
          .split(', ')
          .map((key) => `<a href="#${key}">${key}</a>`)
          .join(' ')}</sup>`,
    );
  const body = note.text
    .split('\n')
    .map((line) => {
      if (line.startsWith('## ')) return `<h2>${inline(line.slice(3))}</h2>`;
      return line === '' ? '' : `<p>${inline(line.replace(/^- /u, ''))}</p>`;
    })
    .join('\n');
  const sources = note.sources
    .map(
      (source) =>
        `<dt id="${source.key}">${source.key}: ${escapeHtml(describeSource(source))}</dt><dd>${escapeHtml(source.text)}</dd>`,
    )
    .concat(
      citedPrior(note).map(
        ({ citations, text, date, noteId }) =>
          `<dt id="${citations.join()}">${citations.join()}: ${date}, note ${escapeHtml(noteId)}</dt><dd>${escapeHtml(text)}</dd>`,
      ),
    )
    .join('\n');
  const title = escapeHtml(`Progress note, patient ${note.patientId}, visit ${note.date}`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem}dd{white-space:pre-wrap;color:#444}sup a{text-decoration:none}:target{background:#fff3b0}</style>
</head><body><h1>${title}</h1><p>Known by ${escapeHtml(note.asOf)}. ${CLOSING}</p>
${body}
<h2>Sources</h2><dl>${sources}</dl></body></html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/&/gu, '&amp;').replace(/</gu, '&lt;').replace(/>/gu, '&gt;').replace(/"/gu, '&quot;');
}
