/** Nothing in → a real Chroma server on this machine with an empty folder, for tests; and a fake one that replies as told. */

import { test } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The program of `pip install "chromadb==1.5.9"`: `$LABSAGE_CHROMA`, or `chroma` on the path. */
const CHROMA = process.env['LABSAGE_CHROMA'] ?? 'chroma';
const isThere = spawnSync(CHROMA, ['--version'], { stdio: 'ignore' }).status === 0;
const START_MS = 60_000;

/** Only where there is a Chroma; else a skip that says so. */
export function testWithChroma(name: string, work: () => Promise<void>): void {
  if (isThere) test(name, work);
  else test.skip(`${name} (no Chroma server: pip install "chromadb==1.5.9", or set LABSAGE_CHROMA)`, work);
}

export interface TestServer {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  close(): Promise<void>;
}

let running: Promise<TestServer> | undefined;

/** One for all tests of a file; each uses collections of its own. */
export function chromaServer(): Promise<TestServer> {
  return (running ??= startChroma());
}

/** To be called after the last test of a file. */
export async function stopChroma(): Promise<void> {
  await (await running)?.close();
  running = undefined;
}

async function startChroma(): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'labsage-chroma-'));
  const port = await freePort();
  const child = spawn(CHROMA, ['run', '--path', folder, '--host', '127.0.0.1', '--port', String(port)], {
    stdio: 'ignore',
    env: { ...process.env, ANONYMIZED_TELEMETRY: 'False' },
  });
  const url = `http://127.0.0.1:${port}`;
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  for (const endMs = Date.now() + START_MS; ; await sleep(100)) {
    const answers = await fetch(`${url}/api/v2/heartbeat`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (answers) return { url, close };
    if (Date.now() > endMs || child.exitCode !== null) {
      await close();
      throw new Error('chroma run did not start');
    }
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export interface AskedOfChroma {
  readonly method: string;
  /** After `/api/v2`; a collection's as `/VERB`. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage['headers'];
}

/** A value is sent as JSON; a function writes the response itself. */
export type ChromaReply = object | string | number | ((response: ServerResponse) => void);

const COLLECTIONS = '/tenants/default_tenant/databases/default_database/collections';

/** Version and limits are those of 1.5.9, a collection has what it was made with, where `script` says nothing else. */
export async function fakeChroma(
  script: (asked: AskedOfChroma) => ChromaReply | undefined,
): Promise<TestServer & { readonly asked: readonly AskedOfChroma[] }> {
  const asked: AskedOfChroma[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const path = (request.url ?? '').replace('/api/v2', '').replace(`${COLLECTIONS}/id`, '');
      const { method = '', headers } = request;
      const one = {
        method,
        path,
        headers,
        body: JSON.parse(text === '' ? '{}' : text) as AskedOfChroma['body'],
      };
      asked.push(one);
      const reply = script(one) ?? usual(one);
      if (typeof reply === 'function') {
        reply(response);
        return;
      }
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(reply));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function usual({ path, body }: AskedOfChroma): ChromaReply {
  if (path === '/version') return '1.0.0';
  if (path === '/pre-flight-checks') return { max_batch_size: 5461, supports_base64_encoding: true };
  if (path === COLLECTIONS) return { id: 'id', metadata: body['metadata'] };
  if (path === '/count') return 0;
  return { ids: [], embeddings: [], metadatas: [] };
}
