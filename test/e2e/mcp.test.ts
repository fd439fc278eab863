/** Both MCP servers, spawned and spoken to by the SDK's own client. */

import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFiles } from '../temporaryFolder.js';
import { writeRows } from './cliragRows.js';
import { BIN, CLIRAG_BIN, clirag, environment, labsage } from './runBin.js';

let cwd = '';
let client: Client | undefined;
/** What the server wrote to stderr. */
let said = '';

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'labsage mcp '));
  await writeFiles(cwd, {
    'sops/ch-001.md':
      '# CH-001 Ammonia\n\nDocument number: CH-001\n\n## Specimen\n\nPlasma ammonia is stable for 15 minutes on ice. The minimum volume is 0.5 mL.\n',
    'sops/he-002.md':
      '# HE-002 Clotting\n\nDocument number: HE-002\n\n## Rotor\n\nUse rotor C for citrated blood.\n',
  });
  await writeRows(join(cwd, 'notes.csv'), [
    { patient: 7, charted: '2150-01-02 08:00:00', text: 'Denies chest pain. Potassium 3.1.' },
    { patient: 8, charted: '2150-01-02 08:00:00', text: 'Reports a cough.' },
  ]);
  const made = await Promise.all([
    labsage(['index', 'sops', '--embedder', 'minilm', '--quiet'], { cwd }),
    clirag(['index', 'notes.csv', '--quiet'], { cwd }),
  ]);
  expect(made.map(({ code }) => code)).toEqual([0, 0]);
}, 120_000);
afterEach(() => client?.close());
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

async function connect(bin: string, ...args: string[]): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, 'mcp', ...args],
    cwd,
    env: environment(),
    stderr: 'pipe',
  });
  said = '';
  transport.stderr?.on('data', (part: Buffer) => (said += part.toString()));
  client = new Client({ name: 'test', version: '1' });
  // A line on stdout that is no message of the protocol ends up here.
  client.onerror = (error) => {
    throw error;
  };
  await client.connect(transport);
  return client;
}

async function call(
  name: string,
  input: Record<string, unknown>,
): Promise<{ text: string; failed: boolean }> {
  const reply = await client?.callTool({ name, arguments: input });
  const content = reply?.content as readonly { type: string; text: string }[];
  return { text: content.map(({ text }) => text).join('\n'), failed: reply?.isError === true };
}

test('labsage: the tools answer as the commands do, and the answer is in the audit log', async () => {
  const { tools } = await (await connect(BIN)).listTools();
  expect(tools.map(({ name }) => name)).toEqual(['search', 'ask', 'list', 'show']);
  for (const { inputSchema } of tools)
    expect(Object.keys(inputSchema.properties ?? {})).not.toContain('index');
  const answer = await call('ask', { question: 'How long is plasma ammonia stable on ice?' });
  expect(answer).toEqual({ failed: false, text: expect.stringContaining('stable for 15 minutes on ice') });
  expect(answer.text).toContain('CH-001');
  expect(await readdir(join(cwd, '.labsage'))).toContain('audit.jsonl');
  const hits = await call('search', { text: 'rotor', k: 1, json: true });
  expect(JSON.parse(hits.text)).toMatchObject({ rank: 1, document: { number: 'HE-002' } });
  expect((await call('list', { text: 'citrated blood' })).text).toContain('HE-002');
  expect((await call('list', { text: 'no such thing here' })).text).toContain('None of 2 documents');
  expect((await call('show', { id: 'CH-001' })).text).toContain('The minimum volume is 0.5 mL.');
  const wrong = await call('show', { id: 'CH-002' });
  expect(wrong).toEqual({
    failed: true,
    text: expect.stringMatching(/no unit or document named CH-002.*did you mean/u),
  });
  expect((await call('search', { text: 'rotor', k: 0 })).failed).toBe(true);
});

function loads(): number {
  return said.split('\n').filter((line) => line.startsWith('loading ')).length;
}

test('labsage: the model is loaded once, and what is indexed meanwhile is seen at the next call', async () => {
  await connect(BIN, '--index', 'warm', '--verbose');
  const missing = await call('ask', { question: 'Which rotor is used?' });
  expect([missing.failed, loads()]).toEqual([true, 0]);
  const index = async (rotor: string): Promise<void> => {
    await writeFiles(cwd, {
      'warm-sops/he.md': `# HE-009 Clotting\n\n## Rotor\n\nUse rotor ${rotor} for citrated blood.\n`,
    });
    const args = ['index', 'warm-sops', '--index', 'warm', '--embedder', 'minilm', '--quiet'];
    expect((await labsage(args, { cwd })).code).toBe(0);
  };
  const question = 'Which rotor is used for citrated blood?';
  await index('C');
  expect((await call('ask', { question })).text).toContain('rotor C');
  expect((await call('ask', { question })).text).toContain('rotor C');
  await index('D');
  expect((await call('ask', { question })).text).toContain('rotor D');
  expect((await call('search', { text: 'rotor' })).text).toContain('HE-009');
  expect(loads()).toBe(1);
}, 60_000);

test('clirag: the model is loaded once for notes of several patients', async () => {
  await connect(CLIRAG_BIN, '--embedder', 'minilm', '--verbose');
  for (const patient of ['7', '8']) {
    expect((await call('retrieve', { patient, visit: '#1' })).failed).toBe(false);
    expect((await call('note', { patient, visit: '#1' })).failed).toBe(false);
  }
  expect(loads()).toBe(1);
}, 60_000);

test('labsage: questions at the same time get each its own answer', async () => {
  await connect(BIN);
  const [one, two] = await Promise.all([
    call('ask', { question: 'How long is plasma ammonia stable on ice?' }),
    call('ask', { question: 'Which rotor is used for citrated blood?' }),
  ]);
  expect(one.text).toContain('15 minutes');
  expect(two.text).toContain('rotor C');
  expect(one.text).not.toContain('rotor C');
});

test('clirag: patients, visits, a charted note, evidence, a note', async () => {
  const { tools } = await (await connect(CLIRAG_BIN, '--embedder', 'minilm')).listTools();
  expect(tools.map(({ name }) => name)).toEqual(['list', 'show', 'retrieve', 'note', 'check']);
  expect((await call('list', {})).text).toMatch(/^ *7 .*\n *8 /mu);
  const visits = await call('list', { patient: '7', json: true });
  const [id = ''] = (JSON.parse(visits.text) as { noteIds: string[] }).noteIds;
  expect((await call('show', { patient: '7', note: id })).text).toContain(
    'Denies chest pain. Potassium 3.1.',
  );
  expect((await call('retrieve', { patient: '7', visit: '#1', json: true })).text).toContain(
    'Potassium: 3.1',
  );
  expect((await call('note', { patient: '7', visit: '#1' })).text).toMatch(/Potassium:? 3\.1[^]*\[S\d+\]/u);
  const checked = await call('check', { patient: '7', visit: '#1', text: 'Potassium 9.9.' });
  expect(checked).toEqual({ failed: false, text: expect.stringMatching(/contradicted|not.found/u) });
  expect((await call('note', { visit: '#1' })).failed).toBe(true);
});

test('clirag for one patient shows no other', async () => {
  await connect(CLIRAG_BIN, '--embedder', 'minilm', '--patient', '7');
  expect((await call('list', {})).text).toContain('2150-01-02');
  for (const [tool, input] of [
    ['list', {}],
    ['note', { visit: '#1' }],
    ['retrieve', { visit: '#1' }],
    ['show', { note: '2' }],
  ] as const) {
    const { text, failed } = await call(tool, { ...input, patient: '8' });
    expect([tool, failed, text]).toEqual([tool, true, expect.stringContaining('patient 7 alone')]);
    expect(text).not.toContain('cough');
  }
});

test('the server ends with its client, exit 0', async () => {
  const { code, out, err } = await labsage(['mcp'], { cwd, input: '' });
  expect([code, out, err]).toEqual([0, '', '']);
});

test('a signal ends the server though its client is still there: exit 130, nothing on stdout', async () => {
  const child = spawn(process.execPath, [BIN, 'mcp'], { cwd, env: environment() });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  const hello = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })}\n`);
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([130, null]);
  expect(out.trim().split('\n')).toHaveLength(1);
  expect(JSON.parse(out)).toMatchObject({ jsonrpc: '2.0', id: 1 });
});
