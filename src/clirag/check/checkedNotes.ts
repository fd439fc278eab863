/** Note files and a store → each note with its header, its text and what checking it gave; each chart is opened once. */

import { readFile, readdir, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { ExitCode, ToolError, systemCode } from '../../core/errors.js';
import type { PatientChart } from '../chartStore.js';
import { findVisit, parseAsOf } from '../visits.js';
import { openChartSources } from './chartSources.js';
import { checkNote } from './checkNote.js';
import type { CheckedNote } from './checkedClaim.js';
import { readNoteClaims } from './noteClaims.js';
import { readFiledNotes, readNoteMap, type NoteHeader } from './noteFile.js';

export interface NoteText {
  /** As it will be shown: `/`-separated, relative to the folder that was named; `-` for stdin. */
  readonly file: string;
  readonly header: NoteHeader;
  readonly text: string;
  /** Where the text begins in its file. */
  readonly start: number;
}

const NOTE_FILE = /\.(?:md|markdown|txt|text)$/iu;

/** A file, a folder with its subfolders, or stdin. Headers of `map` go before those of the files. */
export async function readNoteTexts(
  path: string,
  options: { cwd: string; stdin: NodeJS.ReadableStream; map?: string },
): Promise<NoteText[]> {
  const mapped =
    options.map === undefined
      ? undefined
      : await readNoteMap(
          options.map,
          await readFile(resolve(options.cwd, options.map), 'utf8').catch(asMissing(options.map)),
        );
  if (path === '-') return split('-', await readAll(options.stdin), mapped);
  const whole = resolve(options.cwd, path);
  const info = await stat(whole).catch(asMissing(path));
  if (!info.isDirectory()) return split(path, await readFile(whole, 'utf8'), mapped);
  const names = (await readdir(whole, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && NOTE_FILE.test(entry.name))
    .map((entry) => relative(whole, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
  if (names.length === 0)
    throw new ToolError(ExitCode.input, `${path} holds no notes`, {
      hint: 'notes are files that end in .md or .txt',
    });
  const texts: NoteText[] = [];
  for (const name of names) texts.push(...split(name, await readFile(join(whole, name), 'utf8'), mapped));
  return texts;
}

function asMissing(path: string): (error: unknown) => never {
  return (error) => {
    if (systemCode(error) !== 'ENOENT') throw error;
    throw new ToolError(ExitCode.input, `there is no ${path}`, { hint: 'check the path', cause: error });
  };
}

function split(
  file: string,
  content: string,
  mapped: ReadonlyMap<string, NoteHeader> | undefined,
): NoteText[] {
  const said = mapped?.get(file) ?? mapped?.get(file.split('/').at(-1) ?? '') ?? sameStem(file, mapped);
  return readFiledNotes(content).map(({ header, text, start }) => ({
    file,
    header: { ...header, ...said },
    text,
    start,
  }));
}

/** `40001/2154-03-02.md` was written from the prompt `40001/2154-03-02.txt`. */
function sameStem(file: string, mapped: ReadonlyMap<string, NoteHeader> | undefined): NoteHeader | undefined {
  const stem = (name: string): string => name.replace(/\.[^./]+$/u, '');
  return [...(mapped ?? [])].find(([name]) => stem(name) === stem(file))?.[1];
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  const parts: string[] = [];
  stream.setEncoding('utf8');
  for await (const part of stream) parts.push(String(part));
  return parts.join('');
}

/** What the command line says of every note, and goes before their own headers. */
export interface NamedVisit {
  readonly patient?: string;
  readonly visit?: string;
  readonly asOf?: string;
  readonly withProgressNotes?: boolean;
}

export interface CheckedFile {
  readonly file: string;
  readonly header: NoteHeader;
  readonly text: string;
  readonly start: number;
  readonly checked: CheckedNote;
}

/** `openChart` opens the chart of a patient, or that of the one whose admission the visit names. */
export async function checkNoteText(
  note: NoteText,
  options: NamedVisit & { openChart: (named: { patient?: string; visit?: string }) => Promise<PatientChart> },
): Promise<CheckedFile> {
  const patient = options.patient ?? note.header.patient;
  const visit = options.visit ?? note.header.visit;
  if (visit === undefined)
    throw new ToolError(ExitCode.usage, `${note.file} does not say which visit it is of`, {
      hint: 'add --patient ID and --visit V, a header as clirag note --out writes it, or --map FILE',
    });
  const chart = await options.openChart({ ...(patient === undefined ? {} : { patient }), visit });
  const asOf = options.asOf ?? note.header.asOf;
  const sources = openChartSources(chart, findVisit(chart.notes, visit), {
    ...(asOf === undefined ? {} : { asOf: parseAsOf(asOf) }),
    withProgressNotes: options.withProgressNotes === true,
  });
  return { ...note, checked: checkNote(readNoteClaims(note.text), sources) };
}
