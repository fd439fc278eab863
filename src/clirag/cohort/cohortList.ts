/** A list of patients and a shard → the patients of one job. */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ExitCode, ToolError, systemCode } from '../../core/errors.js';
import { parseObject } from '../../core/lines.js';

/** The `number`th of `count` parts, from 1. */
export interface Shard {
  readonly number: number;
  readonly count: number;
}

/** `3/16`. Undefined where it is none. */
export function parseShard(text: string): Shard | undefined {
  const [, number = '', count = ''] = /^(\d{1,6})\/(\d{1,6})$/u.exec(text.trim()) ?? [];
  const shard = { number: Number(number), count: Number(count) };
  return shard.number >= 1 && shard.number <= shard.count ? shard : undefined;
}

/** Every `count`th patient: the parts differ by one patient at most, and together are the whole list. */
export function takeShard(patients: readonly string[], { number, count }: Shard): string[] {
  return patients.filter((_, at) => at % count === number - 1);
}

/** Ids, one a line, or JSON lines with `id` or `patient`, as `clirag patients --json` writes them; `#` begins a comment. */
export async function readPatientList(file: string, cwd: string): Promise<string[]> {
  let content: string;
  try {
    content = await readFile(resolve(cwd, file), 'utf8');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'EISDIR') throw error;
    throw new ToolError(ExitCode.input, `there is no list of patients ${file}`, {
      hint: 'make one with: clirag patients --json > patients.jsonl',
      cause: error,
    });
  }
  const ids = content
    .replace(/^\uFEFF/u, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line, at) => (line.startsWith('{') ? idOf(line, { file, at }) : line));
  if (ids.length === 0)
    throw new ToolError(ExitCode.input, `${file} names no patient`, { hint: 'write one id a line' });
  return [...new Set(ids)];
}

function idOf(line: string, { file, at }: { file: string; at: number }): string {
  const object = parseObject(line);
  const id = object?.['id'] ?? object?.['patient'];
  if (typeof id === 'string' || typeof id === 'number') return String(id);
  throw new ToolError(ExitCode.input, `entry ${at + 1} of ${file} has no id`, {
    hint: 'write one id a line, or JSON lines as clirag patients --json does',
  });
}
