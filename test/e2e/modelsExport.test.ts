/** A model goes from one machine to another in a folder, and is there what it was here. */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeTinyModel } from '../tinyOnnx.js';
import { labsage, type Ended } from './runBin.js';

let cwd = '';
const on = (machine: string, ...args: string[]): Promise<Ended> =>
  labsage([...args, '--quiet'], { cwd, env: { LABSAGE_HOME: join(cwd, machine) } });

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'labsage export '));
  await writeTinyModel(join(cwd, 'tiny'), { seed: 6, mark: 0, weights: 'model_quantized.onnx' });
  expect((await on('here', 'models', 'import', 'tiny', '--pooling', 'cls', '--alias', 't')).code).toBe(0);
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

test('exported under its alias and imported elsewhere, it gives the same vectors', async () => {
  const exported = await on('here', 'models', 'export', 't', 'carried');
  expect([exported.code, exported.err]).toEqual([0, '']);
  expect(exported.out).toContain('labsage models import carried');
  const imported = await on('there', 'models', 'import', 'carried', '--json');
  expect(imported.code).toBe(0);
  expect(JSON.parse(imported.out)).toMatchObject({ id: 'tiny', card: 'read', reference: 'read' });
  const vectors = await Promise.all(
    ['here', 'there'].map((one) => on(one, 'embed', 'plasma', '--embedder', 'tiny')),
  );
  expect(vectors[0]?.out).toMatch(/^\{/u);
  expect(vectors[1]?.out).toBe(vectors[0]?.out);
});

test('a folder that is there is not touched; an unknown or changed model leaves nothing behind', async () => {
  expect((await on('here', 'models', 'export', 'tiny', 'tiny')).code).toBe(2);
  expect((await on('here', 'models', 'export', 'none', 'x')).code).toBe(4);
  const tokenizer = join(cwd, 'here', 'models', 'tiny', 'tokenizer.json');
  const text = await readFile(tokenizer, 'utf8');
  await writeFile(tokenizer, text.replace('{', ' ').slice(0, -1) + '}');
  const changed = await on('here', 'models', 'export', 'tiny', 'x');
  expect(changed.code).toBe(4);
  expect(changed.err).toMatch(/tokenizer\.json.*(?:checksum is another|bytes)/u);
  expect((await readdir(cwd)).filter((name) => name.startsWith('x'))).toEqual([]);
});
