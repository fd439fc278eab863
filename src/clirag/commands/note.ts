/** `clirag note`: a visit, or every visit of a patient → progress notes on stdout or in a file, each recorded in the patient's folder. */

import { resolve } from 'node:path';
import { appendAudit } from '../../core/auditLog.js';
import { ExitCode, ToolError, systemCode } from '../../core/errors.js';
import { resolvePaths } from '../../core/config.js';
import { refuseOverwriting } from '../../core/reportFiles.js';
import { createPrivateFolder, writeFileAtomic } from '../../core/store/atomicFiles.js';
import { sha256Hex } from '../../core/text.js';
import type { Visit } from '../../core/types.js';
import type { SoapNote } from '../note/noteRecord.js';
import { timed } from '../../core/trace.js';
import { packageVersion } from '../../core/version.js';
import type { PatientChart } from '../chartStore.js';
import type { CommandContext } from '../../core/program.js';
import { EXTRACTIVE } from '../../core/generator.js';
import { openShownGenerator, type GeneratorFlags } from '../../core/generator/shownText.js';
import { serverCut } from '../../core/writtenText.js';
import { renderNotePage } from '../notePage.js';
import { describeExcluded, renderMarkdown } from '../renderNote.js';
import { writeSoapNote, type SoapNoteOptions } from '../soapNote.js';
import { listVisits } from '../visits.js';
import { cohortCommand, type CohortFlags } from './cohort.js';
import { recordSettings, withVisit } from './visitOptions.js';

export interface NoteFlags extends CohortFlags, GeneratorFlags {
  readonly format?: 'md' | 'json' | 'html';
}

export async function noteCommand(
  _args: readonly string[],
  flags: NoteFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const { io, output } = context;
  if (flags.patients !== undefined || flags.shard !== undefined) return noteCohort(flags, context);
  if ((flags.visit === undefined) !== (flags.allVisits === true)) {
    throw new ToolError(ExitCode.usage, 'name either one visit or all', {
      hint: 'add --visit V, or --all-visits with --patient ID',
    });
  }
  const format = flags.json === true ? 'json' : (flags.format ?? 'md');
  const file = flags.out === undefined ? undefined : resolve(io.cwd, flags.out);
  if (file !== undefined && flags.force !== true) await refuseOverwriting(file, '--out');
  const generator = openShownGenerator(flags, output);
  const notes = await withVisit(flags, context, async ({ chart, visit, options: shared }) => {
    const options = { ...shared, generator, strict: flags.strict === true };
    const visits = flags.allVisits === true ? listVisits(chart.notes) : [visit];
    const written: SoapNote[] = [];
    for (const each of visits) {
      io.signal.throwIfAborted();
      const note = await timed('write note', () => writeSoapNote(chart, each, options));
      written.push(
        await timed('record', () => recordNote(note, { chart, visit: each, options, flags, context })),
      );
    }
    return written;
  }).finally(() => generator?.close?.());
  const fallsShort = notes.map((note) => reportNote(note, output)).includes(true);
  if (file === undefined && format === 'json') notes.forEach((note) => output.printJson(note));
  else if (file === undefined) io.stdout.write(renderAll(notes, format));
  else {
    await writeFileAtomic(file, renderAll(notes, format));
    output.note(`Wrote ${flags.out ?? file}.`);
  }
  return flags.strict === true && fallsShort ? ExitCode.shortfall : ExitCode.done;
}

const EXTENSIONS = { md: '.md', json: '.json', html: '.html' } as const;

async function noteCohort(flags: NoteFlags, context: CommandContext): Promise<ExitCode> {
  const format = flags.json === true ? 'md' : (flags.format ?? 'md');
  const generator = openShownGenerator(flags, context.output);
  const strict = flags.strict === true;
  const done = cohortCommand(flags, context, {
    extension: EXTENSIONS[format],
    settings: { command: 'note', format, generator: flags.generator ?? EXTRACTIVE, strict },
    async write({ chart, visit, options: shared }) {
      const options = { ...shared, generator, strict };
      const made = await timed('write note', () => writeSoapNote(chart, visit, options));
      const note = await timed('record', () => recordNote(made, { chart, visit, options, flags, context }));
      const { asOf, model, words, sources, auditId, omitted } = note;
      return {
        text: renderAll([note], format),
        entry: { 'as-of': asOf, model: model.generator, words, sources: sources.length, omitted, auditId },
        fallsShort: reportNote(note, context.output),
      };
    },
  });
  return done.finally(() => generator?.close?.());
}

function renderAll(notes: readonly SoapNote[], format: 'md' | 'json' | 'html'): string {
  if (format === 'json') return notes.map((note) => `${JSON.stringify(note)}\n`).join('');
  return format === 'html' ? renderNotePage(notes) : notes.map(renderMarkdown).join('\n');
}

/** Warns of what a reader must know; true where the note falls short of `--strict`. */
function reportNote(note: SoapNote, output: CommandContext['output']): boolean {
  const { visitId, omitted, withheld = [] } = note;
  if (note.sources.length === 0)
    output.warn(
      `visit ${visitId} has no evidence by ${note.asOf}. ${describeExcluded(note.excluded)}`.trim(),
    );
  const unproved = Object.values(note.sections)
    .flatMap(({ sentences }) => sentences)
    .filter((sentence) => sentence.unproved !== undefined).length;
  const { intended, sent } = omitted;
  const faults = [
    unproved === 0 ? '' : `${unproved} sentences are not proved by their sources and are marked`,
    withheld.length === 0 ? '' : `${withheld.length} unproved sentences were left out`,
    sent === intended ? '' : `${intended - sent} of ${intended} tokens of the prompt did not fit`,
    note.isCut === true ? 'the model stopped at the limit of its reply' : '',
    note.servedBy === undefined ? '' : `the server says that the model ${note.servedBy} wrote it`,
    serverCut(omitted) ?? '',
  ].filter((fault) => fault !== '');
  for (const fault of faults) output.warn(`visit ${visitId}: ${fault}`);
  return faults.length > 0;
}

/** In the patient's folder; where that cannot be written, in the user's state folder, with a warning. */
async function recordNote(
  note: SoapNote,
  {
    chart,
    visit,
    options,
    flags,
    context: { io, output },
  }: {
    chart: PatientChart;
    visit: Visit;
    options: SoapNoteOptions;
    flags: NoteFlags;
    context: CommandContext;
  },
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
      ...recordSettings(options),
      strict: options.strict === true,
      allowRemote: flags.allowRemote === true,
      embedder: options.fingerprint,
      program: packageVersion(),
    },
    output: {
      text: note.text,
      words: note.words,
      sentences,
      priorFrom: note.priorSummary?.from ?? null,
      ...(note.reply === undefined ? {} : { reply: note.reply }),
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
