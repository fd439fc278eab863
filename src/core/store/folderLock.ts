/** A folder → exclusive use of it by one writer, across processes; the lock of a killed writer expires. */

import { ExitCode, ToolError, systemCode } from '../errors.js';
import { createPrivateFolder } from './atomicFiles.js';
import { join } from 'node:path';

/** A lock that was not refreshed for so long belongs to a dead process. */
const STALE_MS = 10_000;
const REFRESH_MS = 2_000;
const RETRY_MS = 250;

/**
 * Runs `work` while holding the lock `name` of the folder; waits for `waitMs` (default: until a dead writer's lock expires).
 * Throws (exit 3) when another process keeps it longer.
 */
export async function withFolderLock<Result>(
  folder: string,
  options: { name: string; waitMs?: number; onWait?: () => void },
  work: () => Promise<Result>,
): Promise<Result> {
  await createPrivateFolder(folder);
  const { default: lockfile } = await import('proper-lockfile');
  const endMs = Date.now() + (options.waitMs ?? STALE_MS + REFRESH_MS);
  let release: (() => Promise<void>) | undefined;
  let waited = false;
  let lost = false;
  while (release === undefined) {
    try {
      release = await lockfile.lock(folder, {
        lockfilePath: join(folder, `${options.name}.lock`),
        stale: STALE_MS,
        update: REFRESH_MS,
        realpath: false,
        onCompromised: () => (lost = true),
      });
    } catch (error) {
      if (systemCode(error) !== 'ELOCKED') throw error;
      if (Date.now() > endMs) {
        throw new ToolError(ExitCode.input, `another process is writing to ${folder}`, {
          hint: 'wait for it to end and run the command again',
          cause: error,
        });
      }
      if (!waited) options.onWait?.();
      waited = true;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  try {
    const result = await work();
    if (lost)
      throw new ToolError(ExitCode.input, `the lock of ${folder} was lost while writing`, {
        hint: 'run the command again',
      });
    return result;
  } finally {
    if (!lost) await release().catch(() => undefined);
  }
}
