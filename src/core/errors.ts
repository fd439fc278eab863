/** The one error that a user is meant to see, and the exit codes of both commands. */

export const ExitCode = {
  done: 0,
  bug: 1,
  usage: 2,
  input: 3,
  model: 4,
  shortfall: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** Names the thing and says why (`message`), gives the next command (`hint`); `exitCode` is what the process ends with. */
export class ToolError extends Error {
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;

  constructor(exitCode: ExitCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ToolError';
    this.exitCode = exitCode;
    this.hint = options.hint;
  }
}

/** The `code` of a system error (ENOENT, EACCES, …), or undefined. */
export function systemCode(error: unknown): string | undefined {
  // Not `instanceof Error`: an error of another realm (a worker, a test's sandbox) is one too.
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** A path as a shell on every platform takes it in one piece. */
export function shellWord(path: string): string {
  return /^[\w@%+=:,./\\~-]+$/u.test(path) ? path : `"${path}"`;
}
