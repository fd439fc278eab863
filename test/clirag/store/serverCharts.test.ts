/** Charts whose vectors are on a server: the same vectors as in the patients' folders, one patient at a time, gone on after a kill. */

import { afterAll, expect, test } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { openChartStore, type ChartStore } from '../../../src/clirag/chartStore.js';
import { chunkNote } from '../../../src/clirag/chunks.js';
import { ingestNotes } from '../../../src/clirag/ingest/ingest.js';
import { retrieveVisit } from '../../../src/clirag/retrieveVisit.js';
import { embedChunks, embedHash } from '../../../src/clirag/store/chartVectors.js';
import { embedStore } from '../../../src/clirag/store/embedStore.js';
import {
  openServerCharts,
  recordedPlace,
  recordPlace,
  type ServerCharts,
} from '../../../src/clirag/store/serverCharts.js';
import { listVisits } from '../../../src/clirag/visits.js';
import { parseStore, type ServerPlace } from '../../../src/core/store/storeName.js';
import { loadTokenCounter } from '../../../src/core/tokenCounter.js';
import type { Chunk } from '../../../src/core/types.js';
import { chromaServer, fakeChroma, stopChroma, testWithChroma } from '../../chromaServer.js';
import { writeRows, type Row } from '../../e2e/cliragRows.js';
import { inTemporaryFolder } from '../../temporaryFolder.js';
import { wordEmbedder } from '../../wordEmbedder.js';
import { wordOptions } from '../wordOptions.js';

afterAll(stopChroma);

function placeAt(url: string, collection: string): ServerPlace {
  const place = parseStore(`chroma:${url}/${collection}`);
  if (place === undefined) throw new Error('no place');
  return place;
}

/** Two patients of whom the same words were written, and six more. */
const ROWS: readonly Row[] = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((patient) =>
  ['08:00:00', '12:00:00', '20:00:00'].map((time, at) => ({
    patient: 100 + patient,
    charted: `2150-01-02 ${time}`,
    text: `EVENTS:\nShort of breath at ${time}, oxygen raised.\nPLAN:\nWean oxygen${patient < 3 ? '' : ` ${patient}`}, chest film ${at}.`,
  })),
);

async function withStore(work: (store: ChartStore) => Promise<void>): Promise<void> {
  await inTemporaryFolder(async (folder) => {
    const source = join(folder, 'NOTEEVENTS.csv');
    await writeRows(source, ROWS);
    await ingestNotes(join(folder, 'store'), {
      source,
      stdin: Readable.from([]),
      signal: new AbortController().signal,
    });
    await work(await openChartStore(join(folder, 'store')));
  });
}

async function chunksOf(store: ChartStore, patient: string): Promise<Chunk[]> {
  const countTokens = await loadTokenCounter();
  return (await store.openPatient(patient)).notes.flatMap((note) => chunkNote(note, { countTokens }).chunks);
}

function serverOf(place: ServerPlace): ServerCharts {
  return openServerCharts(place, { fingerprint: wordEmbedder().fingerprint });
}

testWithChroma('retrieval finds the same with the same scores, and the folders hold no vectors', async () => {
  await withStore(async (store) => {
    const place = placeAt((await chromaServer()).url, 'retrieval');
    const options = await wordOptions('none');
    for (const patient of ['101', '102', '105']) {
      const chart = await store.openPatient(patient);
      const [visit] = listVisits(chart.notes);
      if (visit === undefined) throw new Error('no visit');
      const first = await retrieveVisit(chart, visit, { ...options, server: serverOf(place) });
      const again = await retrieveVisit(chart, visit, { ...options, server: serverOf(place) });
      expect(readdirSync(chart.folder).filter((name) => name.startsWith('vectors'))).toEqual([]);
      const inFolder = await retrieveVisit(chart, visit, options);
      expect(first).toEqual(inFolder);
      expect(again).toEqual(inFolder);
      expect(first.retrieved.length).toBeGreaterThan(2);
    }
  });
});

testWithChroma('no patient sees the vectors of another, not even of the same words', async () => {
  await withStore(async (store) => {
    const place = placeAt((await chromaServer()).url, 'patients');
    const hashes = (await chunksOf(store, '101')).map(embedHash);
    expect((await chunksOf(store, '102')).map(embedHash)).toEqual(hashes);
    const server = serverOf(place);
    await server.write('101', new Map(hashes.map((hash) => [hash, Float32Array.from([1, 0])])));
    expect((await server.read('101', hashes)).size).toBe(new Set(hashes).size);
    expect((await server.read('102', hashes)).size).toBe(0);
    expect((await server.missing('102', hashes)).length).toBe(new Set(hashes).size);
  });
});

testWithChroma(
  'two shards, one stopped and run again: complete, each text embedded once, no doubles',
  async () => {
    await withStore(async (store) => {
      const place = placeAt((await chromaServer()).url, 'shards');
      const run = (
        number: number,
        failAfter?: number,
      ): Promise<{ texts: readonly string[]; embedded: number | undefined }> => {
        const embedder = wordEmbedder(failAfter === undefined ? {} : { failAfter });
        return embedStore(store, {
          fingerprint: embedder.fingerprint,
          openEmbedder: () => Promise.resolve(embedder),
          server: serverOf(place),
          shard: { number, count: 2 },
        }).then(
          ({ embedded }) => ({ texts: embedder.texts, embedded }),
          () => ({ texts: embedder.texts, embedded: undefined }),
        );
      };
      const [whole, stopped] = await Promise.all([run(1), run(2, 9)]);
      expect(stopped.embedded).toBeUndefined();
      expect(stopped.texts.length).toBeGreaterThan(0);
      const resumed = await run(2);
      expect(whole.texts.length + stopped.texts.length + resumed.texts.length).toBe(ROWS.length * 2);
      const inFolder = wordEmbedder();
      for (const { id } of await store.patients()) {
        const chart = await store.openPatient(id);
        const chunks = await chunksOf(store, id);
        const found = await serverOf(place).read(id, chunks.map(embedHash));
        const expected = await embedChunks(chart.folder, chunks, {
          fingerprint: inFolder.fingerprint,
          openEmbedder: () => Promise.resolve(inFolder),
        });
        for (const chunk of chunks)
          expect(found.get(embedHash(chunk))).toEqual(expected.vectors.get(chunk.id));
      }
      const { openServerVectors } = await import('../../../src/core/store/serverVectors.js');
      const all = await openServerVectors(place, {
        fingerprint: inFolder.fingerprint,
        groupField: 'patient',
        create: false,
      });
      expect(await all.count()).toBe(ROWS.length * 2);
    });
  },
);

testWithChroma('vectors that the folder has move without the model', async () => {
  await withStore(async (store) => {
    const place = placeAt((await chromaServer()).url, 'moved');
    const [local, none] = [wordEmbedder(), wordEmbedder({ failAfter: 0 })];
    const options = (embedder: typeof local): Parameters<typeof embedStore>[1] => ({
      fingerprint: embedder.fingerprint,
      openEmbedder: () => Promise.resolve(embedder),
    });
    await embedStore(store, options(local));
    expect((await embedStore(store, { ...options(none), server: serverOf(place) })).embedded).toBe(0);
    const chunks = await chunksOf(store, '104');
    expect((await serverOf(place).missing('104', chunks.map(embedHash))).length).toBe(0);
  });
});

test('a record of another patient ends the work', async () => {
  await withStore(async (store) => {
    const chart = await store.openPatient('101');
    const fake = await fakeChroma(({ path, body }) =>
      path === '/get' && body['where'] !== undefined
        ? {
            ids: body['ids'],
            embeddings: (body['ids'] as string[]).map(() => [1, 0]),
            metadatas: (body['ids'] as string[]).map(() => ({ patient: '102', check: '' })),
          }
        : undefined,
    );
    try {
      const server = serverOf(placeAt(fake.url, 'wrong'));
      const [visit] = listVisits(chart.notes);
      if (visit === undefined) throw new Error('no visit');
      await expect(retrieveVisit(chart, visit, { ...(await wordOptions('none')), server })).rejects.toThrow(
        'gave a record of another patient',
      );
    } finally {
      await fake.close();
    }
  });
});

test('a store remembers where its vectors are', async () => {
  await withStore(async (store) => {
    const place = placeAt('http://127.0.0.1:8000', 'notes');
    expect(await recordedPlace(store.folder)).toBeUndefined();
    await recordPlace(store.folder, place);
    expect(await recordedPlace(store.folder)).toEqual(place);
    await recordPlace(store.folder, undefined);
    expect(await recordedPlace(store.folder)).toBeUndefined();
  });
});
