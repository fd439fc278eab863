import '../uuidForVectra.js';
import { expect, test } from '@jest/globals';
import type { ChildProcess } from 'node:child_process';
import { readdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSopIndex, readAllDocuments } from '../../src/labsage/sopIndex.js';
import { verifyIndex } from '../../src/labsage/verifyIndex.js';
import { inTemporaryFolder, writeFiles } from '../temporaryFolder.js';
import { labsage, manySections } from './runBin.js';

const INDEX = ['index', 'sops', '--embedder', 'minilm', '--quiet'];
const KILLS = 20;

/** Opens the index, proves it, and says which version of the SOP it holds. */
async function provenMark(folder: string): Promise<string> {
  const index = await openSopIndex(join(folder, '.labsage'));
  try {
    const { checks } = await verifyIndex(index);
    expect(checks.flatMap(({ faults }) => faults)).toEqual([]);
    const marks = new Set(
      (await readAllDocuments(index)).flatMap(({ text }) => text.match(/mark-\d+/gu) ?? []),
    );
    expect(marks.size).toBe(1);
    return [...marks][0] ?? '';
  } finally {
    await index.close();
  }
}

/** What ten seconds do: the lock of a dead writer is old. */
async function letTimePass(folder: string): Promise<void> {
  await utimes(join(folder, '.labsage', 'write.lock'), new Date(0), new Date(0)).catch(() => undefined);
}

test(`${KILLS} × kill -9 at random moments of index: each time the old or the new index, whole`, async () => {
  await inTemporaryFolder(async (folder) => {
    const write = (mark: string): Promise<string> =>
      writeFiles(join(folder, 'sops'), {
        'a.md': manySections('CH-001', { sections: 30, mark }),
        'b.md': manySections('CH-002', { sections: 3, mark }),
      });
    await write('mark-0');
    const startMs = Date.now();
    expect((await labsage(INDEX, { cwd: folder })).code).toBe(0);
    const fullMs = Date.now() - startMs;
    let published = 'mark-0';
    let killed = 0;
    for (let at = 1; at <= KILLS; at++) {
      await write(`mark-${at}`);
      // Evenly spread over the whole run, a little at random, so that every stage is hit.
      const delayMs = (fullMs * (at + Math.random())) / KILLS;
      const kill = (child: ChildProcess): void => void setTimeout(() => child.kill('SIGKILL'), delayMs);
      const { code } = await labsage(INDEX, { cwd: folder, onStart: kill });
      if (code === null) killed++;
      const mark = await provenMark(folder);
      expect(code === null ? [published, `mark-${at}`] : [`mark-${at}`]).toContain(mark);
      published = mark;
      await letTimePass(folder);
    }
    expect(killed).toBeGreaterThan(KILLS / 2);
    await write('mark-99');
    expect((await labsage(INDEX, { cwd: folder })).code).toBe(0);
    expect(await provenMark(folder)).toBe('mark-99');
    const left = await readdir(join(folder, '.labsage'));
    expect(
      left.filter((name) => /\.(?:tmp|lock|owner|bin)$/u.test(name) && !name.startsWith('terms')),
    ).toEqual([]);
  });
});

test('Ctrl-C ends index with exit 130, the next run embeds only the rest', async () => {
  await inTemporaryFolder(async (folder) => {
    await writeFiles(join(folder, 'sops'), {
      'a.md': manySections('CH-001', { sections: 160, mark: 'mark-1' }),
    });
    const interrupt = async (child: ChildProcess): Promise<void> => {
      while (child.exitCode === null && (await checkpointBytes(folder)) === 0) await sleep(5);
      child.kill('SIGINT');
    };
    const stopped = await labsage(INDEX, { cwd: folder, onStart: (child) => void interrupt(child) });
    expect(stopped).toEqual({ code: 130, out: '', err: 'interrupted\n' });
    const kept = (await checkpointBytes(folder)) / (16 + 384 * 4 + 4);
    expect(kept).toBeGreaterThanOrEqual(16);
    const next = await labsage([...INDEX, '--json'], { cwd: folder });
    const { embedded, searchUnits } = JSON.parse(next.out) as { embedded: number; searchUnits: number };
    expect(embedded).toBeLessThanOrEqual(2 * searchUnits - kept);
    expect(embedded).toBeGreaterThan(0);
    expect(await provenMark(folder)).toBe('mark-1');
  });
});

test('Ctrl-C ends index at once also while a hostile file is read; the old index stays', async () => {
  await inTemporaryFolder(async (folder) => {
    await writeFiles(join(folder, 'sops'), {
      'a.md': manySections('CH-001', { sections: 3, mark: 'mark-1' }),
    });
    expect((await labsage(INDEX, { cwd: folder })).code).toBe(0);
    await writeFiles(join(folder, 'sops'), {
      'a.md': manySections('CH-001', { sections: 3, mark: 'mark-2' }),
      'b.md': '[^1]'.repeat(99_000),
    });
    let interruptedMs = 0;
    const interrupt = async (child: ChildProcess): Promise<void> => {
      await sleep(2_000);
      interruptedMs = Date.now();
      child.kill('SIGINT');
    };
    const stopped = await labsage(INDEX, { cwd: folder, onStart: (child) => void interrupt(child) });
    expect(stopped).toEqual({ code: 130, out: '', err: 'interrupted\n' });
    expect(Date.now() - interruptedMs).toBeLessThan(2_000);
    expect(await provenMark(folder)).toBe('mark-1');
  });
});

async function checkpointBytes(folder: string): Promise<number> {
  const names = await readdir(join(folder, '.labsage')).catch(() => []);
  const name = names.find((one) => one.startsWith('checkpoint-'));
  return name === undefined
    ? 0
    : stat(join(folder, '.labsage', name)).then(
        ({ size }) => size,
        () => 0,
      );
}

test('two index at once, and ask during index: all succeed, each answer is of one whole index', async () => {
  await inTemporaryFolder(async (folder) => {
    const write = (mark: string): Promise<string> =>
      writeFiles(join(folder, 'sops'), { 'a.md': manySections('CH-001', { sections: 40, mark }) });
    await write('mark-1');
    const both = await Promise.all([labsage(INDEX, { cwd: folder }), labsage(INDEX, { cwd: folder })]);
    expect(both.map(({ code, err }) => [code, err])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    expect(both.map(({ out }) => out.includes('nothing changed')).sort()).toEqual([false, true]);
    expect(await provenMark(folder)).toBe('mark-1');

    await write('mark-2');
    const ask = ['ask', 'How long is the plasma of part 7 spun?', '--json'];
    const [indexed, ...answers] = await Promise.all([
      labsage(INDEX, { cwd: folder }),
      ...[0, 150, 300].map((waitMs) => sleep(waitMs).then(() => labsage(ask, { cwd: folder }))),
    ]);
    expect(indexed.code).toBe(0);
    for (const { code, out, err } of answers) {
      expect([code, err]).toEqual([0, '']);
      const { sources } = JSON.parse(out) as { sources: { text: string }[] };
      expect(new Set(sources.flatMap(({ text }) => text.match(/mark-\d/gu) ?? [])).size).toBe(1);
    }
    expect(await provenMark(folder)).toBe('mark-2');
  });
});
