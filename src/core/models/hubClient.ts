/** The address of the hub or a mirror → its lists and files over the network, with proxy, token, time limits, retries and resumption. */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher, Response } from 'undici';
import { parseAddress } from '../endpoint.js';
import { ExitCode, ToolError, systemCode } from '../errors.js';
import type { HubFile } from './hubFiles.js';

export const HUB = 'https://huggingface.co';

export interface HubClient {
  /** Without a trailing slash. */
  readonly base: string;
  /** Throws (exit 3) where the hub cannot be reached or refuses. */
  readonly readJson: (path: string) => Promise<unknown>;
  /** All pages of a list. */
  readonly readList: (path: string) => Promise<unknown[]>;
  /** Goes on where an earlier attempt stopped. Throws (exit 3) also for a file that is not what the hub said. */
  readonly fetchFile: (from: string, to: string, options: FetchOptions) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface FetchOptions {
  readonly file: HubFile;
  /** Bytes of this file that are there. */
  readonly onBytes: (bytes: number) => void;
}

export interface HubOptions {
  readonly mirror?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Before the second attempt, doubled before each further one; default 500. */
  readonly backoffMs?: number;
}

const ATTEMPTS = 5;
const MOST_PAGES = 100;
/** Longest silence of the hub. */
const IDLE_MS = 60_000;
const RETRIED_STATUS = new Set([408, 425, 429, 500, 502, 503, 504]);

/** `--mirror` before HF_ENDPOINT before the hub itself; proxies as HTTPS_PROXY, HTTP_PROXY and NO_PROXY say. Throws (exit 2) for an address that is none. */
export async function openHub({ mirror, env, signal, backoffMs = 500 }: HubOptions): Promise<HubClient> {
  const stated = mirror ?? (env['HF_ENDPOINT'] === '' ? undefined : env['HF_ENDPOINT']) ?? HUB;
  const url = parseAddress(stated, { name: stated, form: 'https://mirror.example.org' });
  const base = `${url.origin}${url.pathname.replace(/\/+$/u, '')}`;
  const { EnvHttpProxyAgent, fetch } = await import('undici');
  const setting = (name: string): string | undefined => env[name.toLowerCase()] ?? env[name];
  const dispatcher: Dispatcher = new EnvHttpProxyAgent({
    httpProxy: setting('HTTP_PROXY') ?? '',
    httpsProxy: setting('HTTPS_PROXY') ?? '',
    noProxy: setting('NO_PROXY') ?? '',
    bodyTimeout: IDLE_MS,
    headersTimeout: IDLE_MS,
  });
  const token = env['HF_TOKEN'] ?? '';
  const request = (address: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(address, {
      dispatcher,
      signal,
      headers: { ...headers, ...(token === '' ? {} : { authorization: `Bearer ${token}` }) },
    });
  const retried = (what: string, attempt: () => Promise<Outcome>): Promise<Response> =>
    tryAgain(attempt, { what, base, signal, backoffMs });
  const getList = async (address: string): Promise<Response> =>
    retried(address, async () => ({ response: await request(address) }));
  return {
    base,
    readJson: async (path) => (await getList(`${base}/${path}`)).json(),
    async readList(path) {
      const all: unknown[] = [];
      let next: string | undefined = `${base}/${path}`;
      for (let page = 0; next !== undefined && page < MOST_PAGES; page++) {
        const response: Response = await getList(next);
        const part = await response.json();
        if (!Array.isArray(part)) return [part];
        all.push(...(part as unknown[]));
        next = nextPage(response, base);
      }
      return all;
    },
    async fetchFile(from, to, { file, onBytes }) {
      await mkdir(dirname(to), { recursive: true, mode: 0o700 });
      const part = `${to}.part`;
      if (!(await isWhole(to))) {
        await retried(file.path, async () => {
          const have = await sizeOf(part);
          if (have > file.bytes) await rm(part, { force: true });
          else if (have === file.bytes && have > 0) return { isDone: true };
          const range: Record<string, string> = have > 0 ? { range: `bytes=${have}-` } : {};
          const response = await request(`${base}/${from}`, range);
          if (!response.ok) return { response };
          await append(response, part, { from: response.status === 206 ? have : 0, most: file.bytes, onBytes });
          return (await sizeOf(part)) < file.bytes ? { isCut: true } : { isDone: true };
        });
        await checkHash(part, file);
        await rename(part, to);
      }
      onBytes(file.bytes);
    },
    close: () => dispatcher.close(),
  };
}

/** `response` of any status, or that a file is there, or only a part of it. */
type Outcome = { readonly response?: Response; readonly isDone?: true; readonly isCut?: true };

async function tryAgain(
  attempt: () => Promise<Outcome>,
  options: { what: string; base: string; signal: AbortSignal; backoffMs: number },
): Promise<Response> {
  const { what, base, signal, backoffMs } = options;
  for (let at = 1; ; at++) {
    signal.throwIfAborted();
    let fault: ToolError;
    try {
      const { response, isDone, isCut } = await attempt();
      if (isDone === true || response?.ok === true) return response as Response;
      fault = isCut === true || response === undefined ? broken(base, 'broke off') : refused(response, what, base);
      if (response !== undefined && !RETRIED_STATUS.has(response.status)) throw fault;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ToolError) throw error;
      const { cause } = error as { cause?: unknown };
      const code = systemCode(cause) ?? systemCode(error);
      if (code === 'ENOSPC' || code === 'EACCES' || code === 'EROFS') throw error;
      const isAbsent = code === 'ECONNREFUSED' || code === 'ENOTFOUND';
      fault = broken(base, `${isAbsent ? 'cannot be reached' : 'broke the connection off'} (${code ?? 'unknown'})`);
      if (isAbsent) throw fault;
    }
    if (at >= ATTEMPTS) throw fault;
    await sleep(backoffMs * 2 ** (at - 1), undefined, { signal });
  }
}

function broken(base: string, what: string): ToolError {
  return new ToolError(ExitCode.input, `${base} ${what}`, {
    hint: 'the same command goes on where it stopped; behind a proxy set HTTPS_PROXY, for a mirror --mirror; or carry the model over: labsage models export, then import',
  });
}

function refused({ status }: Response, what: string, base: string): ToolError {
  if (status === 401 || status === 403)
    return new ToolError(ExitCode.input, `${base} refuses ${what} (HTTP status ${status})`, {
      hint: 'check its name; for one with conditions put your token into the environment variable HF_TOKEN',
    });
  if (status === 404) return new ToolError(ExitCode.input, `${base} has no ${what}`, { hint: 'check the name and the revision' });
  return new ToolError(ExitCode.input, `${base} answered with HTTP status ${status} for ${what}`, {
    hint: 'try again later: the same command goes on where it stopped',
  });
}

/** Of the same hub only: a list must not lead elsewhere. */
function nextPage(response: Response, base: string): string | undefined {
  const [, next] = /<([^>]+)>;\s*rel="next"/u.exec(response.headers.get('link') ?? '') ?? [];
  return next?.startsWith(`${base}/`) === true ? next : undefined;
}

async function append(
  response: Response,
  path: string,
  { from, most, onBytes }: { from: number; most: number; onBytes: (bytes: number) => void },
): Promise<void> {
  const file = await open(path, from > 0 ? 'a' : 'w', 0o600);
  let bytes = from;
  try {
    for await (const chunk of response.body ?? []) {
      const data = chunk as Uint8Array;
      bytes += data.length;
      // A server that never ends must not fill the disk; what is too long fails its checksum.
      if (bytes > most) throw new ToolError(ExitCode.input, `${path} is longer than the hub says`);
      await file.write(data);
      onBytes(bytes);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

async function checkHash(path: string, { path: name, bytes, hash }: HubFile): Promise<void> {
  const digest = createHash(hash.kind === 'sha256' ? 'sha256' : 'sha1');
  if (hash.kind === 'git-sha1') digest.update(`blob ${bytes}\0`);
  for await (const part of createReadStream(path)) digest.update(part as Buffer);
  if (digest.digest('hex') === hash.hex) return;
  await rm(path, { force: true });
  throw new ToolError(ExitCode.input, `${name} is not what the hub says: its checksum is another`, {
    hint: 'it was damaged on the way and is deleted: pull again',
  });
}

/** Only a checked file has its own name. */
async function isWhole(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
