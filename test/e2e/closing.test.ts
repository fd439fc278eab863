/** The real program, which ends while threads of it still load the model. */

import { expect, test } from '@jest/globals';
import { inTemporaryFolder } from '../temporaryFolder.js';
import { labsage } from './runBin.js';

/** Two runs in five went down with threads that were ended while they loaded. */
const RUNS = 6;

test('a program that has its answer does not die of threads that still load the model', async () => {
  await inTemporaryFolder(async (cwd) => {
    for (let run = 0; run < RUNS; run += 1) {
      const args = ['embed', '--embedder', 'minilm', '--threads', '6'];
      const { code, out } = await labsage(args, { cwd, input: 'ammonia on ice\n' });
      expect(code).toBe(0);
      expect(out.trim().split('\n')).toHaveLength(1);
    }
  });
});
