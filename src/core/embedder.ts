/** A model's files → an `Embedder`: texts are embedded in worker threads, each alone, so that parsing goes on meanwhile. */

import { Worker } from 'node:worker_threads';
import { ExitCode, ToolError } from './errors.js';
import { sharedEmbedder } from './keptEmbedders.js';
import { checkModelSizes, encoderOf, fingerprintOf, type ModelFiles } from './models/modelFiles.js';
import type {
  EmbedClose,
  EmbedLoaded,
  EmbedReply,
  EmbedRequest,
  EmbedWorkerOptions,
} from './embedderWorker.js';
import { disableTelemetry } from './noTelemetry.js';
import { currentTrace } from './trace.js';
import type { Embedder } from './types.js';

/** Texts sent to a worker at a time: enough to keep it busy, few enough for a prompt stop. */
const TEXTS_PER_MESSAGE = 8;

export interface EmbedderOptions {
  /** Worker threads, each with a session of its own and one core; default 1 worker that uses all cores. */
  readonly threads?: number | undefined;
}

/**
 * Starts loading at once and returns without waiting: the first `embed` waits for the model.
 * Throws (exit 4) when files are missing or cut; `embed` rejects (exit 3) for a text above the model's token limit.
 * Where embedders are kept (`keptEmbedders.ts`), one that is there already.
 */
export async function createEmbedder(model: ModelFiles, options: EmbedderOptions = {}): Promise<Embedder> {
  await checkModelSizes(model);
  const key = JSON.stringify([model.folder, fingerprintOf(model), options.threads ?? null]);
  return sharedEmbedder(key, () => Promise.resolve(loadEmbedder(model, options)));
}

function loadEmbedder(model: ModelFiles, options: EmbedderOptions): Embedder {
  const threads = Math.max(1, options.threads ?? 1);
  const startWorkers = (role: Role): EmbedWorker[] =>
    Array.from({ length: threads }, () =>
      startWorker(model, { role, ...(options.threads === undefined ? {} : { sessionThreads: 1 }) }),
    );
  const passage = startWorkers('passage');
  const workers = { passage, query: model.card.queryWeights === undefined ? passage : startWorkers('query') };
  const fingerprint = fingerprintOf(model);
  return {
    fingerprint,
    async embed(texts, role) {
      const prefix = fingerprint.prefixes[role];
      const startMs = performance.now();
      const vectors = new Array<Float32Array>(texts.length);
      let next = 0;
      await Promise.all(
        workers[role].map(async (worker) => {
          while (next < texts.length) {
            const from = next;
            const batch = texts.slice(from, from + TEXTS_PER_MESSAGE).map((text) => prefix + text);
            next += batch.length;
            const reply = await worker.request(batch, from);
            reply.forEach((vector, at) => (vectors[from + at] = vector));
          }
        }),
      );
      // Waiting for the model is its loading's time.
      const loadedMs = Math.max(...workers[role].map((worker) => worker.loadedAtMs()));
      currentTrace()?.add('embed', performance.now() - Math.max(startMs, loadedMs));
      return vectors;
    },
    async close() {
      await Promise.all([...new Set([...workers.passage, ...workers.query])].map((worker) => worker.close()));
    },
  };
}

interface EmbedWorker {
  /** `first`: the place of the first text in what the caller gave, for messages. */
  request(texts: readonly string[], first: number): Promise<Float32Array[]>;
  /** On the clock of `performance.now`; 0 before. */
  loadedAtMs(): number;
  close(): Promise<void>;
}

type Role = 'query' | 'passage';

function startWorker(
  model: ModelFiles,
  { role, sessionThreads }: { role: Role; sessionThreads?: number },
): EmbedWorker {
  const workerData: EmbedWorkerOptions = {
    ...encoderOf(model, role),
    pooling: model.card.pooling,
    dims: model.card.dims,
    maxTokens: model.card.maxTokens,
    ...(sessionThreads === undefined ? {} : { sessionThreads }),
  };
  disableTelemetry();
  const worker = new Worker(new URL('./embedderWorker.js', import.meta.url), { workerData });
  const waiting = new Map<
    number,
    { first: number; resolve: (vectors: Float32Array[]) => void; reject: (error: Error) => void }
  >();
  let lastId = 0;
  let failure: ToolError | undefined;
  const fail = (error: ToolError): void => {
    failure = error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const trace = currentTrace();
  let loadedAtMs = 0;
  trace?.tell(`loading ${model.card.id} from ${model.folder}`);
  worker.on('message', (reply: EmbedReply | EmbedLoaded) => {
    if ('loadedMs' in reply) {
      loadedAtMs = performance.now();
      trace?.add('load model', reply.loadedMs);
      return;
    }
    const request = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (waiting.size === 0 && !isClosing) worker.unref();
    if (reply.vectors !== undefined) request?.resolve(reply.vectors);
    else if (reply.tooLong !== undefined) {
      const { text, tokens } = reply.tooLong;
      request?.reject(tooLongError(model, { tokens, text: request.first + text }));
    } else request?.reject(loadError(model, reply.error ?? 'unknown'));
  });
  worker.on('error', (error) =>
    fail(loadError(model, error instanceof Error ? error.message : String(error))),
  );
  let isClosing = false;
  let hasExited = false;
  worker.on('exit', () => {
    hasExited = true;
    fail(loadError(model, 'its thread ended'));
  });
  worker.unref();
  return {
    request(texts, first) {
      if (failure !== undefined) return Promise.reject(failure);
      const id = ++lastId;
      worker.ref();
      return new Promise((resolve, reject) => {
        waiting.set(id, { first, resolve, reject });
        worker.postMessage({ id, texts } satisfies EmbedRequest);
      });
    },
    loadedAtMs: () => loadedAtMs,
    async close() {
      waiting.clear();
      if (hasExited) return;
      isClosing = true;
      worker.ref();
      worker.postMessage({ close: true } satisfies EmbedClose);
      await new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    },
  };
}

function loadError({ card, folder }: ModelFiles, reason: string): ToolError {
  return new ToolError(ExitCode.model, `model ${card.id} in ${folder} failed: ${reason}`, {
    hint: 'its files are damaged or of another kind: install the package or import the model again',
  });
}

function tooLongError({ card }: ModelFiles, { tokens, text }: { tokens: number; text: number }): ToolError {
  return new ToolError(
    ExitCode.input,
    `text ${text + 1} has ${tokens} tokens, ${card.id} reads ${card.maxTokens} at most`,
    { hint: 'shorten or split it' },
  );
}
