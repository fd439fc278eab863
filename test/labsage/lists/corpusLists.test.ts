import '../../uuidForVectra.js';
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../src/core/config.js';
import { evaluateLists, type ListQuestion } from '../../../src/labsage/evaluation/lists.js';
import { openSopIndex } from '../../../src/labsage/sopIndex.js';
import { inTemporaryFolder } from '../../temporaryFolder.js';
import { build } from '../builtIndex.js';

test('the bundled corpus: nearly every document of every list is found, and little else', async () => {
  const questions = readFileSync(join(packageRoot, 'queries', 'sops', 'lists.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ListQuestion);
  await inTemporaryFolder(async (folder) => {
    await build(join(packageRoot, 'corpora', 'sops'), folder);
    const index = await openSopIndex(folder);
    try {
      const figures = await evaluateLists(questions, index, { today: '2026-11-30' });
      expect(figures.questions).toBe(30);
      expect(figures.recognized).toBe(30);
      expect(figures.recall).toBeGreaterThanOrEqual(0.98);
      expect(figures.precision).toBeGreaterThanOrEqual(0.95);
    } finally {
      await index.close();
    }
  });
});
