/** `labsage review list|show|record`: the answers flagged for a person, and the verdicts, which join the audit log. */

import { appendAudit, operatorName, shortId } from '../../core/auditLog.js';
import { ExitCode, ToolError } from '../../core/errors.js';
import type { CommandContext } from '../../core/program.js';
import { findRecord, recordLines } from '../records/auditRecords.js';
import {
  isOpen,
  readReviews,
  REVIEW_COLUMNS,
  reviewEntry,
  reviewRow,
  type ReviewedAnswer,
} from '../records/reviews.js';
import type { Verdict } from '../records/verdicts.js';
import { openLog, recordId } from './openLog.js';

interface ReviewFlags {
  readonly index?: string;
  readonly all?: boolean;
  readonly verdict?: Verdict;
  readonly note?: string;
  readonly operator?: string;
  readonly json?: boolean;
}

/** What is open; with `--all` also what was reviewed. */
export async function reviewListCommand(
  _args: readonly string[],
  flags: ReviewFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const { output } = context;
  const { path } = await openLog(flags, context);
  const known = await readReviews(path);
  const shown = flags.all === true ? known : known.filter(isOpen);
  if (flags.json === true) shown.forEach((one) => output.printJson(reviewJson(one)));
  else if (shown.length === 0) output.print('No answer waits for a review.');
  else await output.table(REVIEW_COLUMNS, shown.map(reviewRow));
  return ExitCode.done;
}

export async function reviewShowCommand(
  args: readonly string[],
  flags: ReviewFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const { output } = context;
  const id = recordId(args);
  const { path } = await openLog(flags, context);
  const record = await findRecord(path, id);
  const { reviews } = (await readReviews(path)).find((one) => one.record.id === record.id) ?? { reviews: [] };
  if (flags.json === true) output.printJson(reviewJson({ record, reviews }));
  else {
    recordLines(record).forEach((line) => output.print(line));
    output.print();
    for (const { time, verdict, reviewer, note } of reviews)
      output.print(`${time}  ${verdict}, ${reviewer}${note === undefined ? '' : `: ${note}`}`);
    if (reviews.length === 0) output.print('Not reviewed.');
  }
  return ExitCode.done;
}

export async function reviewRecordCommand(
  args: readonly string[],
  flags: ReviewFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const { output } = context;
  const id = recordId(args);
  const { path, folder } = await openLog(flags, context);
  if (flags.verdict === undefined) throw new Error('the command line asks for a verdict');
  const reviewer = (flags.operator ?? operatorName()).trim();
  if (reviewer === '') throw new ToolError(ExitCode.usage, '--operator names nobody');
  const answer = await findRecord(path, id);
  const entry = reviewEntry(answer, {
    verdict: flags.verdict,
    reviewer,
    ...(flags.note === undefined ? {} : { note: flags.note }),
  });
  const record = await appendAudit(folder, entry);
  const open = (await readReviews(path)).filter(isOpen).length;
  if (flags.json === true) output.printJson({ ...record, open });
  else
    output.print(
      `Recorded as ${shortId(record.id)}: ${flags.verdict}, by ${reviewer}. ${open} ${open === 1 ? 'answer waits' : 'answers wait'} for a review.`,
    );
  return ExitCode.done;
}

function reviewJson({ record, reviews }: ReviewedAnswer): object {
  const { id, timeLocal, subject, output } = record;
  return {
    id,
    time: timeLocal,
    question: subject,
    answer: output['text'],
    confidence: output['confidence'],
    open: isOpen({ record, reviews }),
    reviews,
  };
}
