/** A stream of UTF-8 → its lines: an error of the stream, or an interrupt, reaches whoever reads them. */

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
  // Cuts off a byte order mark.
  const decoder = new TextDecoder('utf-8');
  let pending = '';
  try {
    for await (const chunk of stream) {
      pending += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
      const lines = pending.split('\n');
      pending = lines.pop() ?? '';
      for (const line of lines) yield withoutReturn(line);
    }
    signal?.throwIfAborted();
    pending += decoder.decode();
    if (pending !== '') yield withoutReturn(pending);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
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
