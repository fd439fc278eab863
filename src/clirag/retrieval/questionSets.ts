/** `queries/charts/*.json`, or files of the user's in their place → the global and the local questions. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../core/config.js';
import { ExitCode, ToolError } from '../../core/errors.js';
import type { NoteType, SoapPart } from '../../core/types.js';

/** `noteTypes`: only the local questions have them. */
export interface ChartQuestion {
  readonly id: string;
  readonly question: string;
  readonly soap: SoapPart;
  readonly noteTypes?: readonly NoteType[];
}

export interface QuestionSets {
  readonly global: readonly ChartQuestion[];
  readonly local: readonly ChartQuestion[];
}

/** Throws (exit 3) for a file that is missing or holds no list of questions. */
export async function readQuestionSets(
  files: { global?: string; local?: string } = {},
): Promise<QuestionSets> {
  const [global, local] = await Promise.all(
    (['global', 'local'] as const).map((name) =>
      readQuestions(files[name] ?? join(packageRoot, 'queries', 'charts', `${name}.json`)),
    ),
  );
  return { global: global ?? [], local: local ?? [] };
}

async function readQuestions(file: string): Promise<ChartQuestion[]> {
  const text = await readFile(file, 'utf8');
  try {
    const list = JSON.parse(text) as unknown;
    if (Array.isArray(list) && list.length > 0 && list.every(isQuestion)) return list;
  } catch {
    // Told below, whatever the parser said.
  }
  throw new ToolError(ExitCode.input, `${file} is no list of questions`, {
    hint: 'write [{"id": "…", "question": "…", "soap": "S"}], as queries/charts/global.json does',
  });
}

function isQuestion(value: unknown): value is ChartQuestion {
  const { id, question, soap } = (value ?? {}) as Partial<Record<string, unknown>>;
  return typeof id === 'string' && typeof question === 'string' && /^[SOAP]$/u.test(String(soap));
}
