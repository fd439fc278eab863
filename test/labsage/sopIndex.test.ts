import '../uuidForVectra.js';
import { expect, test } from '@jest/globals';
import { readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '../../src/core/text.js';
import {
  describeFingerprint,
  openSopIndex,
  readSopManifest,
  sameFingerprint,
} from '../../src/labsage/sopIndex.js';
import { inTemporaryFolder, writeFiles } from '../temporaryFolder.js';
import { wordFingerprint } from '../wordEmbedder.js';
import { build, sop, writeCorpus } from './builtIndex.js';

/** Rewrites the manifest with a right checksum. */
async function editManifest(
  folder: string,
  edit: (manifest: Record<string, unknown>) => object,
): Promise<void> {
  const path = join(folder, 'manifest.json');
  const manifest = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  delete manifest['sha256'];
  const edited = edit(manifest);
  await writeFile(path, JSON.stringify({ ...edited, sha256: sha256Hex(JSON.stringify(edited)) }));
}

test('no index is exit 3 with the command that makes one', async () => {
  await inTemporaryFolder(async (folder) => {
    await expect(openSopIndex(folder)).rejects.toMatchObject({
      exitCode: 3,
      message: `there is no index in ${folder}`,
      hint: `make one with: labsage index FOLDER_WITH_SOPS --index "${folder}"`,
    });
  });
});

test('an index of another embedder is refused: exit 4, both named, with both ways out; it is not touched', async () => {
  await inTemporaryFolder(async (folder) => {
    const index = join(folder, 'index');
    await build(await writeCorpus(folder), index);
    const before = await readdir(index);
    const asked = wordFingerprint('other', 32);
    await expect(openSopIndex(index, { embedder: asked })).rejects.toMatchObject({
      exitCode: 4,
      message: `the index in ${index} was made with ${describeFingerprint(wordFingerprint())} and can't be searched with ${describeFingerprint(asked)}`,
      hint: `search with --embedder words, or run: labsage index --index "${index}" --embedder other`,
    });
    expect(await readdir(index)).toEqual(before);
  });
});

test.each([
  ['the weights', { weightsSha256: 'a'.repeat(64) }],
  ['the pooling', { pooling: 'cls' as const }],
  ['the dimensions', { dims: 47 }],
  ['a prefix', { prefixes: { query: 'query: ', passage: '' } }],
  ['the name', { id: 'x' }],
])('embedders that differ in %s are different', (_what, change) => {
  expect(sameFingerprint(wordFingerprint(), { ...wordFingerprint(), ...change })).toBe(false);
  expect(sameFingerprint(wordFingerprint(), wordFingerprint())).toBe(true);
});

test('an index of another format is exit 3 with both formats', async () => {
  await inTemporaryFolder(async (folder) => {
    const index = join(folder, 'index');
    await build(await writeCorpus(folder), index);
    await editManifest(index, (manifest) => ({ ...manifest, formatVersion: 99 }));
    await expect(readSopManifest(index)).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('format 99'),
    });
  });
});

test('a changed word in the stored text is never quoted: exit 3', async () => {
  await inTemporaryFolder(async (folder) => {
    const index = join(folder, 'index');
    await build(await writeCorpus(folder), index);
    const name = (await readdir(index)).find((file) => file.startsWith('documents-')) ?? '';
    const text = await readFile(join(index, name), 'utf8');
    await writeFile(join(index, name), text.replace('Spin 8 min', 'Spin 9 min'));
    const opened = await openSopIndex(index);
    await expect(opened.readDocument('ch-001')).rejects.toMatchObject({
      exitCode: 3,
      hint: `write it anew from the SOPs with: labsage index --index "${index}"`,
    });
    await opened.close();
  });
});

test('an open index answers from what it opened, also after another one was published', async () => {
  await inTemporaryFolder(async (folder) => {
    const sops = await writeCorpus(folder);
    const index = join(folder, 'index');
    await build(sops, index);
    const opened = await openSopIndex(index);
    await writeFiles(sops, { 'chemistry/ch-001.md': sop('CH-001', { Purpose: 'All is new.' }) });
    await build(sops, index);
    expect((await opened.readDocument('ch-001')).text).toContain('Spin 8 min');
    expect((await opened.vectors.items()).length).toBe(opened.documents.flatMap(({ units }) => units).length);
    expect((await opened.readTerms()).counts.size).toBeGreaterThan(0);
    await opened.close();
    const again = await openSopIndex(index);
    expect((await again.readDocument('ch-001')).text).toContain('All is new.');
    await again.close();
  });
});

test('an index can be moved', async () => {
  await inTemporaryFolder(async (folder) => {
    await build(await writeCorpus(folder), join(folder, 'index'));
    await rename(join(folder, 'index'), join(folder, 'elsewhere'));
    const opened = await openSopIndex(join(folder, 'elsewhere'));
    expect((await opened.readDocument('he-003')).text).toContain('Rotor C');
    await opened.close();
  });
});

test('units are found by id, with their document and their place', async () => {
  await inTemporaryFolder(async (folder) => {
    await build(await writeCorpus(folder), join(folder, 'index'));
    const index = await openSopIndex(join(folder, 'index'));
    const ids = index.documents.flatMap(({ units }) => units.map(({ id }) => id));
    ids.forEach((id, position) => {
      expect(index.unit(id)?.unit.id).toBe(id);
      expect(index.layout.positionOf.get(id)).toBe(position);
    });
    expect(index.unit('nothing')).toBeUndefined();
    expect(index.document('nothing')).toBeUndefined();
    await index.close();
  });
});
