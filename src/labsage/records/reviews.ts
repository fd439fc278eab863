/** An audit log → the answers that a person is to review with what reviewers found, and a verdict → its entry in the log. */

import { shortId, type AuditEntry, type AuditRecord } from '../../core/auditLog.js';
import { readAuditRecords } from '../../core/auditTrail.js';
import { ExitCode, ToolError } from '../../core/errors.js';
import { packageVersion } from '../../core/version.js';
import { VERDICTS, type Verdict } from './verdicts.js';

/** What a reviewer found of one answer; a later one stands beside it, nothing is taken back. */
export interface Review {
  /** Of its own record. */
  readonly id: string;
  readonly time: string;
  readonly verdict: Verdict;
  readonly reviewer: string;
  readonly note?: string;
}

export interface ReviewedAnswer {
  readonly record: AuditRecord;
  /** Oldest first. */
  readonly reviews: readonly Review[];
}

const COMMAND = 'review';

/** The answers that are flagged or were reviewed all the same, oldest first. Throws (exit 3) where the log is damaged. */
export async function readReviews(path: string): Promise<ReviewedAnswer[]> {
  const reviews = new Map<string, Review[]>();
  const flagged = new Map<string, AuditRecord>();
  for await (const record of readAuditRecords(path)) {
    const [of, review] = reviewOf(record) ?? [];
    if (of !== undefined && review !== undefined) reviews.set(of, [...(reviews.get(of) ?? []), review]);
    if (record.command === 'ask' && record.output['needsReview'] === true) flagged.set(record.id, record);
  }
  const others = [...reviews.keys()].filter((id) => !flagged.has(id));
  const wanted = new Set(others);
  // A verdict comes after its answer: answers that were not flagged need a second look at the log.
  if (wanted.size > 0)
    for await (const record of readAuditRecords(path))
      if (wanted.has(record.id)) flagged.set(record.id, record);
  return [...flagged.values()]
    .map((record) => ({ record, reviews: reviews.get(record.id) ?? [] }))
    .sort((a, b) => a.record.timeUtc.localeCompare(b.record.timeUtc));
}

export function isOpen({ record, reviews }: ReviewedAnswer): boolean {
  return reviews.length === 0 && record.output['needsReview'] === true;
}

/** The answer's id and the verdict, or undefined for a record that is no review. */
function reviewOf({ command, id, timeLocal, settings, output }: AuditRecord): [string, Review] | undefined {
  const { answer } = settings;
  const { verdict, reviewer, note } = output;
  if (command !== COMMAND || typeof answer !== 'string' || !isVerdict(verdict)) return undefined;
  const review: Review = { id, time: timeLocal, verdict, reviewer: String(reviewer) };
  return [answer, typeof note === 'string' ? { ...review, note } : review];
}

function isVerdict(value: unknown): value is Verdict {
  return (VERDICTS as readonly unknown[]).includes(value);
}

/** Names the answer by id and hash: the verdict is of those very words. Throws (exit 2) for a record that is no answer. */
export function reviewEntry(
  record: AuditRecord,
  { verdict, reviewer, note }: Pick<Review, 'verdict' | 'reviewer' | 'note'>,
): AuditEntry {
  if (record.command !== 'ask') {
    throw new ToolError(
      ExitCode.usage,
      `record ${shortId(record.id)} is of ${record.command}: only answers are reviewed`,
      { hint: 'list them with: labsage review list' },
    );
  }
  return {
    command: COMMAND,
    subject: record.subject,
    units: record.units,
    model: record.model,
    settings: { answer: record.id, answerHash: record.hash, program: packageVersion() },
    output: { verdict, reviewer, ...(note === undefined ? {} : { note }) },
  };
}

export const REVIEW_COLUMNS = ['time', 'id', 'confidence', 'verdict', 'question'] as const;

export function reviewRow({ record, reviews }: ReviewedAnswer): string[] {
  const last = reviews.at(-1);
  return [
    record.timeLocal,
    shortId(record.id),
    confidenceText(record),
    last === undefined ? 'open' : `${last.verdict} (${last.reviewer})`,
    record.subject,
  ];
}

export function confidenceText({ output }: AuditRecord): string {
  const { confidence } = output;
  return typeof confidence === 'number' ? confidence.toFixed(2) : '';
}
