/** A SOAP note → its body, and the whole as Markdown. */

import { renderNoteHeader } from './check/noteFile.js';
import { EXTRACTIVE } from '../core/generator.js';
import { countWords } from '../core/text.js';
import type { NoteSource, PriorSentence, QuotedSentence, SoapNote, SoapSentence } from './note/noteRecord.js';

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
    const lines = renderSentences(note.sections[name].sentences, note.date);
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

function isQuoted(sentence: SoapSentence): sentence is QuotedSentence {
  return 'noteId' in sentence;
}

/** What a language model wrote stays its prose. */
function renderSentences(sentences: readonly SoapSentence[], date: string): string[] {
  const quoted = sentences.filter(isQuoted);
  const prose = sentences.filter((sentence) => !isQuoted(sentence)).map((one) => renderSentence(one));
  return [...(prose.length === 0 ? [] : [prose.join(' ')]), ...groupByNote(quoted, date)];
}

function groupByNote(sentences: readonly QuotedSentence[], date: string): string[] {
  const groups = new Map<string, QuotedSentence[]>();
  const values = sentences.filter(({ isValue }) => isValue === true);
  for (const sentence of sentences.filter(({ isValue }) => isValue !== true))
    groups.set(sentence.noteId, [...(groups.get(sentence.noteId) ?? []), sentence]);
  const lines = [...groups.values()].map((own) => {
    const said = own.map((sentence, at) => renderSentence(sentence, own[at - 1]?.label)).join(' ');
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

/** A label that the sentence before has, too, is not said again. */
function renderSentence({ text, label, citations, unproved }: SoapSentence, before?: string): string {
  const end = /[.!?]$/u.test(text) ? text : `${text}.`;
  const said = `${label === undefined || label === before ? '' : `${label}: `}${end}`;
  const marked = citations.length === 0 ? said : `${said} ${mark(citations)}`;
  return unproved === undefined ? marked : `${marked} (⚠ not proved: ${unproved.join('; ')})`;
}

function whenAndWho({ date, time, type }: QuotedSentence, visitDate: string): string {
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

/** Who wrote it, and what is still to be done. */
export function closingLine({
  model,
  omitted,
  withheld = [],
  sections,
  excluded,
  leftOut,
}: SoapNote): string {
  const unproved = Object.values(sections)
    .flatMap(({ sentences }) => sentences)
    .filter((sentence) => sentence.unproved !== undefined).length;
  return [
    model.generator === EXTRACTIVE
      ? 'Composed from the chart by clirag, without a language model.'
      : `Written by ${model.generator}; each sentence was compared with its sources by clirag.`,
    unproved === 0 ? '' : `${unproved} sentences marked ⚠ are not proved by their sources.`,
    withheld.length === 0 ? '' : `${withheld.length} unproved sentences were left out.`,
    omitted.sent < omitted.intended
      ? `Left out of the prompt for its length: ${omitted.intended - omitted.sent} of ${omitted.intended} tokens.`
      : '',
    leftOut === undefined ? '' : `${leftOut} passages of very long notes were not read.`,
    describeExcluded(excluded),
    'To be read and signed by a clinician.',
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/** With the header by which `clirag check` and `eval` know whose note it is. */
export function renderMarkdown(note: SoapNote): string {
  return `${renderNoteHeader(note)}${[
    `# Progress note, patient ${note.patientId}, visit ${note.date}`,
    `Known by ${note.asOf}. ${note.words} words. ${closingLine(note)}`,
    note.text,
    '## Sources',
    [
      ...note.sources.map((source) => `- [${source.key}] ${describeSource(source)}`),
      ...citedPrior(note).map((one) => `- [${one.citations.join()}] ${describePrior(one)}`),
    ].join('\n'),
  ].join('\n\n')}\n`;
}

/** Empty where every note of the visit is evidence. */
export function describeExcluded(excluded: SoapNote['excluded']): string {
  const told = Object.entries(excluded).map(
    ([reason, count]) =>
      `${count} ${reason.startsWith('progress') ? reason.replace('note', count === 1 ? 'note' : 'notes') : reason}`,
  );
  return told.length === 0 ? '' : `Notes of the visit that were not used: ${told.join(', ')}.`;
}

export function describeSource({ type, date, time, header, ordinal, noteId, span }: NoteSource): string {
  return `${type} ${date} ${time ?? ''} | ${header} | chunk ${ordinal}, note ${noteId}, characters ${span.start} to ${span.end}`.replace(
    / {2,}/gu,
    ' ',
  );
}

/** A language model's note has no other place than its visit. */
export function describePrior({ type, date, time, noteId }: PriorSentence): string {
  const place = noteId === undefined ? 'note written for the visit of' : type;
  return [place, date, time, noteId === undefined ? undefined : `| note ${noteId}`]
    .filter((part) => part !== undefined)
    .join(' ');
}

export function citedPrior({ priorSummary, changes }: SoapNote): PriorSentence[] {
  const cited = new Set([...changes.changed, ...changes.resolved].flatMap(({ citations }) => citations));
  return (priorSummary?.sentences ?? []).filter(({ citations }) => citations.some((key) => cited.has(key)));
}
