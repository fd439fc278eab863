import '../uuidForVectra.js';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mkdir, readdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSopIndex } from '../../src/labsage/buildIndex.js';
import { compareWithIndex } from '../../src/labsage/compareIndex.js';
import { listSopFiles } from '../../src/labsage/documents/sopFiles.js';
import { openSopIndex, readAllDocuments, type SopIndex } from '../../src/labsage/sopIndex.js';
import { verifyIndex } from '../../src/labsage/verifyIndex.js';
import { inTemporaryFolder, writeFiles } from '../temporaryFolder.js';
import { wordEmbedder, wordFingerprint } from '../wordEmbedder.js';
import { CORPUS, build, buildOptions, bytesOf, sop, writeCorpus } from './builtIndex.js';

async function withIndex<Result>(
  folder: string,
  work: (index: SopIndex) => Promise<Result>,
): Promise<Result> {
  const index = await openSopIndex(folder);
  try {
    return await work(index);
  } finally {
    await index.close();
  }
}

async function expectSound(folder: string): Promise<void> {
  const { checks } = await withIndex(folder, verifyIndex);
  expect(checks.flatMap(({ faults }) => faults)).toEqual([]);
}

/** Everything that the index says, as one text. */
function allWords(folder: string): Promise<string> {
  return withIndex(folder, async (index) =>
    JSON.stringify([
      index.documents,
      await readAllDocuments(index),
      [...(await index.readTerms()).counts.keys()],
    ]),
  );
}

test('an index holds every document, passes its own verification, and is for its owner alone', async () => {
  await inTemporaryFolder(async (folder) => {
    const { report, embedder } = await build(await writeCorpus(folder), join(folder, 'index'));
    expect(report.added).toEqual(Object.keys(CORPUS).sort());
    expect(report).toMatchObject({ changed: true, documents: 3, updated: [], removed: [], skipped: [] });
    expect(report.embedded).toBe(embedder.texts.length);
    expect(new Set(embedder.texts).size).toBe(embedder.texts.length);
    await expectSound(join(folder, 'index'));
    expect(
      (await readdir(join(folder, 'index'))).filter((name) => /lock|owner|tmp|checkpoint/u.test(name)),
    ).toEqual([]);
  });
});

test('an unchanged corpus changes nothing and embeds nothing', async () => {
  await inTemporaryFolder(async (folder) => {
    const sops = await writeCorpus(folder);
    await build(sops, join(folder, 'index'));
    const before = await bytesOf(join(folder, 'index'));
    const openEmbedder = (): never => {
      throw new Error('the model was loaded');
    };
    const { files } = await listSopFiles([sops], '/');
    const report = await buildSopIndex(files, { ...buildOptions(join(folder, 'index')), openEmbedder });
    expect(report).toMatchObject({ changed: false, embedded: 0, documents: 3 });
    expect(await bytesOf(join(folder, 'index'))).toEqual(before);
  });
});

test('an edited sentence embeds one unit again, and the old words are nowhere', async () => {
  await inTemporaryFolder(async (folder) => {
    const sops = await writeCorpus(folder);
    await build(sops, join(folder, 'index'));
    const edited = CORPUS['chemistry/ch-001.md'].replace('Spin 8 min', 'Spin 12 min');
    await writeFiles(sops, { 'chemistry/ch-001.md': edited });
    const { report, embedder } = await build(sops, join(folder, 'index'));
    expect(report).toMatchObject({ added: [], updated: ['chemistry/ch-001.md'], removed: [], embedded: 1 });
    expect(embedder.texts).toEqual([expect.stringContaining('Spin 12 min')]);
    const words = await allWords(join(folder, 'index'));
    expect(words).toContain('Spin 12 min');
    expect(words).not.toContain('Spin 8 min');
    await expectSound(join(folder, 'index'));
  });
});

test('a deleted document leaves no trace, also where another one has the same section', async () => {
  await inTemporaryFolder(async (folder) => {
    const sops = await writeCorpus(folder);
    await build(sops, join(folder, 'index'));
    await unlink(join(sops, 'chemistry', 'ch-002.md'));
    const { report, embedder } = await build(sops, join(folder, 'index'));
    expect(report).toMatchObject({ removed: ['chemistry/ch-002.md'], embedded: 0 });
    expect(embedder.texts).toEqual([]);
    for (const [name, bytes] of Object.entries(await bytesOf(join(folder, 'index')))) {
      expect([name, /ch-002|sodium/iu.test(bytes)]).toEqual([name, false]);
    }
    await expectSound(join(folder, 'index'));
  });
});

test('the same section in two documents has two ids, one of each document', async () => {
  await inTemporaryFolder(async (folder) => {
    await build(await writeCorpus(folder), join(folder, 'index'));
    await withIndex(join(folder, 'index'), (index) => {
      const safety = index.documents.flatMap(({ contexts }) =>
        contexts.filter(({ id }) => id.endsWith('#safety')),
      );
      expect(safety.map(({ id, docId }) => [id, docId])).toEqual([
        ['ch-001#safety', 'ch-001'],
        ['ch-002#safety', 'ch-002'],
      ]);
      return Promise.resolve();
    });
  });
});

const documents = fc.dictionary(
  fc.constantFrom('a.md', 'b.md', 'sub/a.md', 'sub/c.txt', 'd.html'),
  fc.array(
    fc.constantFrom('Wear gloves.', 'Spin 8 min.', 'Rotor C, QC-0071.', '| A | B |\n|---|---|\n| 1 | 2 |'),
    { minLength: 1, maxLength: 4 },
  ),
  { minKeys: 1 },
);

function filesOf(corpus: Record<string, string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(corpus).map(([path, parts]) => [
      path,
      sop('XX-1', Object.fromEntries(parts.map((part, at) => [`${at + 1}. Part`, part]))),
    ]),
  );
}

test('whatever was there before, the index is byte for byte what a fresh one would be', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(documents, { minLength: 2, maxLength: 4 }), async (states) => {
      await inTemporaryFolder(async (folder) => {
        const sops = join(folder, 'sops');
        for (const state of states) {
          await rm(sops, { recursive: true, force: true });
          await writeFiles(sops, filesOf(state));
          await build(sops, join(folder, 'index'));
        }
        await build(sops, join(folder, 'fresh'));
        expect(await bytesOf(join(folder, 'index'))).toEqual(await bytesOf(join(folder, 'fresh')));
      });
    }),
    { numRuns: 12 },
  );
});

test('a renamed file is the same document under another path', async () => {
  await inTemporaryFolder(async (folder) => {
    const sops = await writeCorpus(folder);
    await build(sops, join(folder, 'index'));
    await rename(join(sops, 'he-003.txt'), join(sops, 'chemistry', 'he-003.txt'));
    const { report } = await build(sops, join(folder, 'index'));
    expect(report).toMatchObject({ updated: ['chemistry/he-003.txt'], added: [], removed: [], embedded: 0 });
  });
});

test('an interrupted run goes on where it stopped, and the old index stays until the new one is whole', async () => {
  await inTemporaryFolder(async (folder) => {
    const sops = join(folder, 'sops');
    const index = join(folder, 'index');
    await writeFiles(sops, { 'old.md': sop('OLD-1', { Purpose: 'The old one.' }) });
    await build(sops, index);
    const sections = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`${at + 1}. Part`, `Words of part ${at}.`]),
    );
    await writeFiles(sops, { 'new.md': sop('NEW-1', sections) });
    await expect(build(sops, index, { embedder: wordEmbedder({ failAfter: 50 }) })).rejects.toThrow(
      'stopped',
    );
    expect(await allWords(index)).not.toContain('NEW-1');
    await expectSound(index);
    const { report, embedder } = await build(sops, index);
    const fresh = await build(sops, join(folder, 'fresh'));
    // 48 texts in three whole steps of 16 were kept, and those of the old document: two units, one heading.
    expect(embedder.texts.length).toBe(fresh.embedder.texts.length - 48 - 3);
    expect(report.embedded).toBe(embedder.texts.length);
    expect(await bytesOf(index)).toEqual(await bytesOf(join(folder, 'fresh')));
  });
});

test('Ctrl-C stops a run before it publishes', async () => {
  await inTemporaryFolder(async (folder) => {
    const sops = await writeCorpus(folder);
    const controller = new AbortController();
    const { files } = await listSopFiles([sops], '/');
    const options = {
      ...buildOptions(join(folder, 'index')),
      signal: controller.signal,
      onProgress: (stage: string) => {
        if (stage === 'embedding') controller.abort();
      },
    };
    await expect(buildSopIndex(files, options)).rejects.toThrow();
    await expect(openSopIndex(join(folder, 'index'))).rejects.toThrow('there is no index');
  });
});

test('other settings cut everything anew but embed only what changed; another embedder embeds all', async () => {
  await inTemporaryFolder(async (folder) => {
    const sops = await writeCorpus(folder);
    const index = join(folder, 'index');
    const first = await build(sops, index);
    const { files } = await listSopFiles([sops], '/');
    const other = buildOptions(index, { producer: 'next' });
    expect(await compareWithIndex(files, other)).toEqual({
      added: [],
      updated: [],
      removed: [],
      skipped: [],
      settings: true,
    });
    const upgraded = await build(sops, index, { producer: 'next' });
    expect(upgraded.report).toMatchObject({ changed: true, embedded: 0 });
    const paper = await build(sops, index, { preset: 'paper', producer: 'next' });
    expect(paper.report.embedded).toBeGreaterThan(0);
    expect(await withIndex(index, ({ headings }) => Promise.resolve(headings))).toBeUndefined();
    const embedder = wordEmbedder({ fingerprint: wordFingerprint('other', 32) });
    const reembedded = await build(sops, index, { embedder });
    expect(reembedded.report.embedded).toBe(first.report.embedded);
    await expectSound(index);
  });
});

test('a damaged index is made anew and says so, byte for byte as before; the audit log stays', async () => {
  await inTemporaryFolder(async (folder) => {
    const sops = await writeCorpus(folder);
    const index = join(folder, 'index');
    await build(sops, index);
    await writeFiles(index, { 'audit.jsonl': 'kept\n' });
    const whole = await bytesOf(index);
    for (const name of Object.keys(whole).filter((file) => file !== 'audit.jsonl')) {
      for (const damage of ['changed', 'cut', 'gone']) {
        const bytes = Buffer.from(whole[name] ?? '', 'latin1');
        bytes[20] = (bytes[20] ?? 0) ^ 1;
        if (damage === 'gone') await unlink(join(index, name));
        else await writeFile(join(index, name), damage === 'cut' ? bytes.subarray(0, 30) : bytes);
        const { report } = await build(sops, index);
        if (name !== 'manifest.json' || damage !== 'gone')
          expect([name, damage, report.damage]).toEqual([name, damage, expect.stringContaining(name)]);
        expect(await bytesOf(index)).toEqual(whole);
      }
    }
  });
});

test('files that cannot be read are named and the others indexed', async () => {
  await inTemporaryFolder(async (folder) => {
    const sops = await writeCorpus(folder);
    await writeFile(
      join(sops, 'binary.txt'),
      Buffer.from(Array.from({ length: 4000 }, (_, at) => (at * 37) % 256)),
    );
    await symlink(join(folder, 'nowhere'), join(sops, 'link.md'));
    await mkdir(join(sops, 'folder.md'));
    const { report } = await build(sops, join(folder, 'index'));
    expect(report.documents).toBe(3);
    expect(report.skipped).toEqual([
      { path: 'binary.txt', reason: expect.stringMatching(/^not a text file/u) },
      { path: 'link.md', reason: 'it is a link to a file that is not there' },
    ]);
  });
});

test('a file that vanishes between listing and reading is skipped', async () => {
  await inTemporaryFolder(async (folder) => {
    const sops = await writeCorpus(folder);
    const { files } = await listSopFiles([sops], '/');
    await unlink(join(sops, 'he-003.txt'));
    const report = await buildSopIndex(files, buildOptions(join(folder, 'index')));
    expect(report.skipped).toEqual([{ path: 'he-003.txt', reason: 'there is no such file or folder' }]);
    expect(report.documents).toBe(2);
  });
});

test('nothing to index is exit 3, changes nothing and leaves no folder', async () => {
  await inTemporaryFolder(async (folder) => {
    await expect(buildSopIndex([], buildOptions(join(folder, 'index')))).rejects.toMatchObject({
      exitCode: 3,
    });
    await writeFiles(join(folder, 'sops'), { 'a.pdf': 'no PDF' });
    await expect(build(join(folder, 'sops'), join(folder, 'index'))).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('no SOP could be read (a.pdf: '),
    });
    expect(await readdir(folder)).toEqual(['sops']);
  });
});

test('what is new, changed and gone is told without a model', async () => {
  await inTemporaryFolder(async (folder) => {
    const sops = await writeCorpus(folder);
    const index = join(folder, 'index');
    const compare = async (): Promise<unknown> =>
      compareWithIndex((await listSopFiles([sops], '/')).files, buildOptions(index));
    await build(sops, index);
    expect(await compare()).toEqual({
      added: [],
      updated: [],
      removed: [],
      skipped: [],
      settings: false,
    });
    await writeFiles(sops, { 'new.md': 'x', 'he-003.txt': 'other', 'noise.txt': '\u0000\u0001' });
    await unlink(join(sops, 'chemistry', 'ch-002.md'));
    expect(await compare()).toEqual({
      added: ['new.md'],
      updated: ['he-003.txt'],
      removed: ['chemistry/ch-002.md'],
      skipped: [{ path: 'noise.txt', reason: expect.stringContaining('binary') as unknown }],
      settings: false,
    });
  });
});

test('writers at once: each index is whole, the last one wins', async () => {
  await inTemporaryFolder(async (folder) => {
    const sops = await writeCorpus(folder);
    const runs = await Promise.all(Array.from({ length: 4 }, () => build(sops, join(folder, 'index'))));
    expect(runs.filter(({ report }) => report.changed)).toHaveLength(1);
    await expectSound(join(folder, 'index'));
  });
});
