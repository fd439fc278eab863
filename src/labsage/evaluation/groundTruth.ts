/** A question's evidence + the documents it is from → the statements that an answer needs, each as words that can be looked for. */

import { collapseBlanks, sliceSpan, splitSentences } from '../../core/text.js';
import type { Document, Span } from '../../core/types.js';
import { bareWords, wordsOf, type ContextText } from './containment.js';
import type { EvidenceQuote, Question } from './questions.js';

/** One sentence, step or table row of the ground truth. */
export interface Statement {
  readonly document: string;
  /** Bare words; any of them will do (a table cell that stands in two rows of its section has two). */
  readonly alternatives: readonly string[];
}

/** The quotes of a question, taken apart. */
export interface GroundTruth {
  readonly statements: readonly Statement[];
  /** Where each quote stands, if it was found: its first place under its section. */
  readonly places: readonly { readonly document: string; readonly span: Span }[];
}

/**
 * A sentence of fewer words says nothing alone: it belongs to the one before or after. A quote of fewer words is a table
 * cell, which counts only with its row: `1.0` stands in every document.
 */
const STATEMENT_WORDS = 4;

/** `documents` by path. A quote that its document lacks is looked for as it is. */
export function groundTruthOf(question: Question, documents: ReadonlyMap<string, Document>): GroundTruth {
  const statements: Statement[] = [];
  const places: { document: string; span: Span }[] = [];
  for (const evidence of question.evidence) {
    const document = documents.get(evidence.document);
    const place = document === undefined ? undefined : findQuote(document, evidence);
    if (place !== undefined) places.push({ document: evidence.document, span: place });
    const isCell = wordCount(evidence.quote) < STATEMENT_WORDS;
    const rows = document !== undefined && isCell ? rowsOf(document, evidence, question.evidence) : [];
    if (rows.length > 0) statements.push({ document: evidence.document, alternatives: rows });
    else {
      for (const words of splitStatements(evidence.quote))
        statements.push({ document: evidence.document, alternatives: [words] });
    }
  }
  return { statements: distinct(statements), places };
}

/** One for each statement, in order. Without `anyDocument` a statement counts only in the words of its own document. */
export function findStatements(
  statements: readonly Statement[],
  texts: readonly ContextText[],
  options: { anyDocument?: boolean } = {},
): boolean[] {
  const all = texts.map(({ text }) => bareWords(text)).join('');
  return statements.map(({ document, alternatives }) => {
    const words = options.anyDocument === true ? all : wordsOf(texts, document);
    return alternatives.some((alternative) => words.includes(alternative));
  });
}

/** White space, marks between cells, and the marks of footnotes, which a quote need not have. */
const BETWEEN_WORDS = '(?:\\[\\d{1,3}\\])?[\\s|]+';

/**
 * Where the quote stands, character by character but for white space, footnotes' marks and the marks between table cells, which each file
 * format writes in its own way. Under its section if it stands there, else at its first place.
 */
export function findQuote(document: Document, { quote, section }: EvidenceQuote): Span | undefined {
  const words = quote.match(/[^\s|]+/gu)?.map((word) => word.replace(/[\\^$.*+?()[\]{}]/gu, '\\$&')) ?? [];
  if (words.length === 0) return undefined;
  const places = [...document.text.matchAll(new RegExp(words.join(BETWEEN_WORDS), 'gu'))].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
  const sections = section === undefined ? [] : findSections(document, section);
  return places.find((place) => sections.some((within) => isInside(place, within))) ?? places[0];
}

/** The parts of the document under a heading of these words, deeper headings included. */
export function findSections(document: Document, section: string): Span[] {
  const name = bareWords(section);
  const headings = document.blocks.filter(({ kind }) => kind === 'heading');
  return headings.flatMap((heading, at) => {
    if (bareWords(heading.text) !== name) return [];
    const next = headings.slice(at + 1).find(({ level = 1 }) => level <= (heading.level ?? 1));
    return [{ start: heading.span.start, end: next?.span.start ?? document.text.length }];
  });
}

/** The rows and sentences of the section that hold the cell, and if some hold the question's other cells too, only those. */
function rowsOf(document: Document, cell: EvidenceQuote, evidence: readonly EvidenceQuote[]): string[] {
  const sections = cell.section === undefined ? [] : findSections(document, cell.section);
  const within = sections.length > 0 ? sections : [{ start: 0, end: document.text.length }];
  const rows = within
    .flatMap((span) => splitSentences(document.text, span))
    .map((span) => bareWords(sliceSpan(document.text, span)))
    .filter((row) => row.includes(bareWords(cell.quote)));
  const others = evidence
    .filter(
      ({ document: path, section, quote }) =>
        path === cell.document && section === cell.section && quote !== cell.quote,
    )
    .map(({ quote }) => bareWords(quote))
    .filter((quote) => wordCount(quote) < STATEMENT_WORDS);
  const together = rows.filter((row) => others.some((other) => row.includes(other)));
  return [...new Set(together.length > 0 ? together : rows)];
}

/** The bare words of a text's sentences; what is too short to say something is joined to its neighbour. */
export function splitStatements(text: string): string[] {
  const flat = collapseBlanks(text);
  const statements: string[] = [];
  let open = '';
  for (const span of splitSentences(flat)) {
    open = `${open} ${sliceSpan(flat, span)}`;
    if (wordCount(open) < STATEMENT_WORDS) continue;
    statements.push(open);
    open = '';
  }
  const last = statements.pop();
  const rest = `${last ?? ''} ${open}`;
  return [...statements, rest].map(bareWords).filter((words) => words.trim() !== '');
}

function distinct(statements: readonly Statement[]): Statement[] {
  return [
    ...new Map(statements.map((one) => [`${one.document}\n${one.alternatives.join('\n')}`, one])).values(),
  ];
}

function wordCount(text: string): number {
  return bareWords(text).trim().split(' ').length;
}

function isInside(inner: Span, outer: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}
