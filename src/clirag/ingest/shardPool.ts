/** Shards that wait → their results one by one as they are done, by a few threads that publish side by side. */

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ShardResult } from './publishShard.js';
import type { ShardReply, ShardWorkerData } from './shardWorker.js';

/** Each holds one shard in memory. */
const MAX_THREADS = 2;

/** Calls `onDone` for every shard; stops and throws at the first failure or when aborted. */
export async function publishShards(
  shards: readonly string[],
  options: ShardWorkerData & {
    signal: AbortSignal;
    onDone: (shard: string, result: ShardResult) => Promise<void>;
  },
): Promise<void> {
  const { store, work } = options;
  const waiting = [...shards];
  const threads = Math.min(MAX_THREADS, availableParallelism(), waiting.length);
  const workers = Array.from({ length: threads }, () => {
    const workerData: ShardWorkerData = { store, work };
    return new Worker(new URL('./shardWorker.js', import.meta.url), { workerData });
  });
  try {
    await Promise.all(
      workers.map(async (worker) => {
        for (let shard = waiting.shift(); shard !== undefined; shard = waiting.shift()) {
          options.signal.throwIfAborted();
          const { result, failure } = await ask(worker, shard);
          if (failure !== undefined) throw Object.assign(new Error(failure.message), failure);
          if (result !== undefined) await options.onDone(shard, result);
        }
      }),
    );
  } finally {
    // A thread that is at work finishes the file it is writing or leaves a temporary one: never half a chart.
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

function ask(worker: Worker, shard: string): Promise<ShardReply> {
  return new Promise((resolve, reject) => {
    const done = (reply: ShardReply): void => {
      worker.off('error', reject);
      resolve(reply);
    };
    worker.once('message', done);
    worker.once('error', reject);
    worker.postMessage(shard);
  });
}
