/** A question file (JSON lines) → the questions that an evaluation asks, each with its verbatim evidence. */

import { readFile } from 'node:fs/promises';
import { ExitCode, ToolError } from '../../core/errors.js';
import { reasonOf } from '../documents/sopFiles.js';

/** What a question asks for; reports group by it. A laboratory's own files may use other words. */
export const QUESTION_KINDS = [
  'fact',
  'table',
  'value',
  'procedure',
  'next-step',
  'reason',
  'abbreviation',
  'typo',
  'long',
  'multi-section',
  'multi-document',
] as const;
export type QuestionKind = (typeof QUESTION_KINDS)[number];

/** `dev` questions may be tuned on, `test` questions only reported. */
export type QuestionSplit = 'dev' | 'test';

/** Where the answer stands. */
export interface EvidenceQuote {
  /** Path of the document, relative to the folder that was indexed. */
  readonly document: string;
  /** The nearest heading above the quote, as in the document. */
  readonly section?: string;
  /** The document's own words; white space and line breaks may differ. */
  readonly quote: string;
}

/** One line of a question file. */
export interface Question {
  readonly id: string;
  readonly question: string;
  /** Words of the documents; empty where they do not answer. */
  readonly answer: string;
  /** Empty where the documents do not answer: a refusal is then what is right. */
  readonly evidence: readonly EvidenceQuote[];
  readonly kind?: QuestionKind | (string & {});
  readonly split?: QuestionSplit;
  /** There if every document that fits is asked for: their paths, all of them. */
  readonly documents?: readonly string[];
}

export interface QuestionFileOptions {
  /** How errors call the file. */
  readonly file: string;
}

/** Reads and parses a question file. Throws (exit 3) if it cannot be read or a line is no question. */
export async function readQuestions(path: string): Promise<Question[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new ToolError(ExitCode.input, `questions ${path} cannot be read: ${reasonOf(error)}`, {
      cause: error,
    });
  });
  return parseQuestions(text, { file: path });
}

/** Blank lines are skipped. @throws ToolError (exit 3) that names file, line and field, never their content. */
export function parseQuestions(text: string, { file }: QuestionFileOptions): Question[] {
  const questions: Question[] = [];
  const lineOf = new Map<string, number>();
  for (const [at, line] of text
    .replace(/^\uFEFF/u, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    const fail = (why: string): never => {
      throw new ToolError(ExitCode.input, `${file}, line ${at + 1}: ${why}`, {
        hint: 'each line is a JSON object with id, question, answer and evidence [{document, section, quote}]',
      });
    };
    const question = parseQuestion(line, { fail, defaultId: `line-${at + 1}` });
    const earlier = lineOf.get(question.id);
    if (earlier !== undefined) fail(`the id is that of line ${earlier}`);
    lineOf.set(question.id, at + 1);
    questions.push(question);
  }
  return questions;
}

type Fail = (why: string) => never;

/**
 * Ours has `id, question, answer, evidence`; a file without `id` gets its line numbers, one with `document` and `evidence`
 * as texts has its evidence as the answer, one without both asks what the documents do not answer, or, with `documents`, for all of these.
 */
function parseQuestion(line: string, { fail, defaultId }: { fail: Fail; defaultId: string }): Question {
  const fields = asObject(parseJson(line, fail)) ?? fail('not a JSON object');
  const text = (name: string, otherwise?: string): string =>
    asText(fields[name] ?? otherwise) ?? fail(`"${name}" is missing or no text`);
  const id = text('id', defaultId);
  const question = text('question');
  if (id === '' || question.trim() === '') fail('"id" or "question" is empty');
  const simple = asText(fields['evidence']);
  const evidence =
    simple === undefined
      ? parseEvidence(fields['evidence'] ?? [], fail)
      : [{ document: text('document'), quote: simple }];
  const answer = text('answer', simple ?? '');
  if ((answer === '') !== (evidence.length === 0)) fail('an answer needs evidence, and evidence an answer');
  const documents = parseDocuments(fields['documents'], fail);
  if (documents !== undefined && answer !== '') fail('it has both "documents" and an answer');
  const { kind, split } = fields;
  if (kind !== undefined && typeof kind !== 'string') return fail('"kind" is no text');
  if (split !== undefined && split !== 'dev' && split !== 'test')
    return fail('"split" is neither "dev" nor "test"');
  return {
    id,
    question,
    answer,
    evidence,
    ...(kind === undefined ? {} : { kind }),
    ...(split === undefined ? {} : { split }),
    ...(documents === undefined ? {} : { documents }),
  };
}

function parseDocuments(value: unknown, fail: Fail): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const isList = Array.isArray(value) && value.every((path) => typeof path === 'string' && path !== '');
  return isList ? (value as string[]) : fail('"documents" is no list of paths');
}

function parseEvidence(value: unknown, fail: Fail): EvidenceQuote[] {
  if (!Array.isArray(value)) return fail('"evidence" is missing or no list');
  return value.map((entry: unknown, at) => {
    const { document, section, quote } = asObject(entry) ?? fail(`evidence ${at + 1} is no object`);
    if (typeof document !== 'string' || document === '') return fail(`evidence ${at + 1} names no document`);
    if (typeof quote !== 'string' || quote === '') return fail(`evidence ${at + 1} has no quote`);
    if (section === undefined) return { document, quote };
    return typeof section === 'string'
      ? { document, section, quote }
      : fail(`evidence ${at + 1}: "section" is no text`);
  });
}

function parseJson(line: string, fail: Fail): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    // The parser's own message quotes the line, so it is not passed on.
    return fail('no JSON');
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
