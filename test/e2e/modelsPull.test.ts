/** `labsage models pull` from a local mirror: embedders and language models, resumed, checked, through a proxy; no other command opens a connection. */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMIT, scriptedHub, type Fault, type ScriptedHub } from '../scriptedHub.js';
import { writeTinyGenerator, writeTinyModel } from '../tinyOnnx.js';
import { labsage, type Ended } from './runBin.js';

let folder = '';
let embedder: Record<string, Buffer> = {};
let writer: Record<string, Buffer> = {};
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'labsage pull '));
  await writeTinyModel(join(folder, 'tiny'), { seed: 6, mark: 0, weights: 'model_quantized.onnx' });
  await writeTinyGenerator(join(folder, 'parrot'), { words: ['mix', 'the', 'tube'] });
  const { 'model_quantized.onnx': weights = Buffer.alloc(0), ...small } = await readAll(join(folder, 'tiny'));
  embedder = {
    ...small,
    'onnx/model_quantized.onnx': weights,
    'onnx/model.onnx': Buffer.alloc(3000, 'x'),
    '1_Pooling/config.json': Buffer.from('{"pooling_mode_mean_tokens": true}'),
    'README.md': Buffer.from('not wanted'),
  };
  writer = { ...(await readAll(join(folder, 'parrot'))), 'onnx/model.onnx': Buffer.alloc(3000, 'x') };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function readAll(from: string): Promise<Record<string, Buffer>> {
  const names = (await readdir(from, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
  const files: Record<string, Buffer> = {};
  for (const { name, parentPath } of names) {
    const path = join(parentPath, name);
    files[path.slice(from.length + 1).replaceAll('\\', '/')] = await readFile(path);
  }
  return files;
}

let homes = 0;
/** A home of its own for each pull. */
function newHome(): string {
  return join(folder, `home ${++homes}`);
}

async function withHub<Result>(
  files: Readonly<Record<string, Buffer>>,
  use: (hub: ScriptedHub) => Promise<Result>,
  fault?: Fault,
): Promise<Result> {
  const hub = await scriptedHub('org/tiny', files, fault);
  try {
    return await use(hub);
  } finally {
    await hub.close();
  }
}

function pull(hub: ScriptedHub, home: string, ...args: string[]): Promise<Ended> {
  const argv = ['models', 'pull', 'org/tiny', '--mirror', hub.url, '--quiet', ...args];
  return labsage(argv, { cwd: folder, env: { LABSAGE_HOME: home } });
}

const weightsOf = (hub: ScriptedHub): (string | undefined)[] =>
  hub.asked.filter(({ path }) => path.endsWith('model_quantized.onnx')).map(({ range }) => range);

test(
  'an embedder: only what is needed is fetched, at one commit, tried, and can be used',
  () =>
    withHub(embedder, async (hub) => {
      const home = newHome();
      const { code, out, err } = await pull(hub, home);
      expect([code, err]).toEqual([0, '']);
      expect(out).toContain('tiny: 16 dimensions, mean pooling');
      const paths = hub.asked.map(({ path }) => path).filter((path) => path.includes('/resolve/'));
      expect(paths.every((path) => path.startsWith(`/org/tiny/resolve/${COMMIT}/`))).toBe(true);
      expect(paths.join()).not.toMatch(/README|onnx\/model\.onnx/u);
      expect(hub.asked.every(({ authorization }) => authorization === undefined)).toBe(true);
      const card: unknown = JSON.parse(await readFile(join(home, 'models', 'tiny', 'model.json'), 'utf8'));
      expect(card).toMatchObject({ licence: 'apache-2.0', origin: `org/tiny at ${COMMIT}, from ${hub.url}` });
      expect(readdirSync(join(home, 'models'))).toEqual(['tiny']);
      const again = await pull(hub, home);
      expect([again.code, again.out]).toEqual([3, '']);
      expect(again.err).toContain('there is a model tiny');
      const before = hub.asked.length;
      const env = { LABSAGE_HOME: home, HF_ENDPOINT: hub.url, HTTP_PROXY: hub.url, HTTPS_PROXY: hub.url };
      expect((await labsage(['models', 'verify', 'tiny'], { cwd: folder, env })).code).toBe(0);
      expect((await labsage(['embed', 'x', '--embedder', 'tiny'], { cwd: folder, env })).code).toBe(0);
      expect((await labsage(['embed', 'x', '--embedder', 'org/other'], { cwd: folder, env })).code).toBe(4);
      expect([hub.asked.length, hub.tunnels.length]).toEqual([before, 0]);
    }),
  90_000,
);

test(
  'a language model, by HF_ENDPOINT, with a token that only the hub gets',
  () =>
    withHub(writer, async (hub) => {
      const home = newHome();
      const argv = ['models', 'pull', 'org/tiny', '--name', 'parrot'];
      const env = { LABSAGE_HOME: home, HF_ENDPOINT: `${hub.url}/`, HF_TOKEN: 'hf_secret' };
      const { code, out, err } = await labsage(argv, { cwd: folder, env });
      expect([code, err]).toEqual([0, '']);
      expect(out).toContain('parrot: a language model, 4096 tokens');
      expect(hub.asked.every(({ authorization }) => authorization === 'Bearer hf_secret')).toBe(true);
      expect(hub.asked.map(({ path }) => path).join()).toContain('onnx/model_q4.onnx');
      expect(hub.asked.map(({ path }) => path).join()).not.toContain('onnx/model.onnx');
      expect(await readFile(join(home, 'models', 'parrot', 'model.json'), 'utf8')).not.toContain('secret');
    }),
  60_000,
);

test('a connection that breaks off is gone on with where it stopped, within one run and in the next', async () => {
  const home = newHome();
  /** Half of what was asked for, then nothing; `times` over. */
  const cut =
    (most: number): Fault =>
    ({ path, range }, response, { bytes, times }) => {
      if (!path.endsWith('model_quantized.onnx') || times >= most) return false;
      const from = Number(/^bytes=(\d+)-$/u.exec(range ?? '')?.[1] ?? 0);
      response.writeHead(from > 0 ? 206 : 200, { 'content-length': bytes.length - from });
      response.write(bytes.subarray(from, from + Math.ceil((bytes.length - from) / 2)), () =>
        setTimeout(() => response.destroy(), 50),
      );
      return true;
    };
  await withHub(
    embedder,
    async (hub) => {
      const { code, out, err } = await pull(hub, home);
      expect([code, out]).toEqual([3, '']);
      expect(err).toMatch(/^error: \S+ broke the connection off [^\n]*goes on where it stopped[^\n]*\n$/u);
      expect(weightsOf(hub)).toHaveLength(5);
      expect(new Set(weightsOf(hub)).size).toBe(5);
    },
    cut(5),
  );
  await withHub(embedder, async (hub) => {
    expect((await pull(hub, home)).code).toBe(0);
    expect(weightsOf(hub)).toEqual([expect.stringMatching(/^bytes=\d{5,}-$/u)]);
    // What was whole is not fetched again.
    expect(hub.asked.filter(({ path }) => path.endsWith('/tokenizer.json'))).toEqual([]);
  });
}, 120_000);

test(
  'a server without ranges sends it all again; one that is busy is asked again',
  () =>
    withHub(
      embedder,
      async (hub) => {
        expect((await pull(hub, newHome())).code).toBe(0);
        expect(weightsOf(hub)).toEqual([undefined, expect.stringMatching(/^bytes=/u)]);
      },
      ({ path }, response, { bytes, times }) => {
        if (path.endsWith('/config.json') && !path.includes('Pooling') && times === 0) {
          response.writeHead(503);
          response.end();
          return true;
        }
        if (!path.endsWith('model_quantized.onnx')) return false;
        response.writeHead(200, { 'content-length': bytes.length });
        if (times === 0)
          response.write(bytes.subarray(0, 1000), () => setTimeout(() => response.destroy(), 50));
        else response.end(bytes);
        return true;
      },
    ),
  60_000,
);

test.each<[string, string]>([
  ['weights', 'model_quantized.onnx'],
  ['a small file', '/tokenizer_config.json'],
])(
  '%s with another checksum: exit 3, nothing is installed or left',
  async (_, name) => {
    const home = newHome();
    await withHub(
      embedder,
      async (hub) => {
        const { code, out, err } = await pull(hub, home);
        expect([code, out]).toEqual([3, '']);
        expect(err).toMatch(/is not what the hub says: its checksum is another/u);
        expect(existsSync(join(home, 'models', 'tiny'))).toBe(false);
        const left = readdirSync(join(home, 'models'), { recursive: true, encoding: 'utf8' });
        expect(left.filter((path) => `/${path}`.includes(name))).toEqual([]);
      },
      ({ path }, response, { bytes }) => {
        if (!path.endsWith(name)) return false;
        const changed = Buffer.from(bytes);
        changed[10] = (changed[10] ?? 0) ^ 1;
        response.end(changed);
        return true;
      },
    );
  },
  60_000,
);

test(
  'a proxy is used, and NO_PROXY spares it',
  () =>
    withHub(embedder, async (hub) => {
      const argv = ['models', 'pull', 'org/tiny', '--mirror', 'http://mirror.invalid:8080'];
      const env = { LABSAGE_HOME: newHome(), HTTP_PROXY: hub.url };
      expect((await labsage(argv, { cwd: folder, env })).code).toBe(0);
      expect(new Set(hub.tunnels)).toEqual(new Set(['mirror.invalid:8080']));
      const spared = await labsage(argv, {
        cwd: folder,
        env: { ...env, LABSAGE_HOME: newHome(), NO_PROXY: 'mirror.invalid' },
      });
      expect([spared.code, spared.out]).toEqual([3, '']);
      expect(spared.err).toMatch(
        /^error: http:\/\/mirror\.invalid:8080 cannot be reached \([A-Z_]+\)[^\n]*HTTPS_PROXY[^\n]*\n$/u,
      );
    }),
  90_000,
);

test.each<[string, string[], number, RegExp]>([
  ['a name that is none', ['models', 'pull', 'tiny'], 2, /OWNER\/MODEL/u],
  ['a model that is not there', ['models', 'pull', 'org/none'], 3, /has no .*org\/none/u],
  [
    'weights that are not there',
    ['models', 'pull', 'org/tiny', '--dtype', 'q4f16'],
    3,
    /no weights of the kind q4f16. It has: /u,
  ],
  ['an address that is none', ['models', 'pull', 'org/tiny', '--mirror', 'ftp://x'], 2, /names no endpoint/u],
])(
  '%s: one clear line',
  async (_, args, code, message) => {
    await withHub(embedder, async (hub) => {
      const env = { LABSAGE_HOME: newHome(), HF_ENDPOINT: hub.url };
      const ended = await labsage(args, { cwd: folder, env });
      expect([ended.code, ended.out]).toEqual([code, '']);
      expect(ended.err).toMatch(message);
      expect(ended.err.trim().split('\n')).toHaveLength(1);
    });
  },
  60_000,
);

test('a mirror that cannot be reached, one that refuses, one that is none', async () => {
  const home = newHome();
  const gone = await withHub(embedder, (hub) => Promise.resolve(hub));
  expect((await pull(gone, home)).err).toMatch(/^error: \S+ cannot be reached \(ECONNREFUSED\)/u);
  const refusing: Fault = (_, response) => {
    response.writeHead(401);
    response.end();
    return true;
  };
  await withHub(embedder, async (hub) => expect((await pull(hub, home)).err).toContain('HF_TOKEN'), refusing);
  const strange: Fault = (_, response) => {
    response.end('{"hello": 1}');
    return true;
  };
  await withHub(
    embedder,
    async (hub) => expect((await pull(hub, home)).err).toContain('does not answer as the hub does'),
    strange,
  );
}, 60_000);
