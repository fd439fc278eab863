/** The scan by WebAssembly: every row's cosine, and hits that are those of the plain loop, bit for bit. */

import '../../uuidForVectra.js';
import { expect, test } from '@jest/globals';
import { allocateRows, scanRows, SCAN_ERROR } from '../../../src/core/store/simdScan.js';
import { encodeVectraFile, openVectraStore, type VectorStore } from '../../../src/core/store/vectorStore.js';

/** The same numbers at every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

function randomUnit(next: () => number, dims: number): Float32Array {
  const values = Array.from({ length: dims }, next);
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(values, (value) => value / length);
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, dim) => sum + value * (b[dim] ?? 0), 0);
}

test.each([16, 48, 384, 768])('scores of %i dimensions are the cosines', (dims) => {
  const next = numbers(dims);
  const rows = Array.from({ length: 300 }, () => randomUnit(next, dims));
  // The rows begin anywhere in the buffer, as behind a file's header.
  const buffer = allocateRows(20 + rows.length * dims * 4);
  const vectors = new Float32Array(buffer.buffer, buffer.byteOffset + 20, rows.length * dims);
  rows.forEach((row, at) => vectors.set(row, at * dims));
  const before = vectors.slice();
  for (let question = 0; question < 5; question++) {
    const query = question === 0 ? (rows[0] ?? new Float32Array(dims)) : randomUnit(next, dims);
    const scores = scanRows(query, vectors);
    expect(scores).toHaveLength(rows.length);
    rows.forEach((row, at) =>
      expect(Math.abs((scores?.[at] ?? NaN) - dot(query, row))).toBeLessThan(SCAN_ERROR),
    );
  }
  expect(vectors).toEqual(before);
});

test('where it can’t scan it says so', () => {
  expect(scanRows(new Float32Array(16), new Float32Array(32))).toBeUndefined();
  const buffer = allocateRows(4 * 40);
  expect(scanRows(new Float32Array(20), new Float32Array(buffer.buffer, 0, 40))).toBeUndefined();
  expect(allocateRows(2 ** 32 - 16).length).toBe(2 ** 32 - 16);
});

test('hits, scores and order are those of the plain loop, ties and groups included', async () => {
  const dims = 32;
  const next = numbers(1);
  const items = Array.from({ length: 9000 }, (_, at) => ({
    id: `u${at}`,
    vector: randomUnit(next, dims),
    metadata: { hash: '', group: `d${at >> 6}` },
  }));
  for (let at = 5; at < items.length; at += 5) items[at]!.vector = items[at - 3]!.vector;
  const bytes = encodeVectraFile(items);
  let scannable = 0;
  const storeOf = (scan: boolean): VectorStore =>
    openVectraStore(
      { folder: '/not/read', file: 'vectors.f32' },
      {
        dims,
        read: (allocate) => {
          if (!scan || allocate === undefined) return Promise.resolve(bytes);
          scannable++;
          const buffer = allocate(bytes.length);
          buffer.set(bytes);
          return Promise.resolve(buffer);
        },
      },
    );
  const [scanned, plain] = [storeOf(true), storeOf(false)];
  const groups = Array.from({ length: 100 }, (_, at) => `d${at + 7}`);
  for (const query of [...Array(4).keys()].map(() => randomUnit(next, dims)).concat(items[77]!.vector)) {
    for (const top of [1, 200, 2000, 8999, 20_000]) {
      const hits = JSON.stringify(await scanned.query(query, { top }));
      expect(hits === JSON.stringify(await plain.query(query, { top }))).toBe(true);
      const some = JSON.stringify(await scanned.query(query, { top, groups }));
      expect(some === JSON.stringify(await plain.query(query, { top, groups }))).toBe(true);
    }
  }
  expect(scannable).toBe(1);
});
