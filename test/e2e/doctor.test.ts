/** `doctor` of both programs on a machine that is well, and on one with each of the faults that it knows. */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { appendFile, chmod, mkdir, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finding } from '../../src/core/doctor.js';
import { writeFiles } from '../temporaryFolder.js';
import { writeTinyModel } from '../tinyOnnx.js';
import { writeRows } from './cliragRows.js';
import { scriptedServer } from '../scriptedServer.js';
import { clirag, environment, labsage, type Ended } from './runBin.js';

let cwd = '';
let server: Server | undefined;

function at(
  program: typeof labsage,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ended> {
  return program([...args, '--quiet'], {
    cwd,
    env: environment({ LABSAGE_HOME: join(cwd, 'home'), ...env }),
  });
}

async function faults(
  program: typeof labsage,
  env: Record<string, string> = {},
): Promise<readonly Finding[]> {
  const { code, out } = await at(program, ['doctor', '--fast', '--json'], env);
  const { ok, findings } = JSON.parse(out) as { ok: boolean; findings: Finding[] };
  const found = findings.filter(({ state }) => state === 'fault');
  expect([ok, code]).toEqual(found.length === 0 ? [true, 0] : [false, 5]);
  for (const { mend } of found) expect(mend).toMatch(/\w/u);
  return found;
}

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'labsage doctor '));
  await writeTinyModel(join(cwd, 'tiny'), { seed: 6, mark: 0, weights: 'model_quantized.onnx' });
  await writeFiles(cwd, { 'sops/ch-001.md': '# CH-001 Ammonia\n\n## Specimen\n\nStable for 15 minutes.\n' });
  await writeRows(join(cwd, 'notes.csv'), [
    { patient: 7, charted: '2150-01-02 08:00:00', text: 'No zanquil pain.' },
  ]);
  expect((await at(labsage, ['models', 'import', 'tiny', '--pooling', 'cls'])).code).toBe(0);
}, 60_000);
afterAll(() => {
  server?.close();
  rmSync(cwd, { recursive: true, force: true });
});

test('nothing there yet is no fault, and the command that makes it is named', async () => {
  const { code, out } = await at(labsage, ['doctor']);
  expect(code).toBe(0);
  expect(out).toMatch(/ok {5}program: version \d.*Node \d/u);
  expect(out).toMatch(/ok {5}model: all-MiniLM-L6-v2.*least cosine/u);
  expect(out).toMatch(/note {3}index: there is none.*\n +mend: labsage index FOLDER_WITH_SOPS/u);
  expect((await at(clirag, ['doctor', '--fast'])).out).toMatch(/note {3}store: there is none/u);
  const named = await at(labsage, ['doctor', '--fast', '--index', 'nowhere']);
  expect([named.code, named.out]).toEqual([5, expect.stringMatching(/FAULT {2}index: there is no index/u)]);
});

test('an index and a store that are well; then damaged, and open to others', async () => {
  await at(labsage, ['index', 'sops', '--embedder', 'tiny']);
  await at(clirag, ['index', 'notes.csv']);
  expect(await faults(labsage)).toEqual([]);
  expect(await faults(clirag)).toEqual([]);
  expect((await at(clirag, ['doctor', '--fast'])).out).toContain(
    '1 patients, 1 notes; 1 charts read and whole',
  );
  await chmod(join(cwd, '.labsage'), 0o755);
  const open = await faults(labsage);
  expect(open).toEqual([
    expect.objectContaining({ area: 'index folder', mend: expect.stringMatching(/^chmod -R go= /u) }),
  ]);
  await chmod(join(cwd, '.labsage'), 0o700);
  for (const name of await readdir(join(cwd, '.labsage')))
    if (!name.endsWith('.json')) await truncate(join(cwd, '.labsage', name), 3).catch(() => undefined);
  expect(await faults(labsage)).toEqual([expect.objectContaining({ area: 'index' })]);
  for (const name of await readdir(join(cwd, '.clirag'), { recursive: true }))
    if (name.endsWith('notes.chart')) await truncate(join(cwd, '.clirag', name), 30);
  const chart = await faults(clirag);
  expect(chart).toEqual([expect.objectContaining({ area: 'store' })]);
  expect(JSON.stringify(chart)).not.toContain('zanquil');
  await rm(join(cwd, '.labsage'), { recursive: true });
  await rm(join(cwd, '.clirag'), { recursive: true });
});

test('an endpoint that is down, lacks the model, has it, or is another machine', async () => {
  server = createServer((_, reply) => reply.end('{"data":[{"id":"small"}]}'));
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const generator = (name: string): Record<string, string> => ({ CLIRAG_GENERATOR: name });
  expect(await faults(clirag, generator(`openai:${base}#small`))).toEqual([]);
  const [lacking] = await faults(clirag, generator(`openai:${base}#large`));
  expect(lacking).toMatchObject({ area: 'generator', mend: 'use one of: small' });
  server.close();
  const [down] = await faults(clirag, generator(`openai:${base}#small`));
  expect(down).toMatchObject({ area: 'generator', says: expect.stringContaining('does not answer') });
  const remote = await at(clirag, ['doctor', '--fast'], generator('openai:http://192.0.2.1/v1#small'));
  expect([remote.code, remote.out]).toEqual([0, expect.stringContaining('was not asked')]);
});

test('an Ollama server that has the model, or lacks it; a model of this process that is not there', async () => {
  const ollama = await scriptedServer(() => '', { models: { small: { contextLength: 4096 } } });
  try {
    const generator = (name: string): Record<string, string> => ({ CLIRAG_GENERATOR: name });
    const has = await at(clirag, ['doctor', '--fast'], generator(`ollama:${ollama.origin}#small`));
    expect(has.out).toContain(`ollama:${ollama.origin}#small is there, 4096 tokens of prompt and reply`);
    const [lacking] = await faults(clirag, generator(`ollama:${ollama.origin}#large`));
    expect(lacking).toMatchObject({ area: 'generator', mend: 'get it with: ollama pull large' });
    const [none] = await faults(clirag, generator('transformers:./none'));
    expect(none).toMatchObject({ area: 'generator', says: expect.stringContaining('there is no folder') });
    const remote = await at(clirag, ['doctor', '--fast'], generator('ollama:http://192.0.2.1#small'));
    expect([remote.code, remote.out]).toEqual([
      0,
      expect.stringMatching(/note .*192\.0\.2\.1 is another machine/u),
    ]);
  } finally {
    await ollama.close();
  }
});

test('models that were changed, or whose card is none', async () => {
  await appendFile(join(cwd, 'home', 'models', 'tiny', 'tokenizer.json'), ' ');
  await mkdir(join(cwd, 'home', 'models', 'half'));
  await writeFile(join(cwd, 'home', 'models', 'half', 'model.json'), '{');
  const found = await faults(labsage);
  expect(found.map(({ says }) => says).join('\n')).toMatch(
    /half.*no JSON[^]*tiny: .*tokenizer\.json has \d+ bytes/u,
  );
  expect(found[1]?.mend).toBe('labsage models import FOLDER --name tiny --replace');
});
