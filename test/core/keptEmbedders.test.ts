import { expect, test } from '@jest/globals';
import { ExitCode, ToolError } from '../../src/core/errors.js';
import { keepEmbedders, sharedEmbedder, withKeptEmbedders } from '../../src/core/keptEmbedders.js';
import type { Embedder } from '../../src/core/types.js';
import { wordEmbedder } from '../wordEmbedder.js';

function counted(embed?: Embedder['embed']): {
  load: () => Promise<Embedder>;
  loads: number;
  closes: number;
} {
  const counts = { loads: 0, closes: 0 };
  return Object.assign(counts, {
    load: () => {
      counts.loads++;
      const close = (): Promise<void> => Promise.resolve(void counts.closes++);
      return Promise.resolve({ ...wordEmbedder(), ...(embed === undefined ? {} : { embed }), close });
    },
  });
}

test('one key is loaded once, also by work side by side, and closed at the end alone', async () => {
  const kept = keepEmbedders();
  const model = counted();
  const other = counted();
  const use = (): Promise<void> =>
    withKeptEmbedders(kept, async () => {
      const embedder = await sharedEmbedder('a', model.load);
      expect(await embedder.embed(['plasma'], 'query')).toHaveLength(1);
      await embedder.close();
    });
  await Promise.all([use(), use()]);
  await use();
  await withKeptEmbedders(kept, () => sharedEmbedder('b', other.load));
  expect([model.loads, model.closes, other.loads]).toEqual([1, 0, 1]);
  await kept.close();
  expect([model.closes, other.closes]).toEqual([1, 1]);
});

test('where nothing is kept each has its own', async () => {
  const model = counted();
  await (await sharedEmbedder('a', model.load)).close();
  await sharedEmbedder('a', model.load);
  expect([model.loads, model.closes]).toEqual([2, 1]);
});

test.each<[string, ExitCode, number]>([
  ['a model that failed is closed and loaded anew', ExitCode.model, 2],
  ['a text that is too long says nothing against the model', ExitCode.input, 1],
])('%s', async (_name, exitCode, loads) => {
  const kept = keepEmbedders();
  const model = counted(() => Promise.reject(new ToolError(exitCode, 'no')));
  for (let time = 0; time < 2; time++)
    await withKeptEmbedders(kept, async () => {
      const embedder = await sharedEmbedder('a', model.load);
      await expect(embedder.embed(['x'], 'query')).rejects.toThrow('no');
    });
  expect([model.loads, model.closes]).toEqual([loads, loads === 2 ? 2 : 0]);
});

test('a load that fails is tried again', async () => {
  const kept = keepEmbedders();
  const model = counted();
  const failing = (): Promise<Embedder> => Promise.reject(new Error('cut file'));
  await expect(withKeptEmbedders(kept, () => sharedEmbedder('a', failing))).rejects.toThrow('cut file');
  await withKeptEmbedders(kept, () => sharedEmbedder('a', model.load));
  expect(model.loads).toBe(1);
});
