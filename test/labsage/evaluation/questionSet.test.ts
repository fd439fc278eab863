import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ExitCode } from '../../../src/core/errors.js';
import type { Question } from '../../../src/labsage/evaluation/questions.js';
import { readQuestionFiles, selectQuestions } from '../../../src/labsage/evaluation/questionSet.js';
import { inTemporaryFolder, writeFiles } from '../../temporaryFolder.js';

function answerable(id: string, split?: 'dev' | 'test'): Question {
  const evidence = [{ document: 'x.md', quote: `quote ${id}` }];
  return {
    id,
    question: `${id}?`,
    answer: `quote ${id}`,
    evidence,
    ...(split === undefined ? {} : { split }),
  };
}
const unanswerable = (id: string): Question => ({ id, question: `${id}?`, answer: '', evidence: [] });
const list = (id: string): Question => ({ ...unanswerable(id), documents: ['x.md'] });
const idsOf = (questions: readonly Question[]): string[] => questions.map(({ id }) => id);

const MANY = Array.from({ length: 40 }, (_, at) => answerable(`q${at}`, at % 2 === 0 ? 'dev' : 'test'));

test('questions fall into those with an answer, without one, and those for documents', () => {
  const set = selectQuestions([answerable('a'), unanswerable('b'), list('c')]);
  expect([set.answerable, set.unanswerable, set.lists].map(idsOf)).toEqual([['a'], ['b'], ['c']]);
});

test('a split leaves out the questions of the other one; those that name none stay', () => {
  const set = selectQuestions([answerable('a', 'dev'), answerable('b', 'test'), answerable('c')], {
    split: 'test',
  });
  expect(idsOf(set.answerable)).toEqual(['b', 'c']);
});

test('a sample is of its size, in order, the same for a seed, and another for another', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 1000 }), (sample, seed) => {
      const ids = idsOf(selectQuestions(MANY, { sample, seed }).answerable);
      expect(ids).toHaveLength(sample);
      expect(ids).toEqual(idsOf(MANY).filter((id) => ids.includes(id)));
      expect(idsOf(selectQuestions(MANY, { sample, seed }).answerable)).toEqual(ids);
    }),
  );
  const samples = [1, 2, 3].map((seed) =>
    idsOf(selectQuestions(MANY, { sample: 10, seed }).answerable).join(),
  );
  expect(new Set(samples).size).toBe(3);
});

test('the other groups are sampled by the same share, at least one each', () => {
  const others = Array.from({ length: 8 }, (_, at) => unanswerable(`n${at}`));
  const set = selectQuestions([...MANY, ...others, list('l')], { sample: 10 });
  expect([set.unanswerable.length, set.lists.length]).toEqual([2, 1]);
});

test('nothing left, or an id that no question has, is an error', () => {
  expect(() => selectQuestions([answerable('a', 'dev')], { split: 'test' })).toThrow(
    expect.objectContaining({ exitCode: ExitCode.input, message: 'no question is left to ask' }),
  );
  expect(() => selectQuestions(MANY, { ids: new Set(['q1', 'zz']) })).toThrow('no question has the id zz');
  expect(idsOf(selectQuestions(MANY, { ids: new Set(['q7', 'q3']) }).answerable)).toEqual(['q3', 'q7']);
});

test('a folder stands for its question files; an id in two files is an error', async () => {
  await inTemporaryFolder(async (folder) => {
    const line = (id: string): string => `${JSON.stringify(answerable(id))}\n`;
    await writeFiles(folder, {
      'q/b.jsonl': line('b'),
      'q/a.jsonl': line('a'),
      'q/notes.txt': 'x',
      'c.jsonl': line('a'),
    });
    const files = await readQuestionFiles(['q'], folder);
    expect(files.map(({ path, questions }) => [path.replaceAll('\\', '/'), idsOf(questions)])).toEqual([
      ['q/a.jsonl', ['a']],
      ['q/b.jsonl', ['b']],
    ]);
    await expect(readQuestionFiles(['q', 'c.jsonl'], folder)).rejects.toThrow(
      /question a is in .*a\.jsonl and in c\.jsonl/u,
    );
    await expect(readQuestionFiles(['none.jsonl'], folder)).rejects.toMatchObject({
      exitCode: ExitCode.input,
    });
  });
});
