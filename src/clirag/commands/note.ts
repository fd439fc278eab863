/** `clirag note`: a visit, or every visit of a patient → progress notes on stdout or in a file, each recorded in the patient's folder. */

import { lstat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { appendAudit } from '../../core/auditLog.js';
import { ExitCode, ToolError, systemCode } from '../../core/errors.js';
import { resolvePaths } from '../../core/config.js';
import { createPrivateFolder, writeFileAtomic } from '../../core/store/atomicFiles.js';
import { sha256Hex } from '../../core/text.js';
import type { SoapNote, Visit } from '../../core/types.js';
import { packageVersion } from '../../core/version.js';
import type { PatientChart } from '../chartStore.js';
import type { CommandContext } from '../cli.js';
import { renderHtml, renderMarkdown } from '../renderNote.js';
import { writeSoapNote, type SoapNoteOptions } from '../soapNote.js';
import { listVisits } from '../visits.js';
import { withVisit, type VisitFlags } from './visitOptions.js';

export interface NoteFlags extends VisitFlags {
  readonly format?: 'md' | 'json' | 'html';
  readonly out?: string;
  readonly force?: boolean;
  readonly allVisits?: boolean;
}

export async function noteCommand(
  _args: readonly string[],
  flags: NoteFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const { io, output } = context;
  if ((flags.visit === undefined) !== (flags.allVisits === true)) {
    throw new ToolError(ExitCode.usage, 'name either one visit or all', {
      hint: 'add --visit V, or --all-visits with --patient ID',
    });
  }
  const format = flags.json === true ? 'json' : (flags.format ?? 'md');
  const file = flags.out === undefined ? undefined : resolve(io.cwd, flags.out);
  if (file !== undefined && flags.force !== true) await refuseOverwriting(file);
  const notes = await withVisit(flags, context, async ({ chart, visit, options }) => {
    const visits = flags.allVisits === true ? listVisits(chart.notes) : [visit];
    const written: SoapNote[] = [];
    for (const each of visits) {
      io.signal.throwIfAborted();
      const note = await writeSoapNote(chart, each, options);
      written.push(await recordNote(note, { chart, visit: each, options, context }));
    }
    return written;
  });
  for (const note of notes)
    if (note.sources.length === 0) output.warn(`visit ${note.visitId} has no evidence by ${note.asOf}`);
  const text = renderAll(notes, format);
  if (file === undefined) io.stdout.write(text);
  else {
    await writeFileAtomic(file, text);
    output.note(`Wrote ${flags.out ?? file}.`);
  }
  return ExitCode.done;
}

function renderAll(notes: readonly SoapNote[], format: 'md' | 'json' | 'html'): string {
  if (format === 'json') return notes.map((note) => `${JSON.stringify(note)}\n`).join('');
  return notes.map(format === 'html' ? renderHtml : renderMarkdown).join('\n');
}

async function refuseOverwriting(file: string): Promise<void> {
  try {
    await lstat(file);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw error;
  }
  throw new ToolError(ExitCode.usage, `${file} exists already`, {
    hint: 'name another file with --out, or replace it with --force',
  });
}

/** In the patient's folder; where that cannot be written, in the user's state folder, with a warning. */
async function recordNote(
  note: SoapNote,
  {
    chart,
    visit,
    options,
    context: { io, output },
  }: { chart: PatientChart; visit: Visit; options: SoapNoteOptions; context: CommandContext },
): Promise<SoapNote> {
  const sentences = [
    ...note.sections.assessment.sentences,
    ...note.sections.plan.sentences,
    ...note.changes.conflicting.flatMap((conflict) => conflict.sentences),
    ...note.sections.subjective.sentences,
    ...note.sections.objective.sentences,
  ];
  const entry = {
    command: 'note',
    subject: visit.id,
    units: note.sources.map(({ unitId, text }) => ({ id: unitId, sha256: sha256Hex(text) })),
    model: note.model,
    settings: {
      asOf: note.asOf,
      withProgressNotes: options.withProgressNotes === true,
      useLocal: options.useLocal !== false,
      useKeywords: options.useKeywords !== false,
      useRerank: options.useRerank !== false,
      useDedup: options.useDedup !== false,
      denseWeight: options.denseWeight ?? null,
      prior: options.prior ?? null,
      embedder: options.fingerprint,
      program: packageVersion(),
    },
    output: {
      text: note.text,
      words: note.words,
      sentences,
      priorFrom: note.priorSummary?.from ?? null,
    },
  };
  try {
    return { ...note, auditId: (await appendAudit(chart.folder, entry)).id };
  } catch (error) {
    if (!['EACCES', 'EROFS', 'EPERM'].includes(systemCode(error) ?? '')) throw error;
    const { state } = await resolvePaths(io.env);
    await createPrivateFolder(state);
    output.warn(`the patient's folder cannot be written: the note is recorded in ${state}`);
    return { ...note, auditId: (await appendAudit(state, entry)).id };
  }
}
