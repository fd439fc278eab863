/** The same items in a file and on a real Chroma server: the same hits, scores and order, ties included. */

import '../../uuidForVectra.js';
import { afterAll, expect } from '@jest/globals';
import { openServerStore, type ServerItem } from '../../../src/core/store/serverStore.js';
import { openServerVectors, vectorKey, type ServerVectors } from '../../../src/core/store/serverVectors.js';
import { parseStore } from '../../../src/core/store/storeName.js';
import { encodeVectraFile, openVectraStore, type VectorStore } from '../../../src/core/store/vectorStore.js';
import { chromaServer, stopChroma, testWithChroma } from '../../chromaServer.js';
import { wordFingerprint } from '../../wordEmbedder.js';

const DIMS = 24;
const GROUPS = 20;

afterAll(stopChroma);

/** The same numbers at every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

function randomUnit(next: () => number): Float32Array {
  const values = Array.from({ length: DIMS }, next);
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(values, (value) => value / length);
}

interface Both {
  readonly items: readonly (ServerItem & { vector: Float32Array })[];
  readonly server: ServerVectors;
  readonly onServer: VectorStore;
  readonly inFile: VectorStore;
}

/** Every seventh item has the vector of the one before it under another text, every ninth the very text of it. */
async function storeBoth(collection: string, count: number): Promise<Both> {
  const next = numbers(count);
  const items: (ServerItem & { vector: Float32Array })[] = [];
  for (let at = 0; at < count; at++) {
    const before = items.at(-1);
    items.push({
      id: `u${at}`,
      hash: at % 9 === 8 && before ? before.hash : `hash ${at}`,
      group: at % 9 === 8 && before ? before.group : `d${Math.floor((next() + 0.5) * GROUPS)}`,
      vector: (at % 7 === 6 || at % 9 === 8) && before ? before.vector : randomUnit(next),
    });
  }
  const place = parseStore(`chroma:${(await chromaServer()).url}/${collection}`);
  if (place === undefined) throw new Error('no place');
  const server = await openServerVectors(place, {
    fingerprint: wordFingerprint('words', DIMS),
    groupField: 'document',
    create: true,
  });
  await server.write(
    [...items].reverse().map(({ hash, group, vector }) => ({ key: vectorKey(group, hash), group, vector })),
  );
  const bytes = encodeVectraFile(
    items.map(({ id, hash, group, vector }) => ({ id, vector, metadata: { hash, group } })),
  );
  return {
    items,
    server,
    onServer: openServerStore(() => Promise.resolve(server), items, {
      dims: DIMS,
      isCurrent: () => Promise.resolve(true),
    }),
    inFile: openVectraStore(
      { folder: '/not/read', file: 'vectors.f32' },
      { dims: DIMS, read: () => Promise.resolve(bytes) },
    ),
  };
}

testWithChroma('up to twice what is asked for, every hit is the file’s', async () => {
  const { onServer, inFile } = await storeBoth('exact', 3000);
  const next = numbers(7);
  for (const top of [1500, 2000, 3000, 9000]) {
    for (let question = 0; question < 5; question++) {
      const query = randomUnit(next);
      expect(await onServer.query(query, { top })).toEqual(await inFile.query(query, { top }));
      for (const groups of [
        ['d3'],
        ['d1', 'd2', 'no such'],
        [...Array(GROUPS - 1).keys()].map((at) => `d${at}`),
      ])
        expect(await onServer.query(query, { top, groups })).toEqual(
          await inFile.query(query, { top, groups }),
        );
    }
  }
  expect(await onServer.items()).toEqual(await inFile.items());
  expect(await onServer.hashes()).toEqual(await inFile.hashes());
});

testWithChroma('above that the server chooses candidates: scores and order stay exact', async () => {
  const { items, onServer, inFile } = await storeBoth('approximate', 3000);
  const next = numbers(8);
  let found = 0;
  for (let question = 0; question < 20; question++) {
    const query = randomUnit(next);
    const exact = await inFile.query(query, { top: 100 });
    const hits = await onServer.query(query, { top: 100 });
    const all = new Map(
      (await inFile.query(query, { top: items.length })).map((hit, at) => [hit.id, { hit, at }]),
    );
    expect(hits).toHaveLength(100);
    expect(hits).toEqual(hits.map(({ id }) => all.get(id)?.hit));
    const ranks = hits.map(({ id }) => all.get(id)?.at ?? NaN);
    expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
    const wanted = new Set(exact.map(({ id }) => id));
    found += hits.filter(({ id }) => wanted.has(id)).length;
  }
  expect(found / 2000).toBeGreaterThan(0.99);
});

testWithChroma('what others put there takes no places', async () => {
  const { server, onServer, inFile } = await storeBoth('crowded', 300);
  const query = randomUnit(numbers(9));
  await server.write(
    Array.from({ length: 2500 }, (_, at) => ({ key: vectorKey('x', `${at}`), group: 'x', vector: query })),
  );
  expect(await onServer.query(query, { top: 50 })).toEqual(await inFile.query(query, { top: 50 }));
  expect(await server.keepOnly(new Set(await keysOf(inFile)))).toBe(2500);
  expect(await server.count()).toBe(new Set(await keysOf(inFile)).size);
  expect(await onServer.query(query, { top: 50 })).toEqual(await inFile.query(query, { top: 50 }));
});

async function keysOf(store: VectorStore): Promise<string[]> {
  return (await store.items()).map(({ metadata }) => vectorKey(metadata.group, metadata.hash));
}

testWithChroma('a vector that is gone is an error, not a worse answer', async () => {
  const { items, server } = await storeBoth('gone', 40);
  await server.keepOnly(new Set(items.slice(1).map(({ group, hash }) => vectorKey(group, hash))));
  const open = (isCurrent: boolean): VectorStore =>
    openServerStore(() => Promise.resolve(server), items, {
      dims: DIMS,
      isCurrent: () => Promise.resolve(isCurrent),
    });
  const query = randomUnit(numbers(3));
  await expect(open(true).query(query, { top: 5 })).rejects.toMatchObject({
    exitCode: 3,
    hint: 'run the index command again: it writes what is missing',
  });
  await expect(open(false).query(query, { top: 5 })).rejects.toThrow(
    'the index was written anew while it was being read',
  );
});

testWithChroma('bits survive the server', async () => {
  const { items, server } = await storeBoth('bits', 500);
  const found = await server.read(items.map(({ group, hash }) => vectorKey(group, hash)));
  for (const { group, hash, vector } of items) expect(found.get(vectorKey(group, hash))).toEqual(vector);
});
