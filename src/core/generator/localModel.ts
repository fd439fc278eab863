/** `transformers:MODEL` → a language model that runs on this machine in a process of its own, from a folder or from the models of this machine. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resolvePaths } from '../config.js';
import { ExitCode, ToolError } from '../errors.js';
import { readGenerator, type GeneratorFolder } from '../models/generatorFiles.js';
import { checkModelSizes, findGenerator } from '../models/modelFiles.js';
import { disableTelemetry } from '../noTelemetry.js';
import type { CountTokens, TokenizerLibrary } from '../tokenCounter.js';
import {
  messagesOf,
  REPLY_TOKENS,
  type ChatReply,
  type LanguageModel,
  type ModelOptions,
  type ModelWindow,
} from './chat.js';
import type { WriteReply, WriteRequest } from './generatorProcess.js';

const NAME = /^transformers:(.+)$/u;

/** Throws (exit 2) for a name without a model. */
export function parseLocal(name: string): string {
  const [, model = ''] = NAME.exec(name.trim()) ?? [];
  if (model !== '') return model;
  throw new ToolError(ExitCode.usage, `"${name}" names no model`, {
    hint: 'write it as transformers:FOLDER, or transformers:MODEL as labsage models list names it',
  });
}

/**
 * Opens nothing yet. The same prompt has the same reply on one machine: the likeliest token is taken at every step, and
 * `seed` means nothing. `window` and `complete` throw (exit 4) where the model is missing, damaged or fails.
 */
export function createLocalModel(model: string, options: ModelOptions = {}): LanguageModel {
  let files: Promise<GeneratorFolder> | undefined;
  let counter: Promise<CountTokens> | undefined;
  let writer: Promise<Writer> | undefined;
  const open = (): Promise<GeneratorFolder> => (files ??= findFolder(model, options));
  return {
    name: `transformers:${model}`,
    async window(): Promise<ModelWindow> {
      const { folder, contextTokens } = await open();
      return { tokens: contextTokens, countTokens: await (counter ??= loadCounter(folder)) };
    },
    async complete(prompt) {
      options.signal?.throwIfAborted();
      writer ??= open().then((found) => startWriter(found, model));
      const { maxTokens = REPLY_TOKENS } = prompt;
      return (await writer).write({ messages: messagesOf(prompt), maxTokens }, options);
    },
    async close() {
      await (await writer?.catch(() => undefined))?.close();
    },
  };
}

/** A path, or the name of an imported model; its own `model.json` is checked where it has one. */
async function findFolder(model: string, { env = {}, cwd = '.' }: ModelOptions): Promise<GeneratorFolder> {
  const path = resolve(cwd, model);
  const isPath = /[\\/]/u.test(model) || model === '.';
  const found = await stat(path).catch(() => undefined);
  if (isPath || found?.isDirectory() === true) {
    if (found?.isDirectory() !== true)
      throw new ToolError(ExitCode.model, `there is no folder ${path} with a language model`, {
        hint: 'name the folder, or a model that labsage models list names',
      });
    return readGenerator(path);
  }
  const installed = await findGenerator(model, await resolvePaths(env));
  await checkModelSizes(installed);
  return readGenerator(installed.folder);
}

/** Its own tokenizer, in this process. */
async function loadCounter(folder: string): Promise<CountTokens> {
  const [library, tokenizer, config] = await Promise.all([
    import('@huggingface/tokenizers') as Promise<unknown>,
    readFile(join(folder, 'tokenizer.json'), 'utf8'),
    readFile(join(folder, 'tokenizer_config.json'), 'utf8'),
  ]);
  const { Tokenizer } = library as TokenizerLibrary;
  const own = new Tokenizer(JSON.parse(tokenizer) as object, JSON.parse(config) as object);
  return (text) => own.tokenize(text, { add_special_tokens: false }).length;
}

interface Writer {
  write(request: Omit<WriteRequest, 'id'>, options: ModelOptions): Promise<ChatReply>;
  close(): Promise<void>;
}

function startWriter(files: GeneratorFolder, model: string): Writer {
  disableTelemetry();
  // A process of its own: onnxruntime aborts the whole process if its thread is ended in the middle of a run.
  const child = fork(
    fileURLToPath(new URL('./generatorProcess.js', import.meta.url)),
    [JSON.stringify(files)],
    {
      env: process.env,
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    },
  );
  const hold = (isHeld: boolean): void => {
    for (const handle of [child, child.channel])
      if (isHeld) handle?.ref();
      else handle?.unref();
  };
  const kill = (): void => {
    hasEnded = true;
    child.kill('SIGKILL');
  };
  hold(false);
  let lastId = 0;
  let hasEnded = false;
  const failed = (why: string): ToolError =>
    new ToolError(ExitCode.model, `the language model ${model} failed: ${why}`, {
      hint: 'its files are damaged or of another kind, or memory ran out: import it again, or use a smaller one',
    });
  return {
    write(request, { signal, timeoutMs, onText }) {
      if (hasEnded) return Promise.reject(failed('its process has ended'));
      const id = ++lastId;
      hold(true);
      return new Promise((resolvePromise, reject) => {
        const stop = (error: Error): void => {
          kill();
          settle(() => reject(error));
        };
        const timer =
          timeoutMs === undefined
            ? undefined
            : setTimeout(() => stop(failed(`it did not end in ${timeoutMs / 1000} s`)), timeoutMs);
        const onAbort = (): void => stop(signal?.reason as Error);
        const onError = (error: unknown): void => {
          hasEnded = true;
          settle(() => reject(failed(error instanceof Error ? error.message : String(error))));
        };
        const onExit = (): void => onError('its process ended');
        const onMessage = (reply: WriteReply): void => {
          if (reply.id !== id) return;
          if (reply.piece !== undefined) return onText?.(reply.piece);
          settle(() => {
            if (reply.done !== undefined) resolvePromise(reply.done);
            else if (reply.tooLong !== undefined) reject(tooLong(model, reply.tooLong.promptTokens, files));
            else reject(failed(reply.error ?? 'unknown'));
          });
        };
        const settle = (end: () => void): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
          child.off('message', onMessage).off('error', onError).off('exit', onExit);
          hold(false);
          end();
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        child.on('message', onMessage).on('error', onError).on('exit', onExit);
        child.send({ ...request, id } satisfies WriteRequest);
      });
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      hold(true);
      kill();
      await once(child, 'exit');
    },
  };
}

function tooLong(model: string, promptTokens: number, { contextTokens }: GeneratorFolder): ToolError {
  return new ToolError(
    ExitCode.model,
    `the prompt has ${promptTokens} tokens; with its reply it does not fit into the ${contextTokens} of ${model}`,
    { hint: 'ask for fewer sections with -k, or give a smaller --context-tokens' },
  );
}
