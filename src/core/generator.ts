/** `--generator` and `--judge` names → what writes text; `extractive` quotes and needs no model. */

import { ExitCode, ToolError } from './errors.js';
import type { LanguageModel, ModelOptions } from './generator/chat.js';
import { createLocalModel, parseLocal } from './generator/localModel.js';
import { createOllamaModel, parseOllama } from './generator/ollamaClient.js';
import { createOpenAiClient, parseEndpoint } from './openAiClient.js';
import type { Io } from './output.js';

/** `undefined` stands for the extractive generator, which writes nothing of its own. */
export type Generator = LanguageModel | undefined;

export const EXTRACTIVE = 'extractive';

/** The key is read from the environment only, so that no command line, log or record holds it. */
export function modelOptions(
  { allowRemote, timeout }: { readonly allowRemote?: boolean; readonly timeout?: number },
  { env, signal, cwd }: Pick<Io, 'env' | 'signal' | 'cwd'>,
): ModelOptions {
  const apiKey = env['LABSAGE_API_KEY'];
  return {
    signal,
    env,
    cwd,
    allowRemote: allowRemote === true,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
  };
}

/** What a reasoning model thinks aloud is no part of what it wrote. */
export function withoutThoughts(reply: string): string {
  return reply.replace(/<think>[\s\S]*?(?:<\/think>|$)/gu, '');
}

/** By the name that records hold. */
export function isLanguageModel(name: string): boolean {
  return /^(?:openai|ollama|transformers):/u.test(name);
}

/** Throws (exit 2) for an unknown kind, or an endpoint on another machine that was not allowed. */
export function openGenerator(name: string, options: ModelOptions = {}): Generator {
  if (name === EXTRACTIVE) return undefined;
  return openLanguageModel(name, options);
}

/** As `openGenerator`, where only a language model will do. */
export function openLanguageModel(name: string, options: ModelOptions = {}): LanguageModel {
  if (!isLanguageModel(name)) {
    throw new ToolError(ExitCode.usage, `"${name}" is no language model`, {
      hint: 'name one as ollama:MODEL, transformers:FOLDER, or openai:http://127.0.0.1:8080/v1#MODEL',
    });
  }
  if (name.startsWith('transformers:')) return createLocalModel(parseLocal(name), options);
  if (name.startsWith('ollama:')) return createOllamaModel(parseOllama(name, options.env ?? {}), options);
  const { complete, baseUrl, model } = createOpenAiClient(parseEndpoint(name), options);
  return { name: `openai:${baseUrl}#${model}`, complete };
}
