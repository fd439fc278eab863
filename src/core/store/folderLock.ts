/** A folder → exclusive use of it by one writer, across processes; the lock of a killed writer expires. */

import { randomUUID } from 'node:crypto';
import { readFile, rm, rmdir, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExitCode, ToolError, systemCode } from '../errors.js';
import { createPrivateFolder } from './atomicFiles.js';

/** A lock that was not refreshed for so long belongs to a dead process. */
const STALE_MS = 10_000;
/** The same where its owner ran on this machine and is known to be dead. */
const DEAD_OWNER_STALE_MS = 3_000;
const REFRESH_MS = 1_000;
const FIRST_RETRY_MS = 5;
const LONGEST_RETRY_MS = 250;

export interface LockOptions {
  readonly name: string;
  /** Default: until a dead writer's lock expires. */
  readonly waitMs?: number;
  readonly onWait?: () => void;
  /** Ends the waiting. */
  readonly signal?: AbortSignal;
}

/** Throws (exit 3) if the lock was lost: another process may be writing by now. */
export type AssertHeld = () => Promise<void>;

/**
 * Runs `work` while holding the lock `name` of the folder. Work must call `assertHeld` right before what cannot be undone.
 * Throws (exit 3) when another process keeps the lock longer than `waitMs`.
 */
export async function withFolderLock<Result>(
  folder: string,
  options: LockOptions,
  work: (assertHeld: AssertHeld) => Promise<Result>,
): Promise<Result> {
  const isNew = await createPrivateFolder(folder);
  const owner: Owner = { token: randomUUID(), pid: process.pid, host: hostname() };
  const state = { lost: false };
  const release = await acquire(folder, options, () => (state.lost = true));
  const ownerPath = ownerPathOf(folder, options.name);
  const assertHeld: AssertHeld = async () => {
    if (state.lost || (await readOwner(ownerPath))?.token !== owner.token) throw lostError(folder);
  };
  try {
    await writeFile(ownerPath, `${JSON.stringify(owner)}\n`, { mode: 0o600 });
    return await work(assertHeld);
  } catch (error) {
    if (state.lost) throw lostError(folder, error);
    throw error;
  } finally {
    if (!state.lost) {
      await rm(ownerPath, { force: true }).catch(() => undefined);
      await release().catch(() => undefined);
    }
    // A folder made for work that left nothing in it goes again.
    if (isNew) await rmdir(folder).catch(() => undefined);
  }
}

interface Owner {
  readonly token: string;
  readonly pid: number;
  readonly host: string;
}

function lockPathOf(folder: string, name: string): string {
  return join(folder, `${name}.lock`);
}

function ownerPathOf(folder: string, name: string): string {
  return join(folder, `${name}.owner`);
}

async function acquire(
  folder: string,
  options: LockOptions,
  onLost: () => void,
): Promise<() => Promise<void>> {
  const { default: lockfile } = await import('proper-lockfile');
  const lockPath = lockPathOf(folder, options.name);
  const endMs = Date.now() + (options.waitMs ?? STALE_MS + REFRESH_MS);
  let waited = false;
  for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)) {
    options.signal?.throwIfAborted();
    try {
      // Named by the lock, not by the folder: proper-lockfile keeps one lock of a name in a process.
      return await lockfile.lock(join(folder, options.name), {
        lockfilePath: lockPath,
        stale: STALE_MS,
        update: REFRESH_MS,
        realpath: false,
        onCompromised: onLost,
      });
    } catch (error) {
      if (systemCode(error) !== 'ELOCKED') throw error;
      const owner = await readOwner(ownerPathOf(folder, options.name));
      if (Date.now() > endMs) throw heldError(folder, { owner, cause: error });
      if (owner !== undefined && isDead(owner)) await expire(folder, options.name);
      else if (!waited && retryMs >= LONGEST_RETRY_MS) {
        options.onWait?.();
        waited = true;
      }
      // Spread, so that many who wait do not all try at once.
      await sleep(
        retryMs * (0.5 + Math.random()),
        undefined,
        options.signal ? { signal: options.signal } : {},
      );
    }
  }
}

/** A lock that nobody refreshed lately, of an owner that is dead, need not wait for the full time. */
async function expire(folder: string, name: string): Promise<void> {
  const { default: lockfile } = await import('proper-lockfile');
  const lockfilePath = lockPathOf(folder, name);
  const isHeld = await lockfile.check(join(folder, name), {
    lockfilePath,
    stale: DEAD_OWNER_STALE_MS,
    realpath: false,
  });
  if (!isHeld) await utimes(lockfilePath, new Date(0), new Date(0)).catch(() => undefined);
}

/** True only where it is certain: the same machine, and no process of that number. */
function isDead({ pid, host }: Owner): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return systemCode(error) === 'ESRCH';
  }
}

async function readOwner(path: string): Promise<Owner | undefined> {
  try {
    const owner = JSON.parse(await readFile(path, 'utf8')) as Partial<Owner> | null;
    if (typeof owner?.pid !== 'number' || typeof owner.host !== 'string') return undefined;
    return { token: String(owner.token), pid: owner.pid, host: owner.host };
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

function heldError(
  folder: string,
  { owner, cause }: { owner: Owner | undefined; cause: unknown },
): ToolError {
  const who = owner === undefined ? '' : ` (${owner.pid} on ${owner.host})`;
  return new ToolError(ExitCode.input, `another process${who} is writing to ${folder}`, {
    hint: 'wait for it to end and run the command again',
    cause,
  });
}

function lostError(folder: string, cause?: unknown): ToolError {
  return new ToolError(
    ExitCode.input,
    `the lock of ${folder} was lost while writing: the machine slept, or another process took it`,
    {
      hint: 'run the command again, it continues where it stopped',
      ...(cause === undefined ? {} : { cause }),
    },
  );
}
