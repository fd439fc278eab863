/** A query and filters + an index → every document that fits, with every line that says why, grouped and counted. */

import { collapseBlanks, overlaps } from '../../core/text.js';
import type { ContextUnit, Document, Location, Span } from '../../core/types.js';
import { hasStatus, matchesFilters, type ControlFilters } from './controlFilters.js';
import { locate } from '../document.js';
import { describeStatus } from '../documents/documentControl.js';
import { documentSections } from '../documentSections.js';
import type { IndexedDocument } from '../index/indexFormat.js';
import { lineTokens, type TokenMode } from './lineTokens.js';
import { findMentions, searchedBlocks, type LineMention, type SearchedBlock } from './mentions.js';
import { compareText } from '../documents/sopFiles.js';
import { readAllDocuments, type SopIndex } from '../sopIndex.js';
import { describeQuery, type TermQuery } from './termQuery.js';

/** A line that mentions what was asked, with where it stands. */
export interface ListedLine {
  readonly text: string;
  readonly count: number;
  /** Of the matching words, in `text`. */
  readonly matches: readonly Span[];
  /** Absent for the title, control data and running heads. */
  readonly span?: Span;
  readonly context?: ContextUnit;
  readonly headingPath: readonly string[];
  readonly location: Location;
}

export interface ListedDocument {
  readonly document: IndexedDocument;
  /** `current`, `superseded`, `review overdue since …`. */
  readonly state: string;
  readonly mentions: number;
  readonly lines: readonly ListedLine[];
}

export interface DocumentList {
  /** Absent where only control data was asked for. */
  readonly query?: string;
  readonly mode: TokenMode;
  /** Documents that were looked at: those that the filters let through. */
  readonly examined: number;
  /** Most mentions first, then by path. */
  readonly documents: readonly ListedDocument[];
  readonly mentions: number;
  /** Documents in force that state no date where a filter asks for one: they may belong in the list. */
  readonly undated: readonly string[];
}

export interface ListOptions {
  readonly filters: ControlFilters;
  readonly mode: TokenMode;
  /** ISO date that decides which versions are in force. */
  readonly today: string;
}

/** A corpus that is ready to be asked several queries. */
export interface ListedCorpus {
  readonly list: (query: TermQuery | undefined, filters: ControlFilters) => DocumentList;
}

export async function listDocuments(
  query: TermQuery | undefined,
  index: SopIndex,
  options: ListOptions,
): Promise<DocumentList> {
  const corpus = await openListedCorpus(index, options);
  return corpus.list(query, options.filters);
}

/** Reads every document of the index, not the top k: the list is complete. */
export async function openListedCorpus(
  index: SopIndex,
  options: Omit<ListOptions, 'filters'>,
): Promise<ListedCorpus> {
  const { mode, today } = options;
  const texts = new Map((await readAllDocuments(index)).map((document) => [document.id, document]));
  const blocks = new Map<string, readonly SearchedBlock[]>();
  const blocksOf = (document: Document): readonly SearchedBlock[] => {
    const known = blocks.get(document.id) ?? searchedBlocks(document, mode);
    blocks.set(document.id, known);
    return known;
  };
  return {
    list(query, filters) {
      const candidates = index.documents.filter((document) => matchesFilters(document, filters, today));
      const documents = candidates.flatMap((indexed): ListedDocument[] => {
        const state = describeStatus(indexed.control, today);
        const document = texts.get(indexed.id);
        if (query === undefined || document === undefined)
          return [{ document: indexed, state, mentions: 0, lines: [] }];
        const found = findMentions(query, [...blocksOf(document), ...asideBlocks(document, mode)], mode);
        if (found === undefined) return [];
        const lines = listLines(found, { document, indexed });
        return [{ document: indexed, state, mentions: countMentions(lines), lines }];
      });
      documents.sort((a, b) => b.mentions - a.mentions || compareText(a.document.path, b.document.path));
      return {
        ...(query === undefined ? {} : { query: describeQuery(query) }),
        mode,
        examined: candidates.length,
        documents,
        mentions: countMentions(documents.map(({ mentions }) => ({ count: mentions }))),
        undated: undatedDocuments(index, { filters, today }),
      };
    },
  };
}

function countMentions(lines: readonly { readonly count: number }[]): number {
  return lines.reduce((sum, { count }) => sum + count, 0);
}

/** What the document says outside its text: it counts only if the text itself doesn't say it. */
function asideBlocks({ title, text, control, boilerplate }: Document, mode: TokenMode): SearchedBlock[] {
  const words = collapseBlanks(text).toLowerCase();
  const asides = [
    title,
    ...[control.number, control.owner, control.approvedBy, control.supersedes].filter(
      (value) => value !== undefined,
    ),
    ...boilerplate.filter(({ kind }) => kind === 'running-head').map((head) => withoutPage(head.text)),
  ];
  return [...new Set(asides.map(collapseBlanks))]
    .filter((aside) => aside !== '' && !words.includes(aside.toLowerCase()))
    .map((aside) => {
      const tokens = lineTokens(aside, mode);
      const line = { span: { start: 0, end: aside.length }, text: aside, tokens, isAside: true };
      return { terms: new Set(tokens.map(({ term }) => term)), lines: () => [line] };
    });
}

/** Running heads differ from page to page in nothing but the page. */
function withoutPage(text: string): string {
  return text.replace(/\bpage\s+\d+(?:\s+of\s+\d+)?/giu, '');
}

function listLines(
  found: readonly LineMention[],
  { document, indexed }: { document: Document; indexed: IndexedDocument },
): ListedLine[] {
  const inText = found.filter(({ line }) => !line.isAside);
  const shown = inText.length > 0 ? inText : found.slice(0, 1);
  const sections = documentSections(document);
  return shown.map(({ line, matches, count }): ListedLine => {
    const { span, text } = line;
    const inLine = matches.map(({ start, end }) => ({ start: start - span.start, end: end - span.start }));
    if (line.isAside === true)
      return { text, count, matches: inLine, headingPath: [], location: { file: document.path } };
    const context = indexed.contexts.find((unit) => overlaps(unit.span, span));
    const section = sections.find((one) => overlaps(one.span, span));
    return {
      text,
      count,
      matches: inLine,
      span,
      ...(context === undefined ? {} : { context }),
      headingPath: section?.path ?? [],
      location: locate(document, span),
    };
  });
}

function undatedDocuments(
  index: SopIndex,
  { filters, today }: { filters: ControlFilters; today: string },
): string[] {
  const asksEffective = filters.effectiveFrom !== undefined || filters.effectiveBefore !== undefined;
  const asksReview = filters.reviewFrom !== undefined || filters.reviewBefore !== undefined;
  return index.documents
    .filter(({ control }) => hasStatus(control, 'current', today))
    .filter(
      ({ control }) =>
        (asksEffective && control.effective === undefined) || (asksReview && control.review === undefined),
    )
    .map(({ path }) => path);
}
