/** Paths on the command line → the SOP files under them, each with the path that answers will show. */

import { readdir, stat } from 'node:fs/promises';
import { basename, extname, join, resolve, sep } from 'node:path';
import { ExitCode, ToolError, systemCode } from '../core/errors.js';

export interface SopFile {
  /** As the file system takes it. */
  readonly file: string;
  /** As answers show it: `/`-separated, relative to the folder that was named. */
  readonly path: string;
}

export interface SopFiles {
  readonly files: readonly SopFile[];
  /** Folders or files that could not be listed, with the reason. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

const SOP_EXTENSIONS = new Set([
  '.md',
  '.markdown',
  '.txt',
  '.text',
  '.html',
  '.htm',
  '.docx',
  '.doc',
  '.pdf',
]);

/** By its extension. */
export function isSopName(name: string): boolean {
  return SOP_EXTENSIONS.has(extname(name).toLowerCase());
}

/** Lists recursively, sorted by path; hidden entries and `node_modules` are left out. Throws (exit 3) for a path that isn't there. */
export async function listSopFiles(roots: readonly string[], cwd: string): Promise<SopFiles> {
  const files = new Map<string, SopFile>();
  const skipped: { path: string; reason: string }[] = [];
  for (const root of roots) {
    const absolute = resolve(cwd, root);
    const found = await stat(absolute).catch((error: unknown) => {
      throw new ToolError(ExitCode.input, `${root} cannot be read: ${reasonOf(error)}`, {
        hint: 'name a folder or file with SOPs',
        cause: error,
      });
    });
    if (found.isDirectory()) await listFolder(absolute, { prefix: '', files, skipped });
    else files.set(absolute, { file: absolute, path: basename(absolute) });
  }
  return { files: [...files.values()].sort((a, b) => compareText(a.path, b.path)), skipped };
}

async function listFolder(
  folder: string,
  into: { prefix: string; files: Map<string, SopFile>; skipped: { path: string; reason: string }[] },
): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    into.skipped.push({ path: into.prefix === '' ? folder : into.prefix, reason: reasonOf(error) });
    return [];
  });
  for (const entry of entries) {
    if (entry.name.startsWith('.') || entry.name.startsWith('~$') || entry.name === 'node_modules') continue;
    const file = join(folder, entry.name);
    const path = into.prefix === '' ? entry.name : `${into.prefix}/${entry.name}`;
    const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await isDirectory(file)));
    if (isFolder && !entry.isSymbolicLink()) await listFolder(file, { ...into, prefix: path });
    else if (!isFolder && isSopName(entry.name)) {
      into.files.set(file, { file, path: path.split(sep).join('/') });
    }
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** A system error in words a user knows. */
export function reasonOf(error: unknown): string {
  switch (systemCode(error)) {
    case 'ENOENT':
      return 'there is no such file or folder';
    case 'EACCES':
    case 'EPERM':
      return 'no permission to read it';
    case 'EISDIR':
      return 'it is a folder';
    case 'EBUSY':
      return 'another program has it open';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

/** By code unit: the same order on every machine and in every locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
