/** Worker thread: names of shards in, what publishing each of them gave out. */

import { parentPort, workerData } from 'node:worker_threads';
import { systemCode } from '../../core/errors.js';
import { publishShard, type ShardResult } from './publishShard.js';
import { readSpill } from './spill.js';

export interface ShardWorkerData {
  readonly store: string;
  readonly work: string;
}

/** Exactly one of `result` and `failure`; `code` and `path` are a system error's. */
export interface ShardReply {
  readonly shard: string;
  readonly result?: ShardResult;
  readonly failure?: { readonly message: string; readonly code?: string; readonly path?: string };
}

const { store, work } = workerData as ShardWorkerData;

parentPort?.on('message', (shard: string) => {
  parentPort?.postMessage(publish(shard));
});

function publish(shard: string): ShardReply {
  try {
    return { shard, result: publishShard(store, readSpill(work, shard)) };
  } catch (error) {
    const code = systemCode(error);
    const path: unknown = (error as { path?: unknown }).path;
    const message = error instanceof Error ? error.message : String(error);
    return {
      shard,
      failure: {
        message,
        ...(code === undefined ? {} : { code }),
        ...(typeof path === 'string' ? { path } : {}),
      },
    };
  }
}
