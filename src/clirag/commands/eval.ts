/** `clirag eval`: a store with clinicians' notes → the paper's Table 1 and more, as tables, JSON and a page; exit 5 where a gate falls short. */

import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ExitCode, ToolError } from '../../core/errors.js';
import { modelOptions, openLanguageModel } from '../../core/generator.js';
import { describeMachine, describeVersions } from '../../core/machine.js';
import type { Io, Output } from '../../core/output.js';
import type { CommandContext } from '../../core/program.js';
import { printResultTable, reportGates } from '../../core/evaluationOutput.js';
import { checkReportFolder } from '../../core/reportFiles.js';
import { timed } from '../../core/trace.js';
import { sha256Hex } from '../../core/text.js';
import type { ChartStore } from '../chartStore.js';
import { readNoteTexts, type NoteText } from '../check/checkedNotes.js';
import { readPatientList } from '../cohort/cohortList.js';
import { evaluateNotes } from '../evaluation/evaluate.js';
import type { Evaluation, RunManifest } from '../evaluation/evaluation.js';
import { describeFailures, renderEvaluationPage } from '../evaluation/evaluationPage.js';
import { readFacts } from '../evaluation/facts.js';
import { checkGates, checkGatesMeasured, describeGate, parseGate, type Gate } from '../evaluation/gates.js';
import { openPreferenceJudge } from '../evaluation/preference.js';
import { chooseSystems, type AblationName, type System } from '../evaluation/systems.js';
import { resultTables } from '../evaluation/tables.js';
import type { SoapNoteOptions } from '../soapNote.js';
import { recordSettings, withStore, type VisitFlags } from './visitOptions.js';

export interface EvalFlags extends VisitFlags {
  readonly patients?: string;
  readonly generator: readonly string[];
  readonly ablate?: readonly AblationName[];
  readonly notes?: readonly string[];
  readonly map?: string;
  readonly facts?: string;
  readonly judge?: string;
  readonly unstemmed?: boolean;
  readonly seed: number;
  readonly min?: readonly string[];
  readonly max?: readonly string[];
  readonly html?: string;
  readonly allowRemote?: boolean;
  readonly timeout?: number;
}

export async function evalCommand(
  _args: readonly string[],
  flags: EvalFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const { io, output } = context;
  const client = modelOptions(flags, io);
  const systems = chooseSystems({
    generators: flags.generator,
    ablations: flags.ablate ?? [],
    notes: flags.notes ?? [],
    client,
  });
  const judge =
    flags.judge === undefined ? undefined : openPreferenceJudge(openLanguageModel(flags.judge, client));
  const gates = [
    ...(flags.min ?? []).map((text) => parseGate(text, 'min')),
    ...(flags.max ?? []).map((text) => parseGate(text, 'max')),
  ];
  checkGatesMeasured(gates, {
    systems: systems.map(({ name }) => name),
    hasJudge: judge !== undefined,
    hasFacts: flags.facts !== undefined,
  });
  await checkReportFolder(flags.html, { option: '--html', cwd: io.cwd });
  const facts = flags.facts === undefined ? undefined : await readFacts(flags.facts, io.cwd);
  const written = await readWritten(systems, flags, io);
  const evaluation = await withStore(flags, context, async ({ store, options: shared }) => {
    const patients =
      flags.patients === undefined
        ? (await store.patients()).map(({ id }) => id)
        : await readPatientList(flags.patients, io.cwd);
    // What an earlier run left in the audit log must not change a measurement.
    const options: SoapNoteOptions = { ...shared, prior: flags.prior ?? 'generate' };
    const progress = output.progress('Evaluating patient', patients.length);
    try {
      const embedder = await options.openEmbedder();
      const measured = await timed('evaluate', () =>
        evaluateNotes({
          store,
          patients,
          systems,
          options,
          tools: { embedder, countTokens: options.countTokens },
          facts,
          written,
          judge,
          seed: flags.seed,
          stem: flags.unstemmed !== true,
          signal: io.signal,
          onProgress: (done, total) => progress.update(done, total),
        }),
      );
      const manifest = await describeRun(
        { store, patients, systems, options, judge: judge?.name },
        flags,
        io,
      );
      return assemble(measured, { manifest, judgements: judge?.counts() ?? { asked: 0, failed: 0 }, gates });
    } finally {
      progress.stop();
    }
  });
  if (flags.html !== undefined)
    await writeFile(resolve(io.cwd, flags.html), renderEvaluationPage(evaluation), { mode: 0o600 });
  if (flags.json === true) output.printJson(evaluation);
  else await printEvaluation(evaluation, output);
  return reportFaults(evaluation, output);
}

function assemble(
  measured: Awaited<ReturnType<typeof evaluateNotes>>,
  rest: { manifest: RunManifest; judgements: Evaluation['judgements']; gates: readonly Gate[] },
): Evaluation {
  return { ...measured, ...rest, gates: checkGates(rest.gates, measured.systems) };
}

async function readWritten(
  systems: readonly System[],
  flags: EvalFlags,
  io: Io,
): Promise<Map<string, readonly NoteText[]>> {
  const written = new Map<string, readonly NoteText[]>();
  for (const system of systems) {
    if (system.kind !== 'notes') continue;
    const notes = await readNoteTexts(system.folder, {
      cwd: io.cwd,
      stdin: io.stdin,
      ...(flags.map === undefined ? {} : { map: flags.map }),
    });
    const nameless = notes.find(({ header }) => header.patient === undefined || header.visit === undefined);
    if (nameless !== undefined)
      throw new ToolError(ExitCode.usage, `${nameless.file} does not say which visit it is of`, {
        hint: 'add a header as clirag note --out writes it, or --map FILE',
      });
    written.set(system.name, notes);
  }
  return written;
}

async function describeRun(
  run: {
    store: ChartStore;
    patients: readonly string[];
    systems: readonly System[];
    options: SoapNoteOptions;
    judge: string | undefined;
  },
  flags: EvalFlags,
  io: Io,
): Promise<RunManifest> {
  const { store, patients, systems, options } = run;
  return {
    timeUtc: new Date().toISOString(),
    versions: await describeVersions('clirag'),
    machine: describeMachine(),
    store: {
      patients: store.manifest.patients,
      notes: store.manifest.notes,
      sources: store.manifest.sources.map(({ file }) => ({ file })),
    },
    patients: { count: patients.length, sha256: sha256Hex(patients.join('\n')) },
    facts:
      flags.facts === undefined
        ? null
        : { path: flags.facts, sha256: sha256Hex(await readFile(resolve(io.cwd, flags.facts))) },
    embedder: options.fingerprint,
    systems: systems.map(({ name }) => name),
    judge: run.judge ?? null,
    settings: {
      seed: flags.seed,
      stemmed: flags.unstemmed !== true,
      ...recordSettings(options),
    },
  };
}

async function printEvaluation(evaluation: Evaluation, output: Output): Promise<void> {
  output.print(
    `${evaluation.visits} visits of ${evaluation.manifest.patients.count} patients, ${evaluation.gold} with a clinician's note.`,
  );
  for (const table of resultTables(evaluation)) await printResultTable(table, output);
}

/** Failures are said on stderr, whatever the form of the result. */
function reportFaults(evaluation: Evaluation, output: Output): ExitCode {
  const told = describeFailures(evaluation);
  if (evaluation.judgements.failed > 0 || Object.keys(evaluation.failed).length > 0) output.warn(told);
  for (const { name, missing } of evaluation.systems)
    if (missing > 0 && name !== 'copy-forward') output.warn(`${name} has no note for ${missing} visits`);
  const isShort = reportGates(evaluation.gates, { describe: describeGate, output });
  return isShort ? ExitCode.shortfall : ExitCode.done;
}
