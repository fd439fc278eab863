/** Vectors of a patient: made once, kept, never mixed between embedders, made again where they are damaged. */

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embedChunks, type EmbedChunksOptions } from '../../../src/clirag/store/chartVectors.js';
import { listEmbedders, readVectors } from '../../../src/clirag/store/keptVectors.js';
import { chunkNote } from '../../../src/clirag/chunks.js';
import { loadTokenCounter } from '../../../src/core/tokenCounter.js';
import type { Chunk, EmbedderFingerprint } from '../../../src/core/types.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clirag-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function chunksOf(text: string): Promise<readonly Chunk[]> {
  const countTokens = await loadTokenCounter();
  return chunkNote(
    { id: '1', patientId: '7', visitId: '7/2154-03-02', date: '2154-03-02', type: 'nursing', text },
    { countTokens },
  ).chunks;
}

/** Counts what it reads; the vector of a text is made of its length. */
function countingEmbedder(id: string): EmbedChunksOptions & { read: string[] } {
  const fingerprint: EmbedderFingerprint = {
    id,
    dims: 2,
    pooling: 'mean',
    prefixes: { query: '', passage: '' },
    weightsSha256: id,
    maxTokens: 256,
  };
  const read: string[] = [];
  return {
    read,
    fingerprint,
    openEmbedder: () =>
      Promise.resolve({
        fingerprint,
        embed(texts) {
          read.push(...texts);
          return Promise.resolve(
            texts.map(({ length }) => Float32Array.from([Math.cos(length), Math.sin(length)])),
          );
        },
        close: () => Promise.resolve(),
      }),
  };
}

test('what was embedded is not embedded again; what is new is', async () => {
  const embedder = countingEmbedder('a');
  const first = await embedChunks(folder, await chunksOf('EVENTS:\nFell.\nPLAN:\nBed.'), embedder);
  expect(first.embedded).toBe(2);
  expect(embedder.read).toEqual(['Interval Events: Fell.', 'Plan: Bed.']);
  const chunks = await chunksOf('EVENTS:\nFell twice.\nPLAN:\nBed.');
  const second = await embedChunks(folder, chunks, embedder);
  expect(second.embedded).toBe(1);
  expect(embedder.read.at(-1)).toBe('Interval Events: Fell twice.');
  expect([...second.vectors.keys()]).toEqual(chunks.map(({ id }) => id));
  expect((await readVectors(folder, embedder.fingerprint)).size).toBe(3);
});

test('two embedders keep their vectors side by side', async () => {
  const [a, b] = [countingEmbedder('a'), countingEmbedder('b')];
  const chunks = await chunksOf('PLAN:\nBed.');
  await embedChunks(folder, chunks, a);
  await embedChunks(folder, chunks, b);
  expect((await embedChunks(folder, chunks, a)).embedded).toBe(0);
  expect((await embedChunks(folder, chunks, b)).embedded).toBe(0);
  expect((await listEmbedders(folder)).map(({ id }) => id)).toEqual(['a', 'b']);
});

test('a damaged file is made again, and the other embedder’s stays', async () => {
  const [a, b] = [countingEmbedder('a'), countingEmbedder('b')];
  const chunks = await chunksOf('PLAN:\nBed.');
  await embedChunks(folder, chunks, a);
  const fileOfA = readdirSync(folder).find((name) => name.endsWith('.f32')) ?? '';
  await embedChunks(folder, chunks, b);
  writeFileSync(join(folder, fileOfA), 'x');
  expect((await embedChunks(folder, chunks, a)).embedded).toBe(1);
  expect((await embedChunks(folder, chunks, a)).embedded).toBe(0);
  expect((await embedChunks(folder, chunks, b)).embedded).toBe(0);
});

test('a folder that can’t be written: the vectors are there, and it is said that they are not kept', async () => {
  writeFileSync(join(folder, 'file'), 'x');
  const result = await embedChunks(
    join(folder, 'file', 'x'),
    await chunksOf('PLAN:\nBed.'),
    countingEmbedder('a'),
  );
  expect(result.vectors.size).toBe(1);
  expect(result.notKept).toContain('ENOTDIR');
});
