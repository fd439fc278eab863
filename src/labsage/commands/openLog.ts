/** Command-line options → the log that they mean: in the index folder, else where answers are recorded if that can't be written. */

import type { LogName } from '../../core/auditLog.js';
import { resolvePaths } from '../../core/config.js';
import { ExitCode, ToolError } from '../../core/errors.js';
import type { CommandContext } from '../../core/program.js';
import { findLog, type FoundLog } from '../records/auditRecords.js';
import { indexFolder } from './openSearch.js';

/** Throws (exit 3) where there is none. */
export async function openLog(
  flags: { readonly index?: string; readonly log?: LogName },
  { io, output }: CommandContext,
): Promise<FoundLog> {
  const folder = indexFolder(flags, io);
  const { state } = await resolvePaths(io.env);
  const found = await findLog([folder, state], flags.log ?? 'audit');
  if (found.folder !== folder) output.note(`${folder} has no such log; reading ${found.path}`);
  return found;
}

/** Every id begins with nothing: an empty one, of a shell variable that is not set, must not name a record. */
export function recordId([id = '']: readonly string[]): string {
  if (id === '')
    throw new ToolError(ExitCode.usage, 'no record named', { hint: 'list them with: labsage audit list' });
  return id;
}
