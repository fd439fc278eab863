/** A prompt + an OpenAI-compatible endpoint → its text, with time limits, retries, and no other machine unless allowed. */

import { setTimeout as sleep } from 'node:timers/promises';
import { ExitCode, ToolError, systemCode } from './errors.js';

/** `openai:http://127.0.0.1:8080/v1#MODEL`, taken apart. */
export interface Endpoint {
  /** Base address without a trailing slash; `/v1` where the name has no path. */
  readonly baseUrl: string;
  readonly model: string;
}

export interface ChatPrompt {
  readonly system?: string;
  readonly user: string;
  /** Most tokens that the model may write; default 512. */
  readonly maxTokens?: number;
  /** Default 1; another one asks a sampling server for another try. */
  readonly seed?: number;
}

export interface ChatReply {
  readonly text: string;
  /** Tokens as the server counted them, where it says so. */
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  /** False where the server says that it stopped at the token limit. */
  readonly complete: boolean;
}

/** Temperature 0. `complete` throws (exit 4) when the server gives no usable reply after all attempts. */
export interface OpenAiClient extends Endpoint {
  readonly complete: (prompt: ChatPrompt) => Promise<ChatReply>;
}

export interface ClientOptions {
  /** Also to another machine: the prompt's text then leaves this one. */
  readonly allowRemote?: boolean;
  /** Sent as a bearer token; never shown. */
  readonly apiKey?: string;
  /** Of one attempt, reading the reply included; default 120 s. */
  readonly timeoutMs?: number;
  /** All in all; default 4. */
  readonly attempts?: number;
  /** Before the second attempt, doubled before each further one; default 500. */
  readonly backoffMs?: number;
  readonly signal?: AbortSignal;
}

const NAME = /^openai:(.+)#([^#]+)$/u;
/** Longest reply that is read, in characters; a chat reply is a thousandth of it. */
const MAX_REPLY_CHARS = 4_000_000;
/** A server that asks for a longer pause than this has to wait for the next run. */
const MAX_PAUSE_MS = 30_000;
export const RETRIED_STATUS = new Set([408, 425, 429, 500, 502, 503, 504, 529]);

/** Throws (exit 2) for a name of another form, an address that is none, or one with a password in it. */
export function parseEndpoint(name: string): Endpoint {
  const [, address = '', model = ''] = NAME.exec(name.trim()) ?? [];
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/u.test(url.protocol)) {
    throw new ToolError(ExitCode.usage, `"${withoutPassword(name)}" names no endpoint`, {
      hint: 'write it as openai:http://127.0.0.1:8080/v1#MODEL',
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new ToolError(ExitCode.usage, 'an endpoint is named without user and password', {
      hint: 'put the key into the environment variable LABSAGE_API_KEY',
    });
  }
  const path = url.pathname.replace(/\/+$/u, '').replace(/\/chat\/completions$/u, '');
  return { baseUrl: `${url.origin}${path === '' ? '/v1' : path}`, model };
}

/** This machine by name or by an address that never leaves it. */
export function isLoopback(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/u.test(hostname);
}

/** Throws (exit 2) for another machine that was not allowed; `what` would go there. */
export function refuseRemote(
  baseUrl: string,
  { allowRemote, what }: { allowRemote?: boolean | undefined; what: string },
): void {
  if (allowRemote === true || isLoopback(baseUrl)) return;
  throw new ToolError(ExitCode.usage, `${new URL(baseUrl).host} is another machine: ${what} would go there`, {
    hint: 'add --allow-remote if your institution permits that',
  });
}

/** Opens nothing yet. Throws (exit 2) for an endpoint on another machine that was not allowed. */
export function createOpenAiClient(endpoint: Endpoint, options: ClientOptions = {}): OpenAiClient {
  const { attempts = 4, backoffMs = 500 } = options;
  refuseRemote(endpoint.baseUrl, { ...options, what: 'the text of your documents' });
  return {
    ...endpoint,
    async complete(prompt) {
      for (let attempt = 1; ; attempt++) {
        options.signal?.throwIfAborted();
        const outcome = await requestOnce(endpoint, prompt, options);
        if ('reply' in outcome) return outcome.reply;
        const pauseMs = Math.max(outcome.pauseMs ?? 0, backoffMs * 2 ** (attempt - 1));
        if (!outcome.isPassing || attempt >= attempts || pauseMs > MAX_PAUSE_MS)
          throw failure(endpoint, { outcome, attempt });
        await sleep(pauseMs, undefined, options.signal === undefined ? {} : { signal: options.signal });
      }
    },
  };
}

export interface Failure {
  /** Without any of the prompt's or the reply's words. */
  readonly reason: string;
  readonly hint?: string;
  /** Another attempt may succeed. */
  readonly isPassing: boolean;
  readonly pauseMs?: number;
}

async function requestOnce(
  { baseUrl, model }: Endpoint,
  prompt: ChatPrompt,
  options: ClientOptions,
): Promise<{ reply: ChatReply } | Failure> {
  const { timeoutMs = 120_000, apiKey, signal } = options;
  const limit = new AbortController();
  const stop = (): void => limit.abort();
  const timer = setTimeout(stop, timeoutMs);
  signal?.addEventListener('abort', stop);
  try {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey === undefined || apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(requestBody(model, prompt)),
      signal: limit.signal,
      // A redirect could lead to another machine.
      redirect: 'error',
    });
    if (response.ok) return parseReply(await readLimited(response));
    return statusFailure(response, await readLimited(response), model);
  } catch (error) {
    signal?.throwIfAborted();
    if (limit.signal.aborted) return { reason: `gave no reply in ${timeoutMs / 1000} s`, isPassing: true };
    return networkFailure(error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

function requestBody(model: string, { system, user, maxTokens = 512, seed = 1 }: ChatPrompt): object {
  const messages = [
    ...(system === undefined ? [] : [{ role: 'system', content: system }]),
    { role: 'user', content: user },
  ];
  return { model, messages, temperature: 0, seed, max_tokens: maxTokens, stream: false };
}

async function readLimited(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of response.body ?? []) {
    text += decoder.decode(part as Uint8Array, { stream: true });
    if (text.length > MAX_REPLY_CHARS) throw new RangeError('the reply never ends');
  }
  return text + decoder.decode();
}

function parseReply(body: string): { reply: ChatReply } | Failure {
  const noReply: Failure = { reason: 'sent something that is no chat completion', isPassing: true };
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return noReply;
  }
  const { choices, usage } = (parsed ?? {}) as { choices?: unknown; usage?: unknown };
  const first = (Array.isArray(choices) ? choices[0] : undefined) as
    { message?: { content?: unknown }; finish_reason?: unknown } | undefined;
  const text = first?.message?.content;
  if (typeof text !== 'string') return noReply;
  const counts = (usage ?? {}) as { prompt_tokens?: unknown; completion_tokens?: unknown };
  return {
    reply: {
      text,
      complete: first?.finish_reason !== 'length',
      ...(typeof counts.prompt_tokens === 'number' ? { promptTokens: counts.prompt_tokens } : {}),
      ...(typeof counts.completion_tokens === 'number' ? { completionTokens: counts.completion_tokens } : {}),
    },
  };
}

function statusFailure({ status, headers }: Response, body: string, model: string): Failure {
  const code = errorCode(body);
  const reason = `answered with HTTP status ${status}${code === undefined ? '' : ` (${code})`}`;
  const seconds = Number(headers.get('retry-after') ?? NaN);
  const pause = Number.isFinite(seconds) && seconds >= 0 ? { pauseMs: seconds * 1000 } : {};
  if (status === 401 || status === 403)
    return { reason, hint: 'put its key into the environment variable LABSAGE_API_KEY', isPassing: false };
  if (status === 404)
    return { reason, hint: `check the address, and that it serves the model ${model}`, isPassing: false };
  if (status === 400 || status === 413)
    return {
      reason,
      hint: 'the prompt may be longer than its context window: ask for fewer sections with -k',
      isPassing: false,
    };
  return { reason, isPassing: RETRIED_STATUS.has(status), ...pause };
}

/** The server's own word for the error; its message may repeat the prompt and is not passed on. */
function errorCode(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: { code?: unknown; type?: unknown } };
    const code = error?.code ?? error?.type;
    return typeof code === 'string' && /^[\w.-]{1,60}$/u.test(code) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** What kept a request from being answered at all. */
export function networkFailure(error: unknown): Failure {
  const { cause } = error as { readonly cause?: unknown };
  const code = systemCode(cause) ?? systemCode(error);
  if (code === 'ECONNREFUSED')
    return {
      reason: 'is not running there',
      hint: 'start the server, or correct its port',
      isPassing: false,
    };
  if (code === 'ENOTFOUND') return { reason: 'cannot be found', hint: 'check its name', isPassing: false };
  if (/redirect/iu.test(String((cause as { message?: unknown } | undefined)?.message)))
    return { reason: 'redirects to another address', hint: 'name that address instead', isPassing: false };
  return { reason: `broke the connection off${code === undefined ? '' : ` (${code})`}`, isPassing: true };
}

function failure(
  { baseUrl, model }: Endpoint,
  { outcome, attempt }: { outcome: Failure; attempt: number },
): ToolError {
  const tries = attempt === 1 ? '' : ` (${attempt} attempts)`;
  return new ToolError(
    ExitCode.model,
    `the server of ${model} at ${baseUrl} ${outcome.reason}${tries}`,
    outcome.hint === undefined ? {} : { hint: outcome.hint },
  );
}

function withoutPassword(name: string): string {
  return name.replace(/\/\/[^/@#]*@/u, '//…@');
}
