import '../../uuidForVectra.js';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { atomicFileStorage } from '../../../src/core/store/atomicFiles.js';
import { float32Codec } from '../../../src/core/store/float32Codec.js';
import { encodeVectraFile, openVectraStore, type VectorItem } from '../../../src/core/store/vectorStore.js';

const DIMS = 6;

function unit(values: readonly number[]): Float32Array {
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(values, (value) => value / length);
}

function storeOf(items: readonly VectorItem[]): ReturnType<typeof openVectraStore> {
  return openVectraStore(
    { folder: '/not/read', file: 'vectors.f32' },
    { dims: DIMS, read: () => Promise.resolve(encodeVectraFile(items)) },
  );
}

const vectors = fc
  .array(fc.integer({ min: -9, max: 9 }), { minLength: DIMS, maxLength: DIMS })
  .filter((values) => values.some((value) => value !== 0))
  .map(unit);

test('the most similar items come first, with their cosines, and only of the asked groups', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(vectors, { minLength: 1, maxLength: 20 }), vectors, async (all, query) => {
      const items = all.map((vector, at) => ({
        id: `u${at}`,
        vector,
        metadata: { hash: '', group: at % 2 === 0 ? 'even' : 'odd' },
      }));
      const hits = await storeOf(items).query(query, { top: 5, groups: ['even'] });
      const cosines = items
        .filter(({ metadata }) => metadata.group === 'even')
        .map(({ vector }) => vector.reduce((sum, value, dim) => sum + value * (query[dim] ?? 0), 0))
        .sort((a, b) => b - a)
        .slice(0, 5);
      expect(hits).toHaveLength(cosines.length);
      hits.forEach(({ id, score }, at) => {
        expect(Number(id.slice(1)) % 2).toBe(0);
        expect(score).toBeCloseTo(cosines[at] ?? NaN, 5);
      });
    }),
    { numRuns: 40 },
  );
});

test('vectra itself opens the file and finds the same items with the same cosines', async () => {
  const { LocalIndex } = await import('vectra');
  const items = ['b', 'a', 'c'].map((id, at) => ({
    id,
    vector: unit([1, at, 3, 4 * at, 5, 6]),
    metadata: { hash: '', group: 'g' },
  }));
  const query = unit([6, 5, 4, 3, 2, 1]);
  const file = encodeVectraFile(items);
  const storage = {
    ...atomicFileStorage(),
    readFile: () => Promise.resolve(file),
    pathExists: () => Promise.resolve(true),
  };
  const index = new LocalIndex('/not/read', 'vectors.f32', storage, float32Codec);
  const theirs = await index.queryItems([...query], '', 2);
  const ours = await storeOf(items).query(query, { top: 2 });
  expect(ours.map(({ id }) => id)).toEqual(theirs.map(({ item }) => item.id));
  ours.forEach(({ score }, at) => expect(score).toBeCloseTo(theirs[at]?.score ?? NaN, 6));
});

test('a query of another length is refused (exit 4), where vectra would answer nonsense', async () => {
  const store = storeOf([{ id: 'a', vector: unit([1, 0, 0, 0, 0, 0]), metadata: { hash: '', group: '' } }]);
  await expect(store.query(new Float32Array(3), { top: 1 })).rejects.toMatchObject({ exitCode: 4 });
});

test('items come in stored order and with their metadata; an empty store finds nothing', async () => {
  const items = ['b', 'a'].map((id) => ({
    id,
    vector: unit([1, 2, 3, 4, 5, 6]),
    metadata: { hash: `h-${id}`, group: 'g' },
  }));
  expect((await storeOf(items).items()).map(({ id, metadata }) => [id, metadata])).toEqual(
    items.map(({ id, metadata }) => [id, metadata]),
  );
  expect(await storeOf([]).query(unit([1, 0, 0, 0, 0, 0]), { top: 3 })).toEqual([]);
});
