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
    await flush(io);
    return code;
  } catch (error) {
    return reportError(error, io);
  }
}

/** Waits until stdout took everything, so that a full disk behind it is an error and not a silent loss. */
async function flush({ stdout }: Io): Promise<void> {
  const error = await new Promise<unknown>((resolve) => stdout.write('', resolve));
  if (error instanceof Error) throw new OutputError('stdout cannot be written', { cause: error });
}

/** stdout took no more; `cause` says why. */
class OutputError extends Error {}

function reportError(error: unknown, io: Io): ExitCode {
  const write = (line: string): void => void io.stderr.write(`${line}\n`);
  if (isCommanderError(error)) return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
  const reason: unknown = io.signal.aborted ? io.signal.reason : error;
  if (systemCode(error) === 'EPIPE' || systemCode(causeOf(reason)) === 'EPIPE') return ExitCode.done;
  if (io.signal.aborted && !(reason instanceof OutputError)) {
    write('interrupted');
    return ExitCode.interrupted;
  }
  if (reason instanceof OutputError) {
    write(
      `error: the output cannot be written: ${systemErrorLine(causeOf(reason)) ?? String(causeOf(reason))}`,
    );
    return ExitCode.input;
  }
  if (error instanceof ToolError) {
    write(errorLine(error));
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

/** One line whatever a library's message holds. */
function errorLine({ message, hint }: ToolError): string {
  const said = message.replace(/\s*\n\s*/gu, ' ').trim();
  if (hint === undefined) return `error: ${said}`;
  return `error: ${said}${/[.!?]$/u.test(said) ? '' : '.'} ${capitalise(hint)}`;
}

function causeOf(error: unknown): unknown {
  return error instanceof OutputError ? error.cause : error;
}

/** System errors that are the machine's state and not our bug, in a sentence. */
function systemErrorLine(error: unknown): string | undefined {
  const code = systemCode(error);
  const { path, syscall } = error as { path?: unknown; syscall?: unknown };
  // Node's own errors (ERR_…) are ours, those of a system call are the machine's.
  if (code === undefined || typeof syscall !== 'string') return undefined;
  const where = typeof path === 'string' ? ` ${path}` : '';
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return `the disk is full${where === '' ? '' : ` (writing${where})`}. Free some space and run the command again`;
    case 'EACCES':
    case 'EPERM':
      return `no permission to read or write${where}. Change its permissions, or name another folder with --index`;
    case 'EROFS':
      return `${where.trim()} cannot be written: the file system is read-only. Name another folder with --index`;
    case 'EMFILE':
    case 'ENFILE':
      return 'too many open files. Raise the limit (ulimit -n) and run the command again';
    default:
      return `${where === '' ? 'the system' : where.trim()} failed to ${syscall} (${code}). Check the path and the disk, and run the command again`;
  }
}

function isCommanderError(error: unknown): error is { exitCode: number; code: string } {
  return systemCode(error)?.startsWith('commander.') === true;
}

/** A command stays as it is typed. */
function capitalise(text: string): string {
  return text.startsWith('labsage ') || text.startsWith('clirag ')
    ? `Run: ${text}`
    : text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * The streams of this process, with an abort signal wired to Ctrl-C and to a stdout that takes no more: a reader that
 * closed the pipe ends the work quietly, a full disk with an error.
 */
export function processIo(): Io {
  const controller = new AbortController();
  const interrupt = (signal: NodeJS.Signals): void => {
    // Still listening after the first one: proper-lockfile ends the process where nobody else listens.
    if (!controller.signal.aborted) {
      controller.abort();
      return;
    }
    process.removeListener('SIGINT', interrupt);
    process.removeListener('SIGTERM', interrupt);
    process.kill(process.pid, signal);
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  process.stdout.on('error', (error) => {
    controller.abort(new OutputError('stdout cannot be written', { cause: error }));
  });
  // Nobody is left to be told.
  process.stderr.on('error', () => undefined);
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    signal: controller.signal,
  };
}
