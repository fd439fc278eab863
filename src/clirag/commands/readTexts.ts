/** A file, stdin, or notes of the store → the texts that a filter works on. */

import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { ExitCode, ToolError, systemCode } from '../../core/errors.js';
import type { Io } from '../../core/output.js';
import type { Note } from '../../core/types.js';
import { findVisit } from '../visits.js';
import { openChart, openStore, type StoreFlags } from './openStore.js';

export interface InputFlags extends StoreFlags {
  readonly note?: string;
  readonly visit?: string;
}

/** A text with what else is known of it. */
export interface InputText {
  readonly text: string;
  /** Other fields of a JSON line, which are passed on. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly note?: Note;
}

/** Notes of the store where --patient, --note or --visit is given, else the file or stdin. */
export async function* readTexts(
  args: readonly string[],
  flags: InputFlags,
  io: Io,
): AsyncGenerator<InputText> {
  const isStored = flags.patient !== undefined || flags.note !== undefined || flags.visit !== undefined;
  if (!isStored) yield* readInput(args[0] ?? '-', io);
  else if (args.length > 0) {
    throw new ToolError(ExitCode.usage, 'a file and --patient, --note or --visit exclude each other', {
      hint: 'leave one out',
    });
  } else for (const note of await storedNotes(flags, io)) yield { text: note.text, fields: {}, note };
}

async function storedNotes(flags: InputFlags, io: Io): Promise<readonly Note[]> {
  const chart = await openChart(await openStore(flags, io), flags);
  const visit = flags.visit === undefined ? undefined : new Set(findVisit(chart.notes, flags.visit).noteIds);
  const notes = chart.notes.filter(
    ({ id }) => (flags.note === undefined || id === flags.note) && visit?.has(id) !== false,
  );
  if (notes.length > 0) return notes;
  throw new ToolError(ExitCode.input, `patient ${chart.patientId} has no note ${flags.note ?? ''} there`, {
    hint: `list the notes with: clirag visits --patient ${chart.patientId} --json`,
  });
}

/** JSON lines where the first character is a brace, else one text. */
async function* readInput(path: string, io: Io): AsyncGenerator<InputText> {
  if (path === '-') {
    const chunks: Buffer[] = [];
    for await (const chunk of io.stdin) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    yield* splitInput(Buffer.concat(chunks).toString('utf8'));
    return;
  }
  const file = resolve(io.cwd, path);
  try {
    if (await startsWithBrace(file)) yield* readJsonLines(createReadStream(file));
    else yield { text: await readFile(file, 'utf8'), fields: {} };
  } catch (error) {
    const code = systemCode(error);
    if (code !== 'ENOENT' && code !== 'EISDIR') throw error;
    throw new ToolError(
      ExitCode.input,
      code === 'ENOENT' ? `there is no file ${path}` : `${path} is a folder`,
      {
        hint: 'name a text file or a file of JSON lines',
        cause: error,
      },
    );
  }
}

async function startsWithBrace(file: string): Promise<boolean> {
  for await (const chunk of createReadStream(file, { end: 63 })) return /^\uFEFF?\s*\{/u.test(String(chunk));
  return false;
}

async function* splitInput(text: string): AsyncGenerator<InputText> {
  if (/^\uFEFF?\s*\{/u.test(text)) yield* parseLines(text.split('\n'));
  else yield { text, fields: {} };
}

async function* readJsonLines(input: NodeJS.ReadableStream): AsyncGenerator<InputText> {
  yield* parseLines(createInterface({ input, crlfDelay: Infinity }));
}

async function* parseLines(lines: AsyncIterable<string> | Iterable<string>): AsyncGenerator<InputText> {
  let line = 0;
  for await (const json of lines) {
    line++;
    if (json.trim() !== '') yield parseLine(json, line);
  }
}

function parseLine(json: string, line: number): InputText {
  let fields: Record<string, unknown> | undefined;
  try {
    fields = JSON.parse(json) as Record<string, unknown>;
  } catch {
    // The parser's own message would show the line.
  }
  const text = fields?.['text'];
  if (fields !== undefined && typeof text === 'string') return { text, fields };
  throw new ToolError(ExitCode.input, `line ${line} is no JSON object with a field "text"`, {
    hint: 'give plain text, or JSON lines as clirag chunk --json writes them',
  });
}
