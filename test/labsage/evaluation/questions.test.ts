import { expect, test } from '@jest/globals';
import { ExitCode, ToolError } from '../../../src/core/errors.js';
import { parseQuestions } from '../../../src/labsage/evaluation/questions.js';

const evidence = [{ document: 'chemistry/x.md', section: '4 VOLUME', quote: 'At least 250 uL.' }];
const question = {
  id: 'x-1',
  question: 'min vol?',
  answer: 'At least 250 uL.',
  evidence,
  kind: 'fact',
  split: 'dev',
};
const unanswerable = { id: 'x-2', question: 'Who painted the Mona Lisa?', answer: '', evidence: [] };

function parse(...lines: readonly unknown[]): unknown {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return parseQuestions(text, { file: 'questions.jsonl' });
}

test('a line is a question; unknown fields go, blank lines, a byte order mark and CRLF do not matter', () => {
  expect(parse(`\uFEFF${JSON.stringify({ ...question, note: 1 })}\r`, ' ', unanswerable, '')).toEqual([
    question,
    unanswerable,
  ]);
});

test.each([
  ['no JSON', '{"id": '],
  ['not a JSON object', '[1]'],
  ['"id" is missing or no text', { ...question, id: 7 }],
  ['"id" or "question" is empty', { ...question, question: ' ' }],
  ['"answer" is missing or no text', { ...question, answer: 7 }],
  ['"evidence" is missing or no list', { ...question, evidence: 7 }],
  ['"document" is missing or no text', { question: 'x', evidence: 'y' }],
  ['an answer needs evidence, and evidence an answer', { ...question, answer: undefined }],
  ['an answer needs evidence, and evidence an answer', { ...question, evidence: undefined }],
  ['evidence 1 is no object', { ...question, evidence: ['x'] }],
  ['evidence 1 names no document', { ...question, evidence: [{ quote: 'x' }] }],
  ['evidence 1 has no quote', { ...question, evidence: [{ document: 'x' }] }],
  ['evidence 1: "section" is no text', { ...question, evidence: [{ ...evidence[0], section: 4 }] }],
  ['an answer needs evidence, and evidence an answer', { ...question, answer: '' }],
  ['an answer needs evidence, and evidence an answer', { ...question, evidence: [] }],
  ['"kind" is no text', { ...question, kind: 1 }],
  ['"documents" is no list of paths', { ...unanswerable, documents: 'x.md' }],
  ['"documents" is no list of paths', { ...unanswerable, documents: [''] }],
  ['it has both "documents" and an answer', { ...question, documents: ['x.md'] }],
  ['"split" is neither "dev" nor "test"', { ...question, split: 'train' }],
])('refused: %s', (why, line) => {
  const first = { ...question, id: 'x-0' };
  expect(() => parse(first, line)).toThrow(
    expect.objectContaining({ message: `questions.jsonl, line 2: ${why}`, exitCode: ExitCode.input }),
  );
});

test('a line with one document and its evidence as text is read too, and gets its line number as id', () => {
  expect(parse({ question: 'How much?', document: 'a.txt', evidence: 'Volume: 1 mL' })).toEqual([
    {
      id: 'line-1',
      question: 'How much?',
      answer: 'Volume: 1 mL',
      evidence: [{ document: 'a.txt', quote: 'Volume: 1 mL' }],
    },
  ]);
});

test('an id that comes twice is refused with both lines', () => {
  const parseTwice = (): unknown => parse(question, unanswerable, question);
  expect(parseTwice).toThrow(ToolError);
  expect(parseTwice).toThrow('questions.jsonl, line 3: the id is that of line 1');
});

test('a question with documents asks for all of them', () => {
  const list = { id: 'l', question: 'Which SOPs mention azide?', documents: ['x.md'] };
  expect(parse(list)).toEqual([{ ...list, answer: '', evidence: [] }]);
});
