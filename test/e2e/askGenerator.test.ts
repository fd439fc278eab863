/** `labsage ask --generator` against scripted servers of both kinds: what they wrote is checked, marked or left out; a refusal never reaches them. */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../src/core/config.js';
import type { Answer } from '../../src/core/types.js';
import { deltaOf, scriptedServer, stream, type Asked, type Scripted } from '../scriptedServer.js';
import { labsage, type Ended } from './runBin.js';

const SOP = join(packageRoot, 'corpora', 'sops', 'chemistry', 'CH-014-plasma-ammonia.txt');
const QUESTION = 'How long is plasma ammonia stable on ice?';

let cwd = '';
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'labsage llm '));
  expect((await labsage(['index', SOP, '--embedder', 'minilm', '--quiet'], { cwd })).code).toBe(0);
}, 120_000);
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** The key under which the prompt has the section on specimens. */
function keyOf({ user }: Asked): string {
  const section = user.split('\n\n[').find((part) => part.includes('pneumatic tube is not permitted'));
  return /S\d+/u.exec(section ?? '')?.[0] ?? 'the section is not in the prompt';
}

const mixed = (asked: Asked): string =>
  `<think>Let me see.</think>The pneumatic tube is not permitted for ammonia [${keyOf(asked)}]. ` +
  `The limit on ice slurry is 45 min PST [${keyOf(asked)}]. Freeze it \u001b[31mat once.`;

async function ask(
  script: (asked: Asked) => Scripted,
  ...args: string[]
): Promise<Ended & { asked: readonly Asked[] }> {
  const server = await scriptedServer(script);
  try {
    const ended = await labsage(['ask', ...args, '--generator', `openai:${server.url}#tiny`], { cwd });
    return { ...ended, asked: server.asked };
  } finally {
    await server.close();
  }
}

test('question first, whole sections fenced; what they do not say is marked; the quotes stand below', async () => {
  const { code, out, asked } = await ask(mixed, QUESTION);
  expect(code).toBe(0);
  expect(out).toMatch(/^The pneumatic tube is not permitted for ammonia \[S\d\]\. The limit/u);
  expect(out).toMatch(/45 min PST \[S\d\]\. \(⚠ not proved: [^)]+\)/u);
  expect(out).toMatch(/at once\. \(⚠ not proved: /u);
  expect(out).not.toMatch(/think|\u001b/u);
  expect(out).toContain('Sentences marked ⚠, not proved by their sources: 2.');
  expect(out.trimEnd()).toMatch(/Verify against the controlled copy before acting\.$/u);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({ temperature: 0, seed: 1, model: 'tiny' });
  expect(asked[0]?.user).toMatch(/^Question: How long[^\n]*\n\n\[S1\]\n<<<\n/u);
}, 60_000);

test('--strict leaves it out, exit 5; JSON and the audit log carry it all; a replay says why it asks nobody', async () => {
  const { code, out } = await ask(mixed, QUESTION, '--strict', '--json');
  expect(code).toBe(5);
  const answer = JSON.parse(out) as Answer & { auditId: string; withheld: string[] };
  expect(answer.text).toMatch(/^The pneumatic tube is not permitted for ammonia \[S\d\]\.$/u);
  expect(answer.grounding.sentences.map(({ verdict }) => verdict)).toEqual(['supported']);
  expect(answer.withheld).toHaveLength(2);
  expect(answer.omitted.countedByServer).toBe(11);
  const generator = expect.stringMatching(/^openai:http:\/\/127\.0\.0\.1:\d+\/v1#tiny$/u);
  const shown = await labsage(['audit', 'show', answer.auditId, '--json'], { cwd });
  expect(JSON.parse(shown.out)).toMatchObject({
    model: { generator },
    settings: { generator: { name: generator, strict: true, allowRemote: false, contextTokens: null } },
    output: { text: answer.text, withheld: answer.withheld },
  });
  const replayed = await labsage(['audit', 'replay', answer.auditId], { cwd });
  expect(replayed.code).toBe(5);
  expect(replayed.out).toContain('wrote it, and a replay asks no language model');
}, 60_000);

test('what the index refuses is never sent; the model may refuse too', async () => {
  const refused = await ask(mixed, 'What is the reference interval of zanquilin?', '--json');
  expect(JSON.parse(refused.out)).toMatchObject({ answered: false, model: { generator: 'extractive' } });
  expect(refused.asked).toEqual([]);
  const declined = await ask(() => 'Not in the SOPs.', QUESTION, '--json', '--fail-unanswered');
  expect(declined.code).toBe(5);
  expect(JSON.parse(declined.out)).toMatchObject({ answered: false, citations: [] });
}, 60_000);

test('another machine is refused unasked, and a server that is down is named', async () => {
  const remote = await labsage(['ask', QUESTION, '--generator', 'openai:https://llm.invalid/v1#big'], {
    cwd,
  });
  expect([remote.code, remote.out]).toEqual([2, '']);
  expect(remote.err).toContain('--allow-remote');
  const down = await labsage(['ask', QUESTION, '--generator', 'openai:http://127.0.0.1:9/v1#tiny'], { cwd });
  expect([down.code, down.out]).toEqual([4, '']);
}, 60_000);

const MODELS = { tiny: { contextLength: 32_768 } };
/** Pieces of four letters at most, and marks: a little more than ours, as any tokenizer counts. */
const countAll = ({ system, user }: Asked): number =>
  `${system} ${user}`.match(/[\p{L}\p{N}]{1,4}|[^\s\p{L}\p{N}]/gu)?.length ?? 0;

test('Ollama: the same prompt and checks; the context is asked for; the record names the server', async () => {
  const server = await scriptedServer(mixed, { models: MODELS, promptTokens: countAll });
  try {
    const argv = ['ask', QUESTION, '--generator', 'ollama:tiny', '--json', '--strict'];
    const env = { OLLAMA_HOST: server.origin };
    const { code, out } = await labsage(argv, { cwd, env });
    expect(code).toBe(5);
    const answer = JSON.parse(out) as Answer & { withheld: string[] };
    expect(answer.text).toMatch(/^The pneumatic tube is not permitted for ammonia \[S\d\]\.$/u);
    expect(answer.model.generator).toBe(`ollama:${server.origin}#tiny`);
    expect(answer.withheld).toHaveLength(2);
    expect(answer.omitted.sent).toBe(answer.omitted.intended);
    expect(answer.warnings.join()).not.toContain('the server read');
    const { num_ctx: context } = server.asked[0]?.body['options'] as { num_ctx: number };
    expect(context).toBeGreaterThan(answer.omitted.sent);
    const openAi = await ask(mixed, QUESTION);
    expect(server.asked[0]?.user).toBe(openAi.asked[0]?.user);
    expect(server.asked[0]?.system).toBe(openAi.asked[0]?.system);
  } finally {
    await server.close();
  }
}, 60_000);

test('Ollama: half the context evaluated is said, exit 5 with --strict; a small model’s window leaves sections out', async () => {
  const honest = (asked: Asked): string =>
    `The pneumatic tube is not permitted for ammonia [${keyOf(asked)}].`;
  const half = (asked: Asked): number => Math.floor(countAll(asked) / 2);
  for (const [facts, message] of [
    [{ models: MODELS, promptTokens: half }, /^! The server read \d+ of about \d+ tokens/mu],
    [
      { models: { tiny: { contextLength: 1700 } }, promptTokens: countAll },
      /^! \d+ of \d+ tokens of the prompt did not fit/mu,
    ],
  ] as const) {
    const server = await scriptedServer(honest, facts);
    try {
      const argv = ['ask', QUESTION, '--generator', `ollama:${server.origin}#tiny`];
      const { code, out } = await labsage([...argv, '--strict'], { cwd });
      expect([code, out]).toEqual([5, expect.stringMatching(message)]);
      expect((await labsage(argv, { cwd })).code).toBe(0);
    } finally {
      await server.close();
    }
  }
}, 90_000);

test('Ollama: a model that is not there, and a server that is down: one line, and what to do', async () => {
  const server = await scriptedServer(mixed, { models: MODELS });
  const lacking = await labsage(['ask', QUESTION, '--generator', `ollama:${server.origin}#big`], { cwd });
  expect(lacking).toEqual({
    code: 4,
    out: '',
    err: `error: Ollama at ${server.origin} has no model big. Get it with: ollama pull big\n`,
  });
  await server.close();
  const down = await labsage(['ask', QUESTION, '--generator', `ollama:${server.origin}#tiny`], { cwd });
  expect([down.code, down.out]).toEqual([4, '']);
  expect(down.err).toMatch(
    /^error: Ollama at \S+ is not running there\. Start it with ollama serve[^\n]*\n$/u,
  );
}, 60_000);

test('a stream that breaks off is named, and nothing half-written is printed or recorded', async () => {
  const cut = stream([deltaOf('The pneumatic tube '), deltaOf('is not ')], { end: 'cut' });
  const before = (await labsage(['audit', 'list', '--json'], { cwd })).out;
  const { code, out, err, asked } = await ask(() => cut, QUESTION, '--html', 'cut.html');
  expect([code, out]).toEqual([4, '']);
  expect(err).toMatch(
    /^error: the server of tiny at \S+ broke off in the middle of its reply, after 26 characters/u,
  );
  expect(err).not.toContain('pneumatic');
  expect(asked).toHaveLength(1);
  expect(existsSync(join(cwd, 'cut.html'))).toBe(false);
  expect((await labsage(['audit', 'list', '--json'], { cwd })).out).toBe(before);
}, 60_000);

test('a server that answers as another model is said, exit 5 with --strict', async () => {
  const other: Scripted = stream([
    deltaOf('The pneumatic tube is not permitted for ammonia.', 'another-7b'),
    'data: [DONE]\n\n',
  ]);
  const { code, out } = await ask(() => other, QUESTION, '--strict');
  expect([code, out]).toEqual([
    5,
    expect.stringContaining('! The server says that the model another-7b wrote this.'),
  ]);
}, 60_000);
