/** SOP files → their cut documents one by one, in a thread of its own: no file holds up the others or an interrupt. */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ExitCode, ToolError, systemCode } from '../core/errors.js';
import type { CutReply, CutWorkerData } from './cutWorker.js';
import { skipReason, type Skipped, type SopFile } from './documents/sopFiles.js';
import type { CutDocument } from './units.js';

/** For reading and cutting one file. */
export const FILE_LIMIT_MS = 120_000;
/** Heap of the thread: 16 MB of plain text, the most that is read, take half of it. */
const HEAP_LIMIT_MB = 2048;

export interface CutOptions extends CutWorkerData {
  readonly signal?: AbortSignal | undefined;
  /** Default `FILE_LIMIT_MS`. */
  readonly limitMs?: number;
  /** Default `HEAP_LIMIT_MB`. */
  readonly heapLimitMb?: number;
  readonly onProgress?: (done: number, total: number) => void;
}

/** In order; a file that cannot be read, or takes too much time or memory, comes with the reason. */
export async function* cutEach(
  files: readonly SopFile[],
  options: CutOptions,
): AsyncGenerator<CutReply, void, undefined> {
  let worker: Worker | undefined;
  try {
    for (const [at, file] of files.entries()) {
      options.signal?.throwIfAborted();
      options.onProgress?.(at, files.length);
      worker ??= startWorker(options);
      let reply: CutReply;
      try {
        reply = await ask(worker, file, options);
      } catch (error) {
        options.signal?.throwIfAborted();
        reply = { path: file.path, reason: skipReason(file.path, error) };
        await worker.terminate();
        worker = undefined;
      }
      yield reply;
    }
  } finally {
    await worker?.terminate();
  }
}

/** All at once. */
export async function cutSopFiles(
  files: readonly SopFile[],
  options: CutOptions,
): Promise<{ cut: CutDocument[]; skipped: Skipped[] }> {
  const cut: CutDocument[] = [];
  const skipped: Skipped[] = [];
  for await (const one of cutEach(files, options)) {
    if ('reason' in one) skipped.push(one);
    else cut.push(one);
  }
  return { cut, skipped };
}

function startWorker({ chunking, heapLimitMb = HEAP_LIMIT_MB }: CutOptions): Worker {
  const workerData: CutWorkerData = { chunking };
  return new Worker(new URL('./cutWorker.js', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: heapLimitMb },
  });
}

/** Rejects when aborted, and where the thread is of no more use. */
async function ask(
  worker: Worker,
  file: SopFile,
  { signal, limitMs = FILE_LIMIT_MS, heapLimitMb = HEAP_LIMIT_MB }: CutOptions,
): Promise<CutReply> {
  const late = AbortSignal.timeout(limitMs);
  worker.postMessage(file);
  try {
    const ends = AbortSignal.any(signal === undefined ? [late] : [late, signal]);
    const [reply] = (await once(worker, 'message', { signal: ends })) as [CutReply];
    return reply;
  } catch (error) {
    if (late.aborted) throw tooMuch(`took longer than ${Math.ceil(limitMs / 1000)} s`, error);
    if (systemCode(error) === 'ERR_WORKER_OUT_OF_MEMORY')
      throw tooMuch(`needed more than ${heapLimitMb} MB of memory`, error);
    throw error;
  }
}

function tooMuch(what: string, cause: unknown): ToolError {
  return new ToolError(ExitCode.input, `reading it ${what}`, {
    hint: 'split it, or save it in another format',
    cause,
  });
}
