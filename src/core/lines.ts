/** A file or stream of UTF-8 → its lines. Only a line feed ends one: U+2028, at which Node's readline splits, may stand in a quote. */

import { createReadStream } from 'node:fs';
import { systemCode } from './errors.js';

export interface StreamedLine {
  /** Without its line feed. */
  readonly text: string;
  /** False for a last line that ends with the file. */
  readonly isWhole: boolean;
}

/**
 * Lines without their ends (`\n` or `\r\n`) and without a byte order mark. Throws the stream's own error, or the signal's
 * reason when it is aborted, also while no line comes.
 */
export async function* readLines(
  stream: NodeJS.ReadableStream,
  options: { signal?: AbortSignal } = {},
): AsyncGenerator<string> {
  const { signal } = options;
  signal?.throwIfAborted();
  const source = stream as NodeJS.ReadableStream & { destroy?: (error?: Error) => void };
  const stop = (): void => source.destroy?.(signal?.reason as Error);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    for await (const { text } of splitLines(stream, { keepMark: false }))
      yield text.endsWith('\r') ? text.slice(0, -1) : text;
    signal?.throwIfAborted();
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** Lines of a file, every character kept but the line feed. A file that isn't there has no lines. */
export async function* streamLines(path: string): AsyncGenerator<StreamedLine> {
  try {
    yield* splitLines(createReadStream(path), { keepMark: true });
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return;
    throw error;
  }
}

/** Holds one line and one chunk in memory at a time; `keepMark`: a byte order mark is part of the first line. */
export async function* splitLines(
  chunks: AsyncIterable<string | Uint8Array>,
  options: { keepMark: boolean },
): AsyncGenerator<StreamedLine> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: options.keepMark });
  let pending: string[] = [];
  for await (const chunk of chunks) {
    const pieces = (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })).split('\n');
    const last = pieces.pop() ?? '';
    for (const piece of pieces) {
      yield { text: pending.join('') + piece, isWhole: true };
      pending = [];
    }
    if (last !== '') pending.push(last);
  }
  const rest = decoder.decode();
  if (rest !== '') pending.push(rest);
  if (pending.length > 0) yield { text: pending.join(''), isWhole: false };
}

/** A JSON object, or undefined for anything else: the parser's own messages quote the line, so they are not passed on. */
export function parseObject(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
