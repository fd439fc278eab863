/** `--generator` and `--judge` names → what writes text; `extractive` quotes and needs no model. */

import { ExitCode, ToolError } from './errors.js';
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

/** Throws (exit 2) for an unknown kind, or an endpoint on another machine that was not allowed. */
export function openGenerator(name: string, options: ClientOptions = {}): Generator {
  if (name === EXTRACTIVE) return undefined;
  return openLanguageModel(name, options);
}

/** As `openGenerator`, where only a language model will do. */
export function openLanguageModel(name: string, options: ClientOptions = {}): LanguageModel {
  if (!name.startsWith('openai:')) {
    throw new ToolError(ExitCode.usage, `"${name}" is no language model`, {
      hint: 'name an OpenAI-compatible endpoint: openai:http://127.0.0.1:8080/v1#MODEL',
    });
  }
  const { complete, baseUrl, model } = createOpenAiClient(parseEndpoint(name), options);
  return { name: `openai:${baseUrl}#${model}`, complete };
}
