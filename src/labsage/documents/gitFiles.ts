/** A path in a git repository and a commit → the SOP files as they were then, written to a folder; no shell, no checkout. */

import { execFile } from 'node:child_process';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ExitCode, ToolError, systemCode } from '../../core/errors.js';
import { FILE_LIMIT_BYTES } from '../document.js';
import { isSopName } from './sopFiles.js';

const run = promisify(execFile);

/** Of `git ls-tree`: names of 100,000 files. */
const LIST_LIMIT_BYTES = 32 * 1024 * 1024;
const LFS_POINTER = 'version https://git-lfs.github.com/spec/v1';

export interface GitFiles {
  /** The commit that the reference names. */
  readonly commit: string;
  readonly files: number;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

/**
 * Writes the files under `path` (a folder or file of the working tree) as they were at `ref` to `target`, under the same
 * relative paths. Throws (exit 2) for a reference that git doesn't know, (exit 3) outside a repository or without git.
 */
export async function writeGitFiles(
  ref: string,
  path: string,
  { cwd, target, signal }: { cwd: string; target: string; signal?: AbortSignal },
): Promise<GitFiles> {
  const absolute = resolve(cwd, path);
  const isFolder = await stat(absolute).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const folder = isFolder ? absolute : dirname(absolute);
  const commit = await resolveCommit(ref, folder);
  const only = isFolder ? [] : ['--', basename(absolute)];
  const listed = await git(folder, ['ls-tree', '-r', '-z', commit, ...only], LIST_LIMIT_BYTES);
  const skipped: { path: string; reason: string }[] = [];
  let files = 0;
  for (const entry of listed.toString('utf8').split('\0')) {
    signal?.throwIfAborted();
    const [, mode, name] = /^(\d+) \S+ \S+\t(.+)$/su.exec(entry) ?? [];
    // Only plain files: no links, no submodules.
    if (mode === undefined || name === undefined || !mode.startsWith('100') || !isSopName(name)) continue;
    const bytes = await git(folder, ['show', '--no-textconv', `${commit}:./${name}`], FILE_LIMIT_BYTES);
    if (bytes.toString('latin1', 0, LFS_POINTER.length) === LFS_POINTER) {
      skipped.push({ path: name, reason: 'git holds a Git LFS pointer instead of the file' });
      continue;
    }
    await mkdir(dirname(join(target, name)), { recursive: true });
    await writeFile(join(target, name), bytes, { mode: 0o600 });
    files++;
  }
  return { commit, files, skipped };
}

/** The full hash, so that nothing that looks like an option is ever passed on. */
async function resolveCommit(ref: string, folder: string): Promise<string> {
  await git(folder, ['rev-parse', '--git-dir'], LIST_LIMIT_BYTES);
  try {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
    return (await git(folder, args, LIST_LIMIT_BYTES)).toString('utf8').trim();
  } catch (error) {
    throw new ToolError(ExitCode.usage, `git knows no commit ${ref} in ${folder}`, {
      hint: 'name a branch, tag or commit: git log --oneline shows them',
      cause: error,
    });
  }
}

async function git(folder: string, args: readonly string[], maxBuffer: number): Promise<Buffer> {
  try {
    const { stdout } = await run('git', ['-C', folder, ...args], {
      encoding: 'buffer',
      maxBuffer,
      windowsHide: true,
    });
    return stdout;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') {
      throw new ToolError(ExitCode.input, 'git is not installed, or not on the PATH', {
        hint: 'compare two folders instead: labsage impact OLD NEW',
        cause: error,
      });
    }
    const said = String((error as { stderr?: Buffer | string }).stderr ?? '').trim();
    const reason = said === '' ? String(error instanceof Error ? error.message : error) : said;
    throw new ToolError(ExitCode.input, `git failed in ${folder}: ${reason.split('\n')[0] ?? ''}`, {
      hint: 'compare two folders instead: labsage impact OLD NEW',
      cause: error,
    });
  }
}
