/** `labsage eval --check-questions`: question files + their documents → what is wrong in them; no model is loaded. */

import { ExitCode, ToolError } from '../../core/errors.js';
import type { Io, Output } from '../../core/output.js';
import type { Document } from '../../core/types.js';
import type { CommandContext } from '../../core/program.js';
import { packageVersion } from '../../core/version.js';
import { cutSopFiles } from '../cutFiles.js';
import { documentsByPath } from '../evaluation/questionScores.js';
import { checkQuestions, type QuestionReport } from '../evaluation/questionCheck.js';
import type { QuestionFile } from '../evaluation/questionSet.js';
import { listSopFiles } from '../documents/sopFiles.js';
import { openSopIndex, readAllDocuments } from '../sopIndex.js';
import { chunkingOf } from '../units.js';
import { indexFolder } from './openSearch.js';

/** Looks into the folder that `--sops` names, else into the index. */
export async function checkQuestionFiles(
  files: readonly QuestionFile[],
  flags: { readonly sops?: string; readonly index?: string; readonly json?: boolean },
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const documents =
    flags.sops === undefined
      ? await readAllDocuments(await openSopIndex(indexFolder(flags, io)))
      : await readFolder(flags.sops, io);
  const report = checkQuestions(
    files.flatMap(({ questions }) => questions),
    documentsByPath(documents),
  );
  if (flags.json === true) output.printJson(report);
  else printReport(report, output);
  return report.faults.length > 0 ? ExitCode.shortfall : ExitCode.done;
}

async function readFolder(folder: string, { cwd, signal }: Io): Promise<Document[]> {
  const { files } = await listSopFiles([folder], cwd);
  const chunking = chunkingOf('labsage', packageVersion());
  const { cut, skipped } = await cutSopFiles(files, { chunking, signal });
  const [unread] = skipped;
  if (unread !== undefined)
    throw new ToolError(ExitCode.input, `${unread.path} cannot be read: ${unread.reason}`);
  return cut.map(({ document }) => document);
}

function printReport(report: QuestionReport, output: Output): void {
  for (const { id, fault } of report.faults) output.print(`${output.color.red('fault')}  ${id}  ${fault}`);
  for (const { id, fault } of report.notes) output.print(`${output.color.yellow('note')}   ${id}  ${fault}`);
  const counts = (of: Readonly<Record<string, number>>): string =>
    Object.entries(of)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  output.print(`${report.questions} questions: ${counts(report.kinds)}; ${counts(report.splits)}.`);
  const { echo, unanswerable } = report;
  if (echo !== null) {
    const share = (value: number): string => `${Math.round(value * 100)} %`;
    output.print(
      `Questions echo ${share(echo.mean)} of their answers' words on average (median ${share(echo.median)}, nine in ten below ${share(echo.high)}); more than 60 %: ${echo.most.length === 0 ? 'none' : echo.most.map(({ id, echo: of }) => `${id} ${share(of)}`).join(', ')}.`,
    );
  }
  if (unanswerable.count > 0)
    output.print(
      `${unanswerable.ofKnownWords} of ${unanswerable.count} questions without an answer are made of words that the SOPs know.`,
    );
  output.print(
    report.faults.length === 0
      ? 'No faults.'
      : `${report.faults.length} fault${report.faults.length === 1 ? '' : 's'}.`,
  );
}
