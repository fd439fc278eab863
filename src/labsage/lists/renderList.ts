/** A list of documents → what a person reads in a terminal, JSON lines, and rows for a spreadsheet. */

import type { ChalkInstance } from 'chalk';
import { formatCsvRow } from '../../core/csv.js';
import { CLOSING_LINE } from '../answer.js';
import { summarizeList, type AskedAnswer } from './corpusAnswer.js';
import { nameDocument } from '../describe.js';
import type { DocumentList, ListedDocument, ListedLine } from './documentList.js';
import { citationLines, describeRange, renderAnswer, type RenderOptions } from '../renderAnswer.js';

/** Lines shown of each document unless another number is asked for. */
export const LISTED_LINES = 3;
/** Longest line that is shown whole, in characters. */
const LINE_CHARS = 200;

export interface ListRenderOptions {
  readonly color: ChalkInstance;
  /** Lines of each document; `Infinity` for all. */
  readonly lines: number;
}

/** What `ask` prints: a list where documents were asked for, what control data say where these were, else the quotes. */
export function renderAsked({ answer, list, explained }: AskedAnswer, options: RenderOptions): string {
  const { color } = options;
  if (explained !== undefined) return renderAnswer(explained, options);
  const lines = options.full ? Infinity : LISTED_LINES;
  return [
    ...(options.showQuestion ? [color.bold(answer.question), ''] : []),
    ...(list === undefined
      ? [answer.text, '', ...answer.citations.flatMap((citation) => citationLines(citation, color))]
      : renderListLines(list, { color, lines })),
    ...answer.warnings.map((warning) => color.yellow(`! ${warning}`)),
    color.dim(CLOSING_LINE),
  ].join('\n');
}

/** Each document with its lines, most mentions first, and the counts on top. */
export function renderListLines(list: DocumentList, options: ListRenderOptions): string[] {
  const { color } = options;
  return [
    color.bold(summarizeList(list)),
    '',
    ...list.documents.flatMap((listed) => [
      `${color.cyan(nameDocument(listed.document))}${listed.state === 'current' ? '' : color.yellow(` (${listed.state})`)}`,
      color.dim(`  ${listed.document.path}${countOf(listed)}`),
      ...listed.lines.slice(0, options.lines).map((line) => renderLine(line, color)),
      ...(listed.lines.length > options.lines && options.lines > 0
        ? [color.dim(`  and ${many(listed.lines.length - options.lines, 'more line')}`)]
        : []),
      '',
    ]),
  ];
}

function countOf({ mentions, lines }: ListedDocument): string {
  if (mentions === 0) return '';
  return `, ${many(mentions, 'mention')} in ${many(lines.length, 'line')}`;
}

function many(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function renderLine(line: ListedLine, color: ChalkInstance): string {
  const { location } = line;
  const place = describeRange({ ...location, file: '' }, { ...location, file: '' }).replace(/^, /u, '');
  const path = line.headingPath.at(-1);
  const where = [place, path].filter((part) => part !== undefined && part !== '').join(', ');
  return `  ${where === '' ? '' : `${color.dim(`${where}:`)} `}${highlight(line, color)}`;
}

/** The line with its matches in bold; a long one around its first match. */
function highlight({ text, matches }: ListedLine, color: ChalkInstance): string {
  const first = matches[0]?.start ?? 0;
  const from = text.length <= LINE_CHARS || first < LINE_CHARS - 40 ? 0 : first - 60;
  const to = Math.min(text.length, from + LINE_CHARS);
  let shown = from > 0 ? '…' : '';
  let at = from;
  for (const { start, end } of matches) {
    if (start < at || end > to) continue;
    shown += text.slice(at, start) + color.bold(text.slice(start, end));
    at = end;
  }
  return `${shown}${text.slice(at, to)}${to < text.length ? '…' : ''}`.replaceAll('\n', ' ');
}

/** One document a line of JSON. */
export function listRecord({ document, state, mentions, lines }: ListedDocument): object {
  const { id, path, title, control } = document;
  return {
    document: { id, path, title, control, state },
    mentions,
    lines: lines.map(({ text, count, matches, headingPath, location, context }) => ({
      text,
      count,
      matches,
      headingPath,
      location,
      unit: context?.id ?? null,
    })),
  };
}

export const LIST_COLUMNS = [
  'number',
  'version',
  'title',
  'status',
  'effective',
  'review',
  'owner',
  'path',
  'mentions',
  'section',
  'place',
  'line',
] as const;

/** Number, version, title, status, effective, review by, owner. */
export function controlCells({ document, state }: Pick<ListedDocument, 'document' | 'state'>): string[] {
  const { control, title } = document;
  return [
    control.number ?? '',
    control.version ?? '',
    title,
    state,
    control.effective ?? '',
    control.review ?? '',
    control.owner ?? '',
  ];
}

/** One line of CSV a matching line; a document without lines has one too. */
export function listCsv({ document, state, mentions, lines }: ListedDocument): string[] {
  const head = [...controlCells({ document, state }), document.path, mentions];
  if (lines.length === 0) return [formatCsvRow([...head, '', '', ''])];
  return lines.map(({ text, headingPath, location }) =>
    formatCsvRow([...head, headingPath.join(' › '), describeRange(location, location), text]),
  );
}
