import { expect, test } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../src/core/config.js';
import { cutSopFiles, type CutOptions } from '../../src/labsage/cutFiles.js';
import { readDocument } from '../../src/labsage/document.js';
import { listSopFiles } from '../../src/labsage/documents/sopFiles.js';
import { chunkingOf, cutDocument } from '../../src/labsage/units.js';
import { inTemporaryFolder } from '../temporaryFolder.js';

const chunking = chunkingOf('labsage', 'test');

/** Minutes in the Markdown parser, which compares every bracket with every other. */
const HOSTILE = '[^1]'.repeat(99_000);
const GOOD = '# CH-001 Potassium\n\n## Specimen\n\nThe minimum volume is 0.5 mL of plasma.\n';

/** Cuts a good file before and after the given one. */
async function cutAround(
  content: string,
  options: Omit<CutOptions, 'chunking'>,
): Promise<{ cut: string[]; skipped: readonly { path: string; reason: string }[] }> {
  return inTemporaryFolder(async (folder) => {
    await writeFile(join(folder, 'a.md'), GOOD);
    await writeFile(join(folder, 'b.md'), content);
    await writeFile(join(folder, 'c.md'), GOOD);
    const { files } = await listSopFiles([folder], folder);
    const { cut, skipped } = await cutSopFiles(files, { chunking, ...options });
    return { cut: cut.map(({ document }) => document.path), skipped };
  });
}

test('the thread gives what reading and cutting in this one gives', async () => {
  const root = join(packageRoot, 'corpora', 'sops');
  const { files } = await listSopFiles([root], root);
  const some = files.filter((_, at) => at % 4 === 0);
  const { cut, skipped } = await cutSopFiles(some, { chunking });
  expect(skipped).toEqual([]);
  expect(cut.length).toBeGreaterThan(3);
  for (const [at, { file, path }] of some.entries()) {
    const document = await readDocument(await readFile(file), { path });
    expect(cut[at]).toEqual(await cutDocument(document, chunking));
  }
});

test('a file that takes too long is named, the others are cut', async () => {
  expect(await cutAround(HOSTILE, { limitMs: 2_000 })).toEqual({
    cut: ['a.md', 'c.md'],
    skipped: [
      {
        path: 'b.md',
        reason: 'reading it took longer than 2 s; split it, or save it in another format',
      },
    ],
  });
});

test('a file that needs too much memory is named, the others are cut', async () => {
  expect(await cutAround('- a\n'.repeat(99_000), { heapLimitMb: 60 })).toEqual({
    cut: ['a.md', 'c.md'],
    skipped: [
      {
        path: 'b.md',
        reason: 'reading it needed more than 60 MB of memory; split it, or save it in another format',
      },
    ],
  });
});

test('an interrupt ends the reading of a file at once', async () => {
  const startMs = Date.now();
  await expect(cutAround(HOSTILE, { signal: AbortSignal.timeout(1_500) })).rejects.toMatchObject({
    name: 'TimeoutError',
  });
  expect(Date.now() - startMs).toBeLessThan(5_000);
});
