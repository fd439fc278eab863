import { expect, test } from '@jest/globals';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openQuestionVectors } from '../../../src/clirag/retrieval/questionVectors.js';
import type { Embedder } from '../../../src/core/types.js';
import { inTemporaryFolder } from '../../temporaryFolder.js';
import '../../uuidForVectra.js';
import { wordEmbedder } from '../../wordEmbedder.js';

/** Counts how often the model is opened and what it reads. */
function counted(embedder: Embedder = wordEmbedder()): {
  fingerprint: Embedder['fingerprint'];
  open: () => Promise<Embedder>;
  opened: number;
  asked: string[];
} {
  const state = {
    fingerprint: embedder.fingerprint,
    opened: 0,
    asked: [] as string[],
    open: (): Promise<Embedder> => {
      state.opened += 1;
      return Promise.resolve({
        ...embedder,
        embed: (texts, role) => {
          state.asked.push(...texts);
          return embedder.embed(texts, role);
        },
      });
    },
  };
  return state;
}

const QUESTIONS = ['What hurts?', 'Which drugs are given?', 'What hurts?'];

test('a store asks the model for each question once; the next process asks nothing', async () => {
  await inTemporaryFolder(async (store) => {
    const first = counted();
    const made = await openQuestionVectors(store, first).embed(QUESTIONS, 'query');
    expect(first.asked).toEqual(QUESTIONS.slice(0, 2));
    const second = counted();
    const found = await openQuestionVectors(store, second).embed(QUESTIONS, 'query');
    expect(second.opened).toBe(0);
    expect(found).toEqual(made);
    expect(made).toEqual(await wordEmbedder().embed(QUESTIONS, 'query'));
  });
});

test('passages always go to the model and are not kept', async () => {
  await inTemporaryFolder(async (store) => {
    const model = counted();
    const vectors = openQuestionVectors(store, model);
    await vectors.embed(['a chunk'], 'passage');
    await vectors.embed(['a chunk'], 'passage');
    expect(model.asked).toEqual(['a chunk', 'a chunk']);
    expect(await readdir(store)).toEqual([]);
  });
});

test('another model has vectors of its own', async () => {
  await inTemporaryFolder(async (store) => {
    const embedder = wordEmbedder();
    await openQuestionVectors(store, counted(embedder)).embed(QUESTIONS, 'query');
    const other = counted({
      ...embedder,
      fingerprint: { ...embedder.fingerprint, weightsSha256: 'f'.repeat(64) },
    });
    await openQuestionVectors(store, other).embed(QUESTIONS, 'query');
    expect(other.asked).toEqual(QUESTIONS.slice(0, 2));
  });
});

test('damaged vectors are made again, and a store that cannot be written keeps none', async () => {
  await inTemporaryFolder(async (store) => {
    await openQuestionVectors(store, counted()).embed(QUESTIONS, 'query');
    const folder = join(store, 'questions');
    for (const name of await readdir(folder))
      if (name.endsWith('.f32')) await writeFile(join(folder, name), 'x');
    const again = counted();
    expect(await openQuestionVectors(store, again).embed(QUESTIONS, 'query')).toHaveLength(3);
    expect(again.asked).toEqual(QUESTIONS.slice(0, 2));
  });
  await inTemporaryFolder(async (store) => {
    await writeFile(join(store, 'questions'), 'a file where the folder would be');
    await chmod(store, 0o555);
    const model = counted();
    const vectors = openQuestionVectors(store, model);
    await vectors.embed(QUESTIONS, 'query');
    await vectors.embed(QUESTIONS, 'query');
    expect(model.asked).toEqual(QUESTIONS.slice(0, 2));
    await chmod(store, 0o755);
  });
});
