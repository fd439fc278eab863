/** `clirag embed`: texts, or chunks as `clirag chunk --json` writes them → JSON lines with their vectors. */

import { createInterface } from 'node:readline';
import { DEFAULT_EMBEDDER } from '../../core/config.js';
import { ExitCode, ToolError } from '../../core/errors.js';
import { nameEmbedder } from '../../core/models/provenEmbedder.js';
import { embedTextOf } from '../chunks.js';
import type { CommandContext } from '../../core/program.js';

interface EmbedFlags {
  readonly embedder?: string;
  readonly query?: boolean;
  readonly threads?: number;
}

/** Texts held back until they are embedded together; output keeps the order of the input. */
const TEXTS_PER_ROUND = 32;

interface EmbedInput {
  readonly embedText: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export async function embedCommand(
  args: readonly string[],
  flags: EmbedFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const named = await nameEmbedder(flags.embedder ?? DEFAULT_EMBEDDER, {
    env: io.env,
    ...(flags.threads === undefined ? {} : { threads: flags.threads }),
  });
  try {
    const embedder = await named.open();
    const flush = async (inputs: readonly EmbedInput[]): Promise<void> => {
      const texts = inputs.map(({ embedText }) => embedText);
      const vectors = await embedder.embed(texts, flags.query === true ? 'query' : 'passage');
      inputs.forEach(({ fields }, at) =>
        output.printJson({ ...fields, vector: Array.from(vectors[at] ?? []) }),
      );
    };
    const argument = args.join(' ');
    const inputs =
      args.length > 0 ? [{ embedText: argument, fields: { text: argument } }] : readLines(io.stdin);
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
    await named.close();
  }
}

async function* readLines(stdin: NodeJS.ReadableStream): AsyncGenerator<EmbedInput> {
  let line = 0;
  for await (const text of createInterface({ input: stdin, crlfDelay: Infinity })) {
    line++;
    if (text.trim() === '') continue;
    yield text.trimStart().startsWith('{') ? parseLine(text, line) : { embedText: text, fields: { text } };
  }
}

function parseLine(json: string, line: number): EmbedInput {
  let fields: Record<string, unknown> | undefined;
  try {
    fields = JSON.parse(json) as Record<string, unknown>;
  } catch {
    // The parser's own message would show the line.
  }
  const text = fields?.['text'];
  if (fields === undefined || typeof text !== 'string') {
    throw new ToolError(ExitCode.input, `line ${line} of stdin is no JSON object with a field "text"`, {
      hint: 'give lines of text, or JSON lines as clirag chunk --json writes them',
    });
  }
  const header = fields['header'];
  return { embedText: typeof header === 'string' ? embedTextOf({ header, text }) : text, fields };
}
