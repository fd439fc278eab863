import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withFolderLock } from '../../../src/core/store/folderLock.js';
import { inTemporaryFolder } from '../../temporaryFolder.js';

test('writers come one after the other, and the lock leaves nothing', async () => {
  await inTemporaryFolder(async (folder) => {
    let inside = 0;
    let done = 0;
    await Promise.all(
      Array.from({ length: 12 }, () =>
        withFolderLock(folder, { name: 'write' }, async (assertHeld) => {
          expect(++inside).toBe(1);
          await sleep(2);
          await assertHeld();
          inside--;
          done++;
        }),
      ),
    );
    expect(done).toBe(12);
    expect(await readdir(folder)).toEqual([]);
  });
});

test('two locks of one folder do not hinder each other', async () => {
  await inTemporaryFolder(async (folder) => {
    await withFolderLock(folder, { name: 'write' }, async (outerHeld) => {
      await withFolderLock(folder, { name: 'audit', waitMs: 0 }, (innerHeld) => innerHeld());
      await outerHeld();
    });
    expect(await readdir(folder)).toEqual([]);
  });
});

test('who waits too long is told who holds it: exit 3', async () => {
  await inTemporaryFolder(async (folder) => {
    await withFolderLock(folder, { name: 'write' }, async () => {
      const waited: string[] = [];
      const second = withFolderLock(
        folder,
        { name: 'write', waitMs: 600, onWait: () => waited.push('waiting') },
        () => Promise.resolve('never'),
      );
      await expect(second).rejects.toMatchObject({
        exitCode: 3,
        message: `another process (${process.pid} on ${hostname()}) is writing to ${folder}`,
      });
      expect(waited).toEqual(['waiting']);
    });
  });
});

test('an interrupt ends the waiting', async () => {
  await inTemporaryFolder(async (folder) => {
    await withFolderLock(folder, { name: 'write' }, async () => {
      const controller = new AbortController();
      const second = withFolderLock(folder, { name: 'write', signal: controller.signal }, () =>
        Promise.resolve(),
      );
      setTimeout(() => controller.abort(), 30);
      await expect(second).rejects.toThrow();
    });
  });
});

test('the lock of a killed writer expires: at once where it is old, soon where its process is known to be dead', async () => {
  await inTemporaryFolder(async (folder) => {
    const lock = join(folder, 'write.lock');
    await mkdir(lock);
    await utimes(lock, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000));
    expect(await withFolderLock(folder, { name: 'write', waitMs: 0 }, () => Promise.resolve('old'))).toBe(
      'old',
    );

    const child = spawn(process.execPath, ['-e', '']);
    await new Promise((resolve) => child.on('exit', resolve));
    await mkdir(lock);
    await writeFile(
      join(folder, 'write.owner'),
      JSON.stringify({ token: 'x', pid: child.pid, host: hostname() }),
    );
    const startMs = Date.now();
    await withFolderLock(folder, { name: 'write' }, () => Promise.resolve());
    expect(Date.now() - startMs).toBeLessThan(7000);
  });
});

test('a writer whose lock was taken is stopped before it can do harm', async () => {
  await inTemporaryFolder(async (folder) => {
    let reached = false;
    const first = withFolderLock(folder, { name: 'write' }, async (assertHeld) => {
      // As if this process had slept: its lock is old, and another writer takes it.
      await utimes(join(folder, 'write.lock'), new Date(0), new Date(0));
      await writeFile(
        join(folder, 'write.owner'),
        JSON.stringify({ token: 'other', pid: 1, host: 'elsewhere' }),
      );
      await assertHeld();
      reached = true;
    });
    await expect(first).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('was lost while writing'),
    });
    expect(reached).toBe(false);
  });
});

test('a folder made for work that failed goes again, one that was there stays', async () => {
  await inTemporaryFolder(async (folder) => {
    const fail = (): Promise<never> => Promise.reject(new Error('nothing to do'));
    const fresh = join(folder, 'fresh');
    await expect(withFolderLock(fresh, { name: 'write' }, fail)).rejects.toThrow('nothing to do');
    await expect(stat(fresh)).rejects.toThrow('ENOENT');
    await mkdir(fresh);
    await expect(withFolderLock(fresh, { name: 'write' }, fail)).rejects.toThrow('nothing to do');
    expect((await stat(fresh)).isDirectory()).toBe(true);
  });
});
