/** `labsage embed`: texts from the command line or stdin → JSON lines with their vectors. */

import { DEFAULT_EMBEDDER } from '../../core/config.js';
import { embedInputs, readEmbedInputs } from '../../core/embedLines.js';
import { ExitCode } from '../../core/errors.js';
import { nameEmbedder } from '../../core/models/provenEmbedder.js';
import type { CommandContext } from '../../core/program.js';

interface EmbedFlags {
  readonly embedder?: string;
  readonly role: 'query' | 'passage';
  readonly threads?: number;
}

export async function embedCommand(
  args: readonly string[],
  { embedder: name = DEFAULT_EMBEDDER, role, threads }: EmbedFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const named = await nameEmbedder(name, { env: io.env, threads });
  const text = args.join(' ');
  const inputs =
    args.length > 0
      ? [{ embedText: text, fields: { text } }]
      : readEmbedInputs(io.stdin, {
          signal: io.signal,
          hint: 'give lines of text, or JSON lines with a field "text"',
        });
  try {
    const embedder = await named.open();
    for await (const line of embedInputs(inputs, { embedder, role, signal: io.signal }))
      output.printJson(line);
    return ExitCode.done;
  } finally {
    await named.close();
  }
}
