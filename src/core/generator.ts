/** `--generator` and `--judge` names → what writes text; `extractive` quotes and needs no model. */

import { ExitCode, ToolError } from './errors.js';
import type { Io } from './output.js';
import {
  createOpenAiClient,
  parseEndpoint,
  type ChatPrompt,
  type ChatReply,
  type ClientOptions,
} from './openAiClient.js';

/** Prompt → text. `name` is what the user wrote and what records show. */
export interface LanguageModel {
  readonly name: string;
  /** Throws (exit 4) where the model gives no usable reply. */
  complete(prompt: ChatPrompt): Promise<ChatReply>;
}

/** `undefined` stands for the extractive generator, which writes nothing of its own. */
export type Generator = LanguageModel | undefined;

export const EXTRACTIVE = 'extractive';

/** The key is read from the environment only, so that no command line, log or record holds it. */
export function clientOptions(
  { allowRemote, timeout }: { readonly allowRemote?: boolean; readonly timeout?: number },
  { env, signal }: Pick<Io, 'env' | 'signal'>,
): ClientOptions {
  const apiKey = env['LABSAGE_API_KEY'];
  return {
    signal,
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
  return name.startsWith('openai:');
}

/** Throws (exit 2) for an unknown kind, or an endpoint on another machine that was not allowed. */
export function openGenerator(name: string, options: ClientOptions = {}): Generator {
  if (name === EXTRACTIVE) return undefined;
  return openLanguageModel(name, options);
}

/** As `openGenerator`, where only a language model will do. */
export function openLanguageModel(name: string, options: ClientOptions = {}): LanguageModel {
  if (!isLanguageModel(name)) {
    throw new ToolError(ExitCode.usage, `"${name}" is no language model`, {
      hint: 'name an OpenAI-compatible endpoint: openai:http://127.0.0.1:8080/v1#MODEL',
    });
  }
  const { complete, baseUrl, model } = createOpenAiClient(parseEndpoint(name), options);
  return { name: `openai:${baseUrl}#${model}`, complete };
}
