/** argv and streams → exit code: the one place that catches, prints an error and decides how the process ends. */

import { ExitCode, ToolError, systemCode } from './errors.js';
import type { Io } from './output.js';
import type { Command } from 'commander';

/** Builds the program; `finish` receives the exit code of a handler that ended without an error. */
export type ProgramFactory = (io: Io, finish: (code: ExitCode) => void) => Command;

/** Runs one command line. Never throws and never ends the process: set `process.exitCode` to what it returns. */
export async function runProgram(
  createProgram: ProgramFactory,
  argv: readonly string[],
  io: Io,
): Promise<ExitCode> {
  let code: ExitCode = ExitCode.done;
  try {
    const program = createProgram(io, (finished) => (code = finished));
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    return reportError(error, io);
  }
}

function reportError(error: unknown, io: Io): ExitCode {
  const write = (line: string): void => void io.stderr.write(`${line}\n`);
  if (isCommanderError(error)) return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
  if (io.signal.aborted) {
    write('interrupted');
    return ExitCode.interrupted;
  }
  if (systemCode(error) === 'EPIPE') return ExitCode.done;
  if (error instanceof ToolError) {
    write(`error: ${error.message}${error.hint === undefined ? '' : `. ${capitalise(error.hint)}`}`);
    if (io.env['LABSAGE_DEBUG'] !== undefined && error.cause instanceof Error)
      write(String(error.cause.stack));
    return error.exitCode;
  }
  const known = systemErrorLine(error);
  if (known !== undefined) {
    write(`error: ${known}`);
    return ExitCode.input;
  }
  write(
    `error: this is a bug in the program, please report it with the lines below and the command that you ran`,
  );
  write(error instanceof Error ? String(error.stack) : String(error));
  return ExitCode.bug;
}

/** System errors that are the machine's state and not our bug, in a sentence. */
function systemErrorLine(error: unknown): string | undefined {
  const path = (error as { path?: unknown }).path;
  const where = typeof path === 'string' ? ` ${path}` : '';
  switch (systemCode(error)) {
    case 'ENOSPC':
      return `the disk is full; nothing was changed. Free some space and run the command again (${where.trim()})`;
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `no permission to write or read${where}. Choose another folder with --index, or change its permissions`;
    case 'EMFILE':
    case 'ENFILE':
      return 'too many open files. Raise the limit (ulimit -n) and run the command again';
    default:
      return undefined;
  }
}

function isCommanderError(error: unknown): error is { exitCode: number; code: string } {
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith('commander.');
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The streams of this process, with an abort signal wired to Ctrl-C, and a quiet end when the reader of stdout closed. */
export function processIo(): Io {
  const controller = new AbortController();
  const interrupt = (): void => {
    // A second Ctrl-C ends the process as if nobody listened.
    process.removeListener('SIGINT', interrupt);
    process.removeListener('SIGTERM', interrupt);
    controller.abort();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  process.stdout.on('error', (error) => {
    if (systemCode(error) !== 'EPIPE') throw error;
  });
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    signal: controller.signal,
  };
}
