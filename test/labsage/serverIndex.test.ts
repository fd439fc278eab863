/** An index whose vectors are on a real Chroma server: the file index's results, and its rules when things change or end badly. */

import '../uuidForVectra.js';
import { afterAll, expect } from '@jest/globals';
import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openChroma } from '../../src/core/store/chromaClient.js';
import { collectionName } from '../../src/core/store/serverVectors.js';
import { parseStore, type ServerPlace } from '../../src/core/store/storeName.js';
import { buildSopIndex, type BuildReport } from '../../src/labsage/buildIndex.js';
import { listSopFiles } from '../../src/labsage/documents/sopFiles.js';
import { retrieveContexts } from '../../src/labsage/retrieve.js';
import { openSopIndex, readSopManifest } from '../../src/labsage/sopIndex.js';
import { verifyIndex } from '../../src/labsage/verifyIndex.js';
import { chromaServer, stopChroma, testWithChroma } from '../chromaServer.js';
import { inTemporaryFolder, writeFiles } from '../temporaryFolder.js';
import { wordEmbedder, wordFingerprint, type WordEmbedder } from '../wordEmbedder.js';
import { buildOptions, sop, writeCorpus } from './builtIndex.js';

afterAll(stopChroma);

let collections = 0;

async function newPlace(): Promise<ServerPlace> {
  const place = parseStore(`chroma:${(await chromaServer()).url}/sops-${++collections}`);
  if (place === undefined) throw new Error('no place');
  return place;
}

interface Built {
  readonly report: BuildReport;
  readonly embedder: WordEmbedder;
}

async function index(
  sops: string,
  folder: string,
  options: { store?: ServerPlace; embedder?: WordEmbedder } = {},
): Promise<Built> {
  const { embedder, ...rest } = buildOptions(folder, options.embedder ? { embedder: options.embedder } : {});
  const { files } = await listSopFiles([sops], '/');
  return { report: await buildSopIndex(files, { ...rest, store: options.store }), embedder };
}

/** All that a search says, of every mode. */
async function searched(folder: string): Promise<unknown[]> {
  const opened = await openSopIndex(folder);
  const found: unknown[] = [];
  try {
    for (const question of ['potassium in plasma', 'gloves', 'spin Rotor C', 'reject'])
      for (const mode of ['hybrid', 'dense'] as const)
        for (const filters of [{}, { documents: ['CH-001'] }, { folders: ['chemistry'] }])
          found.push(
            await retrieveContexts(
              question,
              { index: opened, embedder: wordEmbedder() },
              { k: 20, mode, filters, today: '2026-01-01' },
            ),
          );
  } finally {
    await opened.close();
  }
  return found;
}

async function faultsOf(folder: string): Promise<string[]> {
  const opened = await openSopIndex(folder);
  try {
    return (await verifyIndex(opened)).checks.flatMap(({ faults }) => faults);
  } finally {
    await opened.close();
  }
}

async function countOn(place: ServerPlace, fingerprint = wordFingerprint()): Promise<number | undefined> {
  return (await (await openChroma(place.url)).find(collectionName(place, fingerprint)))?.count();
}

interface Place {
  readonly folder: string;
  readonly sops: string;
  /** Where the index goes. */
  readonly at: string;
  readonly store: ServerPlace;
}

/** A small corpus, and a collection of its own on the server. */
function testOnServer(name: string, work: (place: Place) => Promise<void>): void {
  testWithChroma(name, () =>
    inTemporaryFolder(async (folder) => {
      const sops = await writeCorpus(folder);
      await work({ folder, sops, at: join(folder, 'index'), store: await newPlace() });
    }),
  );
}

testWithChroma(
  'the same results as the file index, also after edits, and no text or vector file',
  async () => {
    await inTemporaryFolder(async (folder) => {
      const sops = await writeCorpus(folder);
      const [inFile, onServer] = [join(folder, 'file'), join(folder, 'server')];
      const store = await newPlace();
      await index(sops, inFile);
      const first = await index(sops, onServer, { store });
      expect(first.report.changed).toBe(true);
      expect(await searched(onServer)).toEqual(await searched(inFile));
      expect(await faultsOf(onServer)).toEqual([]);
      const names = await readdir(onServer);
      expect(names.filter((name) => name.startsWith('vectors'))).toEqual([]);
      expect((await readSopManifest(onServer))?.store).toBe(store.name);
      expect((await index(sops, onServer, { store })).report.changed).toBe(false);

      await writeFiles(sops, {
        'chemistry/ch-002.md': sop('CH-002', { Purpose: 'To measure lithium.', Safety: 'Wear gloves.' }),
      });
      await rm(join(sops, 'he-003.txt'));
      const again = await index(sops, onServer, { store });
      await index(sops, inFile);
      expect(again.report.embedded).toBe(1);
      expect(again.embedder.texts).toHaveLength(1);
      expect(await searched(onServer)).toEqual(await searched(inFile));
      // What was edited or removed has left the server too.
      expect(await countOn(store)).toBe(again.report.searchUnits);
    });
  },
);

testWithChroma(
  'an index moves to a server and back without the model, and the server keeps nothing',
  async () => {
    await inTemporaryFolder(async (folder) => {
      await writeCorpus(folder);
      const [sops, at] = [join(folder, 'sops'), join(folder, 'index')];
      const [one, two] = [await newPlace(), await newPlace()];
      await index(sops, at);
      const before = await searched(at);
      for (const store of [one, two, undefined]) {
        const { report } = await index(sops, at, store === undefined ? {} : { store });
        expect(report).toMatchObject({ changed: true, embedded: 0 });
        expect(await searched(at)).toEqual(before);
        expect(await faultsOf(at)).toEqual([]);
      }
      expect(await countOn(one)).toBeUndefined();
      expect(await countOn(two)).toBeUndefined();
    });
  },
);

testOnServer(
  'another embedder: refused to search with, a re-index replaces the vectors',
  async ({ sops, at, store }) => {
    await index(sops, at, { store });
    const other = wordFingerprint('others', 32);
    await expect(openSopIndex(at, { embedder: other })).rejects.toMatchObject({ exitCode: 4 });
    const { report } = await index(sops, at, { store, embedder: wordEmbedder({ fingerprint: other }) });
    expect(report.embedded).toBeGreaterThan(report.searchUnits - 2);
    expect(await countOn(store)).toBeUndefined();
    expect(await countOn(store, other)).toBe(report.searchUnits);
    expect(await faultsOf(at)).toEqual([]);
  },
);

testOnServer(
  'an interrupted run goes on where it stopped, and readers see the old index meanwhile',
  async ({ folder, sops, at, store }) => {
    await index(sops, at, { store });
    const before = await searched(at);
    const sections = Object.fromEntries(
      Array.from({ length: 150 }, (_, part) => [`Part ${part}`, `Mix the plasma ${part} times.`]),
    );
    await writeFiles(sops, { 'long.md': sop('CH-009', sections) });
    await expect(index(sops, at, { store, embedder: wordEmbedder({ failAfter: 100 }) })).rejects.toThrow(
      'the embedder was stopped',
    );
    expect(await searched(at)).toEqual(before);
    const next = await index(sops, at, { store });
    const units = next.embedder.texts.filter((text) => text.includes('Mix the plasma'));
    // The title is one of the 64 texts that had been written.
    expect(units).toHaveLength(150 - 63);
    await index(sops, join(folder, 'file'));
    expect(await searched(at)).toEqual(await searched(join(folder, 'file')));
    expect(await countOn(store)).toBe(next.report.searchUnits);
  },
);

testOnServer(
  'a collection that was deleted: searching says so, the next run makes it anew',
  async ({ sops, at, store }) => {
    const { report } = await index(sops, at, { store });
    const before = await searched(at);
    await (await openChroma(store.url)).drop(collectionName(store, wordFingerprint()));
    await expect(searched(at)).rejects.toMatchObject({ exitCode: 3 });
    const again = await index(sops, at, { store });
    expect(again.report.damage).toContain('vectors are missing there');
    expect(again.report.searchUnits).toBe(report.searchUnits);
    expect(await searched(at)).toEqual(before);
  },
);

testOnServer(
  'a reader that is older than the index is told to run again where its vectors are gone',
  async ({ sops, at, store }) => {
    await index(sops, at, { store });
    const old = await openSopIndex(at);
    const [query] = await wordEmbedder().embed(['plasma'], 'query');
    if (query === undefined) throw new Error('no vector');
    const before = await old.vectors.query(query, { top: 3 });
    await writeFiles(sops, { 'new.md': sop('CH-010', { Purpose: 'To measure plasma plasma plasma.' }) });
    await index(sops, at, { store });
    expect(await old.vectors.query(query, { top: 3 })).toEqual(before);
    await rm(join(sops, 'chemistry'), { recursive: true });
    await index(sops, at, { store });
    await expect(old.vectors.query(query, { top: 3 })).rejects.toThrow('was written anew');
    await old.close();
  },
);

testOnServer(
  'two indexes never share a collection; a copy of an index does until one of them changes',
  async ({ folder, sops, at, store }) => {
    await index(sops, at, { store });
    await expect(index(sops, join(folder, 'second'), { store })).rejects.toThrow('belongs to another index');
    await cp(at, join(folder, 'copy'), { recursive: true });
    expect(await searched(join(folder, 'copy'))).toEqual(await searched(at));
  },
);
