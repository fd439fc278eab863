/** `labsage eval`: question files → tables, JSON, a page and a JUnit file, and exit 5 where a gate falls short. */

import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { resolvePaths } from '../../core/config.js';
import { ExitCode, ToolError } from '../../core/errors.js';
import {
  modelOptions,
  EXTRACTIVE,
  openGenerator,
  openLanguageModel,
  type Generator,
} from '../../core/generator.js';
import { findModel, fingerprintOf } from '../../core/models/modelFiles.js';
import type { Io, Output } from '../../core/output.js';
import { timed } from '../../core/trace.js';
import type { EmbedderFingerprint } from '../../core/types.js';
import type { CommandContext } from '../../core/program.js';
import { printResultTable, reportGates } from '../../core/evaluationOutput.js';
import { checkReportFolder } from '../../core/reportFiles.js';
import { localDate } from '../documents/documentControl.js';
import { withCorpora } from '../evaluation/corpora.js';
import { evaluate, generatorName, type Measurements } from '../evaluation/evaluate.js';
import { assembleEvaluation, type Evaluation } from '../evaluation/evaluation.js';
import { renderEvaluationPage } from '../evaluation/evaluationPage.js';
import {
  DEFAULT_TOLERANCE,
  checkGates,
  checkGatesMeasured,
  describeGate,
  parseGate,
  type Gate,
} from '../evaluation/gates.js';
import { openJudge, type Judge } from '../evaluation/judge.js';
import { renderJunit } from '../evaluation/junit.js';
import { readIds, readQuestionFiles, selectQuestions, type QuestionSet } from '../evaluation/questionSet.js';
import type { QuestionSplit } from '../evaluation/questions.js';
import { describeRun } from '../evaluation/runManifest.js';
import { table4 } from '../evaluation/sideBySideCases.js';
import { clusterBy } from '../evaluation/summaries.js';
import type { SystemName } from '../evaluation/systemNames.js';
import { describeJudgements, resultTables } from '../evaluation/tables.js';
import { openSopIndex, readSopManifest, type SopIndex } from '../sopIndex.js';
import { proveModel } from '../../core/models/provenEmbedder.js';
import { indexFolder } from './openSearch.js';

export interface EvalFlags {
  readonly index?: string;
  readonly systems: readonly SystemName[];
  readonly k: readonly number[];
  readonly words: readonly number[];
  readonly embedder?: readonly string[];
  readonly threads?: number;
  readonly generator: readonly string[];
  readonly judge?: string;
  readonly allowRemote?: boolean;
  readonly timeout?: number;
  readonly sample?: number;
  readonly seed: number;
  readonly split?: QuestionSplit;
  readonly ids?: string;
  readonly min?: readonly string[];
  readonly max?: readonly string[];
  readonly tolerance?: number;
  readonly html?: string;
  readonly junit?: string;
  readonly checkQuestions?: boolean;
  readonly sops?: string;
  readonly json?: boolean;
}

export async function evalCommand(
  args: readonly string[],
  flags: EvalFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const files = await readQuestionFiles(args, io.cwd);
  if (flags.checkQuestions === true) {
    const { checkQuestionFiles } = await import('./checkQuestions.js');
    return checkQuestionFiles(files, flags, { io, output });
  }
  const ids = flags.ids === undefined ? {} : { ids: await readIds(flags.ids, io.cwd) };
  const questions = selectQuestions(
    files.flatMap((file) => file.questions),
    {
      ...ids,
      seed: flags.seed,
      ...(flags.split === undefined ? {} : { split: flags.split }),
      ...(flags.sample === undefined ? {} : { sample: flags.sample }),
    },
  );
  const { generators, judge } = openModels(flags, io);
  const systems = systemsFor(flags, generators);
  const gates = gatesFor(flags, { questions, systems, hasJudge: judge !== undefined });
  await checkReportFolder(flags.html, { option: '--html', cwd: io.cwd });
  await checkReportFolder(flags.junit, { option: '--junit', cwd: io.cwd });
  const folder = indexFolder(flags, io);
  const index = await timed('read index', () => openSopIndex(folder));
  warnOfAbsentDocuments(questions, index, output);
  const measured = await timed('evaluate', () =>
    measure({ index, questions, systems, generators, judge }, flags, { io, output }),
  );
  const intervals = { seed: flags.seed, clusters: clusterBy(questions) };
  const assembled = assembleEvaluation({
    manifest: await describeRun({
      index,
      questions: files,
      asked: {
        answerable: questions.answerable.length,
        unanswerable: questions.unanswerable.length,
        lists: questions.lists.length,
      },
      embedders: measured.fingerprints,
      generators: generators.map(generatorName),
      judge: judge?.name,
      settings: settingsOf(flags, systems),
    }),
    measurements: measured.measurements,
    questions,
    intervals,
    judgements: judge?.counts() ?? { asked: 0, failed: 0 },
  });
  const tolerance = flags.tolerance ?? DEFAULT_TOLERANCE;
  const evaluation: Evaluation = {
    ...assembled,
    gates: checkGates(gates, assembled.summaries, { answerK: assembled.answerK, tolerance }),
  };
  await writeReports(evaluation, flags, io);
  if (flags.json === true) output.printJson(evaluation);
  else await printEvaluation(evaluation, output);
  return reportFaults(evaluation, output);
}

/** Such a question cannot be answered from this index, and counts as failed. */
function warnOfAbsentDocuments(questions: QuestionSet, index: SopIndex, output: Output): void {
  const indexed = new Set(index.documents.map(({ path }) => path));
  const absent = (paths: readonly string[]): string[] => paths.filter((path) => !indexed.has(path));
  const lacking = [
    ...questions.answerable.map(({ evidence }) => absent(evidence.map(({ document }) => document))),
    ...questions.lists.map(({ documents = [] }) => absent(documents)),
  ].filter((paths) => paths.length > 0);
  if (lacking.length === 0) return;
  const names = [...new Set(lacking.flat())];
  const shown = `${names.slice(0, 3).join(', ')}${names.length > 3 ? `, and ${names.length - 3} more` : ''}`;
  output.warn(
    `${lacking.length} of the questions ${lacking.length === 1 ? 'names a document' : 'name documents'} that the index lacks: ${shown}`,
  );
}

function openModels(flags: EvalFlags, io: Io): { generators: Generator[]; judge: Judge | undefined } {
  const options = modelOptions(flags, io);
  return {
    generators: flags.generator.map((name) => openGenerator(name, options)),
    judge: flags.judge === undefined ? undefined : openJudge(openLanguageModel(flags.judge, options)),
  };
}

function systemsFor({ systems }: EvalFlags, generators: readonly Generator[]): readonly SystemName[] {
  if (systems.includes('none') && generators.every((generator) => generator === undefined)) {
    throw new ToolError(
      ExitCode.usage,
      `system none needs a language model: the ${EXTRACTIVE} generator has nothing to quote from`,
      {
        hint: 'add --generator openai:http://127.0.0.1:8080/v1#MODEL, or leave none out of --systems',
      },
    );
  }
  return systems;
}

function gatesFor(
  flags: EvalFlags,
  plan: { questions: QuestionSet; systems: readonly SystemName[]; hasJudge: boolean },
): Gate[] {
  const gates = [
    ...(flags.min ?? []).map((text) => parseGate(text, 'min')),
    ...(flags.max ?? []).map((text) => parseGate(text, 'max')),
  ];
  const { answerable, unanswerable, lists } = plan.questions;
  checkGatesMeasured(gates, {
    systems: plan.systems,
    hasJudge: plan.hasJudge,
    ks: flags.k,
    words: flags.words,
    groups: { answerable: answerable.length, unanswerable: unanswerable.length, lists: lists.length },
  });
  return gates;
}

async function measure(
  plan: {
    index: SopIndex;
    questions: QuestionSet;
    systems: readonly SystemName[];
    generators: readonly Generator[];
    judge: Judge | undefined;
  },
  flags: EvalFlags,
  { io, output }: CommandContext,
): Promise<{ measurements: Measurements; fingerprints: EmbedderFingerprint[] }> {
  const paths = await resolvePaths(io.env);
  const manifest = await readSopManifest(plan.index.folder);
  const names = flags.embedder ?? [manifest?.embedder.id ?? ''];
  const models = await Promise.all(names.map((name) => findModel(name, paths)));
  const measurements = await withCorpora(
    { index: plan.index, models },
    {
      systems: plan.systems,
      today: localDate(new Date()),
      threads: flags.threads,
      signal: io.signal,
      onStage: (stage) => output.note(stage),
      prove: (model, embedder) => proveModel(model, { embedder, stateFolder: paths.state }),
    },
    async (corpora) => {
      const progress = output.progress('Asking question');
      try {
        return await evaluate({
          questions: plan.questions,
          corpora,
          withNone: plan.systems.includes('none'),
          generators: plan.generators,
          judge: plan.judge,
          ks: flags.k,
          words: flags.words,
          signal: io.signal,
          onProgress: (done, total) => progress.update(done, total),
        });
      } finally {
        progress.stop();
      }
    },
  );
  return { measurements, fingerprints: models.map(fingerprintOf) };
}

function settingsOf(flags: EvalFlags, systems: readonly SystemName[]): Record<string, unknown> {
  const { k, words, sample, seed, split } = flags;
  return {
    systems,
    k,
    words,
    sample: sample ?? null,
    seed,
    split: split ?? null,
    today: localDate(new Date()),
  };
}

async function writeReports(evaluation: Evaluation, flags: EvalFlags, io: Io): Promise<void> {
  if (flags.html !== undefined)
    await writeFile(resolve(io.cwd, flags.html), renderEvaluationPage(evaluation), { mode: 0o600 });
  if (flags.junit !== undefined) await writeFile(resolve(io.cwd, flags.junit), renderJunit(evaluation));
}

async function printEvaluation(evaluation: Evaluation, output: Output): Promise<void> {
  const { answerable, unanswerable, lists } = evaluation.manifest.asked;
  output.print(`${answerable} questions with an answer, ${unanswerable} without, ${lists} for documents.`);
  for (const table of resultTables(evaluation)) await printResultTable(table, output);
  const sideBySide = table4(evaluation.cases);
  if (sideBySide !== undefined) await printResultTable(sideBySide, output, { columnWidths: [34, 48, 48] });
  const { calibration } = evaluation;
  if (calibration !== null) {
    output.print(
      `\nConfidence of ${calibration.answered} answers: expected calibration error ${calibration.expectedError.toFixed(3)}, Brier score ${calibration.brier.toFixed(3)}.`,
    );
    await output.table(
      ['confidence', 'answers', 'said', 'right'],
      calibration.bins
        .filter(({ count }) => count > 0)
        .map(({ low, high, count, meanConfidence, accuracy }) => [
          `${low.toFixed(1)}-${high.toFixed(1)}`,
          count.toString(),
          meanConfidence?.toFixed(2) ?? '',
          accuracy?.toFixed(2) ?? '',
        ]),
    );
  }
}

/** Failures are said on stderr, whatever the form of the result. */
function reportFaults(evaluation: Evaluation, output: Output): ExitCode {
  const { judgements, answers } = evaluation.failed;
  if (judgements.failed > 0) output.warn(describeJudgements(evaluation));
  for (const [generator, count] of Object.entries(answers))
    output.warn(`${count} replies of ${generator} are missing.`);
  const isShort = reportGates(evaluation.gates, { describe: describeGate, output });
  return isShort ? ExitCode.shortfall : ExitCode.done;
}
