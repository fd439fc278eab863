import '../uuidForVectra.js';
import { expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buildSopIndexFromUnits } from '../../src/labsage/buildIndex.js';
import { readDocument } from '../../src/labsage/document.js';
import { retrieveContexts } from '../../src/labsage/retrieve.js';
import { listSopFiles } from '../../src/labsage/documents/sopFiles.js';
import { openSopIndex } from '../../src/labsage/sopIndex.js';
import { readUnitRecords } from '../../src/labsage/unitRecords.js';
import { chunkingOf, cutDocument, unitRecords, withDocumentId } from '../../src/labsage/units.js';
import { verifyIndex } from '../../src/labsage/verifyIndex.js';
import { inTemporaryFolder, writeFiles } from '../temporaryFolder.js';
import { wordEmbedder } from '../wordEmbedder.js';
import { build, buildOptions, writeCorpus } from './builtIndex.js';

/** As `chunk --json` writes them. */
async function recordLines(sops: string): Promise<string[]> {
  const lines: string[] = [];
  for (const { file, path, id } of (await listSopFiles([sops], '/')).files) {
    const document = withDocumentId(await readDocument(await readFile(file), { path }), id);
    const cut = await cutDocument(document, chunkingOf('labsage', 'test'));
    for (const record of unitRecords(cut)) lines.push(JSON.stringify(record));
  }
  return lines;
}

function parse(...lines: readonly string[]): ReturnType<typeof readUnitRecords> {
  return readUnitRecords(Readable.from([Buffer.from(lines.join('\n'))]));
}

const RECORD = {
  document: { id: 'a', path: 'a.md', title: 'A' },
  contextUnit: { id: 'a#1', headingPath: ['1'], text: 'Spin. Wait. Spin. Wait.' },
  searchUnits: [
    { id: 'a#1@1', text: 'Spin.', embedText: 'Spin.' },
    { id: 'a#1@2', text: 'Spin.', embedText: 'Spin.' },
  ],
};

test('an index from records ranks as the one from the files, and passes verification', async () => {
  await inTemporaryFolder(async (folder) => {
    const sops = await writeCorpus(folder);
    await writeFiles(sops, {
      'other/ch-001.md':
        '# Other\n\n## Deep\n\n### Deeper\n\nRepeat it.\n\nRepeat it.\n\n### Rows\n\n| A | B |\n|---|---|\n| 1 | 2 |\n',
    });
    await build(sops, join(folder, 'direct'));
    const cut = await parse(...(await recordLines(sops)));
    await buildSopIndexFromUnits(cut, buildOptions(join(folder, 'piped')));
    const [direct, piped] = await Promise.all(
      ['direct', 'piped'].map((name) => openSopIndex(join(folder, name))),
    );
    if (direct === undefined || piped === undefined) throw new Error('not opened');
    for (const index of [direct, piped]) {
      expect((await verifyIndex(index)).checks.flatMap(({ faults }) => faults)).toEqual([]);
    }
    const embedder = wordEmbedder();
    for (const question of [
      'gloves',
      'spin potassium specimen',
      'Rotor C',
      'repeat deeper',
      'rows',
      'CH-002 sodium',
    ]) {
      for (const mode of ['hybrid', 'dense', 'keyword'] as const) {
        const rank = async (index: typeof direct): Promise<unknown> =>
          (await retrieveContexts(question, { index, embedder }, { k: 20, mode, today: '2026-01-01' })).map(
            ({ context, score, hits }) => [context.id, score, hits.map(({ unitId }) => unitId)],
          );
        expect(await rank(piped)).toEqual(await rank(direct));
      }
    }
    await Promise.all([direct.close(), piped.close()]);
  });
});

test('the same records again change nothing; one changed record changes its document', async () => {
  await inTemporaryFolder(async (folder) => {
    const lines = await recordLines(await writeCorpus(folder));
    const index = join(folder, 'index');
    const run = async (records: readonly string[]): Promise<object> =>
      buildSopIndexFromUnits(await parse(...records), buildOptions(index));
    expect(await run(lines)).toMatchObject({ changed: true, documents: 3 });
    expect(await run(lines)).toMatchObject({ changed: false, embedded: 0 });
    expect(await run(lines.map((line) => line.replaceAll('Spin 8', 'Spin 9')))).toMatchObject({
      updated: ['chemistry/ch-001.md'],
      embedded: 1,
    });
  });
});

test('words that stand twice are found each at its own place', async () => {
  const [document] = await parse(JSON.stringify(RECORD));
  expect(document?.units.map(({ span }) => span.start)).toEqual([0, 12]);
  expect(document?.document.control).toEqual({ status: 'current' });
});

type Edit = (record: typeof RECORD) => unknown;

test.each<[string, Edit]>([
  ['it is no JSON', () => '{"a'],
  ['Invalid input: expected object, received number', () => 5],
  [
    'document: Invalid input: expected object, received undefined',
    ({ contextUnit, searchUnits }) => ({ contextUnit, searchUnits }),
  ],
  [
    'contextUnit.text: Too small',
    (record) => ({ ...record, contextUnit: { ...record.contextUnit, text: '' } }),
  ],
  [
    'contextUnit.headingPath: Invalid input: expected array',
    (record) => ({ ...record, contextUnit: { ...record.contextUnit, headingPath: 'x' } }),
  ],
  ['searchUnits: Too small', (record) => ({ ...record, searchUnits: [] })],
  [
    'searchUnits.0.embedText: Invalid input: expected string, received undefined',
    (record) => ({ ...record, searchUnits: [{ id: 'x', text: 'Spin.' }] }),
  ],
  [
    'document.control.status: Invalid option',
    (record) => ({ ...record, document: { ...record.document, control: { status: 'lost' } } }),
  ],
  [
    'search unit x does not stand in its context unit',
    (record) => ({ ...record, searchUnits: [{ id: 'x', text: 'Freeze.', embedText: 'x' }] }),
  ],
  ['the id a#1 stands in line 1 too', (record) => record],
  [
    'the id a is that of another document',
    (record) => ({
      document: { ...record.document, path: 'b.md' },
      contextUnit: { ...record.contextUnit, id: 'b#1' },
      searchUnits: [{ ...record.searchUnits[0], id: 'b#1@1' }],
    }),
  ],
])('a line that is no record is named in one clear line: %s', async (why, edit) => {
  const bad = edit(RECORD);
  const error: unknown = await parse(
    JSON.stringify(RECORD),
    '',
    typeof bad === 'string' ? bad : JSON.stringify(bad),
  ).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    exitCode: 3,
    message: expect.stringContaining(`line 3 of stdin is no unit record: ${why}`),
  });
  expect((error as Error).message).not.toContain('\n');
});

test('a unit that the embedder cannot read whole is named', async () => {
  await inTemporaryFolder(async (folder) => {
    const text = 'plasma '.repeat(300).trim();
    const cut = await parse(
      JSON.stringify({
        ...RECORD,
        contextUnit: { ...RECORD.contextUnit, text },
        searchUnits: [{ id: 'long', text, embedText: text }],
      }),
    );
    await expect(buildSopIndexFromUnits(cut, buildOptions(join(folder, 'index')))).rejects.toMatchObject({
      exitCode: 3,
      message: 'search unit long has 302 tokens, words reads 256 at most',
    });
  });
});

test('no records are nothing to index: exit 3', async () => {
  await expect(buildSopIndexFromUnits(await parse(''), buildOptions('/nonexistent'))).rejects.toMatchObject({
    exitCode: 3,
  });
});
