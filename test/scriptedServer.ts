/** What to reply to each request → a local OpenAI-compatible and Ollama server that does so and remembers what it was asked. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Asked {
  /** `/v1/chat/completions`, `/api/chat`. */
  readonly path: string;
  readonly system: string;
  readonly user: string;
  readonly model: string;
  readonly seed: number;
  readonly temperature: number;
  readonly headers: IncomingMessage['headers'];
  /** As it came. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A text is a completion, streamed if that was asked for; a function writes the response itself. */
export type Scripted = string | ((response: ServerResponse) => void);

export interface ScriptedServer {
  /** `http://127.0.0.1:PORT/v1`. */
  readonly url: string;
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** Chat requests. */
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

/** What the server says of itself. */
export interface ScriptedFacts {
  /** Answers `/api/show` and `/v1/models` for these alone; undefined: there is no such path. */
  readonly models?: Readonly<Record<string, { readonly contextLength?: number }>>;
  /** Tokens that it says it read of a prompt; default 11. */
  readonly promptTokens?: number | ((asked: Asked) => number);
}

/** `script` is called once a chat request, with the number of requests before it. */
export async function scriptedServer(
  script: (asked: Asked, before: number) => Scripted,
  facts: ScriptedFacts = {},
): Promise<ScriptedServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const path = request.url ?? '';
      if (path === '/v1/models' || path === '/api/show') return describe(response, { path, text, facts });
      const body = JSON.parse(text) as Asked['body'];
      const one = askedOf(path, body, request.headers);
      const reply = script(one, asked.length);
      asked.push(one);
      if (typeof reply !== 'string') return reply(response);
      const { promptTokens = 11 } = facts;
      const tokens = typeof promptTokens === 'number' ? promptTokens : promptTokens(one);
      if (path === '/api/chat') streamOllama(response, reply, { model: one.model, tokens });
      else if (body['stream'] === true) streamEvents(response, reply, { model: one.model, tokens });
      else complete(response, reply);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return {
    url: `${origin}/v1`,
    origin,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function askedOf(path: string, body: Asked['body'], headers: IncomingMessage['headers']): Asked {
  const { messages, model, seed, temperature, options } = body as {
    messages: { role: string; content: string }[];
    model: string;
    seed?: number;
    temperature?: number;
    options?: { seed: number; temperature: number };
  };
  const contentOf = (role: string): string => messages.find((one) => one.role === role)?.content ?? '';
  return {
    path,
    system: contentOf('system'),
    user: contentOf('user'),
    model,
    seed: seed ?? options?.seed ?? NaN,
    temperature: temperature ?? options?.temperature ?? NaN,
    headers,
    body,
  };
}

function describe(
  response: ServerResponse,
  { path, text, facts: { models } }: { path: string; text: string; facts: ScriptedFacts },
): void {
  response.setHeader('content-type', 'application/json');
  const say = (status: number, value: object): void => {
    response.statusCode = status;
    response.end(JSON.stringify(value));
  };
  if (models === undefined) return say(404, {});
  if (path === '/v1/models') return say(200, { data: Object.keys(models).map((id) => ({ id })) });
  const { model = '' } = JSON.parse(text) as { model?: string };
  const known = models[model];
  if (known === undefined) return say(404, { error: `model '${model}' not found` });
  const { contextLength } = known;
  const info = contextLength === undefined ? {} : { 'tiny.context_length': contextLength };
  say(200, { model_info: { 'general.architecture': 'tiny', ...info } });
}

/** Word by word. */
function pieces(text: string): string[] {
  return text.match(/\S+\s*|\s+/gu) ?? [];
}

export function eventOf(value: object | string): string {
  return `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
}

export function deltaOf(content: string, model = 'm'): string {
  return eventOf({ model, choices: [{ delta: { content }, finish_reason: null }] });
}

function streamEvents(
  response: ServerResponse,
  text: string,
  { model, tokens }: { model: string; tokens: number },
): void {
  response.setHeader('content-type', 'text/event-stream');
  for (const piece of pieces(text)) response.write(deltaOf(piece, model));
  response.write(eventOf({ model, choices: [{ delta: {}, finish_reason: 'stop' }] }));
  response.write(eventOf({ model, choices: [], usage: { prompt_tokens: tokens, completion_tokens: 3 } }));
  response.end(eventOf('[DONE]'));
}

export function partOf(content: string, model = 'm'): string {
  return `${JSON.stringify({ model, message: { role: 'assistant', content }, done: false })}\n`;
}

export function streamOllama(
  response: ServerResponse,
  text: string,
  { model, tokens, reason = 'stop' }: { model: string; tokens: number; reason?: string },
): void {
  response.setHeader('content-type', 'application/x-ndjson');
  for (const piece of pieces(text)) response.write(partOf(piece, model));
  const message = { role: 'assistant', content: '' };
  const counts = { prompt_eval_count: tokens, eval_count: 3 };
  response.end(`${JSON.stringify({ model, message, done: true, done_reason: reason, ...counts })}\n`);
}

export function complete(response: ServerResponse, text: string, finish = 'stop'): void {
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      choices: [{ message: { role: 'assistant', content: text }, finish_reason: finish }],
      usage: { prompt_tokens: 11, completion_tokens: 3 },
    }),
  );
}

export function fail(status: number, body = '', headers: Record<string, string> = {}): Scripted {
  return (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

/** Writes these, with pauses between, then ends as told: `cut` breaks the connection, `open` leaves it so. */
export function stream(
  parts: readonly string[],
  { pauseMs = 0, end = 'end' }: { pauseMs?: number; end?: 'end' | 'cut' | 'open' } = {},
): Scripted {
  return (response) => {
    response.setHeader('content-type', 'text/event-stream');
    void (async () => {
      for (const part of parts) {
        response.write(part);
        // Long enough to go out as a piece of its own.
        await sleep(Math.max(pauseMs, 5));
      }
      if (end === 'end') response.end();
      else if (end === 'cut') response.destroy();
    })();
  };
}
