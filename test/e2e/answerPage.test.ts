/** `ask --html` of the program itself: the page beside the answer, and no file overwritten unasked. */

import { expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inTemporaryFolder, writeFiles } from '../temporaryFolder.js';
import { labsage } from './runBin.js';

test('the page holds the answer that is printed, and replaces a file only with --force', async () => {
  await inTemporaryFolder(async (cwd) => {
    await writeFiles(cwd, {
      'sops/ch-001.md':
        '# CH-001 Ammonia\n\n## Specimen\n\nPlasma ammonia is stable for 15 minutes on ice.\n',
    });
    expect((await labsage(['index', 'sops', '--embedder', 'minilm', '--quiet'], { cwd })).code).toBe(0);
    const ask = ['ask', 'How long is plasma ammonia stable on ice?', '--html', 'answer.html'];
    const { code, out, err } = await labsage(ask, { cwd });
    expect([code, err]).toEqual([0, expect.stringContaining('Wrote answer.html.')]);
    expect(out).toContain('stable for 15 minutes on ice');
    const page = await readFile(join(cwd, 'answer.html'), 'utf8');
    expect(page).toContain('<mark>Plasma ammonia is stable for 15 minutes on ice.</mark>');
    const again = await labsage(ask, { cwd });
    expect([again.code, again.out, again.err]).toEqual([2, '', expect.stringContaining('--force')]);
    expect((await labsage([...ask, '--force', '--quiet'], { cwd })).code).toBe(0);
  });
});
