import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openVectorCheckpoint, removeCheckpoints } from '../../../src/core/store/vectorCheckpoint.js';
import { sha256Hex } from '../../../src/core/text.js';
import { inTemporaryFolder } from '../../temporaryFolder.js';

const OPTIONS = { key: 'ab12', dims: 4 };
const RECORD_BYTES = 16 + 4 * 4 + 4;
const entries = ['one', 'two', 'three'].map((text, at) => ({
  hash: sha256Hex(text).slice(0, 32),
  vector: Float32Array.from([at, at + 0.5, -at, 1]),
}));

async function written(folder: string): Promise<string> {
  const checkpoint = await openVectorCheckpoint(folder, OPTIONS);
  await checkpoint.append(entries.slice(0, 2));
  await checkpoint.append(entries.slice(2));
  await checkpoint.close();
  return join(folder, 'checkpoint-ab12.bin');
}

async function readAgain(folder: string): Promise<[string, number[]][]> {
  const checkpoint = await openVectorCheckpoint(folder, OPTIONS);
  await checkpoint.close();
  return [...checkpoint.vectors].map(([hash, vector]) => [hash, Array.from(vector)]);
}

const expected = entries.map(({ hash, vector }) => [hash, Array.from(vector)]);

test('vectors are there again after an interrupted run', async () => {
  await inTemporaryFolder(async (folder) => {
    await written(folder);
    expect(await readAgain(folder)).toEqual(expected);
  });
});

test('a tail that was cut anywhere costs the last vectors and no more, and can be written on', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: RECORD_BYTES * 3 }), async (length) => {
      await inTemporaryFolder(async (folder) => {
        const path = await written(folder);
        await writeFile(path, (await readFile(path)).subarray(0, length));
        const whole = Math.floor(length / RECORD_BYTES);
        const checkpoint = await openVectorCheckpoint(folder, OPTIONS);
        expect(checkpoint.vectors.size).toBe(whole);
        await checkpoint.append(entries.slice(whole));
        await checkpoint.close();
        expect(await readAgain(folder)).toEqual(expected);
      });
    }),
    { numRuns: 25 },
  );
});

test('a changed byte costs its vector and those after it, never gives a wrong one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: RECORD_BYTES * 3 - 1 }), async (at) => {
      await inTemporaryFolder(async (folder) => {
        const path = await written(folder);
        const bytes = await readFile(path);
        bytes[at] = (bytes[at] ?? 0) ^ 0x10;
        await writeFile(path, bytes);
        expect(await readAgain(folder)).toEqual(expected.slice(0, Math.floor(at / RECORD_BYTES)));
      });
    }),
    { numRuns: 25 },
  );
});

test('a published index leaves no checkpoint, of whatever embedder, and nothing else is removed', async () => {
  await inTemporaryFolder(async (folder) => {
    await written(folder);
    await writeFile(join(folder, 'checkpoint-ff00.bin'), '');
    await writeFile(join(folder, 'audit.jsonl'), '');
    await removeCheckpoints(folder);
    expect(await readdir(folder)).toEqual(['audit.jsonl']);
  });
});
