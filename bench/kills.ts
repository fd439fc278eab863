/** `npm run bench -- kills [COUNT]`: `kill -9` at moments spread over a run of `labsage index` → each time the old or the new index, whole. */

import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../src/core/config.js';
import { verifyIndex } from '../src/labsage/verifyIndex.js';
import { openSopIndex, readAllDocuments } from '../src/labsage/sopIndex.js';

const SECTIONS = 30;

/** `args`: how many kills (200). Exit 1 if an index was neither the old nor the new one, or not whole. */
export async function benchKills([count = '200']: readonly string[]): Promise<void> {
  const { killed, old, renewed, wrong, isMended } = await killIndexRuns(Number(count));
  wrong.forEach((line) => console.log(line));
  console.log(
    `${count} runs, ${killed} killed: the old index ${old} times, the new one ${renewed} times, neither ${wrong.length} times; the next run ${isMended ? 'published its own' : 'FAILED'}`,
  );
  if (wrong.length > 0 || !isMended) process.exitCode = 1;
}

export interface KilledRuns {
  readonly killed: number;
  readonly old: number;
  readonly renewed: number;
  /** What was neither, or not the new one after a run that was not killed. */
  readonly wrong: readonly string[];
  /** A run afterwards published its own. */
  readonly isMended: boolean;
  /** Names in the index folder at the end. */
  readonly left: readonly string[];
}

/** The kills are spread evenly over the time of a whole run, a little at random, so that every stage is hit. */
export async function killIndexRuns(kills: number): Promise<KilledRuns> {
  const folder = await mkdtemp(join(tmpdir(), 'labsage kills '));
  try {
    await writeSop(folder, 0);
    const startMs = Date.now();
    await runIndex(folder);
    const fullMs = Date.now() - startMs;
    let published = 0;
    const seen = { killed: 0, old: 0, renewed: 0 };
    const wrong: string[] = [];
    for (let at = 1; at <= kills; at += 1) {
      await writeSop(folder, at);
      const isKilled = await runIndex(folder, { killAfterMs: (fullMs * (at + Math.random())) / kills });
      if (isKilled) seen.killed += 1;
      const held = await provenRevision(folder).catch((error: unknown) => String(error));
      if (held === at) seen.renewed += 1;
      else if (held === published && isKilled) seen.old += 1;
      else wrong.push(`kill ${at}: ${held}, after revision ${published}`);
      if (typeof held === 'number') published = held;
      // What ten seconds do: the lock of a dead writer is old.
      await utimes(join(folder, '.labsage', 'write.lock'), new Date(0), new Date(0)).catch(() => undefined);
    }
    await writeSop(folder, kills + 1);
    await runIndex(folder);
    const isMended = (await provenRevision(folder)) === kills + 1;
    return { ...seen, wrong, isMended, left: await readdir(join(folder, '.labsage')) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeSop(folder: string, revision: number): Promise<void> {
  const sections = Array.from(
    { length: SECTIONS },
    (_, at) =>
      `## ${at + 1}. Part ${at}\n\nThe revision-${revision} of part ${at}: mix the plasma ${at} times.\n`,
  );
  await mkdir(join(folder, 'sops'), { recursive: true });
  await writeFile(join(folder, 'sops', 'ch-001.md'), `# CH-001 Potassium\n\n${sections.join('\n')}`);
}

/** True if it was killed before it ended. */
function runIndex(folder: string, options: { killAfterMs?: number } = {}): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const bin = join(packageRoot, 'bin', 'labsage.js');
    const child = spawn(process.execPath, [bin, 'index', 'sops', '--embedder', 'minilm', '--quiet'], {
      cwd: folder,
      stdio: 'ignore',
    });
    if (options.killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), options.killAfterMs);
    child.on('error', reject);
    child.on('close', (code) => resolve(code === null));
  });
}

/** The one revision that a whole index holds. */
async function provenRevision(folder: string): Promise<number> {
  const index = await openSopIndex(join(folder, '.labsage'));
  try {
    const { checks } = await verifyIndex(index);
    const faults = checks.flatMap((check) => check.faults);
    if (faults.length > 0) throw new Error(faults.join('; '));
    const texts = (await readAllDocuments(index)).map(({ text }) => text).join('\n');
    const revisions = new Set(texts.match(/(?<=revision-)\d+/gu));
    if (revisions.size !== 1) throw new Error(`revisions ${[...revisions].join(', ')}`);
    return Number([...revisions][0]);
  } finally {
    await index.close();
  }
}
