/** A file of questions, as lines or JSON lines, or an audit log → questions to be asked again. */

import { readFile } from 'node:fs/promises';
import { shortId } from '../../core/auditLog.js';
import { readAuditRecords } from '../../core/auditTrail.js';
import { ExitCode, ToolError } from '../../core/errors.js';
import { sha256Hex } from '../../core/text.js';
import { parseQuestions, type EvidenceQuote } from '../evaluation/questions.js';
import { reasonOf } from '../documents/sopFiles.js';

export interface SavedQuestion {
  readonly id: string;
  readonly question: string;
  /** Empty where the file doesn't state it, or says that nothing answers (`isStated`). */
  readonly evidence: readonly EvidenceQuote[];
  /** Whether the file says what answers the question, or that nothing does. */
  readonly isStated: boolean;
}

export interface SavedQuestions {
  readonly questions: readonly SavedQuestion[];
  /** Of the file's bytes. */
  readonly sha256: string;
}

/** Throws (exit 3) if it cannot be read, a JSON line is no question, or there is none. */
export async function readSavedQuestions(path: string, name: string): Promise<SavedQuestions> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new ToolError(ExitCode.input, `questions ${name} cannot be read: ${reasonOf(error)}`, {
      hint: 'name a file with one question a line, or JSON lines with a field "question"',
      cause: error,
    });
  });
  const questions = isJsonLines(text) ? jsonQuestions(text, name) : lineQuestions(text);
  if (questions.length === 0) {
    throw new ToolError(ExitCode.input, `${name} holds no question`, {
      hint: 'write one question a line, or JSON lines with a field "question"',
    });
  }
  return { questions, sha256: sha256Hex(text) };
}

/** Each question once, in the order in which it was first asked. */
export async function auditedQuestions(path: string): Promise<SavedQuestion[]> {
  const questions = new Map<string, SavedQuestion>();
  for await (const { id, command, subject } of readAuditRecords(path)) {
    if (command !== 'ask' || questions.has(subject)) continue;
    questions.set(subject, { id: shortId(id), question: subject, evidence: [], isStated: false });
  }
  return [...questions.values()];
}

function isJsonLines(text: string): boolean {
  return text
    .replace(/^\uFEFF/u, '')
    .trimStart()
    .startsWith('{');
}

function jsonQuestions(text: string, file: string): SavedQuestion[] {
  const stated = new Set<number>();
  text.split('\n').forEach((line, at) => {
    if (/"evidence"\s*:/u.test(line)) stated.add(at);
  });
  const lines = text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [at]));
  return parseQuestions(text, { file }).map(({ id, question, evidence }, at) => ({
    id,
    question,
    evidence,
    isStated: stated.has(lines[at] ?? -1),
  }));
}

function lineQuestions(text: string): SavedQuestion[] {
  return text
    .replace(/^\uFEFF/u, '')
    .split(/\r?\n/u)
    .flatMap((line, at) =>
      line.trim() === ''
        ? []
        : [{ id: `line-${at + 1}`, question: line.trim(), evidence: [], isStated: false }],
    );
}
