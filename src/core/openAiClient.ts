/** A prompt + an OpenAI-compatible endpoint → its text, streamed, and no other machine unless allowed. */

import { eitherOf, parseAddress, refuseRemote, type Failure } from './endpoint.js';
import {
  messagesOf,
  REPLY_TOKENS,
  type ChatPrompt,
  type ChatReply,
  type ModelOptions,
} from './generator/chat.js';
import {
  isSameModel,
  numberOf,
  postJson,
  readAll,
  requestChat,
  type ChatProtocol,
  type ReplyPart,
} from './generator/chatRequest.js';
import { parseObject } from './lines.js';

/** `openai:http://127.0.0.1:8080/v1#MODEL`, taken apart. */
export interface Endpoint {
  /** Base address without a trailing slash; `/v1` where the name has no path. */
  readonly baseUrl: string;
  readonly model: string;
}

/** Temperature 0. `complete` throws (exit 4) when the server gives no usable reply after all attempts. */
export interface OpenAiClient extends Endpoint {
  readonly complete: (prompt: ChatPrompt) => Promise<ChatReply>;
}

const NAME = /^openai:(.+)#([^#]+)$/u;
const LIST_MS = 5_000;
const COUNT_MS = 60_000;
/** Models of the server that a message names. */
const NAMED_MODELS = 5;

/** Throws (exit 2) for a name of another form, an address that is none, or one with a password in it. */
export function parseEndpoint(name: string): Endpoint {
  const [, address = '', model = ''] = NAME.exec(name.trim()) ?? [];
  const url = parseAddress(address, { name, form: 'openai:http://127.0.0.1:8080/v1#MODEL' });
  const path = url.pathname.replace(/\/+$/u, '').replace(/\/chat\/completions$/u, '');
  return { baseUrl: `${url.origin}${path === '' ? '/v1' : path}`, model };
}

/** Opens nothing yet. Throws (exit 2) for an endpoint on another machine that was not allowed. */
export function createOpenAiClient(endpoint: Endpoint, options: ModelOptions = {}): OpenAiClient {
  refuseRemote(endpoint.baseUrl, options);
  let countsApart = true;
  return {
    ...endpoint,
    async complete(prompt) {
      const reply = await requestChat(protocolOf(endpoint, prompt, options), options);
      if (reply.promptTokens !== undefined || !countsApart) return reply;
      const promptTokens = await countPrompt(endpoint, prompt, options);
      countsApart = promptTokens !== undefined;
      return promptTokens === undefined ? reply : { ...reply, promptTokens };
    },
  };
}

/**
 * Some servers count tokens only in a reply that is not streamed (llama-cpp-python): one token more is asked for, of a
 * prompt that they still have in mind. Undefined where it fails or the server does not count at all.
 */
async function countPrompt(
  { baseUrl, model }: Endpoint,
  prompt: ChatPrompt,
  options: ModelOptions,
): Promise<number | undefined> {
  const { signal } = options;
  const limit = AbortSignal.timeout(options.timeoutMs ?? COUNT_MS);
  try {
    const { stream_options: _, ...body } = requestBody(model, { ...prompt, maxTokens: 1 });
    const response = await postJson(
      `${baseUrl}/chat/completions`,
      { ...body, stream: false },
      { ...options, signal: eitherOf(limit, signal) },
    );
    return readCompletion(await readAll(response), model)?.promptTokens;
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}

function protocolOf(endpoint: Endpoint, prompt: ChatPrompt, options: ModelOptions): ChatProtocol {
  const { baseUrl, model } = endpoint;
  return {
    server: `the server of ${model} at ${baseUrl}`,
    url: `${baseUrl}/chat/completions`,
    body: requestBody(model, prompt),
    readLine: (line) => readEvent(line, model),
    readWhole: (body) => readCompletion(body, model),
    async readStatus(status) {
      if (status !== 404) return undefined;
      const known = await listModels(endpoint, options);
      const hint =
        known.length === 0
          ? `check the address, and that it serves the model ${model}`
          : `it serves the model ${known.slice(0, NAMED_MODELS).join(', ')}, not ${model}`;
      return { reason: 'answered with HTTP status 404', hint, isPassing: false };
    },
  };
}

function requestBody(model: string, prompt: ChatPrompt): Readonly<Record<string, unknown>> {
  const { maxTokens = REPLY_TOKENS, seed = 1 } = prompt;
  return {
    model,
    messages: messagesOf(prompt),
    temperature: 0,
    seed,
    max_tokens: maxTokens,
    stream: true,
    stream_options: { include_usage: true },
  };
}

interface Choice {
  readonly message?: { readonly content?: unknown };
  readonly delta?: { readonly content?: unknown };
  readonly finish_reason?: unknown;
}

interface Completion {
  readonly model?: unknown;
  readonly choices?: unknown;
  readonly usage?: { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown } | null;
  readonly error?: unknown;
}

/** One line of server-sent events; anything but data is no part of the reply. */
function readEvent(line: string, model: string): ReplyPart | Failure | undefined {
  if (line === '' || line.startsWith(':') || /^(?:event|id|retry):/u.test(line)) return undefined;
  const data = line.replace(/^data:\s*/u, '');
  if (data === '[DONE]') return { isEnd: true };
  const parsed = parseObject(data) as Completion | undefined;
  if (parsed === undefined) return { reason: 'sent something that is no chat completion', isPassing: true };
  if (parsed.error !== undefined && parsed.error !== null)
    return { reason: 'reported an error of its own', isPassing: true };
  const choice = firstChoice(parsed);
  const text = choice?.delta?.content;
  const finish = choice?.finish_reason;
  return {
    ...(typeof text === 'string' ? { text } : {}),
    ...(typeof finish === 'string' ? { isEnd: true } : {}),
    facts: { ...factsOf(parsed, model), ...(finish === 'length' ? { complete: false } : {}) },
  };
}

function readCompletion(body: string, model: string): ChatReply | undefined {
  const parsed = parseObject(body) as Completion | undefined;
  const choice = parsed && firstChoice(parsed);
  const text = choice?.message?.content;
  if (parsed === undefined || typeof text !== 'string') return undefined;
  return { text, complete: choice?.finish_reason !== 'length', ...factsOf(parsed, model) };
}

function firstChoice({ choices }: Completion): Choice | undefined {
  return Array.isArray(choices) ? (choices as (Choice | undefined)[])[0] : undefined;
}

function factsOf({ usage, model: served }: Completion, asked: string): Partial<ChatReply> {
  const promptTokens = numberOf(usage?.prompt_tokens);
  const completionTokens = numberOf(usage?.completion_tokens);
  return {
    ...(promptTokens === undefined ? {} : { promptTokens }),
    ...(completionTokens === undefined ? {} : { completionTokens }),
    ...(typeof served === 'string' && served !== '' && !isSameModel(asked, served)
      ? { servedBy: served }
      : {}),
  };
}

/** Empty where the server does not say. */
async function listModels({ baseUrl }: Endpoint, { signal }: ModelOptions): Promise<string[]> {
  try {
    const limit = AbortSignal.timeout(LIST_MS);
    const reply = await fetch(`${baseUrl}/models`, {
      redirect: 'error',
      signal: eitherOf(limit, signal),
    });
    const { data } = (await reply.json()) as { data?: readonly { id?: unknown }[] };
    return (data ?? []).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  } catch {
    signal?.throwIfAborted();
    return [];
  }
}
