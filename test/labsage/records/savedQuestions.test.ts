import { expect, test } from '@jest/globals';
import { join } from 'node:path';
import { appendAudit, auditLogPath } from '../../../src/core/auditLog.js';
import { ExitCode } from '../../../src/core/errors.js';
import { auditedQuestions, readSavedQuestions } from '../../../src/labsage/records/savedQuestions.js';
import { inTemporaryFolder, writeFiles } from '../../temporaryFolder.js';

async function read(text: string): ReturnType<typeof readSavedQuestions> {
  return inTemporaryFolder(async (folder) => {
    await writeFiles(folder, { 'q.txt': text });
    return readSavedQuestions(join(folder, 'q.txt'), 'q.txt');
  });
}

test('lines are questions, each with the number of its line', async () => {
  expect((await read('\uFEFFmin vol?\r\n\n which tube? \n')).questions).toEqual([
    { id: 'line-1', question: 'min vol?', evidence: [], isStated: false },
    { id: 'line-3', question: 'which tube?', evidence: [], isStated: false },
  ]);
});

test('JSON lines may state what answers, or that nothing does', async () => {
  const evidence = [{ document: 'a.md', quote: '250 uL' }];
  const lines = [
    { id: 'a', question: 'min vol?', answer: '250 uL', evidence },
    { id: 'b', question: 'which moon?', answer: '', evidence: [] },
    { question: 'which tube?' },
  ];
  const { questions } = await read(lines.map((line) => `${JSON.stringify(line)}\n`).join('\n'));
  expect(questions).toEqual([
    { id: 'a', question: 'min vol?', evidence, isStated: true },
    { id: 'b', question: 'which moon?', evidence: [], isStated: true },
    { id: 'line-5', question: 'which tube?', evidence: [], isStated: false },
  ]);
});

test.each([
  ['', 'q.txt holds no question'],
  ['{"question": 1}', 'q.txt, line 1: "question" is missing or no text'],
])('refused: %j', async (text, message) => {
  await expect(read(text)).rejects.toMatchObject({ exitCode: ExitCode.input, message });
});

test('a file that is not there, and a folder, are named', async () => {
  await expect(readSavedQuestions('/nowhere/q.txt', 'q.txt')).rejects.toMatchObject({
    exitCode: ExitCode.input,
    message: expect.stringContaining('q.txt cannot be read'),
  });
});

test('an audit log gives each question once', async () => {
  await inTemporaryFolder(async (folder) => {
    const entry = { units: [], model: { embedder: 'w', generator: 'e' }, settings: {}, output: {} };
    for (const [command, subject] of [
      ['ask', 'min vol?'],
      ['ask', 'which tube?'],
      ['ask', 'min vol?'],
      ['search', 'no question'],
    ] as const)
      await appendAudit(folder, { ...entry, command, subject });
    const questions = await auditedQuestions(auditLogPath(folder));
    expect(questions.map(({ question }) => question)).toEqual(['min vol?', 'which tube?']);
  });
});
