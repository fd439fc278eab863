/** A folder with NOTEEVENTS.csv and facts.jsonl in; the facts of one split, and a store of the charts, out. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { openChartStore, type ChartStore } from '../src/clirag/chartStore.js';
import type { Fact } from '../src/clirag/evaluation/facts.js';
import { ingestNotes } from '../src/clirag/ingest/ingest.js';

export async function readFacts(charts: string, split: string): Promise<Fact[]> {
  const text = await readFile(join(charts, 'facts.jsonl'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Fact)
    .filter((fact) => fact.split === split);
}

export async function storeCharts(charts: string, folder: string): Promise<ChartStore> {
  await ingestNotes(folder, {
    source: join(charts, 'NOTEEVENTS.csv'),
    stdin: new PassThrough(),
    signal: new AbortController().signal,
  });
  return openChartStore(folder);
}
