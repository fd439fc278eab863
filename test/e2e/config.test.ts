/** Settings of both programs: what wins, where it came from, and what a damaged file says. */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFiles } from '../temporaryFolder.js';
import { clirag, environment, labsage, type Ended } from './runBin.js';

let cwd = '';
beforeAll(async () => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'labsage config ')));
  await writeFiles(cwd, {
    'sops/ch-001.md': '# CH-001 Ammonia\n\n## Specimen\n\nStable for 15 minutes.\n',
    'sub/x': '',
  });
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function run(
  args: readonly string[],
  options: { env?: Record<string, string>; in?: string } = {},
): Promise<Ended> {
  const home = { LABSAGE_HOME: join(cwd, 'home') };
  return labsage(args, { cwd: join(cwd, options.in ?? ''), env: environment({ ...home, ...options.env }) });
}

async function shown(
  args: readonly string[],
  options: Parameters<typeof run>[1] = {},
): Promise<Record<string, string>> {
  const { out } = await run([...args, '--show-config'], options);
  const lines = out.trim().split('\n').slice(1);
  return Object.fromEntries<string>(
    lines.map((line) => [/\S+/u.exec(line)?.[0] ?? '', line.trim().split(/ {2,}/u).slice(1).join(' from ')]),
  );
}

test('user before project before environment before command line, from folders below too', async () => {
  const user = join(cwd, 'home', 'labsage.json');
  const project = join(cwd, '.labsage.json');
  expect((await shown(['ask', 'x']))['k']).toBe('- from default');
  expect((await run(['config', 'set', 'k', '4'])).out).toContain(user);
  expect((await shown(['ask', 'x']))['k']).toBe(`4 from ${user}`);
  expect((await run(['config', 'set', 'k', '5', '--project'])).out).toContain(project);
  expect((await shown(['ask', 'x'], { in: 'sub' }))['k']).toBe(`5 from ${project}`);
  const env = { LABSAGE_K: '6' };
  expect((await shown(['ask', 'x'], { env }))['k']).toBe('6 from $LABSAGE_K');
  expect((await shown(['ask', 'x', '-k', '7'], { env }))['k']).toBe('7 from command line');
  const beaten = await run(['config', 'set', 'k', '3']);
  expect(beaten.err).toContain(`k is 5 all the same: ${project} sets it`);
  expect((await run(['config', 'get', 'k'])).out).toBe('5\n');
  await run(['config', 'unset', 'k', '--project']);
  expect((await run(['config', 'get', 'k'])).out).toBe('3\n');
  await expect(readFile(project)).rejects.toThrow('ENOENT');
  await run(['config', 'unset', 'k']);
  expect(await run(['config', 'get', 'k'])).toEqual({ code: 5, out: '', err: '' });
});

test('the settings are used: a new index is where and what they say, and keeps its embedder', async () => {
  await run(['config', 'set', 'index', 'kept', '--project'], { in: 'sub' });
  await run(['config', 'set', 'embedder', 'minilm']);
  expect((await run(['index', '../sops', '--quiet'], { in: 'sub' })).code).toBe(0);
  const status = await run(['status', '--json'], { in: 'sub' });
  expect(status.code).toBe(0);
  expect(status.out).toContain('all-MiniLM-L6-v2');
  expect((await run(['config', 'get', 'index'], { in: 'sub' })).out).toBe(`${join(cwd, 'sub', 'kept')}\n`);
  await run(['config', 'set', 'embedder', 'mpnet']);
  expect((await run(['index', '../sops', '--check'], { in: 'sub' })).code).toBe(0);
  await rm(join(cwd, 'sub', '.labsage.json'));
});

test.each<[string, string, RegExp]>([
  ['no JSON', '{', /\.labsage\.json: it is no JSON\. Mend the file/u],
  ['a list', '[]', /no JSON object/u],
  ['an unknown setting', '{"kk": 3}', /no setting kk, only index/u],
  ['a number that is none', '{"k": 0}', /k is no whole number above 0/u],
])('a file that is %s: exit 3, named', async (_, text, message) => {
  await writeFile(join(cwd, '.labsage.json'), text);
  const { code, out, err } = await run(['ask', 'x']);
  expect([code, out]).toEqual([3, '']);
  expect(err).toMatch(message);
  await rm(join(cwd, '.labsage.json'));
});

test('wrong usage: exit 2', async () => {
  expect((await run(['config', 'set', 'colour', 'red'])).code).toBe(2);
  expect((await run(['config', 'set', 'k', 'three'])).code).toBe(2);
  expect((await run(['ask', 'x'], { env: { LABSAGE_K: 'three' } })).err).toContain('$LABSAGE_K');
});

test('clirag has settings of its own', async () => {
  const home = environment({ LABSAGE_HOME: join(cwd, 'home') });
  await clirag(['config', 'set', 'generator', 'extractive'], { cwd, env: home });
  expect((await clirag(['config', 'get', '--json'], { cwd, env: home })).out).toContain('clirag.json');
  expect((await run(['config', 'get', 'generator'])).code).toBe(5);
});
