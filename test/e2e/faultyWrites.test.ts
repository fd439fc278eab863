import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../src/core/config.js';
import { writeFiles } from '../temporaryFolder.js';
import type { FaultyRun } from './faultyWrites.js';
import { labsage, run } from './runBin.js';

let folder = '';

/** An index with an audit record, whose SOP was edited since. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'labsage writes '));
  const sop = (volume: string): Record<string, string> => ({
    'sops/a.md': `# CH-001 Potassium\n\n## Specimen\n\nThe minimum volume is ${volume} mL of plasma.\n`,
  });
  await writeFiles(folder, sop('0.5'));
  expect((await labsage(['index', 'sops', '--embedder', 'minilm'], { cwd: folder })).code).toBe(0);
  expect((await labsage(['ask', 'minimum volume'], { cwd: folder })).code).toBe(0);
  await writeFiles(folder, sop('0.7'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const NEXT = {
  ENOSPC: /^error: the disk is full \(writing .*\)\. Free some space and run the command again\n$/u,
  EIO: /^error: .* failed to \w+ \(EIO\)\. Check the path and the disk, and run the command again\n$/u,
};

test.each([
  ['ENOSPC', ['index', 'sops', '--quiet']],
  ['EIO', ['index', 'sops', '--quiet']],
  ['ENOSPC', ['ask', 'minimum volume', '--mode', 'keyword', '--quiet']],
  ['EIO', ['ask', 'minimum volume', '--mode', 'keyword', '--quiet']],
] as const)('%s at each write of %j: one line, exit 3, index and audit log whole', async (code, argv) => {
  const program = join(packageRoot, 'dist', 'test', 'e2e', 'faultyWrites.js');
  const {
    code: ended,
    out,
    err,
  } = await run(process.execPath, [program, folder, code, ...argv], { cwd: folder });
  expect([ended, err]).toEqual([0, '']);
  const runs = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as FaultyRun);
  expect(runs.length).toBeGreaterThan(argv[0] === 'index' ? 20 : 6);
  expect(runs.at(-1)).toMatchObject({ exit: 0, err: '' });
  for (const one of runs) {
    expect(one).toMatchObject({ verify: 0, auditVerify: 0, again: 0, left: [] });
    if (one.exit === 0) expect(one.err).toBe('');
    else {
      expect([one.call, one.exit]).toEqual([one.call, 3]);
      expect(one.err).toMatch(NEXT[code]);
    }
  }
  // What may fail without a word is the tidying up, and making a folder that is there.
  const silent = runs
    .filter(({ exit, call }) => exit === 0 && call !== undefined)
    .map(({ call }) => call ?? '');
  expect(silent.filter((call) => !/^(?:(?:rm|rmdir|unlink|utimes) |mkdir $)/u.test(call))).toEqual([]);
});
