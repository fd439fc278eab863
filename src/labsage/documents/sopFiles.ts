/** Paths on the command line → the SOP files under them, each with the path that answers will show. */

import { lstat, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExitCode, ToolError, systemCode } from '../../core/errors.js';
import { sha256Hex } from '../../core/text.js';
import { FILE_LIMIT_BYTES, documentId } from '../document.js';

export interface SopFile {
  /** As the file system takes it. */
  readonly file: string;
  /** As answers show it: `/`-separated, relative to the folder that was named. */
  readonly path: string;
  /** Of its document: the name's slug; names that give the same slug get a piece of their path's hash. */
  readonly id: string;
}

export interface Skipped {
  readonly path: string;
  readonly reason: string;
}

export interface SopFiles {
  readonly files: readonly SopFile[];
  /** What could not be listed or is no file, with the reason. */
  readonly skipped: readonly Skipped[];
}

const SOP_EXTENSIONS = new Set([
  '.md',
  '.markdown',
  '.mdown',
  '.txt',
  '.text',
  '.html',
  '.htm',
  '.xhtml',
  '.docx',
  '.docm',
  '.doc',
  '.rtf',
  '.odt',
  '.pdf',
]);

/** By its extension. */
export function isSopName(name: string): boolean {
  return SOP_EXTENSIONS.has(extname(name).toLowerCase());
}

interface Listing {
  readonly files: Map<string, { file: string; root: string }>;
  readonly skipped: Skipped[];
}

/**
 * Lists recursively, sorted by path; hidden entries, lock files of Office and `node_modules` are left out, links to folders
 * are named as skipped. Throws (exit 3) for a path that isn't there.
 */
export async function listSopFiles(roots: readonly string[], cwd: string): Promise<SopFiles> {
  const listing: Listing = { files: new Map(), skipped: [] };
  for (const root of roots) {
    const absolute = resolve(cwd, root);
    const found = await stat(absolute).catch((error: unknown) => {
      throw new ToolError(ExitCode.input, `${root} cannot be read: ${reasonOf(error)}`, {
        hint: 'name a folder or file with SOPs',
        cause: error,
      });
    });
    if (found.isDirectory()) await listFolder(absolute, { root: absolute, listing });
    else addFile(absolute, { root: dirname(absolute), listing });
  }
  const files = withIds(withPaths([...listing.files.values()]));
  return { files: files.sort((a, b) => compareText(a.path, b.path)), skipped: listing.skipped };
}

async function listFolder(
  folder: string,
  { root, listing }: { root: string; listing: Listing },
): Promise<void> {
  const skip = (path: string, reason: string): void => {
    listing.skipped.push({ path: shownPath(path, root) || basename(path), reason });
  };
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    skip(folder, reasonOf(error));
    return [];
  });
  for (const entry of entries) {
    if (entry.name.startsWith('.') || entry.name.startsWith('~$') || entry.name === 'node_modules') continue;
    const file = join(folder, entry.name);
    const isSop = isSopName(entry.name);
    if (entry.isDirectory()) await listFolder(file, { root, listing });
    else if (entry.isSymbolicLink() && (await isDirectory(file)))
      skip(file, 'it is a link to a folder; name that folder itself');
    else if (isSop) addFile(file, { root, listing });
  }
}

/** The same file under two roots counts once, under the first. */
function addFile(file: string, { root, listing }: { root: string; listing: Listing }): void {
  const key = process.platform === 'win32' ? file.toLowerCase() : file;
  if (!listing.files.has(key)) listing.files.set(key, { file, root });
}

/** Relative to their roots; where two roots hold the same path, relative to the folder that all roots are in. */
function withPaths(files: readonly { file: string; root: string }[]): { file: string; path: string }[] {
  const own = files.map(({ file, root }) => ({ file, path: shownPath(file, root) }));
  if (new Set(own.map(({ path }) => path)).size === own.length) return own;
  const base = commonFolder(files.map(({ root }) => root));
  return files.map(({ file }) => ({ file, path: base === undefined ? file : shownPath(file, base) }));
}

function shownPath(file: string, root: string): string {
  return relative(root, file).split(sep).join('/');
}

/** Undefined where they are on different drives. */
function commonFolder(folders: readonly string[]): string | undefined {
  const [first = [], ...others] = folders.map((folder) => folder.split(sep));
  let length = first.length;
  for (const parts of others) {
    let same = 0;
    while (same < length && parts[same] === first[same]) same++;
    length = same;
  }
  return length === 0 ? undefined : first.slice(0, length).join(sep) || sep;
}

function withIds(files: readonly { file: string; path: string }[]): SopFile[] {
  const count = new Map<string, number>();
  for (const { path } of files) count.set(documentId(path), (count.get(documentId(path)) ?? 0) + 1);
  return files.map((file) => {
    const id = documentId(file.path);
    return { ...file, id: count.get(id) === 1 ? id : `${id}~${sha256Hex(file.path).slice(0, 8)}` };
  });
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** How often a file that changes under the reader is tried, and the first pause between. */
const READ_ATTEMPTS = 3;
const READ_PAUSE_MS = 100;

/** The file's bytes. Throws for what is no regular file (a pipe would never end) and for what is too large to be a SOP. */
export async function readSopFile(path: string): Promise<Buffer> {
  // Looked at before it is opened: opening a pipe waits for a writer.
  for (let attempt = 1; ; attempt += 1) {
    const { size } = await regularFile(path);
    if (size > FILE_LIMIT_BYTES) throw tooLarge(size);
    const bytes = await readUnchanged(path);
    if (bytes !== undefined) return bytes;
    if (attempt === READ_ATTEMPTS)
      throw new ToolError(ExitCode.input, 'it changed while it was read', {
        hint: 'index again when whatever writes it is done',
      });
    await sleep(attempt * READ_PAUSE_MS);
  }
}

/** Undefined if the file grew, shrank or was written to meanwhile: half of an old and half of a new version is no SOP. */
async function readUnchanged(path: string): Promise<Buffer | undefined> {
  const handle = await open(path, 'r');
  try {
    const before = await handle.stat();
    const bytes = await handle.readFile();
    const after = await handle.stat();
    return before.mtimeMs === after.mtimeMs && bytes.length === after.size ? bytes : undefined;
  } finally {
    await handle.close();
  }
}

async function regularFile(path: string): Promise<{ size: number }> {
  const found = await stat(path).catch(async (error: unknown) => {
    const isLink = await lstat(path).then(
      (link) => link.isSymbolicLink(),
      () => false,
    );
    if (!isLink) throw error;
    throw new ToolError(ExitCode.input, 'it is a link to a file that is not there', { cause: error });
  });
  if (found.isDirectory()) throw new ToolError(ExitCode.input, 'it is a folder');
  if (!found.isFile()) throw new ToolError(ExitCode.input, 'it is a pipe or device, no file');
  return found;
}

function tooLarge(bytes: number): ToolError {
  const megabytes = (value: number): string => Math.round(value / 1024 / 1024).toString();
  return new ToolError(
    ExitCode.input,
    `it has ${megabytes(bytes)} MB, more than the ${megabytes(FILE_LIMIT_BYTES)} MB that are read of one file`,
    { hint: 'split the file' },
  );
}

/** Why one file was left out: errors of one file do not stop the others, whatever they are. */
export function skipReason(path: string, error: unknown): string {
  if (error instanceof ToolError) {
    const said = error.message.startsWith(`${path}: `) ? error.message.slice(path.length + 2) : error.message;
    return error.hint === undefined ? said : `${said}; ${error.hint}`;
  }
  if (systemCode(error) !== undefined) return reasonOf(error);
  return `the program failed on it, please report this as a bug: ${reasonOf(error)}`;
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
    case 'ELOOP':
      return 'its links lead in a circle';
    case 'EIO':
      return 'the disk or network drive failed to read it';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

/** By code unit: the same order on every machine and in every locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
