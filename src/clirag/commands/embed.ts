/** `clirag embed`: texts, or chunks as `clirag chunk --json` writes them → JSON lines with their vectors. */

import { DEFAULT_EMBEDDER } from '../../core/config.js';
import { embedInputs, readEmbedInputs } from '../../core/embedLines.js';
import { ExitCode } from '../../core/errors.js';
import { nameEmbedder } from '../../core/models/provenEmbedder.js';
import { embedTextOf } from '../chunks.js';
import type { CommandContext } from '../../core/program.js';

interface EmbedFlags {
  readonly embedder?: string;
  readonly query?: boolean;
  readonly threads?: number;
}

export async function embedCommand(
  args: readonly string[],
  flags: EmbedFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const named = await nameEmbedder(flags.embedder ?? DEFAULT_EMBEDDER, {
    env: io.env,
    threads: flags.threads,
  });
  const text = args.join(' ');
  const inputs =
    args.length > 0
      ? [{ embedText: text, fields: { text } }]
      : readEmbedInputs(io.stdin, {
          signal: io.signal,
          hint: 'give lines of text, or JSON lines as clirag chunk --json writes them',
          embedTextOf: ({ header }, own) =>
            typeof header === 'string' ? embedTextOf({ header, text: own }) : own,
        });
  try {
    const embedder = await named.open();
    const role = flags.query === true ? 'query' : 'passage';
    for await (const line of embedInputs(inputs, { embedder, role, signal: io.signal }))
      output.printJson(line);
    return ExitCode.done;
  } finally {
    await named.close();
  }
}
