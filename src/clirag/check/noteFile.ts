/** A file of notes, or a note to be written → the header that says of whom and when, and the text beneath it. */

import { ExitCode, ToolError } from '../../core/errors.js';
import type { SoapNote } from '../note/noteRecord.js';

/** Whose note it is; every field as it was written. */
export interface NoteHeader {
  readonly patient?: string;
  readonly visit?: string;
  readonly asOf?: string;
  readonly model?: string;
  readonly embedder?: string;
}

export interface FiledNote {
  readonly header: NoteHeader;
  /** In the file's text: what stands beneath the header. */
  readonly start: number;
  readonly text: string;
}

const FIELDS = [
  ['patient', 'patient'],
  ['visit', 'visit'],
  ['as-of', 'asOf'],
  ['model', 'model'],
  ['embedder', 'embedder'],
] as const;
/** Lines `key: value` between two lines of three hyphens; `patient` comes first, so that a rule in a text is none. */
const HEADER = /(?:^|\n)---[ \t]*\r?\n(patient:[^\n]*\n(?:[a-z-]+:[^\n]*\n)*)---[ \t]*(?:\r?\n|$)/gu;

/** The header of a note that clirag wrote, its closing rule and a blank line included. */
export function renderNoteHeader(note: Pick<SoapNote, 'patientId' | 'visitId' | 'asOf' | 'model'>): string {
  const values = {
    patient: note.patientId,
    visit: note.visitId.slice(note.patientId.length + 1),
    asOf: note.asOf,
    model: note.model.generator,
    embedder: note.model.embedder,
  };
  return `---\n${FIELDS.map(([name, field]) => `${name}: ${values[field]}\n`).join('')}---\n\n`;
}

/** Each note of a file; a file without any header is one note with an empty one. */
export function readFiledNotes(content: string): FiledNote[] {
  const text = content.startsWith('\uFEFF') ? content.slice(1) : content;
  const offset = content.length - text.length;
  const found = [...text.matchAll(HEADER)];
  const [first] = found;
  const before = text.slice(0, first?.index ?? text.length);
  const alone: FiledNote[] =
    before.trim() === '' && first !== undefined ? [] : [{ header: {}, start: offset, text: before }];
  return [
    ...alone,
    ...found.map(({ index, 0: whole, 1: lines = '' }, at): FiledNote => {
      const start = index + whole.length;
      return {
        header: readHeader(lines),
        start: offset + start,
        text: text.slice(start, found[at + 1]?.index ?? text.length),
      };
    }),
  ];
}

function readHeader(lines: string): NoteHeader {
  const said = new Map(
    lines.split('\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), unquote(line.slice(colon + 1).trim())] as const;
    }),
  );
  return Object.fromEntries(
    FIELDS.flatMap(([name, field]) => {
      const value = said.get(name);
      return value === undefined || value === '' ? [] : [[field, value]];
    }),
  );
}

function unquote(value: string): string {
  return /^(["']).*\1$/u.test(value) ? value.slice(1, -1) : value;
}

/** Headers by file name, from CSV with the columns file, patient, visit (and as-of, model), or JSON lines with these fields. */
export async function readNoteMap(name: string, content: string): Promise<Map<string, NoteHeader>> {
  const rows = content.trimStart().startsWith('{')
    ? readJsonRows(name, content)
    : await readCsvRows(name, content);
  const map = new Map<string, NoteHeader>();
  for (const [at, row] of rows.entries()) {
    const { file } = row;
    if (file === undefined || row['patient'] === undefined || row['visit'] === undefined)
      throw badMap(name, `entry ${at + 1} lacks one of file, patient, visit`);
    map.set(
      file.replaceAll('\\', '/'),
      Object.fromEntries(
        FIELDS.flatMap(([column, field]) => {
          const value = row[column];
          return value === undefined || value === '' ? [] : [[field, value]];
        }),
      ),
    );
  }
  return map;
}

type Row = Readonly<Record<string, string | undefined>>;

function readJsonRows(name: string, content: string): Row[] {
  return content
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, at) => {
      try {
        const row = JSON.parse(line) as Record<string, unknown>;
        return Object.fromEntries(
          Object.entries(row).map(([key, value]) => [
            key,
            typeof value === 'number' || typeof value === 'string' ? String(value) : undefined,
          ]),
        );
      } catch {
        throw badMap(name, `line ${at + 1} is no JSON object`);
      }
    });
}

async function readCsvRows(name: string, content: string): Promise<Row[]> {
  const { parse } = await import('csv-parse/sync');
  try {
    return parse(content, { columns: true, bom: true, trim: true, skip_empty_lines: true });
  } catch (error) {
    throw badMap(name, 'it is no CSV', error);
  }
}

function badMap(name: string, fault: string, cause?: unknown): ToolError {
  return new ToolError(ExitCode.input, `${name} cannot be read as a list of notes: ${fault}`, {
    hint: 'write CSV with the columns file, patient, visit, or JSON lines with these fields',
    ...(cause === undefined ? {} : { cause }),
  });
}
