/** A prompt + an Ollama server → its text, streamed, with a context that holds the whole prompt, and no other machine unless allowed. */

import { eitherOf, networkFailure, parseAddress, refuseRemote, type Failure } from '../endpoint.js';
import { parseObject } from '../lines.js';
import { loadTokenCounter } from '../tokenCounter.js';
import {
  messagesOf,
  REPLY_TOKENS,
  type ChatPrompt,
  type ChatReply,
  type LanguageModel,
  type ModelOptions,
} from './chat.js';
import {
  failureError,
  isSameModel,
  numberOf,
  postJson,
  readAll,
  requestChat,
  type ChatProtocol,
  type ReplyPart,
} from './chatRequest.js';

/** `ollama:MODEL` or `ollama:URL#MODEL`, taken apart. */
export interface OllamaEndpoint {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly model: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const NAME = /^ollama:(?:(https?:\/\/[^#\s]*)#)?([^#\s]+)$/u;
const FORM = 'ollama:MODEL, or ollama:http://127.0.0.1:11434#MODEL';
const DEFAULT_PORT = 11_434;
const SHOW_MS = 30_000;
/** A model's tokenizer may need so many tokens for one of ours: enough for figures and rare words. */
const FOREIGN_TOKENS = 2;
/** What a chat template adds, at the most. */
const TEMPLATE_TOKENS = 256;
/** Ollama loads a model anew for each size: few sizes are asked for, doubling from this on. */
const LEAST_CONTEXT = 4096;

/** Throws (exit 2) for a name of another form or an address that is none. */
export function parseOllama(name: string, env: Environment): OllamaEndpoint {
  const [, address, model = ''] = NAME.exec(name.trim()) ?? [];
  const url = parseAddress(model === '' ? '' : (address ?? ollamaHost(env)), { name, form: FORM });
  return { baseUrl: `${url.origin}${url.pathname.replace(/\/+$/u, '').replace(/\/api$/u, '')}`, model };
}

/** OLLAMA_HOST as Ollama reads it: host, port or address; what a server listens on everywhere is here. */
export function ollamaHost(env: Environment): string {
  const stated = env['OLLAMA_HOST']?.trim() ?? '';
  const [, scheme, rest = ''] = /^(?:(https?):\/\/)?(.*)$/u.exec(stated) ?? [];
  const [, host = '', port, path = ''] = /^(\[[^\]]*\]|[^:/]*)(?::(\d+))?(\/.*)?$/u.exec(rest) ?? [, rest];
  const isHere = host === '' || host === '0.0.0.0' || host === '[::]';
  const defaultPort = scheme === undefined ? DEFAULT_PORT : scheme === 'https' ? 443 : 80;
  return `${scheme ?? 'http'}://${isHere ? '127.0.0.1' : host}:${port ?? defaultPort}${path}`;
}

/** Opens nothing yet. Throws (exit 2) for a server on another machine that was not allowed. */
export function createOllamaModel(endpoint: OllamaEndpoint, options: ModelOptions = {}): LanguageModel {
  const { baseUrl, model } = endpoint;
  refuseRemote(baseUrl, options);
  let shown: Promise<number | undefined> | undefined;
  const contextLength = (): Promise<number | undefined> => (shown ??= showContext(endpoint, options));
  return {
    name: `ollama:${baseUrl}#${model}`,
    async window() {
      const tokens = await contextLength();
      return tokens === undefined ? undefined : { tokens };
    },
    async complete(prompt) {
      const context = await contextSize(prompt, await contextLength());
      return requestChat(protocolOf(endpoint, prompt, context), options);
    },
  };
}

/** Enough for the prompt, whatever the tokenizer, and for the reply; never more than the model has. */
async function contextSize(
  { system = '', user, maxTokens = REPLY_TOKENS }: ChatPrompt,
  most: number | undefined,
): Promise<number> {
  const countTokens = await loadTokenCounter();
  const needed = FOREIGN_TOKENS * (countTokens(system) + countTokens(user)) + TEMPLATE_TOKENS + maxTokens;
  let size = LEAST_CONTEXT;
  while (size < needed) size *= 2;
  return Math.min(size, most ?? Infinity);
}

/** The model's context length; undefined where an old server does not say. Throws (exit 4) where the model is not there. */
async function showContext(endpoint: OllamaEndpoint, options: ModelOptions): Promise<number | undefined> {
  const { signal } = options;
  const server = serverOf(endpoint);
  const limit = AbortSignal.timeout(Math.min(options.timeoutMs ?? SHOW_MS, SHOW_MS));
  let body: string;
  let status: number;
  try {
    const response = await postJson(
      `${endpoint.baseUrl}/api/show`,
      { model: endpoint.model },
      { ...options, signal: eitherOf(limit, signal) },
    );
    status = response.status;
    body = await readAll(response);
  } catch (error) {
    signal?.throwIfAborted();
    if (limit.aborted) throw failureError(server, { reason: 'does not answer', isPassing: true });
    throw failureError(server, whenDown(networkFailure(error)));
  }
  const failure = statusFailure(status, body, endpoint);
  if (failure !== undefined) throw failureError(server, failure);
  const { model_info: info } = (parseObject(body) ?? {}) as {
    model_info?: Readonly<Record<string, unknown>>;
  };
  if (info === undefined) return undefined;
  const architecture = info['general.architecture'];
  return numberOf(info[`${typeof architecture === 'string' ? architecture : ''}.context_length`]);
}

function whenDown(failure: Failure): Failure {
  return failure.hint?.startsWith('start') === true
    ? { ...failure, hint: 'start it with ollama serve, or name its address: ollama:URL#MODEL' }
    : failure;
}

function serverOf({ baseUrl }: OllamaEndpoint): string {
  return `Ollama at ${baseUrl}`;
}

function protocolOf(endpoint: OllamaEndpoint, prompt: ChatPrompt, context: number): ChatProtocol {
  const { baseUrl, model } = endpoint;
  const { maxTokens = REPLY_TOKENS, seed = 1 } = prompt;
  return {
    server: serverOf(endpoint),
    url: `${baseUrl}/api/chat`,
    body: {
      model,
      messages: messagesOf(prompt),
      stream: true,
      // A server that knows these refuses a prompt that does not fit, instead of cutting it.
      truncate: false,
      shift: false,
      options: { temperature: 0, seed, num_ctx: context, num_predict: maxTokens },
    },
    readLine: (line) => (line === '' ? undefined : readPart(line, model)),
    readWhole(body) {
      const part = readPart(body, model);
      if ('reason' in part || part.isEnd !== true) return undefined;
      return { complete: true, ...part.facts, text: part.text ?? '' } satisfies ChatReply;
    },
    readStatus: (status, body) => Promise.resolve(statusFailure(status, body, endpoint)),
  };
}

interface OllamaPart {
  readonly model?: unknown;
  readonly message?: { readonly content?: unknown };
  readonly done?: unknown;
  readonly done_reason?: unknown;
  readonly prompt_eval_count?: unknown;
  readonly eval_count?: unknown;
  readonly error?: unknown;
}

function readPart(line: string, asked: string): ReplyPart | Failure {
  const part = parseObject(line) as OllamaPart | undefined;
  if (part === undefined) return { reason: 'sent something that is no chat reply', isPassing: true };
  if (part.error !== undefined) return { reason: 'reported an error of its own', isPassing: true };
  const { model, message, done, done_reason: reason } = part;
  if (typeof model === 'string' && model !== '' && !isSameModel(asked, model))
    return {
      reason: `answered as ${model}, not as ${asked}`,
      hint: `see what it has with: ollama list`,
      isPassing: false,
    };
  const promptTokens = numberOf(part.prompt_eval_count);
  const completionTokens = numberOf(part.eval_count);
  return {
    ...(typeof message?.content === 'string' ? { text: message.content } : {}),
    ...(done === true ? { isEnd: true } : {}),
    facts: {
      ...(promptTokens === undefined ? {} : { promptTokens }),
      ...(completionTokens === undefined ? {} : { completionTokens }),
      ...(reason === 'length' ? { complete: false } : {}),
    },
  };
}

/** Undefined where the status says nothing that is Ollama's own. */
function statusFailure(status: number, body: string, { model }: OllamaEndpoint): Failure | undefined {
  if (status < 400) return undefined;
  const { error } = (parseObject(body) ?? {}) as { error?: unknown };
  const said = typeof error === 'string' ? error : '';
  if (status === 404 && /not found/iu.test(said) && /model/iu.test(said))
    return { reason: `has no model ${model}`, hint: `get it with: ollama pull ${model}`, isPassing: false };
  if (status === 404)
    return {
      reason: 'answered with HTTP status 404: another kind of server',
      hint: 'an OpenAI-compatible server is named openai:URL#MODEL',
      isPassing: false,
    };
  if (status === 400 && /context|exceed|too long/iu.test(said))
    return {
      reason: 'refused the prompt: it is longer than the context of the model',
      hint: 'give a smaller --context-tokens, or use a model with a longer context',
      isPassing: false,
    };
  return undefined;
}
