/** `--timings`, `--verbose` and `--threads` of the real programs, with the real model in its thread. */

import { expect, test } from '@jest/globals';
import { inTemporaryFolder } from '../temporaryFolder.js';
import { clirag, labsage } from './runBin.js';

test.each([
  ['labsage', labsage],
  ['clirag', clirag],
])('%s embed: the thread that loads the model reports to the command that started it', async (_name, run) => {
  await inTemporaryFolder(async (cwd) => {
    const args = ['embed', '--embedder', 'minilm', '--threads', '2', '--timings', '--verbose'];
    const { code, out, err } = await run(args, { cwd, input: 'ammonia on ice\npotassium\n' });
    expect(code).toBe(0);
    expect(err).toMatch(/loading all-MiniLM-L6-v2 from /u);
    expect(err).toMatch(/threads: 2 \(command line\)/u);
    const phases = [...err.matchAll(/^(\S.*?) {2,}([\d.]+) (?:ms|s)$/gmu)].map(([, phase]) => phase);
    expect(phases).toEqual(expect.arrayContaining(['start', 'load model', 'embed', 'total']));
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { timingsMs: object });
    expect(lines).toHaveLength(2);
    expect(Object.keys(lines[1]?.timingsMs ?? {})).toEqual(expect.arrayContaining(['start', 'load model']));
  });
});
