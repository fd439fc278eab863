import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, truncateSync, unlinkSync } from 'node:fs';
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitCode, ToolError } from '../../../src/core/errors.js';
import {
  compareText,
  listSopFiles,
  readSopFile,
  reasonOf,
  skipReason,
} from '../../../src/labsage/documents/sopFiles.js';
import { inTemporaryFolder, writeFiles } from '../../temporaryFolder.js';

async function paths(roots: readonly string[], cwd: string): Promise<string[]> {
  return (await listSopFiles(roots, cwd)).files.map(({ path }) => path);
}

test('SOPs are listed with paths from the named folder, in an order that no locale changes', async () => {
  await inTemporaryFolder(async (folder) => {
    await writeFiles(folder, {
      'b.md': '',
      'B.MD': '',
      'ä.txt': '',
      'sub dir/z.html': '',
      'sub dir/deep/y.docx': '',
      'notes.png': '',
      'data.json': '',
      '.hidden.md': '',
      '.labsage/x.md': '',
      '~$lock.docx': '',
      'node_modules/p/readme.md': '',
      'old.doc': '',
      'x.rtf': '',
    });
    const found = await paths(['.'], folder);
    expect(found).toEqual([
      'B.MD',
      'b.md',
      'old.doc',
      'sub dir/deep/y.docx',
      'sub dir/z.html',
      'x.rtf',
      'ä.txt',
    ]);
    expect(found).toEqual([...found].sort(compareText));
    expect(await paths([folder, join(folder, 'b.md'), 'sub dir'], folder)).toEqual(found);
  });
});

test('files of the same name have ids of their own, that do not depend on others', async () => {
  await inTemporaryFolder(async (folder) => {
    await writeFiles(folder, { 'a/s.md': '', 'b/s.md': '', 'c.md': '' });
    const ids = (await listSopFiles(['.'], folder)).files.map(({ id }) => id);
    const own = expect.stringMatching(/^s~[0-9a-f]{8}$/u);
    expect(ids).toEqual([own, own, 'c']);
    expect(new Set(ids).size).toBe(3);
  });
});

test('two folders with the same paths in them are told apart', async () => {
  await inTemporaryFolder(async (folder) => {
    await writeFiles(folder, { 'one/s.md': '', 'two/s.md': '', 'two/t.md': '' });
    const { files } = await listSopFiles(['one', 'two'], folder);
    expect(files.map(({ path }) => path)).toEqual(['one/s.md', 'two/s.md', 'two/t.md']);
    expect(new Set(files.map(({ id }) => id)).size).toBe(3);
    expect(await paths(['two', '.'], folder)).toEqual(['one/s.md', 's.md', 't.md']);
  });
});

test('a link to a folder is named as skipped, so that no circle is walked', async () => {
  await inTemporaryFolder(async (folder) => {
    await writeFiles(folder, { 'a.md': '' });
    await symlink(folder, join(folder, 'circle'));
    const { files, skipped } = await listSopFiles(['.'], folder);
    expect(files.map(({ path }) => path)).toEqual(['a.md']);
    expect(skipped).toEqual([
      { path: 'circle', reason: 'it is a link to a folder; name that folder itself' },
    ]);
  });
});

test('a path that is not there is exit 3 and named', async () => {
  await expect(listSopFiles(['no such'], '/')).rejects.toMatchObject({
    exitCode: 3,
    message: 'no such cannot be read: there is no such file or folder',
  });
});

test('what is no regular file, or too large to be a SOP, is refused before it is read', async () => {
  await inTemporaryFolder(async (folder) => {
    await writeFile(join(folder, 'a.md'), 'words');
    expect((await readSopFile(join(folder, 'a.md'))).toString()).toBe('words');
    await mkdir(join(folder, 'folder.md'));
    await expect(readSopFile(join(folder, 'folder.md'))).rejects.toThrow('it is a folder');
    await symlink('nowhere', join(folder, 'broken.md'));
    await expect(readSopFile(join(folder, 'broken.md'))).rejects.toThrow(
      'it is a link to a file that is not there',
    );
    await writeFile(join(folder, 'huge.txt'), '');
    await truncate(join(folder, 'huge.txt'), 200 * 1024 * 1024);
    await expect(readSopFile(join(folder, 'huge.txt'))).rejects.toThrow('it has 200 MB, more than the 64 MB');
    if (process.platform === 'win32') return;
    execFileSync('mkfifo', [join(folder, 'pipe.md')]);
    await expect(readSopFile(join(folder, 'pipe.md'))).rejects.toThrow('it is a pipe or device');
    await symlink('/dev/zero', join(folder, 'zero.md'));
    await expect(readSopFile(join(folder, 'zero.md'))).rejects.toThrow('it is a pipe or device');
  });
});

test('a file that grows while it is read is named, not read in part; one that changed once is read again', async () => {
  await inTemporaryFolder(async (folder) => {
    const path = join(folder, 'growing.txt');
    await writeFile(path, 'x'.repeat(20_000_000));
    const growing = setInterval(() => appendFileSync(path, 'more'), 1);
    try {
      await expect(readSopFile(path)).rejects.toMatchObject({
        exitCode: 3,
        message: 'it changed while it was read',
      });
    } finally {
      clearInterval(growing);
    }
    let changed = 0;
    const once = setInterval(() => {
      appendFileSync(path, 'once');
      changed += 1;
      clearInterval(once);
    }, 1);
    const bytes = await readSopFile(path);
    expect(changed).toBe(1);
    expect(bytes.equals(readFileSync(path))).toBe(true);
  });
});

test('a file that is deleted or emptied while it is read is whole or named', async () => {
  await inTemporaryFolder(async (folder) => {
    for (const change of [unlinkSync, (path: string) => truncateSync(path, 5)]) {
      const path = join(folder, 'going.txt');
      await writeFile(path, 'x'.repeat(20_000_000));
      setTimeout(() => change(path), 1);
      const read = await readSopFile(path).catch((error: unknown) => skipReason('going.txt', error));
      expect([20_000_000, 5, 'there is no such file or folder']).toContain(
        typeof read === 'string' ? read : read.length,
      );
    }
  });
});

test.each([
  [
    new ToolError(ExitCode.input, 'a.md: not a text file', { hint: 'save it as text' }),
    'not a text file; save it as text',
  ],
  [Object.assign(new Error('x'), { code: 'EACCES' }), 'no permission to read it'],
  [Object.assign(new Error('x'), { code: 'EBUSY' }), 'another program has it open'],
  [new TypeError('x is undefined'), 'the program failed on it, please report this as a bug: x is undefined'],
])('why a file was left out: %s', (error, reason) => {
  expect(skipReason('a.md', error)).toBe(reason);
});

test('an error of another kind keeps its message', () => {
  expect(reasonOf(new Error('odd'))).toBe('odd');
  expect(reasonOf('odd')).toBe('odd');
});
