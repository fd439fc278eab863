/** Commands in; how long each ran as a whole process, and ratios of pairs that ran in turn, out. */

import { spawnSync } from 'node:child_process';
import { packageRoot } from '../src/core/config.js';

const COLD_RUNS = 9;

export type Command = readonly [string, readonly string[]];

/** Ratio of `ours` to `base`, run in turn. */
export function pairedRuns(base: Command, ours: Command): number[] {
  run(base);
  run(ours);
  return Array.from({ length: COLD_RUNS }, () => {
    const baseMs = run(base);
    return run(ours) / baseMs;
  });
}

export function run([command, args]: Command): number {
  const startMs = performance.now();
  const { status, stderr } = spawnSync(command, args, { cwd: packageRoot, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status ?? 'a signal'}: ${stderr}`);
  return performance.now() - startMs;
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

export function spread(values: readonly number[]): string {
  return `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}, n = ${values.length}`;
}
