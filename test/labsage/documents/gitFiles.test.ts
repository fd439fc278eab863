import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitCode } from '../../../src/core/errors.js';
import { writeGitFiles } from '../../../src/labsage/documents/gitFiles.js';
import { inTemporaryFolder, writeFiles } from '../../temporaryFolder.js';

const hasGit = ((): boolean => {
  try {
    execFileSync('git', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
const testWithGit = hasGit ? test : test.skip;

const FILES = {
  'sops/CH 1 µ.md': '# One\n\nSpin 8 min.\n',
  'sops/sub dir/two.txt': 'TWO\r\n',
  'sops/notes.csv': 'a,b\n',
  'sops/large.md': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\n',
  'outside.md': '# Outside\n',
};

function git(folder: string, ...args: string[]): void {
  execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
    stdio: 'ignore',
  });
}

async function inRepository(work: (folder: string, target: string) => Promise<void>): Promise<void> {
  await inTemporaryFolder(async (folder) => {
    const repository = await writeFiles(join(folder, 'repository'), FILES);
    git(repository, 'init', '-q');
    git(repository, 'add', '.');
    git(repository, 'commit', '-qm', 'one');
    git(repository, 'tag', 'approved');
    await writeFiles(repository, { 'sops/CH 1 µ.md': '# One\n\nSpin 12 min.\n', 'sops/new.md': '# New\n' });
    await work(repository, join(folder, 'target'));
  });
}

testWithGit(
  'a folder as it was at a tag: SOPs byte for byte under the same paths, pointers named',
  async () => {
    await inRepository(async (cwd, target) => {
      const written = await writeGitFiles('approved', 'sops', { cwd, target });
      expect(written.commit).toMatch(/^[0-9a-f]{40,64}$/u);
      expect(written.files).toBe(2);
      expect(written.skipped).toEqual([
        { path: 'large.md', reason: 'git holds a Git LFS pointer instead of the file' },
      ]);
      expect((await readdir(target, { recursive: true })).sort()).toEqual([
        'CH 1 µ.md',
        'sub dir',
        join('sub dir', 'two.txt'),
      ]);
      expect(await readFile(join(target, 'CH 1 µ.md'), 'utf8')).toBe(FILES['sops/CH 1 µ.md']);
      expect(await readFile(join(target, 'sub dir/two.txt'), 'utf8')).toBe('TWO\r\n');
    });
  },
);

testWithGit('one file', async () => {
  await inRepository(async (cwd, target) => {
    expect(await writeGitFiles('HEAD', 'sops/CH 1 µ.md', { cwd, target })).toMatchObject({ files: 1 });
    expect(await readdir(target)).toEqual(['CH 1 µ.md']);
  });
});

testWithGit.each(['nosuch', '--output=/tmp/x', '-h', 'HEAD; touch x', ''])('%j is no commit', async (ref) => {
  await inRepository(async (cwd, target) => {
    await expect(writeGitFiles(ref, 'sops', { cwd, target })).rejects.toMatchObject({
      exitCode: ExitCode.usage,
      message: expect.stringContaining(`git knows no commit ${ref}`),
    });
  });
});

testWithGit('outside a repository git says so', async () => {
  await inTemporaryFolder(async (folder) => {
    await expect(
      writeGitFiles('HEAD', '.', { cwd: folder, target: join(folder, 't') }),
    ).rejects.toMatchObject({
      exitCode: ExitCode.input,
      message: expect.stringContaining('not a git repository'),
    });
  });
});
