/** `labsage audit list|show|verify|head|export|replay`: the audit log → its records, its proof, and an answer again. */

import { auditLogPath, type AuditRecord, type LogName } from '../../core/auditLog.js';
import { checkAuditLog, hasAuditLines, readAuditRecords } from '../../core/auditTrail.js';
import { formatCsvRow } from '../../core/csv.js';
import { ExitCode, ToolError } from '../../core/errors.js';
import { isLanguageModel } from '../../core/generator.js';
import { answerAsked, type AskedAnswer } from '../lists/corpusAnswer.js';
import {
  EXPORT_COLUMNS,
  RECORD_COLUMNS,
  exportRow,
  findRecord,
  recordLines,
  recordRow,
} from '../records/auditRecords.js';
import { replayDifferences, replayOptions, type ReplayDifference } from '../records/answerReplay.js';
import { parseDay } from '../lists/controlFilters.js';
import type { CommandContext } from '../../core/program.js';
import { openLog, recordId } from './openLog.js';
import { openSearch, withIndex } from './openSearch.js';

interface AuditFlags {
  readonly index?: string;
  readonly log?: LogName;
  readonly last?: number;
  readonly since?: string;
  readonly head?: string;
  readonly csv?: boolean;
  readonly json?: boolean;
}

export async function auditListCommand(
  _args: readonly string[],
  flags: AuditFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const { output } = context;
  const { path } = await openLog(flags, context);
  const since = flags.since === undefined ? undefined : parseDay(flags.since, '--since');
  let kept: AuditRecord[] = [];
  for await (const record of readAuditRecords(path)) {
    context.io.signal.throwIfAborted();
    if (since !== undefined && record.timeLocal.slice(0, 10) < since) continue;
    if (flags.json === true && flags.last === undefined) output.printJson(record);
    else kept.push(record);
    if (flags.last !== undefined && kept.length > flags.last) kept = kept.slice(1);
  }
  if (flags.json === true) kept.forEach((record) => output.printJson(record));
  else await output.table(RECORD_COLUMNS, kept.map(recordRow));
  return ExitCode.done;
}

export async function auditShowCommand(
  args: readonly string[],
  flags: AuditFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const id = recordId(args);
  const { path } = await openLog(flags, context);
  const record = await findRecord(path, id);
  if (flags.json === true) context.output.printJson(record);
  else recordLines(record).forEach((line) => context.output.print(line));
  return ExitCode.done;
}

/** Both logs unless one is named; a recorded head is the named log's, or the audit log's. */
export async function auditVerifyCommand(
  _args: readonly string[],
  flags: AuditFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const { output } = context;
  if (flags.head !== undefined && !/^[0-9a-f]{64}$/iu.test(flags.head)) {
    throw new ToolError(ExitCode.usage, `${flags.head} is no hash of 64 hex digits`, {
      hint: 'record one with: labsage audit head',
    });
  }
  const main = flags.log ?? 'audit';
  const { folder } = await openLog(flags, context);
  const logs: LogName[] = [main];
  const other = 'revalidations';
  if (flags.log === undefined && (await hasAuditLines(auditLogPath(folder, other)))) logs.push(other);
  let isWhole = true;
  for (const log of logs) {
    const path = auditLogPath(folder, log);
    const check = await checkAuditLog(
      path,
      log === main && flags.head !== undefined ? { head: flags.head } : {},
    );
    isWhole &&= check.faults.length === 0;
    if (flags.json === true) output.printJson({ log: path, ok: check.faults.length === 0, ...check });
    else {
      for (const { line, fault } of check.faults) output.print(`FAILED  line ${line} of ${path} ${fault}`);
      if (check.faults.length === 0)
        output.print(
          `ok      ${check.records} record${check.records === 1 ? '' : 's'} in ${path}, head ${check.head}`,
        );
      if (check.headLine !== undefined)
        output.print(
          `        the recorded head is line ${check.headLine}; ${check.records - check.headLine} records came since`,
        );
    }
  }
  return isWhole ? ExitCode.done : ExitCode.shortfall;
}

/** The hash first, so that it can be cut off and kept elsewhere: on paper, in another system. */
export async function auditHeadCommand(
  _args: readonly string[],
  flags: AuditFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const { path } = await openLog(flags, context);
  let last: AuditRecord | undefined;
  let records = 0;
  for await (const record of readAuditRecords(path)) {
    last = record;
    records++;
  }
  if (last === undefined) throw new Error('a log with lines has a last record');
  if (flags.json === true) context.output.printJson({ head: last.hash, records, time: last.timeUtc });
  else context.output.print(`${last.hash}  ${records} records, the last of ${last.timeUtc}`);
  return ExitCode.done;
}

export async function auditExportCommand(
  _args: readonly string[],
  flags: AuditFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const { output } = context;
  if (flags.csv === true && flags.json === true)
    throw new ToolError(ExitCode.usage, 'give --csv or --json, not both');
  const { path } = await openLog(flags, context);
  if (flags.json !== true) output.print(formatCsvRow(EXPORT_COLUMNS));
  for await (const record of readAuditRecords(path)) {
    context.io.signal.throwIfAborted();
    if (flags.json === true) output.printJson(record);
    else output.print(exportRow(record));
  }
  return ExitCode.done;
}

/** Exit 5 where another answer comes out. */
export async function auditReplayCommand(
  args: readonly string[],
  flags: AuditFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const { io, output } = context;
  const id = recordId(args);
  const { path, folder } = await openLog(flags, context);
  const record = await findRecord(path, id);
  const options = replayOptions(record);
  const differences = await withIndex(flags, io, (index) =>
    replayDifferences(record, index, { logFolder: folder }),
  );
  const { generator } = record.model;
  const whyNot = isLanguageModel(generator)
    ? `${generator} wrote it, and a replay asks no language model`
    : differences.some(({ kind }) => kind === 'model')
      ? 'the index has vectors of another model'
      : undefined;
  const answer = whyNot !== undefined ? undefined : await askAgain(record, { options, flags, context });
  const then = record.output as Partial<AskedAnswer['answer']>;
  const isSame = answer !== undefined && answer.text === then.text && answer.answered === then.answered;
  if (flags.json === true) {
    output.printJson({
      id: record.id,
      question: record.subject,
      same: isSame,
      differences,
      then: { answered: then.answered, text: then.text },
      ...(whyNot === undefined ? {} : { notAsked: whyNot }),
      now: answer === undefined ? null : { answered: answer.answered, text: answer.text },
    });
  } else
    printReplay({ record, differences, isSame, then: then.text ?? '', now: answer?.text, whyNot }, output);
  return isSame ? ExitCode.done : ExitCode.shortfall;
}

async function askAgain(
  record: AuditRecord,
  state: { options: ReturnType<typeof replayOptions>; flags: AuditFlags; context: CommandContext },
): Promise<AskedAnswer['answer']> {
  const { mode } = state.options;
  const search = await openSearch(
    {
      ...(state.flags.index === undefined ? {} : { index: state.flags.index }),
      ...(mode === undefined ? {} : { mode }),
    },
    state.context.io,
  );
  try {
    return (await answerAsked(record.subject, search, state.options)).answer;
  } finally {
    await search.close();
  }
}

function printReplay(
  replay: {
    record: AuditRecord;
    differences: readonly ReplayDifference[];
    isSame: boolean;
    then: string;
    now: string | undefined;
    whyNot: string | undefined;
  },
  { print }: CommandContext['output'],
): void {
  const { record, differences, isSame } = replay;
  print(
    isSame
      ? `The same answer as on ${record.timeLocal}.`
      : isLanguageModel(record.model.generator)
        ? `The answer of ${record.timeLocal} cannot be made again.`
        : `Another answer than on ${record.timeLocal}.`,
  );
  for (const { kind, name, then, now } of differences) print(`  ${kind} ${name}: ${then} then, ${now} now`);
  if (isSame) return;
  if (differences.length === 0)
    print('  Nothing that was recorded differs: documents, model, settings and program are the same.');
  print(`\nthen:\n${replay.then}`);
  print(`\nnow:\n${replay.now ?? `not asked: ${replay.whyNot ?? ''}`}`);
}
