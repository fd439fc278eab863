/** A running command → how long each of its phases took (`--timings`), and what it did in detail (`--verbose`). */

import { AsyncLocalStorage } from 'node:async_hooks';
import { formatDuration, type Output } from './output.js';

/** One command's record. Code that has no command around it, as a test or a library's user, records nothing. */
export interface Trace {
  /** Milliseconds by phase, in the order in which phases ended first. A phase that comes again is added up. */
  readonly phasesMs: Readonly<Record<string, number>>;
  add(phase: string, ms: number): void;
  tell(line: string): void;
}

const running = new AsyncLocalStorage<Trace>();

/** `tell` gets what is worth a line of `--verbose`. */
export function newTrace(tell: (line: string) => void): Trace {
  const phasesMs: Record<string, number> = {};
  return {
    phasesMs,
    add(phase, ms) {
      phasesMs[phase] = Math.round(((phasesMs[phase] ?? 0) + ms) * 10) / 10;
    },
    tell,
  };
}

/** All that `work` does, also later and in other callbacks, is recorded in `trace`. */
export function withTrace<Result>(trace: Trace, work: () => Promise<Result>): Promise<Result> {
  return running.run(trace, work);
}

/** For callbacks that come from elsewhere, as a thread's messages do. */
export function currentTrace(): Trace | undefined {
  return running.getStore();
}

/** Records how long `work` took, also where it fails. Phases may lie inside or beside each other. */
export async function timed<Result>(phase: string, work: () => Promise<Result>): Promise<Result> {
  const startMs = performance.now();
  try {
    return await work();
  } finally {
    currentTrace()?.add(phase, performance.now() - startMs);
  }
}

/** A line of `--verbose`: never words of a chart. */
export function tell(line: string): void {
  currentTrace()?.tell(line);
}

/** The phases on stderr, one a line. */
export function printTimings({ phasesMs }: Trace, { io }: Output): void {
  const width = Math.max(...Object.keys(phasesMs).map((phase) => phase.length));
  for (const [phase, ms] of Object.entries(phasesMs))
    io.stderr.write(`${phase.padEnd(width)}  ${describeMs(ms).padStart(8)}\n`);
}

function describeMs(ms: number): string {
  return ms < 10_000 ? `${Math.round(ms)} ms` : formatDuration(ms / 1000);
}
