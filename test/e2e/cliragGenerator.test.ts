/** `clirag note --generator` against a scripted server: what it wrote is checked, marked or left out; nothing leaves this machine unasked. */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditRecord } from '../../src/core/auditLog.js';
import type { SoapNote } from '../../src/clirag/note/noteRecord.js';
import { complete, deltaOf, fail, scriptedServer, stream, type Scripted } from '../scriptedServer.js';
import { writeRows } from './cliragRows.js';
import { clirag, type Ended } from './runBin.js';

let cwd = '';
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'clirag llm '));
  await writeRows(join(cwd, 'notes.csv'), [
    {
      patient: 7,
      charted: '2150-01-02 08:00:00',
      text: 'Patient denies chest pain, zanquil.\nPotassium 3.1 at 06:00.\nPlan: repeat potassium at noon.',
    },
  ]);
  expect((await clirag(['index', 'notes.csv', '--quiet'], { cwd })).code).toBe(0);
}, 60_000);
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const REPLY = `<think>Potassium [S2] is low.</think>
Here is the note.

## Subjective
The patient denies chest pain [S2].

**Objective:** Potassium 3.1 at 06:00. [S2] Potassium 5.9 at noon. [S2]

Assessment and Plan:
Sepsis is suspected.

## Plan
- Repeat potassium at noon [S1].`;

async function note(reply: Scripted, ...args: string[]): Promise<Ended & { prompts: string[] }> {
  const server = await scriptedServer(() => reply);
  try {
    const generator = `openai:${server.url}#tiny`;
    const argv = ['note', '--patient', '7', '--visit', '#1', '--embedder', 'minilm', '--quiet'];
    const ended = await clirag([...argv, '--generator', generator, ...args], { cwd });
    return { ...ended, prompts: server.asked.map(({ user }) => user) };
  } finally {
    await server.close();
  }
}

test('prose under the four headings; what the chart does not say is marked and counted', async () => {
  const { code, out, err, prompts } = await note(REPLY);
  expect(code).toBe(0);
  expect(out).toContain('## Subjective\n\nThe patient denies chest pain. [S2]');
  expect(out).toContain('Potassium 3.1 at 06:00. [S2]');
  expect(out).toMatch(/Potassium 5\.9 at noon\. \[S2\] \(⚠ not proved: [^)]*5\.9/u);
  expect(out).toContain('Sepsis is suspected. (⚠ not proved: cites no source)');
  expect(out).not.toMatch(/Here is the note|think/u);
  expect(out).toContain('2 sentences marked ⚠ are not proved');
  expect(err).toContain('2 sentences are not proved');
  expect(err).not.toContain('zanquil');
  // What is sent is what `clirag prompt` shows.
  const shown = await clirag(
    ['prompt', '--patient', '7', '--visit', '#1', '--embedder', 'minilm', '--quiet'],
    { cwd },
  );
  expect(prompts).toEqual([shown.out]);
});

test('--strict leaves out what is not proved, and is exit 5', async () => {
  const { code, out } = await note(REPLY, '--strict', '--json');
  expect(code).toBe(5);
  const written = JSON.parse(out) as SoapNote;
  expect(written.withheld).toEqual(['Potassium 5.9 at noon.', 'Sepsis is suspected.']);
  expect(written.text).not.toMatch(/5\.9|Sepsis/u);
  expect(written.sections.plan.sentences.map(({ text }) => text)).toEqual(['Repeat potassium at noon.']);
  expect(written.model.generator).toMatch(/^openai:http:\/\/127\.0\.0\.1:\d+\/v1#tiny$/u);
});

test('another machine gets nothing unless allowed; the choice is recorded', async () => {
  const argv = ['note', '--patient', '7', '--visit', '#1', '--embedder', 'minilm', '--quiet'];
  const remote = ['--generator', 'openai:https://llm.invalid/v1#big'];
  const refused = await clirag([...argv, ...remote], { cwd });
  expect([refused.code, refused.out]).toEqual([2, '']);
  expect(refused.err).toContain('--allow-remote');
  expect((await note(REPLY, '--allow-remote')).code).toBe(0);
  const folders = await readdir(join(cwd, '.clirag'), { recursive: true });
  const log = folders.find((name) => name.endsWith('audit.jsonl')) ?? '';
  const records = (await readFile(join(cwd, '.clirag', log), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditRecord);
  expect(records.at(-1)?.settings['allowRemote']).toBe(true);
  expect(records[0]?.settings['allowRemote']).toBe(false);
  expect(records.at(-1)?.output['reply']).toBe(REPLY);
});

test.each<[string, Scripted, RegExp]>([
  ['a server that fails', fail(400, 'zanquil'), /400/u],
  ['a reply that is no note', 'I cannot help with zanquil.', /no SOAP headings/u],
  [
    'a stream that breaks off',
    stream([deltaOf('## Subjective\nDenies zanquil')], { end: 'cut' }),
    /broke off in the middle/u,
  ],
])('%s is exit 4 in one line without a word of the chart', async (_, reply, message) => {
  const { code, out, err } = await note(reply);
  expect([code, out]).toEqual([4, '']);
  expect(err).toMatch(message);
  expect(err.trim().split('\n')).toHaveLength(1);
  expect(err).not.toContain('zanquil');
});

test('a prompt that the server did not read whole is said (pitfall 10)', async () => {
  const { code, err } = await note('## Subjective\nThe patient denies chest pain [S2].', '--strict');
  expect([code, err]).toEqual([5, expect.stringMatching(/the server read 11 of about \d+ tokens/u)]);
});

test('a reply that was cut off is said', async () => {
  const { err } = await note((response) =>
    complete(response, '## Subjective\nThe patient denies chest pain [S1].', 'length'),
  );
  expect(err).toContain('stopped at the limit');
});

test('Ollama writes the note from the same prompt; a model that is not there is one line', async () => {
  const server = await scriptedServer(() => REPLY, {
    models: { tiny: { contextLength: 32_768 } },
    promptTokens: 900,
  });
  try {
    const argv = ['note', '--patient', '7', '--visit', '#1', '--embedder', 'minilm', '--quiet'];
    const { code, out } = await clirag([...argv, '--generator', `ollama:${server.origin}#tiny`, '--json'], {
      cwd,
    });
    const written = JSON.parse(out) as SoapNote;
    expect([code, written.model.generator]).toEqual([0, `ollama:${server.origin}#tiny`]);
    expect(written.sections.objective.sentences).toMatchObject([
      { text: 'Potassium 3.1 at 06:00.' },
      { text: 'Potassium 5.9 at noon.', unproved: expect.arrayContaining([expect.stringContaining('5.9')]) },
    ]);
    expect(written.omitted.countedByServer).toBe(900);
    expect(server.asked.map(({ user }) => user)).toEqual((await note(REPLY)).prompts);
    const lacking = await clirag([...argv, '--generator', `ollama:${server.origin}#big`], { cwd });
    expect([lacking.code, lacking.out]).toEqual([4, '']);
    expect(lacking.err).toBe(
      `error: Ollama at ${server.origin} has no model big. Get it with: ollama pull big\n`,
    );
  } finally {
    await server.close();
  }
});
