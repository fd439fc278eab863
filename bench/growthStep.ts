/** One step of bench/growth in a process of its own: `STEP FOLDER UNITS` → a line of JSON with times, bytes and memory. */

import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openVectraStore } from '../src/core/store/vectorStore.js';
import { packageVersion } from '../src/core/version.js';
import { buildSopIndexFromUnits } from '../src/labsage/buildIndex.js';
import { retrieveContexts } from '../src/labsage/retrieve.js';
import { openSopIndex } from '../src/labsage/sopIndex.js';
import { chunkingOf } from '../src/labsage/units.js';
import { cutBundledSops, madeEmbedder, repeatUnits } from './madeUnits.js';

const DIMS = 384;
const QUESTIONS = [
  'How long is plasma ammonia stable on ice?',
  'Which tube is drawn first?',
  'What is done when QC is out of range?',
  'critical value of potassium',
  'hemolyzed specimen',
];
const ROUNDS = 5;

async function index(folder: string, units: number, edited: boolean): Promise<object> {
  const cut = repeatUnits(await cutBundledSops(), units, { edited });
  const embedder = madeEmbedder(DIMS);
  const before = new Set(await readdir(folder).catch(() => []));
  const startMs = performance.now();
  const used = process.cpuUsage();
  const report = await buildSopIndexFromUnits(cut, {
    folder,
    chunking: chunkingOf('labsage', packageVersion()),
    fingerprint: embedder.fingerprint,
    openEmbedder: () => Promise.resolve(embedder),
  });
  const ms = performance.now() - startMs;
  const { user, system } = process.cpuUsage(used);
  let bytes = 0;
  let written = 0;
  for (const name of await readdir(folder)) {
    const { size } = await stat(join(folder, name));
    bytes += size;
    // A data file's name has its hash; the manifest is always new.
    if (!before.has(name) || name === 'manifest.json') written += size;
  }
  const { searchUnits, documents, embedded } = report;
  return {
    documents,
    units: searchUnits,
    embedded,
    ms,
    cpuMs: (user + system) / 1000,
    bytes,
    written,
    ...memory(),
  };
}

function memory(): { rssMb: number; peakRssMb: number } {
  return { rssMb: process.memoryUsage.rss() / 2 ** 20, peakRssMb: process.resourceUsage().maxRSS / 1024 };
}

/** The whole way of `search` but for the model. */
async function search(folder: string): Promise<object> {
  const embedder = madeEmbedder(DIMS);
  const startMs = performance.now();
  const opened = await openSopIndex(folder);
  const ask = async (question: string): Promise<void> => {
    await retrieveContexts(question, { index: opened, embedder }, { today: '2026-01-01' });
  };
  await ask(QUESTIONS[0] ?? '');
  const coldMs = performance.now() - startMs;
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const question of QUESTIONS) {
      const from = performance.now();
      await ask(question);
      times.push(performance.now() - from);
    }
  }
  const units = opened.documents.reduce((sum, document) => sum + document.units.length, 0);
  await opened.close();
  return { units, coldMs, warmMs: median(times), ...memory() };
}

/** A file of vectors alone: loading it, and the scan that answers a question. */
async function scan(file: string, dims: number): Promise<object> {
  const startMs = performance.now();
  const { open } = await import('node:fs/promises');
  const store = openVectraStore(
    { folder: '.', file },
    {
      dims,
      async read(allocate) {
        const handle = await open(file);
        const { size } = await handle.stat();
        const data = (allocate ?? Buffer.alloc)(size);
        for (let at = 0; at < size;) {
          const { bytesRead } = await handle.read(data, at, Math.min(size - at, 2 ** 30), at);
          at += bytesRead;
        }
        await handle.close();
        return data;
      },
    },
  );
  await store.load();
  const loadMs = performance.now() - startMs;
  const embedder = madeEmbedder(dims);
  const wall: number[] = [];
  const cpu: number[] = [];
  for (let round = 0; round < 20; round++) {
    const [query] = await embedder.embed([`${QUESTIONS[round % QUESTIONS.length] ?? ''} ${round}`], 'query');
    if (query === undefined) throw new Error('no vector');
    const from = performance.now();
    const used = process.cpuUsage();
    await store.query(query, { top: 2000 });
    wall.push(performance.now() - from);
    const { user, system } = process.cpuUsage(used);
    cpu.push((user + system) / 1000);
  }
  return { loadMs, wallMs: median(wall), cpuMs: median(cpu), ...memory() };
}

/** Sorted names and contents of two index folders are the same. */
async function same(folder: string, other: string): Promise<object> {
  const names = (at: string): Promise<string[]> => readdir(at).then((all) => all.sort());
  const [own, others] = [await names(folder), await names(other)];
  let isSame = own.join() === others.join();
  for (const name of isSame ? own : [])
    isSame &&= (await readFile(join(folder, name))).equals(await readFile(join(other, name)));
  return { isSame, files: own.length };
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

const [step = '', folder = '', more = ''] = process.argv.slice(2);
const steps: Readonly<Record<string, () => Promise<object>>> = {
  index: () => index(folder, Number(more), false),
  update: () => index(folder, Number(more), true),
  search: () => search(folder),
  scan: () => scan(folder, Number(more)),
  same: () => same(folder, more),
};
console.log(JSON.stringify(await steps[step]?.()));
