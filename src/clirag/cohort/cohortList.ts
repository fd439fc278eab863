/** A file that lists patients → their ids. */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ExitCode, ToolError, systemCode } from '../../core/errors.js';
import { parseObject } from '../../core/lines.js';

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
