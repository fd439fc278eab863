import { beforeAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../src/core/config.js';
import type { Document } from '../../../src/core/types.js';
import { readDocument } from '../../../src/labsage/document.js';
import { listSopFiles, readSopFile } from '../../../src/labsage/documents/sopFiles.js';
import { checkQuestions } from '../../../src/labsage/evaluation/questionCheck.js';
import { parseQuestions, type Question } from '../../../src/labsage/evaluation/questions.js';

const documents = new Map<string, Document>();

beforeAll(async () => {
  const { files } = await listSopFiles([join(packageRoot, 'corpora', 'sops')], packageRoot);
  for (const { file, path } of files)
    documents.set(path, await readDocument(await readSopFile(file), { path }));
});

function questionsOf(file: string): readonly Question[] {
  return parseQuestions(readFileSync(join(packageRoot, 'queries', 'sops', file), 'utf8'), { file });
}

test.each([
  ['questions.jsonl', 685],
  ['unanswerable.jsonl', 80],
  ['lists.jsonl', 30],
])('%s has %i questions and no fault', (file, count) => {
  const report = checkQuestions(questionsOf(file), documents);
  expect([report.questions, report.faults]).toEqual([count, []]);
});

test('at least 80 questions need two sections and 20 two documents', () => {
  const questions = questionsOf('questions.jsonl');
  const wanted = (key: (evidence: Question['evidence'][number]) => string): number =>
    questions.filter(({ evidence }) => new Set(evidence.map(key)).size > 1).length;
  expect(wanted(({ document, section }) => `${document}\n${section ?? ''}`)).toBeGreaterThanOrEqual(80);
  expect(wanted(({ document }) => document)).toBeGreaterThanOrEqual(20);
});

test('half of the unanswerable are made of words that the SOPs know; the sample names 100 questions', () => {
  const { unanswerable } = checkQuestions(questionsOf('unanswerable.jsonl'), documents);
  expect(unanswerable.ofKnownWords).toBeGreaterThanOrEqual(40);
  const known = new Set(questionsOf('questions.jsonl').map(({ id }) => id));
  const sample =
    readFileSync(join(packageRoot, 'queries', 'sops', 'sample-100.txt'), 'utf8').match(/\S+/gu) ?? [];
  expect([sample.length, new Set(sample).size, sample.filter((id) => !known.has(id))]).toEqual([
    100,
    100,
    [],
  ]);
});
