import { expect, test } from '@jest/globals';
import { mkdir, readFile, readdir, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  atomicFileStorage,
  createPrivateFolder,
  isTemporaryName,
  writeFileAtomic,
} from '../../../src/core/store/atomicFiles.js';
import { inTemporaryFolder } from '../../temporaryFolder.js';

function failing(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** A rename that fails `times` times with `code` and then does its work. */
function stubbornRename(code: string, times: number): { rename: typeof rename; tries: () => number } {
  let tries = 0;
  return {
    tries: () => tries,
    rename: (from, to) => (++tries <= times ? Promise.reject(failing(code)) : rename(from, to)),
  };
}

test.each([
  ['linux', 'EPERM'],
  ['linux', 'EBUSY'],
  ['win32', 'EPERM'],
  ['win32', 'EBUSY'],
  ['win32', 'EACCES'],
] as const)('on %s a rename that fails with %s is tried again', async (platform, code) => {
  await inTemporaryFolder(async (folder) => {
    const path = join(folder, 'file');
    await writeFile(path, 'old');
    const stubborn = stubbornRename(code, 3);
    await writeFileAtomic(path, 'new', { rename: stubborn.rename, platform });
    expect(await readFile(path, 'utf8')).toBe('new');
    expect(stubborn.tries()).toBe(4);
    expect(await readdir(folder)).toEqual(['file']);
  });
});

test.each([
  ['linux', 'EACCES'],
  ['linux', 'ENOSPC'],
  ['win32', 'ENOSPC'],
] as const)(
  'on %s a rename that fails with %s is not, and leaves the old file alone',
  async (platform, code) => {
    await inTemporaryFolder(async (folder) => {
      const path = join(folder, 'file');
      await writeFile(path, 'old');
      const stubborn = stubbornRename(code, 1);
      await expect(writeFileAtomic(path, 'new', { rename: stubborn.rename, platform })).rejects.toThrow(code);
      expect(stubborn.tries()).toBe(1);
      expect(await readFile(path, 'utf8')).toBe('old');
      expect(await readdir(folder)).toEqual(['file']);
    });
  },
);

test('a file that stays open elsewhere is an error in the end, not a loop', async () => {
  await inTemporaryFolder(async (folder) => {
    const stubborn = stubbornRename('EPERM', Infinity);
    const path = join(folder, 'file');
    await expect(
      writeFileAtomic(path, 'new', { rename: stubborn.rename, platform: 'win32' }),
    ).rejects.toThrow('EPERM');
    expect(await readdir(folder)).toEqual([]);
  });
});

test('files and folders are for their owner alone', async () => {
  await inTemporaryFolder(async (folder) => {
    const inner = join(folder, 'a', 'b c', 'd');
    expect(await createPrivateFolder(inner)).toBe(true);
    expect(await createPrivateFolder(inner)).toBe(false);
    await writeFileAtomic(join(inner, 'file'), 'x');
    if (process.platform === 'win32') return;
    expect((await stat(inner)).mode & 0o777).toBe(0o700);
    expect((await stat(join(inner, 'file'))).mode & 0o777).toBe(0o600);
  });
});

test('a file, a broken link or a file above in the way of a folder is named', async () => {
  await inTemporaryFolder(async (folder) => {
    await writeFile(join(folder, 'file'), '');
    await symlink(join(folder, 'nowhere'), join(folder, 'link'));
    await expect(createPrivateFolder(join(folder, 'file'))).rejects.toThrow(
      'there is a file or a broken link',
    );
    await expect(createPrivateFolder(join(folder, 'link'))).rejects.toThrow(
      'there is a file or a broken link',
    );
    await expect(createPrivateFolder(join(folder, 'file', 'x', 'y'))).rejects.toThrow(
      'a part of that path is a file',
    );
    await expect(createPrivateFolder(join(folder, 'x'.repeat(300)))).rejects.toThrow('the path is too long');
  });
});

const proc = process.platform === 'linux' ? test : test.skip;
proc(
  'where the file system takes no folders, that is an error and no endless loop (Linux: /proc)',
  async () => {
    await expect(createPrivateFolder('/proc/labsage-test/x')).rejects.toThrow('cannot be made');
  },
);

test("vectra's storage writes atomically and lists what is there", async () => {
  await inTemporaryFolder(async (folder) => {
    const storage = atomicFileStorage();
    const path = join(folder, 'file');
    await storage.createFile(path, Buffer.from('one'));
    await expect(storage.createFile(path, Buffer.from('two'))).rejects.toThrow('file exists');
    await storage.upsertFile(path, Buffer.from('two'));
    expect((await storage.readFile(path)).toString()).toBe('two');
    await storage.createFolder(join(folder, 'sub'));
    await mkdir(join(folder, 'sub', 'deep'));
    expect((await storage.listFiles(folder)).map(({ name, isFolder }) => [name, isFolder]).sort()).toEqual([
      ['file', false],
      ['sub', true],
    ]);
    expect((await storage.listFiles(folder, 'folders')).map(({ name }) => name)).toEqual(['sub']);
    expect((await storage.getDetails(path)).isFolder).toBe(false);
    expect(await storage.pathExists(path)).toBe(true);
    await storage.deleteFile(path);
    await storage.deleteFolder(join(folder, 'sub'));
    expect(await storage.pathExists(path)).toBe(false);
    expect(await readdir(folder)).toEqual([]);
  });
});

test('temporary names are told from others', () => {
  expect(isTemporaryName('.manifest.json.0123456789ab.tmp')).toBe(true);
  expect(isTemporaryName('manifest.json')).toBe(false);
});
