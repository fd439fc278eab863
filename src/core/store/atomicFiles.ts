/** Bytes → files that are there whole or not at all, on every platform, and vectra's `FileStorage` made of them. */

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, open, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { FileStorage } from 'vectra';
import { systemCode } from '../errors.js';

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

/** Creates the folder (and its parents) for its owner alone. */
export async function createPrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
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
      return await calls.rename(from, to);
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

/**
 * vectra's storage interface on atomic writes.
 * @param read replaces plain reading, so that a caller can check what it reads.
 */
export function atomicFileStorage(read: (path: string) => Promise<Buffer> = readFile): FileStorage {
  return {
    async createFile(path, content) {
      if (await exists(path)) throw new Error(`file exists: ${path}`);
      await writeFileAtomic(path, content);
    },
    createFolder: createPrivateFolder,
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
    readFile: read,
    upsertFile: (path, content) => writeFileAtomic(path, content),
  };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
