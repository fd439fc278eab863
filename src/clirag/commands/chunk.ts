/** `clirag chunk`: notes → their chunks, as a table or as JSON lines. */

import { ExitCode } from '../../core/errors.js';
import { sha256Hex } from '../../core/text.js';
import { loadTokenCounter } from '../../core/tokenCounter.js';
import type { Chunk, Note } from '../../core/types.js';
import { chunkNote } from '../chunks.js';
import type { CommandContext } from '../../core/program.js';
import { checkSteps } from './clean.js';
import { readTexts, type InputFlags, type InputText } from './readTexts.js';

interface ChunkFlags extends InputFlags {
  readonly skip?: readonly string[];
  readonly characters?: number;
  readonly overlap?: number;
  readonly flat?: boolean;
  readonly json?: boolean;
}

export async function chunkCommand(
  args: readonly string[],
  flags: ChunkFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const skip = checkSteps(flags.skip ?? []);
  const countTokens = await loadTokenCounter();
  const rows: string[][] = [];
  for await (const input of readTexts(args, flags, io)) {
    io.signal.throwIfAborted();
    const { chunks } = chunkNote(noteOf(input), {
      countTokens,
      skip,
      ...(flags.characters === undefined ? {} : { characters: flags.characters }),
      ...(flags.overlap === undefined ? {} : { overlap: flags.overlap }),
      ...(flags.flat === undefined ? {} : { flat: flags.flat }),
    });
    for (const chunk of chunks) {
      if (flags.json === true) output.printJson(chunk);
      else rows.push(rowOf(chunk));
    }
  }
  if (flags.json !== true) await output.table(['note', 'type', 'section', 'chunk', 'tokens', 'text'], rows);
  return ExitCode.done;
}

/** A text without a note gets an id made of what it says. */
function noteOf({ text, note, fields }: InputText): Note {
  if (note !== undefined) return note;
  const id = typeof fields['id'] === 'string' ? fields['id'] : sha256Hex(text).slice(0, 12);
  return { id, patientId: '', visitId: '', date: '', type: 'general', text };
}

const SHOWN_CHARACTERS = 70;

function rowOf({ noteId, type, header, ordinal, tokens, text }: Chunk): string[] {
  const line = text.replace(/\s+/gu, ' ');
  const start = line.length <= SHOWN_CHARACTERS ? line : `${line.slice(0, SHOWN_CHARACTERS - 1)}…`;
  return [noteId, type, header, ordinal.toString(), tokens.toString(), start];
}
