/** `clirag index`: files of notes → the store, and lines that say what became of their rows. */

import { resolve } from 'node:path';
import { DEFAULT_EMBEDDER } from '../../core/config.js';
import { ExitCode, ToolError } from '../../core/errors.js';
import { nameEmbedder } from '../../core/models/provenEmbedder.js';
import { timed } from '../../core/trace.js';
import { formatDuration, type Output } from '../../core/output.js';
import type { Shard } from '../../core/shard.js';
import { namedStore } from '../../core/storeAccess.js';
import { openChartStore } from '../chartStore.js';
import type { CommandContext } from '../../core/program.js';
import { embedStore, type EmbedStoreResult } from '../store/embedStore.js';
import { ingestNotes, type IngestResult } from '../ingest/ingest.js';
import { recordPlace } from '../store/serverCharts.js';
import { openServer, storeFolder, type StoreFlags } from './openStore.js';

interface IndexFlags extends StoreFlags {
  readonly embed?: boolean;
  readonly embedder?: string;
  readonly threads?: number;
  readonly shard?: Shard;
  readonly strict?: boolean;
  readonly json?: boolean;
}

export async function indexCommand(
  args: readonly string[],
  flags: IndexFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const { io, output } = context;
  const folder = storeFolder(flags, io);
  if (args.length === 0 && flags.embed !== true) {
    throw new ToolError(ExitCode.usage, 'no file named', { hint: 'run: clirag index NOTEEVENTS.csv' });
  }
  if (flags.shard !== undefined && (args.length > 0 || flags.embed !== true)) {
    throw new ToolError(ExitCode.usage, '--shard is a part of the patients of a store that is there', {
      hint: 'run clirag index FILES first, then: clirag index --embed --shard N/M --store chroma:URL/COLLECTION',
    });
  }
  let rejected = 0;
  for (const file of args) {
    const startMs = Date.now();
    const result = await ingestFile(folder, file, context);
    if (flags.json === true) output.printJson({ index: folder, ...result });
    else printResult(result, { output, seconds: (Date.now() - startMs) / 1000 });
    rejected += faultyRows(result);
  }
  if (flags.embed === true) {
    const embedded = await embedAll(folder, flags, context);
    const named = namedStore(flags);
    // Once its vectors are there.
    if (named !== undefined) await recordPlace(folder, named.server);
    if (flags.json === true) output.printJson({ index: folder, ...embedded });
    else
      output.print(
        `Embedded ${embedded.embedded} of ${embedded.chunks} chunks of ${embedded.patients} patients; the others were kept.`,
      );
  }
  return flags.strict === true && rejected > 0 ? ExitCode.shortfall : ExitCode.done;
}

async function ingestFile(
  folder: string,
  file: string,
  { io, output }: CommandContext,
): Promise<IngestResult> {
  const reading = output.progress('Reading MB');
  const writing = output.progress('Writing shard');
  try {
    return await timed('read notes', () =>
      ingestNotes(folder, {
        source: file === '-' ? file : resolve(io.cwd, file),
        stdin: io.stdin,
        signal: io.signal,
        onNote: (line) => output.note(line),
        onProgress(phase, done, total) {
          if (phase === 'write') writing.update(done, total);
          else reading.update(toMegabytes(done), total === undefined ? undefined : toMegabytes(total));
        },
      }),
    );
  } finally {
    reading.stop();
    writing.stop();
  }
}

function toMegabytes(bytes: number): number {
  return Math.round(bytes / 100_000) / 10;
}

function printResult(result: IngestResult, { output, seconds }: { output: Output; seconds: number }): void {
  const { file, counts, patients, changed, repeated, store, continuedAt } = result;
  if (continuedAt !== undefined) output.note(`Took up an interrupted run at row ${continuedAt}.`);
  output.print(
    `${file}: ${counts.rows} rows, ${counts.notes} notes of ${patients} patients, ${changed} new or changed, in ${formatDuration(seconds)}.`,
  );
  for (const [reason, { count, rows }] of Object.entries(counts.rejected)) {
    const line = `${count} rows dropped: ${reason} (rows ${rows.join(', ')}${count > rows.length ? ', …' : ''})`;
    if (reason === 'marked erroneous') output.note(line);
    else output.warn(line);
  }
  for (const [category, count] of Object.entries(counts.unknownCategories)) {
    output.warn(`${count} notes of the unknown category "${category}" are filed as general`);
  }
  if (counts.foreignRows > 0)
    output.warn(`${counts.foreignRows} rows are no UTF-8 and were read as windows-1252`);
  if (repeated > 0) output.warn(`${repeated} note ids came twice; the last row counts`);
  output.print(`The store holds ${store.patients} patients and ${store.notes} notes.`);
}

/** Rows that were rejected for a fault of the file; what the chart itself marks as erroneous is none. */
function faultyRows({ counts }: IngestResult): number {
  return Object.entries(counts.rejected).reduce(
    (sum, [reason, { count }]) => (reason === 'marked erroneous' ? sum : sum + count),
    0,
  );
}

async function embedAll(
  folder: string,
  flags: IndexFlags,
  { io, output }: CommandContext,
): Promise<EmbedStoreResult> {
  const store = await openChartStore(folder);
  const named = await nameEmbedder(flags.embedder ?? DEFAULT_EMBEDDER, {
    env: io.env,
    threads: flags.threads,
  });
  const progress = output.progress('Embedding chart');
  try {
    const server = await openServer(flags, { io, fingerprint: named.fingerprint });
    if (flags.shard !== undefined && server === undefined) {
      throw new ToolError(ExitCode.usage, '--shard needs a store on a server', {
        hint: 'add --store chroma:URL/COLLECTION',
      });
    }
    return await embedStore(store, {
      fingerprint: named.fingerprint,
      openEmbedder: () => named.open(),
      server,
      shard: flags.shard,
      signal: io.signal,
      onProgress: (done, total) => progress.update(done, total),
    });
  } finally {
    progress.stop();
    await named.close();
  }
}
