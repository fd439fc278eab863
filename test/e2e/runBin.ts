/** A command line in, exit code and what it wrote out: the real program with the real MiniLM weights. */

import { afterAll } from '@jest/globals';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../src/core/config.js';

export const BIN = join(packageRoot, 'bin', 'labsage.js');
export const CLIRAG_BIN = join(packageRoot, 'bin', 'clirag.js');

/** One for all tests of a file: it remembers that this machine computes the model right. */
export const HOME = mkdtempSync(join(tmpdir(), 'labsage home '));
afterAll(() => rmSync(HOME, { recursive: true, force: true }));

export interface Ended {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly onStart?: (child: ChildProcess) => void;
}

export function labsage(args: readonly string[], options: RunOptions): Promise<Ended> {
  return run(process.execPath, [BIN, ...args], options);
}

export function clirag(args: readonly string[], options: RunOptions): Promise<Ended> {
  return run(process.execPath, [CLIRAG_BIN, ...args], options);
}

export function environment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = '', HOME: home = '' } = process.env;
  return { PATH, HOME: home, LABSAGE_HOME: HOME, ...extra };
}

export function run(command: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: options.cwd, env: environment(options.env) });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
    options.onStart?.(child);
  });
}

/** True if the command can be run here. */
export function works(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/** A SOP of so many sections; every word of `mark` stands in each of them. */
export function manySections(number: string, options: { sections: number; mark: string }): string {
  const sections = Array.from(
    { length: options.sections },
    (_, at) =>
      `## ${at + 1}. Part ${at}\n\nThe ${options.mark} of part ${at}: mix the plasma ${at} times, spin it for ${at} minutes and read the potassium at ${at} nm.\n`,
  );
  return `# ${number} Potassium in plasma\n\nDocument number: ${number}\n\n${sections.join('\n')}`;
}
