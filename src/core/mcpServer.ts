/** Command handlers as tools → a Model Context Protocol server on stdin and stdout, which carries nothing else. */

import { finished } from 'node:stream/promises';
import { Readable, Writable } from 'node:stream';
import type { z } from 'zod';
import { ExitCode, ToolError } from './errors.js';
import { keepEmbedders, withKeptEmbedders } from './keptEmbedders.js';
import { createOutput, type Io } from './output.js';
import type { CommandContext } from './program.js';
import { currentTrace, newTrace, withTrace } from './trace.js';
import { packageVersion } from './version.js';

/** A tool of the server: one command, with what a client may choose of it. */
export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Whether it leaves everything as it was (an answer's audit record aside). */
  readonly readOnly: boolean;
  readonly input: z.ZodRawShape;
  /** `input` has passed the schema. */
  run(input: Readonly<Record<string, unknown>>, context: CommandContext): Promise<ExitCode>;
}

/** What a client is shown: the command's stdout, then its warnings; `failed` with the error's own line and mend. */
export interface ToolReply {
  readonly text: string;
  readonly warnings: readonly string[];
  readonly failed: boolean;
}

/** Serves until the client closes stdin. Throws where the user interrupts. */
export async function serveMcp(
  tools: readonly McpTool[],
  { name, instructions, io }: { name: string; instructions: string; io: Io },
): Promise<ExitCode> {
  const [{ McpServer }, { StdioServerTransport }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/mcp.js'),
    import('@modelcontextprotocol/sdk/server/stdio.js'),
  ]);
  const server = new McpServer({ name, version: packageVersion() }, { instructions });
  const running = new Set<Promise<unknown>>();
  // Every call opens index or store anew, so that it sees what was indexed since; the model, which takes longest, stays.
  const kept = keepEmbedders();
  const trace = currentTrace() ?? newTrace(() => undefined);
  for (const tool of tools) {
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: tool.input,
        annotations: { readOnlyHint: tool.readOnly, destructiveHint: false, openWorldHint: false },
      },
      async (input: Record<string, unknown>, { signal }: { signal: AbortSignal }) => {
        const own = { ...io, signal: AbortSignal.any([io.signal, signal]) };
        const call = withTrace(trace, () => withKeptEmbedders(kept, () => callTool(tool, input, own)));
        running.add(call);
        try {
          const { text, warnings, failed } = await call;
          const content = [text, ...warnings].filter((part) => part !== '');
          return {
            content: content.map((part) => ({ type: 'text' as const, text: part })),
            ...(failed ? { isError: true } : {}),
          };
        } finally {
          running.delete(call);
        }
      },
    );
  }
  const stdin = new Readable().wrap(io.stdin);
  const stdout = new Writable({
    write: (part, _encoding, done) => void io.stdout.write(part as Buffer, done),
  });
  await server.connect(new StdioServerTransport(stdin, stdout));
  try {
    await finished(stdin, { writable: false, signal: io.signal });
    await Promise.allSettled(running);
  } catch (error) {
    io.signal.throwIfAborted();
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'))
      throw error;
  } finally {
    await server.close();
    await kept.close();
    io.stdin.pause();
  }
  return ExitCode.done;
}

/** Runs the command with streams of its own. Never throws: an error is a reply. */
export async function callTool(
  tool: McpTool,
  input: Readonly<Record<string, unknown>>,
  io: Io,
): Promise<ToolReply> {
  const stdout = collector();
  const stderr = collector();
  const own: Io = { ...io, stdin: Readable.from([]), stdout: stdout.stream, stderr: stderr.stream };
  const output = createOutput({ ...own, env: { ...io.env, NO_COLOR: '1' } }, { quiet: true });
  try {
    await tool.run(input, { io: own, output });
    const warnings = stderr
      .text()
      .split('\n')
      .filter((line) => line !== '');
    return { text: stdout.text().trimEnd() || 'Nothing found.', warnings, failed: false };
  } catch (error) {
    return { text: describeError(error, io), warnings: [], failed: true };
  }
}

/** A patient's or SOP's words are in no error of ours; those of other errors stay on this machine's stderr. */
function describeError(error: unknown, io: Io): string {
  if (io.signal.aborted) return 'interrupted';
  if (error instanceof ToolError)
    return error.hint === undefined ? error.message : `${error.message}. To mend it: ${error.hint}`;
  io.stderr.write(`${error instanceof Error ? String(error.stack) : String(error)}\n`);
  return 'this is a bug in the program: its lines on stderr say where';
}

function collector(): { stream: Writable; text(): string } {
  const parts: Buffer[] = [];
  const stream = new Writable({
    write(part: Buffer, _encoding, done) {
      parts.push(part);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(parts).toString('utf8') };
}
