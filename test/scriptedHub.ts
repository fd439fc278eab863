/** Files as texts or bytes → a local mirror of the hub that serves them, with checksums, ranges, and faults when told to. */

import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';

export const COMMIT = 'c0ffee00112233445566778899aabbccddeeff00';

export interface HubRequest {
  readonly path: string;
  readonly range: string | undefined;
  readonly authorization: string | undefined;
}

export interface ScriptedHub {
  readonly url: string;
  readonly asked: readonly HubRequest[];
  /** Host and port of each connection that went through it as a proxy. */
  readonly tunnels: readonly string[];
  close(): Promise<void>;
}

/** Answers in its own way and gives true, or false for what the hub would answer. */
export type Fault = (
  request: HubRequest,
  response: ServerResponse,
  file: { bytes: Buffer; times: number },
) => boolean;

export async function scriptedHub(
  repo: string,
  files: Readonly<Record<string, Buffer>>,
  fault: Fault = () => false,
): Promise<ScriptedHub> {
  const asked: HubRequest[] = [];
  const tunnels: string[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { range, authorization } = request.headers;
    const one = { path: decodeURIComponent(request.url ?? ''), range, authorization };
    const times = asked.filter(({ path }) => path === one.path).length;
    asked.push(one);
    const name = one.path.replace(`/${repo}/resolve/${COMMIT}/`, '');
    const bytes = files[name] ?? Buffer.alloc(0);
    if (fault(one, response, { bytes, times })) return;
    if (one.path === `/api/models/${repo}/revision/main`)
      return json(response, { sha: COMMIT, cardData: { license: 'apache-2.0' } });
    if (one.path === `/api/models/${repo}/tree/${COMMIT}?recursive=true`)
      return json(response, Object.entries(files).map(entryOf));
    if (!Object.hasOwn(files, name)) {
      response.statusCode = 404;
      response.end();
      return;
    }
    const from = Number(/^bytes=(\d+)-$/u.exec(range ?? '')?.[1] ?? 0);
    response.statusCode = from > 0 ? 206 : 200;
    response.end(bytes.subarray(from));
  };
  const server = createServer(answer);
  // As a proxy: every host is this one.
  server.on('connect', (request: IncomingMessage, socket) => {
    tunnels.push(request.url ?? '');
    const through = connect((server.address() as AddressInfo).port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(through).pipe(socket);
    });
    through.on('error', () => socket.destroy());
    socket.on('error', () => through.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    tunnels,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Large files by their content's hash, small ones as git blobs. */
function entryOf([path, bytes]: [string, Buffer]): object {
  const size = bytes.length;
  const oid = createHash('sha1').update(`blob ${size}\0`).update(bytes).digest('hex');
  if (!path.endsWith('.onnx')) return { type: 'file', path, size, oid };
  return {
    type: 'file',
    path,
    size,
    oid,
    lfs: { oid: createHash('sha256').update(bytes).digest('hex'), size },
  };
}

function json(response: ServerResponse, value: unknown): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(value));
}
