/** A program of its own: a command line, run once for each write that it makes, and that write fails → what became of each, as JSON lines. */

import fs from 'node:fs';
import promises, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { memoryIo } from '../memoryIo.js';

/** What happened when the write number `at` failed. */
export interface FaultyRun {
  readonly at: number;
  /** The call that failed; absent once the command makes fewer. */
  readonly call?: string;
  readonly exit: number;
  readonly err: string;
  /** The exit codes of these afterwards, with a sound disk. */
  readonly verify: number;
  readonly auditVerify: number;
  /** Of the same command again; tried after every fourth fault, for it loads the model each time. */
  readonly again: number;
  readonly left: readonly string[];
}

const [folder = '', code = '', ...argv] = process.argv.slice(2);
const index = join(folder, '.labsage');
const state = { calls: 0, failAt: 0, failed: '' };

/** Counts a write into the index; the error that it is to fail with. A full disk stays full; a bad block is one. Taking away needs no space. */
function strike(call: string, path: unknown): Error | undefined {
  if (typeof path !== 'string' || !path.startsWith(index)) return undefined;
  if (code === 'ENOSPC' && /^(?:rm|unlink|rmdir|truncate)/u.test(call)) return undefined;
  state.calls++;
  const isHit = code === 'ENOSPC' ? state.calls >= state.failAt : state.calls === state.failAt;
  if (state.failAt === 0 || !isHit) return undefined;
  if (state.failed === '') state.failed = `${call} ${path.slice(index.length + 1)}`;
  return Object.assign(new Error(`${code}: injected, ${call} '${path}'`), { code, syscall: call, path });
}

type AnyFunction = (...args: unknown[]) => unknown;

function patchPromises(): void {
  const calls = promises as unknown as Record<string, AnyFunction>;
  for (const name of ['mkdir', 'rename', 'writeFile', 'appendFile', 'truncate', 'rm', 'unlink', 'rmdir']) {
    const real = calls[name];
    if (real === undefined) throw new Error(`no ${name}`);
    calls[name] = (...args) => {
      const error = strike(name, args[0]);
      return error === undefined ? real(...args) : Promise.reject(error);
    };
  }
  const realOpen = promises.open;
  calls['open'] = async (path, flags, ...rest) => {
    const error = typeof flags === 'string' && flags !== 'r' ? strike('open', path) : undefined;
    if (error !== undefined) throw error;
    const handle = await realOpen(path as string, flags as string, ...(rest as []));
    return watched(handle, path);
  };
}

function watched(handle: FileHandle, path: unknown): FileHandle {
  const calls = handle as unknown as Record<string, AnyFunction>;
  for (const name of ['write', 'writeFile', 'appendFile', 'sync', 'truncate']) {
    const real = calls[name]?.bind(handle);
    if (real === undefined) throw new Error(`no ${name}`);
    calls[name] = (...args) => {
      const error = strike(name, path);
      return error === undefined ? real(...args) : Promise.reject(error);
    };
  }
  return handle;
}

/** The lock's own calls. */
function patchCallbacks(): void {
  const calls = fs as unknown as Record<string, AnyFunction>;
  for (const name of ['mkdir', 'rmdir', 'utimes']) {
    const real = calls[name];
    if (real === undefined) throw new Error(`no ${name}`);
    calls[name] = (...args) => {
      const error = strike(name, args[0]);
      return error === undefined ? real(...args) : (args.at(-1) as AnyFunction)(error);
    };
  }
}

const kept = join(folder, 'kept');
await rm(kept, { recursive: true, force: true });
await cp(index, kept, { recursive: true });
patchPromises();
patchCallbacks();
syncBuiltinESMExports();
const { runProgram } = await import('../../src/core/cli.js');
const { createProgram } = await import('../../src/labsage/cli.js');

async function run(args: readonly string[]): Promise<{ exit: number; err: string }> {
  const io = memoryIo({ cwd: folder, env: { ...process.env } as Record<string, string> });
  const exit = await runProgram(createProgram, args, io);
  return { exit, err: io.err() };
}

for (let at = 1; ; at++) {
  await rm(index, { recursive: true, force: true });
  await cp(kept, index, { recursive: true });
  Object.assign(state, { calls: 0, failAt: at, failed: '' });
  const { exit, err } = await run(argv);
  const call = state.failed;
  state.failAt = 0;
  const verify = (await run(['verify', '--quiet'])).exit;
  const auditVerify = (await run(['audit', 'verify', '--quiet'])).exit;
  const again = at % 4 === 0 ? (await run(argv)).exit : 0;
  const left = (await promises.readdir(index)).filter((name) => /\.tmp$/u.test(name));
  const ended: FaultyRun = {
    at,
    ...(call === '' ? {} : { call }),
    exit,
    err,
    verify,
    auditVerify,
    again,
    left,
  };
  process.stdout.write(`${JSON.stringify(ended)}\n`);
  if (call === '') break;
}
await rm(index, { recursive: true, force: true });
await cp(kept, index, { recursive: true });
