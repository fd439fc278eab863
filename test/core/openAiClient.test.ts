import { afterEach, expect, test } from '@jest/globals';
import { ExitCode } from '../../src/core/errors.js';
import { isLoopback } from '../../src/core/endpoint.js';
import type { ModelOptions } from '../../src/core/generator/chat.js';
import { createOpenAiClient, parseEndpoint, type OpenAiClient } from '../../src/core/openAiClient.js';
import {
  complete,
  deltaOf,
  eventOf,
  fail,
  scriptedServer,
  stream,
  type Scripted,
  type ScriptedFacts,
  type ScriptedServer,
} from '../scriptedServer.js';

const open: ScriptedServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const QUICK: ModelOptions = { backoffMs: 1, timeoutMs: 2000 };

/** A client of a server that replies with each of these in turn, and with the last from then on. */
async function clientOf(
  replies: readonly Scripted[],
  options: ModelOptions = {},
  facts: ScriptedFacts = {},
): Promise<{ client: OpenAiClient; server: ScriptedServer }> {
  const script = (_: unknown, before: number): Scripted =>
    replies[Math.min(before, replies.length - 1)] ?? '';
  const server = await scriptedServer(script, facts);
  open.push(server);
  const client = createOpenAiClient({ baseUrl: server.url, model: 'm' }, { ...QUICK, ...options });
  return { client, server };
}

test.each([
  ['openai:http://127.0.0.1:8080/v1#qwen', 'http://127.0.0.1:8080/v1', 'qwen'],
  ['openai:http://127.0.0.1:8080#org/model:7b', 'http://127.0.0.1:8080/v1', 'org/model:7b'],
  ['openai:http://localhost:1/v1/chat/completions#m', 'http://localhost:1/v1', 'm'],
  ['openai:https://host/api/v3/#m', 'https://host/api/v3', 'm'],
])('%s', (name, baseUrl, model) => {
  expect(parseEndpoint(name)).toEqual({ baseUrl, model });
});

test.each(['openai:', 'openai:http://h', 'openai:h#m', 'openai:file:///x#m', 'qwen', 'openai:http://h#'])(
  '"%s" names no endpoint',
  (name) => {
    expect(() => parseEndpoint(name)).toThrow(expect.objectContaining({ exitCode: ExitCode.usage }));
  },
);

test('a password in an address is refused and not repeated', () => {
  expect(() => parseEndpoint('openai:http://me:secret@h/v1#m')).toThrow(/without user and password/u);
  expect(() => parseEndpoint('openai:http://me:secret@h/v1')).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('secret') }),
  );
});

test.each([
  ['http://localhost:1', true],
  ['http://127.0.0.1', true],
  ['http://127.9.9.9/v1', true],
  ['http://[::1]:8080', true],
  ['http://0.0.0.0', false],
  ['http://127.0.0.1.example.org', false],
  ['http://localhost.example.org', false],
  ['http://10.0.0.1', false],
])('%s is this machine: %s', (url, isThis) => {
  expect(isLoopback(url)).toBe(isThis);
  const create = (): unknown => createOpenAiClient({ baseUrl: url, model: 'm' });
  if (isThis) expect(create).not.toThrow();
  else
    expect(create).toThrow(
      expect.objectContaining({ exitCode: ExitCode.usage, hint: expect.stringContaining('--allow-remote') }),
    );
  expect(() => createOpenAiClient({ baseUrl: url, model: 'm' }, { allowRemote: true })).not.toThrow();
});

test('a prompt becomes a request at temperature 0, a completion a reply with the server’s counts', async () => {
  const { client, server } = await clientOf(['hello'], { apiKey: 'k' });
  expect(await client.complete({ system: 's', user: 'u', seed: 7 })).toEqual({
    text: 'hello',
    complete: true,
    promptTokens: 11,
    completionTokens: 3,
  });
  expect(server.asked).toMatchObject([{ system: 's', user: 'u', model: 'm', seed: 7, temperature: 0 }]);
  expect(server.asked[0]?.headers.authorization).toBe('Bearer k');
});

test('without a key no authorization is sent', async () => {
  const { client, server } = await clientOf(['x']);
  await client.complete({ user: 'u' });
  expect(server.asked[0]?.headers.authorization).toBeUndefined();
});

test('a reply that the token limit cut is not complete', async () => {
  const { client } = await clientOf([(response) => complete(response, 'half', 'length')]);
  expect((await client.complete({ user: 'u' })).complete).toBe(false);
});

test.each<[string, Scripted]>([
  ['an error of the server', fail(500)],
  ['too many requests', fail(429, '', { 'retry-after': '0' })],
  ['no JSON', (response) => void response.end('<html>')],
  ['no completion', (response) => void response.end('{"choices": []}')],
  ['a broken connection', (response) => void response.destroy()],
  [
    'a reply that ends in the middle',
    (response) => {
      response.writeHead(200, { 'content-length': '500' });
      response.write('{"choices"');
      setImmediate(() => response.destroy());
    },
  ],
])('tried again after %s', async (_, first) => {
  const { client, server } = await clientOf([first, first, 'at last']);
  expect((await client.complete({ user: 'u' })).text).toBe('at last');
  expect(server.asked).toHaveLength(3);
});

test('after all attempts it says what the server did and how often', async () => {
  const { client, server } = await clientOf([fail(503)]);
  await expect(client.complete({ user: 'the secret prompt' })).rejects.toMatchObject({
    exitCode: ExitCode.model,
    message: `the server of m at ${server.url} answered with HTTP status 503 (4 attempts)`,
  });
  expect(server.asked).toHaveLength(4);
});

test.each<[number, string, RegExp]>([
  [400, '{"error": {"code": "context_length_exceeded", "message": "the secret prompt"}}', /context window/u],
  [401, '', /LABSAGE_API_KEY/u],
  [404, '', /serves the model m/u],
])('status %i is final: what to do is said, nothing of the prompt', async (status, body, hint) => {
  const { client, server } = await clientOf([fail(status, body)]);
  const error: unknown = await client.complete({ user: 'the secret prompt' }).catch((one: unknown) => one);
  expect(error).toMatchObject({ exitCode: ExitCode.model, hint: expect.stringMatching(hint) });
  expect(String(error)).not.toContain('secret');
  if (body !== '') expect(String(error)).toContain('(context_length_exceeded)');
  expect(server.asked).toHaveLength(1);
});

test('a server that never replies costs no more than the time limit', async () => {
  const { client } = await clientOf([() => undefined], { timeoutMs: 50, attempts: 2 });
  await expect(client.complete({ user: 'u' })).rejects.toThrow('gave no reply in 0.05 s (2 attempts)');
});

test('a server that asks for a long pause is not waited for', async () => {
  const { client, server } = await clientOf([fail(429, '', { 'retry-after': '3600' })]);
  await expect(client.complete({ user: 'u' })).rejects.toThrow('HTTP status 429');
  expect(server.asked).toHaveLength(1);
});

test('a server that is not there is named at once', async () => {
  const { client, server } = await clientOf(['x']);
  await server.close();
  await expect(client.complete({ user: 'u' })).rejects.toMatchObject({
    message: `the server of m at ${server.url} is not running there`,
    hint: expect.stringContaining('start the server'),
  });
});

test('a redirect is not followed: it could lead to another machine', async () => {
  const elsewhere = await scriptedServer(() => 'stolen');
  open.push(elsewhere);
  const { client } = await clientOf([fail(307, '', { location: `${elsewhere.url}/chat/completions` })]);
  await expect(client.complete({ user: 'u' })).rejects.toThrow('redirects to another address');
  expect(elsewhere.asked).toHaveLength(0);
});

test('an interrupt ends the wait', async () => {
  const stop = new AbortController();
  const { client } = await clientOf([() => stop.abort()], { signal: stop.signal });
  await expect(client.complete({ user: 'u' })).rejects.toMatchObject({ name: 'AbortError' });
});

test('the words are shown as they come; what is returned is the whole', async () => {
  const seen: string[] = [];
  const { client, server } = await clientOf(['one two three'], { onText: (piece) => seen.push(piece) });
  expect(await client.complete({ user: 'u' })).toMatchObject({ text: 'one two three', promptTokens: 11 });
  expect(seen).toEqual(['one ', 'two ', 'three']);
  expect(server.asked[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
});

test.each<[string, Scripted]>([
  [
    'a server without [DONE]',
    stream([deltaOf('a'), eventOf({ choices: [{ delta: {}, finish_reason: 'stop' }] })]),
  ],
  ['one without a reason to stop', stream([deltaOf('a'), eventOf('[DONE]')])],
  [
    'lines cut in the middle, comments, other kinds of events and CRLF',
    stream([
      ': hello\r\n\r\nevent: message\r\nda',
      'ta: {"choices": [{"delta": {"content":',
      ' "a"}}]}\r\n\r\n',
      eventOf('[DONE]'),
    ]),
  ],
  [
    'a role before the words',
    stream([
      eventOf({ choices: [{ delta: { role: 'assistant', content: null } }] }),
      deltaOf('a'),
      eventOf('[DONE]'),
    ]),
  ],
])('streamed: %s', async (_, reply) => {
  const { client } = await clientOf([reply]);
  expect(await client.complete({ user: 'u' })).toEqual({ text: 'a', complete: true });
});

test('streamed: the limit of tokens, and letters of several bytes cut between two pieces', async () => {
  const bytes = Buffer.from(deltaOf('5 µmol/L'));
  const at = bytes.indexOf(0xc2) + 1;
  const { client } = await clientOf([
    (response) => {
      response.setHeader('content-type', 'text/event-stream');
      response.write(bytes.subarray(0, at));
      setTimeout(() => {
        response.write(bytes.subarray(at));
        response.end(eventOf({ choices: [{ delta: {}, finish_reason: 'length' }] }));
      }, 10);
    },
  ]);
  expect(await client.complete({ user: 'u' })).toEqual({ text: '5 µmol/L', complete: false });
});

test.each<[string, Scripted, RegExp]>([
  [
    'broken off',
    stream([deltaOf('The secret ')], { end: 'cut' }),
    /broke off in the middle of its reply, after 11 characters/u,
  ],
  [
    'ended without an end',
    stream([deltaOf('The secret ')]),
    /broke off in the middle of its reply, after 11 characters/u,
  ],
  [
    'invalid JSON',
    stream([deltaOf('The secret '), 'data: {"choices": [\n\n']),
    /no chat completion in the middle of its reply/u,
  ],
  [
    'an error',
    stream([deltaOf('The secret '), eventOf({ error: { message: 'the secret' } })]),
    /reported an error of its own in the middle/u,
  ],
  [
    'a pause without end',
    stream([deltaOf('The secret ')], { end: 'open' }),
    /paused for more than 0\.2 s and was given up in the middle/u,
  ],
])('a stream that has begun is not tried again: %s', async (_, reply, message) => {
  const { client, server } = await clientOf([reply], { idleMs: 200 });
  const error: unknown = await client.complete({ user: 'u' }).catch((one: unknown) => one);
  expect(error).toMatchObject({ exitCode: ExitCode.model, message: expect.stringMatching(message) });
  expect(String(error)).not.toContain('secret');
  expect(server.asked).toHaveLength(1);
});

test.each<[string, Scripted]>([
  ['broken off', stream([eventOf({ choices: [{ delta: { role: 'assistant' } }] })], { end: 'cut' })],
  ['empty', stream([])],
  ['an error', stream([eventOf({ error: { message: 'busy' } })])],
])('a stream without a word yet is tried again: %s', async (_, first) => {
  const { client, server } = await clientOf([first, 'at last']);
  expect((await client.complete({ user: 'u' })).text).toBe('at last');
  expect(server.asked).toHaveLength(2);
});

test('a slow stream may take as long as the time limit says, and no longer', async () => {
  const slow = stream([...Array.from({ length: 6 }, () => deltaOf('a')), eventOf('[DONE]')], { pauseMs: 60 });
  const patient = await clientOf([slow], { idleMs: 1000 });
  expect((await patient.client.complete({ user: 'u' })).text).toBe('aaaaaa');
  const hasty = await clientOf([slow], { timeoutMs: 200 });
  await expect(hasty.client.complete({ user: 'u' })).rejects.toThrow(
    /gave no reply in 0\.2 s and was given up in the middle/u,
  );
});

test('a server that counts only what it does not stream is asked for one token more, once a prompt, or never again', async () => {
  const silent = stream([deltaOf('a'), eventOf('[DONE]')]);
  const counting = await clientOf([silent, (response) => complete(response, 'a', 'length'), silent, 'a']);
  expect(await counting.client.complete({ user: 'u', maxTokens: 50 })).toEqual({
    text: 'a',
    complete: true,
    promptTokens: 11,
  });
  expect(counting.server.asked.map(({ body }) => [body['stream'], body['max_tokens']])).toEqual([
    [true, 50],
    [false, 1],
  ]);
  const never = await clientOf([silent]);
  for (let time = 1; time <= 3; time++)
    expect(await never.client.complete({ user: 'u' })).toEqual({ text: 'a', complete: true });
  expect(never.server.asked).toHaveLength(4);
});

test('a model that is not there: the server’s own are named', async () => {
  const { client } = await clientOf([fail(404)], {}, { models: { small: {}, large: {} } });
  await expect(client.complete({ user: 'u' })).rejects.toMatchObject({
    hint: 'it serves the model small, large, not m',
  });
});

test.each([
  ['m', undefined],
  ['/models/M.gguf', undefined],
  ['m:latest', undefined],
  ['other', 'other'],
])('a server that says it is %s', async (model, servedBy) => {
  const { client } = await clientOf([stream([deltaOf('a', model), eventOf('[DONE]')])]);
  expect((await client.complete({ user: 'u' })).servedBy).toBe(servedBy);
});
