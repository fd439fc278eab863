import '../uuidForVectra.js';
import { expect, test } from '@jest/globals';
import type { ChildProcess } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { killIndexRuns } from '../../bench/kills.js';
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

test(`${KILLS} × kill -9 at random moments of index: each time the old or the new index, whole`, async () => {
  const { killed, wrong, isMended, left } = await killIndexRuns(KILLS);
  expect(wrong).toEqual([]);
  expect(killed).toBeGreaterThan(KILLS / 2);
  expect(isMended).toBe(true);
  expect(left.filter((name) => /\.(?:tmp|lock|owner|bin)$/u.test(name) && !name.startsWith('terms'))).toEqual(
    [],
  );
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
