/** Lines of text or JSON → the same as JSON objects with their vectors, in order; both `embed` commands are made of it. */

import { ExitCode, ToolError } from './errors.js';
import { parseObject, readLines } from './lines.js';
import type { Embedder } from './types.js';

/** Texts held back until they are embedded together. */
const TEXTS_PER_ROUND = 32;

export interface EmbedInput {
  readonly embedText: string;
  /** Passed on; among them the `text`. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** An input for each line that is not blank. Throws (exit 3) for a JSON line without a text; the line is not shown. */
export async function* readEmbedInputs(
  stdin: NodeJS.ReadableStream,
  options: {
    readonly signal: AbortSignal;
    readonly hint: string;
    /** What is embedded of a JSON line; default its text. */
    readonly embedTextOf?: (fields: Readonly<Record<string, unknown>>, text: string) => string;
  },
): AsyncGenerator<EmbedInput> {
  const { signal, hint, embedTextOf } = options;
  let line = 0;
  for await (const given of readLines(stdin, { signal })) {
    line++;
    if (given.trim() === '') continue;
    if (!given.trimStart().startsWith('{')) yield { embedText: given, fields: { text: given } };
    else {
      const fields = parseObject(given);
      const text = fields?.['text'];
      if (fields === undefined || typeof text !== 'string') {
        const why = fields === undefined ? 'it is no JSON object' : 'it has no field "text"';
        throw new ToolError(ExitCode.input, `line ${line} of stdin is no text: ${why}`, { hint });
      }
      yield { embedText: embedTextOf?.(fields, text) ?? text, fields };
    }
  }
}

export async function* embedInputs(
  inputs: Iterable<EmbedInput> | AsyncIterable<EmbedInput>,
  options: {
    readonly embedder: Embedder;
    readonly role: 'query' | 'passage';
    readonly signal: AbortSignal;
  },
): AsyncGenerator<Readonly<Record<string, unknown>> & { readonly vector: number[] }> {
  const { embedder, role, signal } = options;
  const withVectors = async (round: readonly EmbedInput[]): Promise<ReturnType<typeof joined>[]> => {
    const vectors = await embedder.embed(
      round.map(({ embedText }) => embedText),
      role,
    );
    return round.map(({ fields }, at) => joined(fields, vectors[at]));
  };
  let waiting: EmbedInput[] = [];
  for await (const input of inputs) {
    signal.throwIfAborted();
    waiting.push(input);
    if (waiting.length < TEXTS_PER_ROUND) continue;
    yield* await withVectors(waiting);
    waiting = [];
  }
  if (waiting.length > 0) yield* await withVectors(waiting);
}

function joined(
  fields: EmbedInput['fields'],
  vector: Float32Array | undefined,
): EmbedInput['fields'] & { readonly vector: number[] } {
  return { ...fields, vector: Array.from(vector ?? []) };
}
