/** Bytes → files that are there whole or not at all, on every platform, and vectra's `FileStorage` made of them. */

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, open, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { FileStorage } from 'vectra';
import { ExitCode, ToolError, systemCode } from '../errors.js';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Waits between attempts to rename over a file that another program (a virus scanner, a sync client) has open. */
const RENAME_RETRY_MS = [10, 20, 50, 100, 200, 400, 800, 1600];

/** The few system calls that fault tests replace. */
export interface FileCalls {
  readonly rename: (from: string, to: string) => Promise<void>;
  readonly platform: NodeJS.Platform;
}

const realCalls: FileCalls = { rename, platform: process.platform };

/**
 * Creates the folder (and its parents) for its owner alone.
 * @returns true if it was not there before. Throws (exit 3) where a file stands in the way or nothing can be created.
 */
export async function createPrivateFolder(folder: string): Promise<boolean> {
  // Not mkdir's own `recursive`: it never ends on file systems that refuse a new folder with ENOENT, as /proc does.
  try {
    await mkdir(folder, { mode: PRIVATE_FOLDER });
    return true;
  } catch (error) {
    if (await isFolder(folder)) return false;
    const parent = dirname(folder);
    if (systemCode(error) === 'ENOENT' && parent !== folder && (await createPrivateFolder(parent))) {
      return createPrivateFolder(folder);
    }
    throw folderError(folder, error);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function folderError(folder: string, error: unknown): unknown {
  const why: Readonly<Record<string, string>> = {
    EEXIST: 'there is a file or a broken link of that name',
    ENOTDIR: 'a part of that path is a file',
    ENOENT: 'the file system takes no folders there',
    ENAMETOOLONG: 'the path is too long',
    ELOOP: 'its links lead in a circle',
  };
  const reason = why[systemCode(error) ?? ''];
  if (reason === undefined) return error;
  return new ToolError(ExitCode.input, `folder ${folder} cannot be made: ${reason}`, {
    hint: 'name another folder',
    cause: error,
  });
}

/** Writes beside, fsyncs, renames over: a reader sees the old bytes or the new ones, whole, also after a power cut. */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  calls: FileCalls = realCalls,
): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx', PRIVATE_FILE);
    try {
      await file.writeFile(data);
      await file.sync();
    } finally {
      await file.close();
    }
    await renameWithRetry(temporary, path, calls);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path), calls.platform);
}

/** Temporary files that a killed writer left: safe to remove while holding the writers' lock. */
export function isTemporaryName(name: string): boolean {
  return name.startsWith('.') && name.endsWith('.tmp');
}

async function renameWithRetry(from: string, to: string, calls: FileCalls): Promise<void> {
  for (const waitMs of RENAME_RETRY_MS) {
    try {
      await calls.rename(from, to);
      return;
    } catch (error) {
      const code = systemCode(error);
      const held = code === 'EPERM' || code === 'EBUSY' || (code === 'EACCES' && calls.platform === 'win32');
      if (!held) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
  await calls.rename(from, to);
}

/** Makes the rename itself durable; Windows has no such call and needs none. */
async function syncFolder(folder: string, platform: NodeJS.Platform): Promise<void> {
  if (platform === 'win32') return;
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } catch (error) {
    // Some network file systems do not sync folders; the file itself is safe.
    if (systemCode(error) !== 'EINVAL' && systemCode(error) !== 'ENOTSUP') throw error;
  } finally {
    await handle.close();
  }
}

/** vectra's storage interface on atomic writes. */
export function atomicFileStorage(): FileStorage {
  return {
    async createFile(path, content) {
      if (await exists(path)) throw new Error(`file exists: ${path}`);
      await writeFileAtomic(path, content);
    },
    async createFolder(path) {
      await createPrivateFolder(path);
    },
    deleteFile: (path) => rm(path, { force: true }),
    deleteFolder: (path) => rm(path, { recursive: true, force: true }),
    async getDetails(path) {
      return { name: basename(path), path, isFolder: (await stat(path)).isDirectory() };
    },
    async listFiles(folder, filter = 'all') {
      const entries = await readdir(folder, { withFileTypes: true });
      return entries
        .filter((entry) => filter === 'all' || entry.isDirectory() === (filter === 'folders'))
        .map((entry) => ({
          name: entry.name,
          path: join(folder, entry.name),
          isFolder: entry.isDirectory(),
        }));
    },
    pathExists: exists,
    readFile: (path) => readFile(path),
    upsertFile: (path, content) => writeFileAtomic(path, content),
  };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
