import { afterEach, expect, test } from '@jest/globals';
import { ExitCode } from '../../../src/core/errors.js';
import { openLanguageModel } from '../../../src/core/generator.js';
import type { LanguageModel, ModelOptions } from '../../../src/core/generator/chat.js';
import { ollamaHost, parseOllama } from '../../../src/core/generator/ollamaClient.js';
import { readPromptRoom } from '../../../src/core/generator/promptRoom.js';
import {
  fail,
  partOf,
  scriptedServer,
  stream,
  streamOllama,
  type Scripted,
  type ScriptedFacts,
  type ScriptedServer,
} from '../../scriptedServer.js';

const open: ScriptedServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

/** A model of a server that replies with each of these in turn, and with the last from then on. */
async function modelOf(
  replies: readonly Scripted[],
  facts: ScriptedFacts = { models: { m: { contextLength: 8192 } } },
  options: ModelOptions = {},
): Promise<{ model: LanguageModel; server: ScriptedServer }> {
  const script = (_: unknown, before: number): Scripted =>
    replies[Math.min(before, replies.length - 1)] ?? '';
  const server = await scriptedServer(script, facts);
  open.push(server);
  const quick = { backoffMs: 1, timeoutMs: 2000, ...options };
  return { model: openLanguageModel(`ollama:${server.origin}#m`, quick), server };
}

test.each<[string, Record<string, string>, string, string]>([
  ['ollama:llama3.2', {}, 'http://127.0.0.1:11434', 'llama3.2'],
  ['ollama:hf.co/org/model:Q4_K_M', {}, 'http://127.0.0.1:11434', 'hf.co/org/model:Q4_K_M'],
  ['ollama:m', { OLLAMA_HOST: '127.0.0.1:9999' }, 'http://127.0.0.1:9999', 'm'],
  ['ollama:http://[::1]:8#m', { OLLAMA_HOST: 'elsewhere' }, 'http://[::1]:8', 'm'],
  ['ollama:http://localhost:8/api/#m:7b', {}, 'http://localhost:8', 'm:7b'],
])('%s with %j', (name, env, baseUrl, model) => {
  expect(parseOllama(name, env)).toEqual({ baseUrl, model });
});

test.each([
  ['', 'http://127.0.0.1:11434'],
  ['0.0.0.0', 'http://127.0.0.1:11434'],
  ['0.0.0.0:8080', 'http://127.0.0.1:8080'],
  [':8080', 'http://127.0.0.1:8080'],
  ['[::]:8080', 'http://127.0.0.1:8080'],
  ['[::1]', 'http://[::1]:11434'],
  ['gpu-box', 'http://gpu-box:11434'],
  ['http://gpu-box', 'http://gpu-box:80'],
  ['https://gpu-box/ollama', 'https://gpu-box:443/ollama'],
])('OLLAMA_HOST "%s" is %s', (host, address) => {
  expect(ollamaHost({ OLLAMA_HOST: host })).toBe(address);
});

test.each(['ollama:', 'ollama:two words', 'ollama:http://h#', 'ollama:ftp://h#m'])(
  '"%s" names none',
  (name) => {
    expect(() => openLanguageModel(name)).toThrow(expect.objectContaining({ exitCode: ExitCode.usage }));
  },
);

test('another machine, also one that OLLAMA_HOST names, gets nothing unless allowed', () => {
  const env = { OLLAMA_HOST: 'gpu-box' };
  for (const name of ['ollama:http://gpu-box:11434#m', 'ollama:m'])
    expect(() => openLanguageModel(name, { env })).toThrow(
      expect.objectContaining({ exitCode: ExitCode.usage, hint: expect.stringContaining('--allow-remote') }),
    );
  expect(openLanguageModel('ollama:m', { env, allowRemote: true }).name).toBe(
    'ollama:http://gpu-box:11434#m',
  );
});

test('a prompt becomes a chat at temperature 0 with the server’s counts; the address goes to the record', async () => {
  const seen: string[] = [];
  const { model, server } = await modelOf(['one two'], undefined, { onText: (piece) => seen.push(piece) });
  expect(model.name).toBe(`ollama:${server.origin}#m`);
  expect(await model.complete({ system: 's', user: 'u', seed: 7, maxTokens: 90 })).toEqual({
    text: 'one two',
    complete: true,
    promptTokens: 11,
    completionTokens: 3,
  });
  expect(seen).toEqual(['one ', 'two']);
  expect(server.asked).toMatchObject([
    { path: '/api/chat', system: 's', user: 'u', model: 'm', seed: 7, temperature: 0 },
  ]);
  expect(server.asked[0]?.body).toMatchObject({ stream: true, options: { num_predict: 90 } });
});

test.each([
  ['a short prompt', 10, 8192, 4096],
  ['a prompt that needs more', 2500, 32_768, 8192],
  ['a prompt that needs more than the model has', 2500, 6000, 6000],
  ['a model that does not say', 2500, undefined, 8192],
])(
  '%s: the context holds the whole prompt, and no more than is needed or there',
  async (_, words, contextLength, size) => {
    const known = contextLength === undefined ? {} : { contextLength };
    const { model, server } = await modelOf(['x'], { models: { m: known } });
    await model.complete({ user: 'word '.repeat(words) });
    expect(server.asked[0]?.body['options']).toMatchObject({ num_ctx: size });
  },
);

test('what is fitted into the prompt is bounded by the model’s own window and by the one that was given', async () => {
  const { model } = await modelOf(['x']);
  expect((await readPromptRoom(model, undefined)).contextTokens).toBe(5461);
  expect((await readPromptRoom(model, 9000)).contextTokens).toBe(5461);
  expect((await readPromptRoom(model, 2000)).contextTokens).toBe(2000);
  const silent = await modelOf(['x'], { models: { m: {} } });
  expect((await readPromptRoom(silent.model, undefined)).contextTokens).toBeUndefined();
});

test('a reply that the token limit cut is not complete', async () => {
  const cut: Scripted = (response) =>
    streamOllama(response, 'half', { model: 'm', tokens: 5, reason: 'length' });
  const { model } = await modelOf([cut]);
  expect(await model.complete({ user: 'u' })).toMatchObject({ text: 'half', complete: false });
});

test.each<[string, Scripted, RegExp]>([
  [
    'broken off',
    stream([partOf('The secret ')], { end: 'cut' }),
    /broke off in the middle of its reply, after 11 char/u,
  ],
  ['ended without an end', stream([partOf('The secret ')]), /broke off in the middle/u],
  ['invalid JSON', stream([partOf('The secret '), '{"message": \n']), /no chat reply in the middle/u],
  [
    'an error',
    stream([partOf('The secret '), '{"error": "the secret"}\n']),
    /an error of its own in the middle/u,
  ],
  ['another model', stream([partOf('The secret ', 'other')]), /answered as other, not as m/u],
  ['a pause without end', stream([partOf('The secret ')], { end: 'open' }), /paused for more than 0\.2 s/u],
])('given up at once, nothing of it repeated: %s', async (_, reply, message) => {
  const { model, server } = await modelOf([reply], undefined, { idleMs: 200 });
  const error: unknown = await model.complete({ user: 'u' }).catch((one: unknown) => one);
  expect(error).toMatchObject({ exitCode: ExitCode.model, message: expect.stringMatching(message) });
  expect(String(error)).not.toContain('secret');
  expect(server.asked).toHaveLength(1);
});

test.each<[string, Scripted]>([
  ['500', fail(500, '{"error": "llama runner process has terminated"}')],
  ['429', fail(429, '', { 'retry-after': '0' })],
  ['a broken connection', (response) => void response.destroy()],
  ['nothing', stream([])],
])('tried again as long as nothing was written: %s', async (_, first) => {
  const { model, server } = await modelOf([first, 'at last']);
  expect((await model.complete({ user: 'u' })).text).toBe('at last');
  expect(server.asked).toHaveLength(2);
});

test('a model that is not there: how to get it; another kind of server: how to name it; no server: how to start it', async () => {
  const lacking = await modelOf(['x'], { models: { other: {} } });
  await expect(lacking.model.complete({ user: 'u' })).rejects.toMatchObject({
    exitCode: ExitCode.model,
    message: `Ollama at ${lacking.server.origin} has no model m`,
    hint: 'get it with: ollama pull m',
  });
  const strange = await modelOf(['x'], {});
  await expect(strange.model.window?.()).rejects.toMatchObject({
    message: expect.stringContaining('another kind of server'),
    hint: expect.stringContaining('openai:URL#MODEL'),
  });
  const gone = await modelOf(['x']);
  await gone.server.close();
  await expect(gone.model.complete({ user: 'u' })).rejects.toMatchObject({
    message: `Ollama at ${gone.server.origin} is not running there`,
    hint: expect.stringContaining('ollama serve'),
  });
});

test('a prompt that the server refuses as too long, and a server that never replies', async () => {
  const full = await modelOf([fail(400, '{"error": "the input length exceeds the context length"}')]);
  await expect(full.model.complete({ user: 'u' })).rejects.toThrow('longer than the context of the model');
  const silent = await modelOf([() => undefined], undefined, { timeoutMs: 60, attempts: 2 });
  await expect(silent.model.complete({ user: 'u' })).rejects.toThrow('gave no reply in 0.06 s (2 attempts)');
});

test('an interrupt ends the wait', async () => {
  const stop = new AbortController();
  const { model } = await modelOf([() => stop.abort()], undefined, { signal: stop.signal });
  await expect(model.complete({ user: 'u' })).rejects.toMatchObject({ name: 'AbortError' });
});
