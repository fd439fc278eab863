/** Worker thread: messages with texts in, their normalised vectors out; transformers.js lives here and nowhere else. */

import { parentPort, workerData } from 'node:worker_threads';
import type { PreTrainedModel, PreTrainedTokenizer, Tensor } from '@huggingface/transformers';
import type { Dtype } from './models/modelFiles.js';
import { openTransformers } from './transformersLibrary.js';

export interface EmbedWorkerOptions {
  readonly folder: string;
  readonly dtype: Dtype;
  readonly pooling: 'mean' | 'cls';
  readonly dims: number;
  readonly maxTokens: number;
  /** Cores that the session uses; all where absent. */
  readonly sessionThreads?: number;
}

export interface EmbedRequest {
  readonly id: number;
  readonly texts: readonly string[];
}

/** The thread ends by itself after the text that it is at: ended in the middle of a native call, it would take the process down. */
export interface EmbedClose {
  readonly close: true;
}

/** Exactly one of `vectors`, `tooLong`, `error`. `tooLong.text` is the index in the request. */
export interface EmbedReply {
  readonly id: number;
  readonly vectors?: Float32Array[];
  readonly tooLong?: { readonly text: number; readonly tokens: number };
  readonly error?: string;
}

/** Sent once, before the first reply. */
export interface EmbedLoaded {
  readonly loadedMs: number;
}

interface LoadedModel {
  readonly tokenizer: PreTrainedTokenizer;
  readonly model: PreTrainedModel;
}

const options = workerData as EmbedWorkerOptions;
const startMs = performance.now();
const loading = load();
// The first request reports a failure to load; unhandled, it would end the thread before.
void loading.then(
  () => parentPort?.postMessage({ loadedMs: performance.now() - startMs } satisfies EmbedLoaded),
  () => undefined,
);

let isClosing = false;
let running: Promise<unknown> = loading.catch(() => undefined);

parentPort?.on('message', (request: EmbedRequest | EmbedClose) => {
  if ('close' in request) {
    isClosing = true;
    void running.then(() => parentPort?.close());
    return;
  }
  const answered = answer(request).then((reply) => {
    parentPort?.postMessage(
      reply,
      (reply.vectors ?? []).map(({ buffer }) => buffer as ArrayBuffer),
    );
  });
  running = Promise.all([running, answered]);
});

async function load(): Promise<LoadedModel> {
  const { library, name } = await openTransformers(options.folder);
  const { AutoModel, AutoTokenizer } = library;
  const session =
    options.sessionThreads === undefined
      ? {}
      : { session_options: { intraOpNumThreads: options.sessionThreads, interOpNumThreads: 1 } };
  const [tokenizer, model] = await Promise.all([
    AutoTokenizer.from_pretrained(name),
    AutoModel.from_pretrained(name, { dtype: options.dtype, ...session }),
  ]);
  return { tokenizer, model };
}

async function answer({ id, texts }: EmbedRequest): Promise<EmbedReply> {
  try {
    const { tokenizer, model } = await loading;
    const vectors: Float32Array[] = [];
    for (const [at, text] of texts.entries()) {
      if (isClosing) return { id, error: 'it was closed' };
      const inputs = tokenizer([text], { truncation: false, padding: false }) as { input_ids: Tensor };
      const tokens = inputs.input_ids.dims[1] ?? 0;
      if (tokens > options.maxTokens) return { id, tooLong: { text: at, tokens } };
      const { last_hidden_state: states } = (await model(inputs)) as { last_hidden_state: Tensor };
      const dims = states.dims.at(-1) ?? 0;
      if (dims !== options.dims)
        return { id, error: `its vectors have ${dims} dimensions instead of ${options.dims}` };
      vectors.push(poolStates(states.data as Float32Array, tokens));
      states.dispose();
    }
    return { id, vectors };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

/** `states` is tokens × dims, row by row; mean or first row, then scaled to length 1. */
function poolStates(states: Float32Array, tokens: number): Float32Array {
  const { dims, pooling } = options;
  const vector = new Float32Array(dims);
  if (pooling === 'cls') vector.set(states.subarray(0, dims));
  else {
    for (let token = 0, at = 0; token < tokens; token++) {
      for (let dim = 0; dim < dims; dim++, at++) vector[dim]! += states[at]!;
    }
  }
  let squares = 0;
  for (let dim = 0; dim < dims; dim++) squares += vector[dim]! * vector[dim]!;
  const length = Math.sqrt(squares);
  for (let dim = 0; dim < dims; dim++) vector[dim]! /= length;
  return vector;
}
