/** A list of patients → a file for every visit of each, in order, so that each visit finds the one before it; goes on where it stopped. */

import { ToolError, ExitCode } from '../../core/errors.js';
import type { CommandContext } from '../../core/program.js';
import type { Visit } from '../../core/types.js';
import type { ChartStore, PatientChart } from '../chartStore.js';
import { listVisits } from '../visits.js';
import type { CohortFolder } from './cohortFolder.js';

export interface WrittenVisit {
  readonly text: string;
  /** For the manifest. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** It falls short of --strict. */
  readonly fallsShort?: boolean;
}

export interface CohortResult {
  readonly patients: number;
  readonly written: number;
  readonly kept: number;
  readonly fallShort: number;
  /** Patients whose charts are missing or unreadable, with the reason. */
  readonly skipped: readonly { readonly patient: string; readonly reason: string }[];
}

/** A patient without a readable chart is skipped and counted; any other failure ends the run, which can be taken up again. */
export async function writeCohort(
  patients: readonly string[],
  options: {
    store: ChartStore;
    folder: CohortFolder;
    write: (chart: PatientChart, visit: Visit) => Promise<WrittenVisit>;
    context: CommandContext;
  },
): Promise<CohortResult> {
  const { store, folder, write, context } = options;
  const { io, output } = context;
  const progress = output.progress('Writing for patient', patients.length);
  const skipped: { patient: string; reason: string }[] = [];
  let written = 0;
  let kept = 0;
  let fallShort = 0;
  try {
    for (const [at, patient] of patients.entries()) {
      io.signal.throwIfAborted();
      progress.update(at, patients.length);
      const chart = await openOrSkip(store, patient);
      if ('reason' in chart) {
        skipped.push(chart);
        continue;
      }
      for (const visit of listVisits(chart.notes)) {
        io.signal.throwIfAborted();
        if (await folder.has({ patient, visit: visit.date })) {
          kept++;
          continue;
        }
        const startMs = Date.now();
        const { text, entry, fallsShort } = await write(chart, visit);
        await folder.add(text, { patient, visit: visit.date, ...entry, ms: Date.now() - startMs });
        written++;
        if (fallsShort === true) fallShort++;
      }
    }
  } finally {
    progress.stop();
  }
  return { patients: patients.length, written, kept, fallShort, skipped };
}

async function openOrSkip(
  store: ChartStore,
  patient: string,
): Promise<PatientChart | { patient: string; reason: string }> {
  try {
    return await store.openPatient(patient);
  } catch (error) {
    if (error instanceof ToolError && error.exitCode === ExitCode.input)
      return { patient, reason: error.message };
    throw error;
  }
}
