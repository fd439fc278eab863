/** Streams that are texts: what a command reads, and what it wrote on each side. */

import { Readable, Writable } from 'node:stream';
import type { Io } from '../src/core/output.js';

export interface MemoryIo extends Io {
  readonly out: () => string;
  readonly err: () => string;
}

export function memoryIo(
  options: {
    stdin?: string;
    env?: Record<string, string>;
    cwd?: string;
    signal?: AbortSignal;
    /** What writing to stdout fails with. */
    fails?: Error;
  } = {},
): MemoryIo {
  const out: string[] = [];
  const err: string[] = [];
  return {
    stdin: Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]),
    stdout: collector(out, options.fails),
    stderr: collector(err),
    env: options.env ?? {},
    cwd: options.cwd ?? '/',
    signal: options.signal ?? new AbortController().signal,
    out: () => out.join(''),
    err: () => err.join(''),
  };
}

function collector(into: string[], error?: Error): Writable {
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      into.push(chunk.toString());
      done(error ?? null);
    },
  });
  stream.on('error', () => undefined);
  return stream;
}
