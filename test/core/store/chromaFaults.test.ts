/** Servers that are down, slow, old, or lie: each is one line that says what to do, and nothing of what they sent is used. */

import { expect, test } from '@jest/globals';
import { openServerVectors, vectorKey, type ServerVectors } from '../../../src/core/store/serverVectors.js';
import { parseStore, type ServerPlace } from '../../../src/core/store/storeName.js';
import { fakeChroma, freePort, type AskedOfChroma, type ChromaReply } from '../../chromaServer.js';
import { wordFingerprint } from '../../wordEmbedder.js';

const KEY = vectorKey('7', 'hash');

function placeAt(url: string): ServerPlace {
  const place = parseStore(`chroma:${url}/notes`);
  if (place === undefined) throw new Error('no place');
  return place;
}

function open(url: string, options: object = {}): Promise<ServerVectors> {
  return openServerVectors(placeAt(url), {
    fingerprint: wordFingerprint('words', 2),
    groupField: 'patient',
    create: true,
    timeoutMs: 300,
    backoffMs: 1,
    ...options,
  });
}

/** The one line that a user reads. */
async function lineOf(work: Promise<unknown>): Promise<string> {
  const error = (await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )) as { exitCode?: number; message: string; hint?: string } | undefined;
  return `${error?.exitCode}: ${error?.message}. ${error?.hint}`;
}

async function withFake(
  script: (asked: AskedOfChroma) => ChromaReply | undefined,
  work: (url: string, asked: readonly AskedOfChroma[]) => Promise<void>,
): Promise<void> {
  const server = await fakeChroma(script);
  try {
    await work(server.url, server.asked);
  } finally {
    await server.close();
  }
}

test('a server that is not running', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  expect(await lineOf(open(url))).toBe(
    `3: the Chroma server at ${url} is not running there. start it with: chroma run --path FOLDER, or name another with --store`,
  );
});

test.each<[string, (asked: AskedOfChroma) => ChromaReply | undefined, string]>([
  ['is slow', ({ path }) => (path === '/version' ? () => undefined : undefined), 'gave no reply in 0.3 s'],
  [
    'is Chroma 0.6',
    ({ path }) => (path === '/version' ? '0.6.3' : undefined),
    'has version 0.6.3. name a Chroma server of version 1.x',
  ],
  [
    'has no API v2',
    () => (response) => void response.writeHead(404).end('{"detail":"Not Found"}'),
    'does not speak the API v2 of Chroma 1.x. name',
  ],
  ['is no Chroma', () => (response) => void response.end('<html>'), 'sent something that is no JSON'],
  ['takes no base64', ({ path }) => (path === '/pre-flight-checks' ? {} : undefined), 'is an early 1.x'],
  [
    'wants a token',
    () => (response) => void response.writeHead(401).end('{}'),
    'answered with HTTP status 401. put its token into the environment variable LABSAGE_STORE_TOKEN',
  ],
  [
    'leads elsewhere',
    () => (response) => void response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(),
    'redirects to another address',
  ],
])('a server that %s', async (_what, script, line) => {
  await withFake(script, async (url) => {
    const said = await lineOf(open(url));
    expect(said.startsWith('3: ')).toBe(true);
    expect(said).toContain(`server at ${url} ${line}`);
  });
});

test('what may pass is tried again, and the token is sent', async () => {
  let failures = 0;
  await withFake(
    ({ path }) =>
      path === '/upsert' && failures++ < 2
        ? (response) => void response.writeHead(503).end('{"error":"Busy","message":"words of the chart"}')
        : undefined,
    async (url, asked) => {
      const server = await open(url, { token: 'secret' });
      await server.write([{ key: KEY, group: '7', vector: Float32Array.from([1, 0]) }]);
      expect(asked.filter(({ path }) => path === '/upsert')).toHaveLength(3);
      expect(asked.every(({ headers }) => headers.authorization === 'Bearer secret')).toBe(true);
      failures = -9;
      const said = await lineOf(server.write([{ key: KEY, group: '7', vector: Float32Array.from([1, 0]) }]));
      expect(said).toContain('answered with HTTP status 503 (Busy) (4 attempts)');
      expect(said).not.toContain('words of the chart');
    },
  );
});

test('only ids, groups, checksums and vectors are sent', async () => {
  await withFake(
    () => undefined,
    async (url, asked) => {
      const server = await open(url);
      await server.write([{ key: KEY, group: '7', vector: Float32Array.from([0.6, 0.8]) }]);
      await server.read([KEY], { group: '7' });
      const sent = asked.filter(({ path }) => path === '/upsert' || path === '/get');
      expect(sent.map(({ body }) => Object.keys(body).sort())).toEqual([
        ['embeddings', 'ids', 'metadatas'],
        ['ids', 'include', 'where'],
      ]);
      const [{ body }] = sent as [AskedOfChroma];
      expect(Object.keys((body['metadatas'] as object[])[0] ?? {}).sort()).toEqual(['check', 'patient']);
      expect(sent[1]?.body['where']).toEqual({ patient: { $in: ['7'] } });
    },
  );
});

test.each([
  ['another patient', { patient: '8' }, KEY, [1, 0], 'gave a record of another patient'],
  ['no patient', {}, KEY, [1, 0], 'gave a record of another patient'],
  ['another id', {}, 'x', [1, 0], 'gave a record that was not asked for'],
  ['another vector', {}, KEY, [0, 1], 'holds a damaged vector'],
])('a record of %s is refused', async (what, changed, id, vector, line) => {
  let written: Readonly<Record<string, unknown>> = {};
  await withFake(
    ({ path, body }) => {
      if (path === '/upsert') written = (body['metadatas'] as (typeof written)[])[0] ?? {};
      if (path !== '/get') return undefined;
      const metadata = what === 'no patient' ? { check: written['check'] } : { ...written, ...changed };
      return { ids: [id], embeddings: [vector], metadatas: [metadata] };
    },
    async (url) => {
      const server = await open(url);
      await server.write([{ key: KEY, group: '7', vector: Float32Array.from([1, 0]) }]);
      expect(await lineOf(server.read([KEY], { group: '7' }))).toContain(line);
    },
  );
});

test('a collection of another program, or of another index, is left alone', async () => {
  await withFake(
    ({ method, path }) =>
      method === 'POST' && path.endsWith('/collections')
        ? {
            id: 'id',
            metadata: {
              program: 'labsage',
              embedder: JSON.stringify(wordFingerprint('words', 2)),
              owner: 'a',
            },
          }
        : undefined,
    async (url) => {
      expect(await lineOf(open(url))).toContain('was not made by clirag');
      expect(await lineOf(open(url, { groupField: 'document', owner: 'b' }))).toContain(
        'belongs to another index. name another collection with --store',
      );
      expect((await open(url, { groupField: 'document', owner: 'a' })).place.collection).toBe('notes');
    },
  );
});

test('another machine is refused before anything is sent, unless it is allowed', async () => {
  expect(await lineOf(open('http://192.0.2.1:8000'))).toBe(
    '2: 192.0.2.1:8000 is another machine: vectors made from your documents would go there. add --allow-remote if your institution permits that',
  );
  expect(await lineOf(open('http://192.0.2.1:8000', { allowRemote: true, attempts: 1 }))).toMatch(/^3: /u);
});

test.each([
  ['chroma:notes', 'names no store'],
  ['chroma:ftp://127.0.0.1/notes', 'names no store'],
  ['http://127.0.0.1:8000/notes', 'names no store'],
  ['chroma:http://me:secret@127.0.0.1:8000/notes', 'a store is named without user and password'],
  ['chroma:http://127.0.0.1:8000/n', "can't be the name of a collection"],
  ['chroma:http://127.0.0.1:8000/..', "can't be the name of a collection"],
])('%s names no store', (name, line) => {
  expect(() => parseStore(name)).toThrow(line);
  expect(() => parseStore(name)).not.toThrow('secret');
});

test('a store is named by address and collection, also behind a path', () => {
  expect(parseStore('file')).toBeUndefined();
  expect(parseStore('chroma:https://vectors.example/chroma/sops')).toEqual({
    url: 'https://vectors.example/chroma',
    collection: 'sops',
    name: 'chroma:https://vectors.example/chroma/sops',
  });
});
