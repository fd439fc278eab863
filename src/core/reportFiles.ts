/** A file that a command is to write at its end → refused at its beginning, where it could not be written then. */

import { lstat, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ExitCode, ToolError, systemCode } from './errors.js';

/** Throws (exit 2) if something of that name is there. `option` is what named it. */
export async function refuseOverwriting(file: string, option: '--html' | '--out'): Promise<void> {
  try {
    await lstat(file);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw error;
  }
  throw new ToolError(ExitCode.usage, `${file} exists already`, {
    hint: `name another file with ${option}, or replace it with --force`,
  });
}

/** Throws (exit 3) where the file's folder is missing: work of minutes must not end in that. */
export async function checkReportFolder(
  file: string | undefined,
  { option, cwd }: { option: '--html' | '--junit'; cwd: string },
): Promise<void> {
  if (file === undefined) return;
  const found = await stat(dirname(resolve(cwd, file))).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  throw new ToolError(ExitCode.input, `${option} ${file}: there is no such folder`, {
    hint: 'make the folder, or name a file in another one',
  });
}
