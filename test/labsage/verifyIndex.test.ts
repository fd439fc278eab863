import '../uuidForVectra.js';
import { expect, test } from '@jest/globals';
import { join } from 'node:path';
import type { IndexedDocument } from '../../src/labsage/index/indexFormat.js';
import { openSopIndex, type SopIndex } from '../../src/labsage/sopIndex.js';
import { verifyIndex } from '../../src/labsage/verifyIndex.js';
import { inTemporaryFolder } from '../temporaryFolder.js';
import { build, writeCorpus } from './builtIndex.js';

/** Edits the first document of an index that was read. */
function withFirst(index: SopIndex, edit: (first: IndexedDocument) => IndexedDocument): SopIndex {
  return {
    ...index,
    documents: index.documents.map((document, at) => (at === 0 ? edit(document) : document)),
  };
}

function withVectors(
  index: SopIndex,
  edit: (items: Awaited<ReturnType<SopIndex['vectors']['items']>>) => typeof items,
): SopIndex {
  return { ...index, vectors: { ...index.vectors, items: async () => edit(await index.vectors.items()) } };
}

const FAULTS: readonly (readonly [string, (index: SopIndex) => SopIndex, RegExp])[] = [
  [
    'a lost context unit',
    (index) => withFirst(index, (first) => ({ ...first, contexts: first.contexts.slice(0, -1) })),
    /is in no context unit/u,
  ],
  [
    'a lost search unit',
    (index) => withFirst(index, (first) => ({ ...first, units: first.units.slice(1) })),
    /is in no search unit/u,
  ],
  [
    'context units that overlap',
    (index) =>
      withFirst(index, (first) => ({
        ...first,
        contexts: first.contexts.map((unit) => ({ ...unit, span: { ...unit.span, start: 0 } })),
      })),
    /overlaps the context unit before it/u,
  ],
  [
    'another hash',
    (index) =>
      withFirst(index, (first) => ({
        ...first,
        contexts: first.contexts.map((unit) => ({ ...unit, sha256: '0' })),
      })),
    /has another hash than its words/u,
  ],
  [
    'a unit of a wrong section',
    (index) =>
      withFirst(index, (first) => ({
        ...first,
        units: first.units.map((unit, at) => (at === 0 ? { ...unit, context: 2 } : unit)),
      })),
    /is not inside its context unit/u,
  ],
  [
    'a unit of no section',
    (index) =>
      withFirst(index, (first) => ({
        ...first,
        units: first.units.map((unit, at) => (at === 0 ? { ...unit, context: 99 } : unit)),
      })),
    /is not inside its context unit/u,
  ],
  [
    'an id that is there twice',
    (index) =>
      withFirst(index, (first) => ({ ...first, units: [...first.units, ...first.units.slice(0, 1)] })),
    /is there twice/u,
  ],
  [
    'a document that is not in the manifest',
    (index) => ({ ...index, manifest: { ...index.manifest, documents: [] } }),
    /is not in the manifest/u,
  ],
  ['a missing vector', (index) => withVectors(index, (items) => items.slice(1)), /has no vector/u],
  [
    'a vector of nothing',
    (index) => withVectors(index, (items) => [...items, { ...items[0]!, id: 'x' }]),
    /is a vector of no unit/u,
  ],
  [
    'two vectors of a unit',
    (index) => withVectors(index, (items) => [...items, items[0]!]),
    /has more than one vector/u,
  ],
  [
    'a vector that is no unit vector',
    (index) =>
      withVectors(index, (items) =>
        items.map((item) => ({ ...item, vector: item.vector.map((value) => value * 2) })),
      ),
    /has a vector of another length/u,
  ],
  [
    'a vector that is not a number',
    (index) =>
      withVectors(index, (items) => items.map((item) => ({ ...item, vector: item.vector.map(() => NaN) }))),
    /has a vector of another length/u,
  ],
  [
    'a vector of other dimensions',
    (index) => withVectors(index, (items) => items.map((item) => ({ ...item, vector: Float32Array.of(1) }))),
    /\(1 dimensions\)/u,
  ],
];

test.each(FAULTS)('%s is found', async (_what, plant, message) => {
  await inTemporaryFolder(async (folder) => {
    await build(await writeCorpus(folder), join(folder, 'index'));
    const index = await openSopIndex(join(folder, 'index'));
    const faultsOf = async (one: SopIndex): Promise<string[]> =>
      (await verifyIndex(one)).checks.flatMap(({ faults }) => faults);
    expect(await faultsOf(index)).toEqual([]);
    const found = await faultsOf(plant(index));
    expect(found.some((fault) => message.test(fault))).toBe(true);
    await index.close();
  });
});
