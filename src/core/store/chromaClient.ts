/** A Chroma server's HTTP API (v2) → collections of vectors, with time limits, retries and errors of one line. */

import { ExitCode, ToolError } from '../errors.js';
import {
  eitherOf,
  networkFailure,
  refuseRemote,
  RETRIED_STATUS,
  tryAgain,
  type AttemptOptions,
  type Failure,
} from '../endpoint.js';

export interface ChromaOptions extends AttemptOptions {
  /** Also on another machine: vectors, ids and groups then leave this one. */
  readonly allowRemote?: boolean | undefined;
  /** Sent as a bearer token; never shown. */
  readonly token?: string | undefined;
  /** Of one attempt; default 60 s. */
  readonly timeoutMs?: number;
}

export type Metadata = Readonly<Record<string, string | number>>;
/** Chroma's filter language; only what is used here. */
export type Where = Readonly<
  Record<string, { readonly $in: readonly string[] } | { readonly $nin: readonly string[] }>
>;

export interface ChromaRecord {
  readonly id: string;
  readonly metadata: Metadata;
  readonly vector: Float32Array;
}

export interface ChromaCollection {
  readonly metadata: Metadata;
  /** Most records that one request may write. */
  readonly maxBatch: number;
  count(): Promise<number>;
  /** Which of these are there. */
  present(ids: readonly string[]): Promise<string[]>;
  /** A page of all ids, in the server's order. */
  page(at: { offset: number; limit: number }): Promise<string[]>;
  get(ids: readonly string[], where?: Where): Promise<ChromaRecord[]>;
  /** The server's approximate search: ids with their distances (1 - inner product), nearest first. */
  query(
    vector: Float32Array,
    options: { top: number; where?: Where | undefined },
  ): Promise<{ id: string; distance: number }[]>;
  upsert(records: readonly ChromaRecord[]): Promise<void>;
  delete(ids: readonly string[]): Promise<void>;
}

export interface ChromaServer {
  readonly url: string;
  /** Undefined where there is none. */
  find(name: string): Promise<ChromaCollection | undefined>;
  /** The one that is there, or a new one with this metadata. */
  create(name: string, metadata: Metadata): Promise<ChromaCollection>;
  /** With all its records; nothing where it is gone. */
  drop(name: string): Promise<void>;
}

const COLLECTIONS = '/api/v2/tenants/default_tenant/databases/default_database/collections';

/**
 * Unit vectors under the inner product: for `cosine` the server would scale them anew and hand out other last bits.
 * Twice as wide as Chroma's own, for fewer misses where a question's 2,000 candidates are a small part of all.
 */
const HNSW = { space: 'ip', ef_construction: 200, ef_search: 200, max_neighbors: 32 };

/**
 * Opens no connection but to ask for the version. Throws (exit 2) for another machine that was not allowed, (exit 3)
 * where the server is down, slow, or of another version.
 */
export async function openChroma(url: string, options: ChromaOptions = {}): Promise<ChromaServer> {
  refuseRemote(url, { allowRemote: options.allowRemote, what: 'vectors made from your documents' });
  const send = <Reply>(method: string, path: string, body?: object): Promise<Reply> =>
    request(url, { method, path, body }, options) as Promise<Reply>;
  const maxBatch = await checkVersion(url, send);
  const open = (found: { id?: unknown; metadata?: unknown }): ChromaCollection => {
    if (typeof found.id !== 'string') throw unexpected(url);
    const metadata = (found.metadata ?? {}) as Metadata;
    return openCollection(`${COLLECTIONS}/${found.id}`, { url, send, metadata, maxBatch });
  };
  return {
    url,
    async find(name) {
      const found = await send<{ id?: unknown } | undefined>('GET', `${COLLECTIONS}/${name}`);
      return found === undefined ? undefined : open(found);
    },
    async create(name, metadata) {
      const body = { name, metadata, get_or_create: true, configuration: { hnsw: HNSW } };
      return open((await send<{ id?: unknown } | undefined>('POST', COLLECTIONS, body)) ?? {});
    },
    async drop(name) {
      await send('DELETE', `${COLLECTIONS}/${name}`);
    },
  };
}

type Send = <Reply>(method: string, path: string, body?: object) => Promise<Reply>;

/** Every 1.x says 1.0.0 here; what is used beyond that is asked for by name. */
async function checkVersion(url: string, send: Send): Promise<number> {
  const [version, limits] = await Promise.all([
    send<unknown>('GET', '/api/v2/version'),
    send<{ max_batch_size?: unknown; supports_base64_encoding?: unknown } | undefined>(
      'GET',
      '/api/v2/pre-flight-checks',
    ),
  ]);
  if (typeof version !== 'string') throw otherVersion(url, 'does not speak the API v2 of Chroma 1.x');
  if (!version.startsWith('1.')) throw otherVersion(url, `has version ${version.slice(0, 20)}`);
  const { max_batch_size: maxBatch, supports_base64_encoding: takesBase64 } = limits ?? {};
  if (typeof maxBatch !== 'number' || takesBase64 !== true)
    throw otherVersion(url, 'is an early 1.x that takes no vectors in base64');
  return maxBatch;
}

function otherVersion(url: string, what: string): ToolError {
  return new ToolError(ExitCode.input, `the server at ${url} ${what}`, {
    hint: 'name a Chroma server of version 1.x, such as 1.5.9',
  });
}

function unexpected(url: string): ToolError {
  return new ToolError(ExitCode.input, `the server at ${url} sent something that Chroma 1.x does not`, {
    hint: 'check the address and its version',
  });
}

function openCollection(
  path: string,
  { url, send, metadata, maxBatch }: { url: string; send: Send; metadata: Metadata; maxBatch: number },
): ChromaCollection {
  const rows = (value: unknown): unknown[] => {
    if (!Array.isArray(value)) throw unexpected(url);
    return value;
  };
  const post = async (verb: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
    const reply = await send<Readonly<Record<string, unknown>> | undefined>('POST', `${path}/${verb}`, body);
    if (reply === undefined) throw new ToolError(ExitCode.input, `the collection on ${url} is gone`, GONE);
    return reply;
  };
  return {
    metadata,
    maxBatch,
    async count() {
      const count = await send<unknown>('GET', `${path}/count`);
      if (count === undefined) throw new ToolError(ExitCode.input, `the collection on ${url} is gone`, GONE);
      return Number(count);
    },
    async present(ids) {
      if (ids.length === 0) return [];
      return rows((await post('get', { ids, include: [] }))['ids']).map(String);
    },
    async page({ offset, limit }) {
      return rows((await post('get', { offset, limit, include: [] }))['ids']).map(String);
    },
    async get(ids, where) {
      if (ids.length === 0) return [];
      const reply = await post('get', {
        ids,
        include: ['embeddings', 'metadatas'],
        ...(where === undefined ? {} : { where }),
      });
      const vectors = rows(reply['embeddings']);
      const metadatas = rows(reply['metadatas']);
      return rows(reply['ids']).map((id, at) => ({
        id: String(id),
        metadata: (metadatas[at] ?? {}) as Metadata,
        vector: Float32Array.from(rows(vectors[at]) as number[]),
      }));
    },
    async query(vector, { top, where }) {
      const reply = await post('query', {
        query_embeddings: [Array.from(vector)],
        n_results: top,
        include: ['distances'],
        ...(where === undefined ? {} : { where }),
      });
      const distances = rows(rows(reply['distances'])[0]);
      return rows(rows(reply['ids'])[0]).map((id, at) => ({
        id: String(id),
        distance: Number(distances[at]),
      }));
    },
    async upsert(records) {
      for (let from = 0; from < records.length; from += maxBatch) {
        const batch = records.slice(from, from + maxBatch);
        await post('upsert', {
          ids: batch.map(({ id }) => id),
          embeddings: batch.map(({ vector }) => toBase64(vector)),
          metadatas: batch.map((record) => record.metadata),
        });
      }
    },
    async delete(ids) {
      for (let from = 0; from < ids.length; from += maxBatch)
        await post('delete', { ids: ids.slice(from, from + maxBatch) });
    },
  };
}

const GONE = { hint: 'run the index command again: it writes what is missing' };

/** float32, little endian. */
function toBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, dim) => bytes.writeFloatLE(value, dim * 4));
  return bytes.toString('base64');
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body: object | undefined;
}

/** The reply's JSON; undefined for 404. Every request of this file can be sent twice without harm. */
function request(url: string, what: Request, options: ChromaOptions): Promise<unknown> {
  return tryAgain(() => requestOnce(url, what, options), {
    ...options,
    error: ({ reason, hint }, tries) =>
      new ToolError(ExitCode.input, `the Chroma server at ${url} ${reason}${tries}`, {
        hint: hint ?? 'look at its log, and run the command again: it goes on where it stopped',
      }),
  });
}

async function requestOnce(
  url: string,
  { method, path, body }: Request,
  { timeoutMs = 60_000, token, signal }: ChromaOptions,
): Promise<{ reply: unknown } | Failure> {
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === undefined || token === '' ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: eitherOf(limit, signal),
      // A redirect could lead to another machine.
      redirect: 'error',
    });
    const text = await response.text();
    if (response.status === 404) return { reply: undefined };
    if (!response.ok) return statusFailure(response.status, text);
    return { reply: JSON.parse(text) as unknown };
  } catch (error) {
    signal?.throwIfAborted();
    if (limit.aborted) return { reason: `gave no reply in ${timeoutMs / 1000} s`, isPassing: false };
    if (error instanceof SyntaxError)
      return { reason: 'sent something that is no JSON', hint: 'check the address', isPassing: false };
    const failure = networkFailure(error);
    return failure.reason === 'is not running there'
      ? { ...failure, hint: 'start it with: chroma run --path FOLDER, or name another with --store' }
      : failure;
  }
}

/** The server's own message may repeat what it was sent and is not passed on. */
function statusFailure(status: number, text: string): Failure {
  const name = /"error":"(\w{1,40})"/u.exec(text)?.[1];
  const reason = `answered with HTTP status ${status}${name === undefined ? '' : ` (${name})`}`;
  if (status === 401 || status === 403) {
    return {
      reason,
      hint: 'put its token into the environment variable LABSAGE_STORE_TOKEN',
      isPassing: false,
    };
  }
  return { reason, isPassing: RETRIED_STATUS.has(status) };
}
