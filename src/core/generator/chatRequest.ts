/** A chat request + how a kind of server replies → the reply, piece by piece, within time limits; tried again only as long as nothing was written. */

import { networkFailure, RETRIED_STATUS, tryAgain, type Failure } from '../endpoint.js';
import { ExitCode, ToolError } from '../errors.js';
import { splitLines } from '../lines.js';
import type { ChatReply, ModelOptions } from './chat.js';

/** What one line of a streamed reply adds. */
export interface ReplyPart {
  readonly text?: string;
  /** The reply is whole. */
  readonly isEnd?: boolean;
  readonly facts?: Partial<Omit<ChatReply, 'text'>>;
}

export interface ChatProtocol {
  /** `the server of llama3 at http://127.0.0.1:11434`. */
  readonly server: string;
  readonly url: string;
  readonly body: object;
  /** Undefined for a line that says nothing (a blank one, a comment). */
  readonly readLine: (line: string) => ReplyPart | Failure | undefined;
  /** A reply in one piece; undefined where it is none. */
  readonly readWhole: (body: string) => ChatReply | undefined;
  /** What a status means to this kind of server beyond what it always means. */
  readonly readStatus: (status: number, body: string) => Promise<Failure | undefined>;
}

/** Longest reply that is read, in characters; a chat reply is a thousandth of it. */
const MAX_REPLY_CHARS = 4_000_000;
const TOTAL_MS = 1_800_000;
const FIRST_WORD_MS = 300_000;
const IDLE_MS = 60_000;

/** Throws (exit 4) when the server gives no whole reply after all attempts; the signal's reason when that is aborted. */
export function requestChat(protocol: ChatProtocol, options: ModelOptions): Promise<ChatReply> {
  return tryAgain(() => requestOnce(protocol, options), {
    ...options,
    error: (failure, tries) => failureError(protocol.server, failure, tries),
  });
}

export function failureError(server: string, { reason, hint }: Failure, tries = ''): ToolError {
  return new ToolError(ExitCode.model, `${server} ${reason}${tries}`, hint === undefined ? {} : { hint });
}

type Outcome = { readonly reply: ChatReply } | Failure;

/** What has been read of a reply, for whoever has to say where it broke off. */
interface Reading {
  text: string;
  facts: Partial<Omit<ChatReply, 'text'>>;
}

async function requestOnce(protocol: ChatProtocol, options: ModelOptions): Promise<Outcome> {
  const reading: Reading = { text: '', facts: {} };
  const clock = startClock(options);
  try {
    const response = await postJson(protocol.url, protocol.body, { ...options, signal: clock.signal });
    if (!response.ok) {
      const body = await readAll(response);
      return (await protocol.readStatus(response.status, body)) ?? statusFailure(response, body);
    }
    if (response.headers.get('content-type')?.includes('application/json') === true) {
      const reply = protocol.readWhole(await readAll(response));
      return reply === undefined ? NO_COMPLETION : { reply };
    }
    return await readStream(response, reading, { protocol, clock, options });
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof RangeError) return { reason: error.message, isPassing: false };
    const failure = clock.failure() ?? networkFailure(error);
    if (reading.text === '') return failure;
    return midway(
      reading,
      clock.failure() === undefined ? 'broke off' : `${failure.reason} and was given up`,
    );
  } finally {
    clock.stop();
  }
}

const NO_COMPLETION: Failure = { reason: 'sent something that is no chat completion', isPassing: true };

async function readStream(
  response: Response,
  reading: Reading,
  { protocol, clock, options }: { protocol: ChatProtocol; clock: Clock; options: ModelOptions },
): Promise<Outcome> {
  const chunks = limited((response.body ?? []) as AsyncIterable<Uint8Array>, () => clock.tick());
  let isWhole = false;
  for await (const { text: line } of splitLines(chunks, { keepMark: false })) {
    const part = protocol.readLine(line.trim());
    if (part === undefined) continue;
    if ('reason' in part)
      return reading.text === '' ? part : { ...midway(reading, part.reason), ...hintOf(part) };
    if (part.text !== undefined && part.text !== '') {
      reading.text += part.text;
      clock.begin();
      options.onText?.(part.text);
    }
    reading.facts = { ...reading.facts, ...part.facts };
    isWhole ||= part.isEnd === true;
  }
  if (isWhole) return { reply: { complete: true, ...reading.facts, text: reading.text } };
  return reading.text === '' ? NO_COMPLETION : midway(reading, 'broke off');
}

function hintOf({ hint }: Failure): Pick<Failure, 'hint'> {
  return hint === undefined ? {} : { hint };
}

/** Not tried again: another attempt would write it all anew, and has been shown already. */
function midway({ text }: Reading, what: string): Failure {
  return {
    reason: `${what} in the middle of its reply, after ${text.length} characters`,
    hint: 'nothing of it is used: ask again, or look at the log of the server',
    isPassing: false,
  };
}

interface Clock {
  readonly signal: AbortSignal;
  /** A byte came. */
  readonly tick: () => void;
  /** The first word came. */
  readonly begin: () => void;
  readonly failure: () => Failure | undefined;
  readonly stop: () => void;
}

/** Three limits: until the first word, between two pieces, and all in all; and the user's own interrupt. */
function startClock({ timeoutMs, idleMs = IDLE_MS, signal }: ModelOptions): Clock {
  const stopper = new AbortController();
  let late: string | undefined;
  let hasBegun = false;
  const after = (ms: number, why: string): NodeJS.Timeout =>
    setTimeout(() => {
      late = `${why} ${ms / 1000} s`;
      stopper.abort();
    }, ms);
  const onAbort = (): void => stopper.abort();
  signal?.addEventListener('abort', onAbort);
  const totalMs = timeoutMs ?? TOTAL_MS;
  const total = after(totalMs, 'gave no reply in');
  let idle = after(timeoutMs ?? FIRST_WORD_MS, 'gave no reply in');
  return {
    signal: stopper.signal,
    tick() {
      if (!hasBegun) return;
      clearTimeout(idle);
      idle = after(Math.min(idleMs, totalMs), 'paused for more than');
    },
    begin() {
      if (hasBegun) return;
      hasBegun = true;
      this.tick();
    },
    failure: () => (late === undefined ? undefined : { reason: late, isPassing: true }),
    stop() {
      clearTimeout(total);
      clearTimeout(idle);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

/** Throws what `fetch` throws. A redirect is an error: it could lead to another machine. */
export function postJson(
  url: string,
  body: object,
  { apiKey, signal }: Pick<ModelOptions, 'apiKey' | 'signal'>,
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(apiKey === undefined || apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify(body),
    redirect: 'error',
    ...(signal === undefined ? {} : { signal }),
  });
}

export async function readAll(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of limited((response.body ?? []) as AsyncIterable<Uint8Array>))
    text += decoder.decode(part, { stream: true });
  return text + decoder.decode();
}

async function* limited(
  chunks: AsyncIterable<Uint8Array>,
  onChunk: () => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    onChunk();
    bytes += chunk.length;
    if (bytes > MAX_REPLY_CHARS) throw new RangeError('sent a reply that never ends');
    yield chunk;
  }
}

function statusFailure({ status, headers }: Response, body: string): Failure {
  const code = errorCode(body);
  const reason = `answered with HTTP status ${status}${code === undefined ? '' : ` (${code})`}`;
  if (status === 401 || status === 403)
    return { reason, hint: 'put its key into the environment variable LABSAGE_API_KEY', isPassing: false };
  if (status === 400 || status === 413)
    return {
      reason,
      hint: 'the prompt may be longer than its context window: ask for fewer sections with -k',
      isPassing: false,
    };
  const seconds = Number(headers.get('retry-after') ?? NaN);
  const pause = Number.isFinite(seconds) && seconds >= 0 ? { pauseMs: seconds * 1000 } : {};
  return { reason, isPassing: RETRIED_STATUS.has(status), ...pause };
}

/** The same model under the names that servers give it: a path, a file, a tag, a date behind it. */
export function isSameModel(asked: string, served: string): boolean {
  const bare = (name: string): string =>
    (name.split(/[\\/]/u).at(-1) ?? '')
      .toLowerCase()
      .replace(/\.gguf$/u, '')
      .replace(/:latest$/u, '');
  const [one, other] = [bare(asked), bare(served)];
  return one.startsWith(other) || other.startsWith(one);
}

/** A JSON value's field, where it is a number. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
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
