/** `--patients FILE --all-visits --out DIR` of `note` and `prompt` → a folder with a file for every visit. */

import { resolve } from 'node:path';
import { ExitCode, ToolError } from '../../core/errors.js';
import type { CommandContext } from '../../core/program.js';
import type { Visit } from '../../core/types.js';
import { packageVersion } from '../../core/version.js';
import type { PatientChart } from '../chartStore.js';
import { openCohortFolder } from '../cohort/cohortFolder.js';
import { takeShard, type Shard } from '../../core/shard.js';
import { readPatientList } from '../cohort/cohortList.js';
import { writeCohort, type WrittenVisit } from '../cohort/writeCohort.js';
import type { SoapNoteOptions } from '../soapNote.js';
import { recordSettings, withStore, type VisitFlags } from './visitOptions.js';

export interface CohortFlags extends VisitFlags {
  readonly patients?: string;
  readonly allVisits?: boolean;
  readonly out?: string;
  readonly force?: boolean;
  readonly shard?: Shard;
  readonly strict?: boolean;
}

const SKIPPED_SHOWN = 5;

/** `write` makes the file of one visit; `settings` is what, besides the shared options, decides its contents. */
export async function cohortCommand(
  flags: CohortFlags,
  context: CommandContext,
  work: {
    extension: string;
    settings: Readonly<Record<string, unknown>>;
    write: (place: { chart: PatientChart; visit: Visit; options: SoapNoteOptions }) => Promise<WrittenVisit>;
  },
): Promise<ExitCode> {
  const { io, output } = context;
  const { patients: list, out, shard } = flags;
  if (list === undefined || out === undefined || flags.allVisits !== true || flags.visit !== undefined)
    throw usage('--patients needs --all-visits and a folder with --out');
  if (flags.patient !== undefined) throw usage('--patients and --patient name different things');
  if (flags.asOf !== undefined) throw usage('--as-of is a time of one visit, not of a cohort');
  if (flags.force === true) throw usage('a cohort never overwrites: --force does not go with --patients');
  const all = await readPatientList(list, io.cwd);
  const patients = shard === undefined ? all : takeShard(all, shard);
  const result = await withStore(flags, context, async ({ store, options }) => {
    const folder = await openCohortFolder(resolve(io.cwd, out), {
      extension: work.extension,
      settings: { ...sharedSettings(flags, options), ...work.settings },
      ...(shard === undefined ? {} : { shard }),
    });
    return writeCohort(patients, {
      store,
      folder,
      context,
      write: (chart, visit) => work.write({ chart, visit, options }),
    });
  });
  const { skipped } = result;
  if (flags.json === true) output.printJson({ out, ...result });
  else
    output.print(
      `${result.written} files written for ${result.patients} patients, ${result.kept} were there already, ${skipped.length} patients skipped.`,
    );
  for (const { patient, reason } of skipped.slice(0, SKIPPED_SHOWN))
    output.warn(`skipped ${patient}: ${reason}`);
  if (skipped.length > SKIPPED_SHOWN) output.warn(`skipped ${skipped.length - SKIPPED_SHOWN} more`);
  const isShort = skipped.length > 0 || result.fallShort > 0;
  return flags.strict === true && isShort ? ExitCode.shortfall : ExitCode.done;
}

function sharedSettings(flags: CohortFlags, options: SoapNoteOptions): Record<string, unknown> {
  return {
    program: packageVersion(),
    embedder: options.fingerprint,
    ...recordSettings(options),
    globalQuestions: flags.globalQuestions ?? null,
    localQuestions: flags.localQuestions ?? null,
  };
}

function usage(message: string): ToolError {
  return new ToolError(ExitCode.usage, message, {
    hint: 'clirag note --patients patients.txt --all-visits --out notes',
  });
}
