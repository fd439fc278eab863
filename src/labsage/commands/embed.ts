/** `labsage embed`: texts from the command line or stdin → JSON lines with their vectors. */

import { DEFAULT_EMBEDDER, resolvePaths } from '../../core/config.js';
import { createEmbedder } from '../../core/embedder.js';
import { ExitCode, ToolError } from '../../core/errors.js';
import { parseObject, readLines } from '../../core/lines.js';
import { findModel } from '../../core/models/modelFiles.js';
import type { CommandContext } from '../../core/program.js';
import { proveModel } from './openSearch.js';

interface EmbedFlags {
  readonly embedder?: string;
  readonly role: 'query' | 'passage';
  readonly threads?: number;
}

/** Texts held back until they are embedded together; output keeps the order of the input. */
const TEXTS_PER_ROUND = 32;

export async function embedCommand(
  args: readonly string[],
  flags: EmbedFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const paths = await resolvePaths(io.env);
  const model = await findModel(flags.embedder ?? DEFAULT_EMBEDDER, paths);
  const embedder = await createEmbedder(model, flags.threads === undefined ? {} : { threads: flags.threads });
  try {
    await proveModel(model, { embedder, stateFolder: paths.state });
    const flush = async (inputs: readonly EmbedInput[]): Promise<void> => {
      const vectors = await embedder.embed(
        inputs.map(({ text }) => text),
        flags.role,
      );
      inputs.forEach((input, at) => {
        output.printJson({ ...input.fields, text: input.text, vector: Array.from(vectors[at] ?? []) });
      });
    };
    const inputs = args.length > 0 ? [{ text: args.join(' '), fields: {} }] : readTexts(io.stdin, io.signal);
    let waiting: EmbedInput[] = [];
    for await (const input of inputs) {
      io.signal.throwIfAborted();
      waiting.push(input);
      if (waiting.length < TEXTS_PER_ROUND) continue;
      await flush(waiting);
      waiting = [];
    }
    await flush(waiting);
    return ExitCode.done;
  } finally {
    await embedder.close();
  }
}

interface EmbedInput {
  readonly text: string;
  /** Other fields of a JSON line are passed on. */
  readonly fields: Readonly<Record<string, unknown>>;
}

async function* readTexts(stdin: NodeJS.ReadableStream, signal: AbortSignal): AsyncGenerator<EmbedInput> {
  let line = 0;
  for await (const text of readLines(stdin, { signal })) {
    line++;
    if (text.trim() === '') continue;
    if (!text.trimStart().startsWith('{')) yield { text, fields: {} };
    else yield parseText(text, line);
  }
}

function parseText(json: string, line: number): EmbedInput {
  const fields = parseObject(json);
  if (typeof fields?.['text'] === 'string') return { text: fields['text'], fields };
  const why = fields === undefined ? 'it is no JSON object' : 'it has no field "text"';
  throw new ToolError(ExitCode.input, `line ${line} of stdin is no text: ${why}`, {
    hint: 'give lines of text, or JSON lines with a field "text"',
  });
}
