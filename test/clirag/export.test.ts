/** Vectors → .npy: the bytes of the format, and what numpy reads from them where Python has it. */

import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createNpy } from '../../src/clirag/export/npyFile.js';
import { inTemporaryFolder } from '../temporaryFolder.js';

const hasNumpy = spawnSync('python3', ['-c', 'import numpy'], { stdio: 'ignore' }).status === 0;
const withNumpy = hasNumpy ? test : test.skip;

async function writeTwice(path: string): Promise<void> {
  const npy = await createNpy(path, { dims: 3 });
  await npy.add([new Float32Array([1, 2, 3]), new Float32Array([-0.5, 0, 0.25])]);
  await npy.add([new Float32Array([7, 8, 9])]);
  expect(await npy.finish()).toEqual({ rows: 3, dims: 3 });
}

test('magic, header of a multiple of 64 bytes that ends in a line feed, little-endian float32 rows', async () => {
  await inTemporaryFolder(async (folder) => {
    await writeTwice(join(folder, 'v.npy'));
    const bytes = await readFile(join(folder, 'v.npy'));
    expect(bytes.subarray(0, 8).toString('latin1')).toBe('\u0093NUMPY\u0001\u0000');
    const headerEnd = 10 + bytes.readUInt16LE(8);
    expect(headerEnd % 64).toBe(0);
    expect(bytes[headerEnd - 1]).toBe(10);
    expect(bytes.subarray(10, headerEnd).toString('latin1')).toContain("'shape': (3, 3)");
    expect(bytes.length).toBe(headerEnd + 9 * 4);
    expect(bytes.readFloatLE(headerEnd + 3 * 4)).toBe(-0.5);
  });
});

test('a vector of another length is refused', async () => {
  await inTemporaryFolder(async (folder) => {
    const npy = await createNpy(join(folder, 'v.npy'), { dims: 3 });
    await expect(npy.add([new Float32Array(2)])).rejects.toThrow('2 numbers, not 3');
    await npy.abandon();
  });
});

withNumpy('numpy reads it (skipped where Python has no numpy)', async () => {
  await inTemporaryFolder(async (folder) => {
    await writeTwice(join(folder, 'v.npy'));
    const script = 'import numpy, sys; v = numpy.load(sys.argv[1]); print(v.shape, v.dtype, v.tolist())';
    const { stdout } = spawnSync('python3', ['-c', script, join(folder, 'v.npy')], { encoding: 'utf8' });
    expect(stdout.trim()).toBe('(3, 3) float32 [[1.0, 2.0, 3.0], [-0.5, 0.0, 0.25], [7.0, 8.0, 9.0]]');
  });
});
