/** `labsage list`: terms and filters → every document that fits, with its lines. */

import { formatCsvRow } from '../../core/csv.js';
import { ExitCode, ToolError } from '../../core/errors.js';
import type { CommandContext } from '../../core/program.js';
import { parseDay, type ControlField, type ControlFilters } from '../lists/controlFilters.js';
import type { ListedStatus } from '../lists/listedStatuses.js';
import { listDocuments, type DocumentList } from '../lists/documentList.js';
import { localDate } from '../documents/documentControl.js';
import {
  controlCells,
  LISTED_LINES,
  LIST_COLUMNS,
  listCsv,
  listRecord,
  renderListLines,
} from '../lists/renderList.js';
import { correctedQuestion, readQuestionTerms } from '../question/questionTerms.js';
import type { SopIndex } from '../sopIndex.js';
import { describeQuery, parseTermQuery, type TermQuery } from '../lists/termQuery.js';
import { unmatchedFilters } from '../retrieve.js';
import { withIndex } from './openSearch.js';

interface ListFlags {
  readonly index?: string;
  readonly exact?: boolean;
  readonly status?: readonly ListedStatus[];
  readonly owner?: string;
  readonly effectiveAfter?: string;
  readonly effectiveBefore?: string;
  readonly reviewAfter?: string;
  readonly reviewBefore?: string;
  readonly missing?: ControlField;
  readonly folder?: readonly string[];
  readonly document?: readonly string[];
  readonly allVersions?: boolean;
  readonly lines?: number;
  readonly csv?: boolean;
  readonly json?: boolean;
  readonly failEmpty?: boolean;
}

export async function listCommand(
  args: readonly string[],
  flags: ListFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  if (flags.csv === true && flags.json === true)
    throw new ToolError(ExitCode.usage, 'give --csv or --json, not both');
  const mode = flags.exact === true ? 'exact' : 'stemmed';
  const text = args.join(' ').trim();
  const query = text === '' ? undefined : parseTermQuery(text, mode);
  const filters = readFilters(flags);
  return withIndex(flags, io, async (index) => {
    const options = { filters, mode, today: localDate(new Date()) } as const;
    unmatchedFilters(index.documents, filters).forEach(output.warn);
    const list = await listDocuments(query, index, options);
    await printList(list, flags, output);
    if (list.undated.length > 0)
      output.warn(`these state no such date and may belong in the list: ${list.undated.join(', ')}`);
    if (list.documents.length > 0) return ExitCode.done;
    const hint = query === undefined ? undefined : await widerQuery(query, index, options);
    if (hint !== undefined) output.note(hint);
    return flags.failEmpty === true ? ExitCode.shortfall : ExitCode.done;
  });
}

async function printList(
  list: DocumentList,
  flags: ListFlags,
  output: CommandContext['output'],
): Promise<void> {
  if (flags.json === true) list.documents.forEach((listed) => output.printJson(listRecord(listed)));
  else if (flags.csv === true) {
    output.print(formatCsvRow(LIST_COLUMNS));
    list.documents.flatMap(listCsv).forEach((row) => output.print(row));
  } else if (list.query === undefined || flags.lines === 0) await printTable(list, output);
  else {
    renderListLines(list, { color: output.color, lines: flags.lines ?? LISTED_LINES }).forEach((line) =>
      output.print(line),
    );
  }
}

function readFilters(flags: ListFlags): ControlFilters {
  const day = (text: string | undefined, option: string): string | undefined =>
    text === undefined ? undefined : parseDay(text, option);
  const effectiveFrom = day(flags.effectiveAfter, '--effective-after');
  const effectiveBefore = day(flags.effectiveBefore, '--effective-before');
  const reviewFrom = day(flags.reviewAfter, '--review-after');
  const reviewBefore = day(flags.reviewBefore, '--review-before');
  return {
    ...(flags.status === undefined ? {} : { statuses: flags.status }),
    ...(flags.owner === undefined ? {} : { owner: flags.owner }),
    ...(effectiveFrom === undefined ? {} : { effectiveFrom }),
    ...(effectiveBefore === undefined ? {} : { effectiveBefore }),
    ...(reviewFrom === undefined ? {} : { reviewFrom }),
    ...(reviewBefore === undefined ? {} : { reviewBefore }),
    ...(flags.missing === undefined ? {} : { missing: flags.missing }),
    ...(flags.folder === undefined ? {} : { folders: flags.folder }),
    ...(flags.document === undefined ? {} : { documents: flags.document }),
    ...(flags.allVersions === true ? { allVersions: true } : {}),
  };
}

async function printTable(list: DocumentList, output: CommandContext['output']): Promise<void> {
  await output.table(
    ['number', 'version', 'title', 'status', 'effective', 'review by', 'owner', 'mentions', 'path'],
    list.documents.map((listed) => [
      ...controlCells(listed),
      list.query === undefined ? '' : listed.mentions.toString(),
      listed.document.path,
    ]),
  );
}

/** `No document has "potasium". Try: labsage list 'potassium'`, with the corpus's nearest words. */
async function typoIn(query: TermQuery, index: SopIndex): Promise<string | undefined> {
  const text = describeQuery(query);
  const misspelt = (await readQuestionTerms(text, await index.readTerms())).filter(
    ({ corrected }) => corrected !== undefined,
  );
  if (misspelt.length === 0) return undefined;
  const words = misspelt.map(({ word }) => `"${word}"`).join(' nor ');
  return `No document has ${words}. Try: labsage list '${correctedQuestion(text, misspelt)}'`;
}

/** For a list that is empty: a word that was meant, whether the words stand further apart, or in versions that are not in force. */
async function widerQuery(
  query: TermQuery,
  index: SopIndex,
  options: Parameters<typeof listDocuments>[2],
): Promise<string | undefined> {
  const anywhere = { ...options, filters: { ...options.filters, allVersions: true } };
  const others =
    options.filters.allVersions === true ? [] : (await listDocuments(query, index, anywhere)).documents;
  if (others.length > 0) {
    return `${others.length} not in force: add --all-versions to see ${others.length === 1 ? 'it' : 'them'}.`;
  }
  const typo = await typoIn(query, index);
  if (typo !== undefined) return typo;
  if (query.kind !== 'near') return undefined;
  const words = query.phrases.flatMap(({ text }) => text.match(/\S*[\p{L}\p{N}]\S*/gu) ?? []);
  if (words.length < 2) return undefined;
  const all = parseTermQuery(words.map((word) => `"${word}"`).join(' AND '), options.mode);
  const apart = (await listDocuments(all, index, options)).documents;
  if (apart.length === 0) return undefined;
  return `${apart.length} ${apart.length === 1 ? 'document has' : 'documents have'} all the words, but not together: labsage list '${describeQuery(all)}'`;
}
