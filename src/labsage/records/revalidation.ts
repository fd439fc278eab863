/** Saved questions + an index → a record of who asked them when, of which index, and what came out; and when it is due again. */

import { appendAudit, auditLogPath, type AuditRecord } from '../../core/auditLog.js';
import { readAuditRecords } from '../../core/auditTrail.js';
import { sha256Hex } from '../../core/text.js';
import type { Answer } from '../../core/types.js';
import type { AnswerSource } from '../answer.js';
import { answerSignature } from './answerChanges.js';
import { answerSettings } from './auditEntry.js';
import {
  DEFAULT_INTERVAL,
  addInterval,
  describeInterval,
  parseInterval,
  type Interval,
} from '../documents/calendar.js';
import { answerAsked } from '../lists/corpusAnswer.js';
import { evidenceRecall } from '../evaluation/containment.js';
import { keepManifest } from '../index/keptManifest.js';
import type { RetrieveOptions } from '../retrieve.js';
import type { SavedQuestion, SavedQuestions } from './savedQuestions.js';

export interface RevalidationResult {
  readonly id: string;
  readonly question: string;
  readonly answered: boolean;
  /** Only if the file states what answers: all of it was quoted, or a question that nothing answers was refused. */
  readonly evidenceFound?: boolean;
  /** Only if the question was asked before: the same quotes of the same documents. */
  readonly same?: boolean;
  /** Of what the answer says, see `answerSignature`. */
  readonly sha256: string;
}

export interface RevalidationSummary {
  readonly questions: number;
  readonly answered: number;
  /** Questions whose evidence the file states, and those of them that were answered with it. */
  readonly stated: number;
  readonly found: number;
  /** Questions that an earlier revalidation asked too, and those of them that were answered the same. */
  readonly compared: number;
  readonly same: number;
}

export interface Revalidation {
  readonly record: AuditRecord;
  readonly summary: RevalidationSummary;
  readonly results: readonly RevalidationResult[];
  readonly previous?: AuditRecord;
}

export interface RevalidateOptions {
  readonly name: string;
  readonly every: Interval;
  readonly retrieve: RetrieveOptions;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Asks every question and appends what came out to `revalidations.jsonl` beside the index, chained like the audit log. */
export async function revalidate(
  saved: SavedQuestions,
  source: AnswerSource,
  options: RevalidateOptions,
): Promise<Revalidation> {
  const { index } = source;
  const { answers: earlier, last } = await earlierAnswers(index.folder);
  const results: RevalidationResult[] = [];
  let generator = '';
  for (const [at, question] of saved.questions.entries()) {
    options.signal?.throwIfAborted();
    options.onProgress?.(at, saved.questions.length);
    const { answer } = await answerAsked(question.question, source, options.retrieve);
    results.push(resultOf(question, answer, earlier.get(question.question)));
    if (generator === '' || answer.model.generator === 'extractive') ({ generator } = answer.model);
  }
  const summary = summarize(results);
  await keepManifest(index.folder, index.manifest);
  const record = await appendAudit(
    index.folder,
    {
      command: 'revalidate',
      subject: options.name,
      units: [],
      model: { embedder: index.manifest.embedder.id, generator },
      settings: {
        ...answerSettings(index, options.retrieve),
        questionsSha256: saved.sha256,
        every: describeInterval(options.every),
      },
      output: { summary, results },
    },
    { log: 'revalidations' },
  );
  return { record, summary, results, ...(last === undefined ? {} : { previous: last }) };
}

function resultOf(
  { id, question, evidence, isStated }: SavedQuestion,
  answer: Answer,
  earlier: string | undefined,
): RevalidationResult {
  const sha256 = sha256Hex(answerSignature(answer));
  return {
    id,
    question,
    answered: answer.answered,
    ...(isStated ? { evidenceFound: isEvidenceFound(evidence, answer) } : {}),
    ...(earlier === undefined ? {} : { same: earlier === sha256 }),
    sha256,
  };
}

function isEvidenceFound(evidence: SavedQuestion['evidence'], { answered, citations }: Answer): boolean {
  if (evidence.length === 0 || !answered) return evidence.length === 0 && !answered;
  const quoted = citations.flatMap(({ document, quotes }) =>
    quotes.map(({ text }) => ({ document: document.path, text })),
  );
  return evidenceRecall({ evidence }, quoted) === 1;
}

function summarize(results: readonly RevalidationResult[]): RevalidationSummary {
  const count = (holds: (result: RevalidationResult) => boolean): number => results.filter(holds).length;
  return {
    questions: results.length,
    answered: count(({ answered }) => answered),
    stated: count(({ evidenceFound }) => evidenceFound !== undefined),
    found: count(({ evidenceFound }) => evidenceFound === true),
    compared: count(({ same }) => same !== undefined),
    same: count(({ same }) => same === true),
  };
}

/** Of each question the answer's hash at its last revalidation. */
async function earlierAnswers(
  folder: string,
): Promise<{ answers: Map<string, string>; last: AuditRecord | undefined }> {
  const answers = new Map<string, string>();
  let last: AuditRecord | undefined;
  for await (const record of readAuditRecords(auditLogPath(folder, 'revalidations'))) {
    last = record;
    for (const { question, sha256 } of (record.output['results'] ?? []) as RevalidationResult[])
      answers.set(question, sha256);
  }
  return { answers, last };
}

export interface RevalidationStatus {
  readonly last?: {
    readonly date: string;
    readonly operator: string;
    readonly questions: string;
    readonly summary: RevalidationSummary;
    /** Whether the index is still the one that was revalidated. */
    readonly sameIndex: boolean;
  };
  readonly every: string;
  /** ISO date; absent before the first. */
  readonly due?: string;
  readonly overdue: boolean;
}

/** `every` defaults to what the last revalidation was recorded with, then to 12 months. */
export async function revalidationStatus(
  folder: string,
  { today, index, every }: { today: string; index: string; every?: Interval },
): Promise<RevalidationStatus> {
  const { last } = await earlierAnswers(folder);
  const written = last?.settings['every'];
  const recorded = typeof written === 'string' ? parseInterval(written) : undefined;
  const interval = every ?? recorded ?? DEFAULT_INTERVAL;
  if (last === undefined) return { every: describeInterval(interval), overdue: false };
  const date = last.timeLocal.slice(0, 10);
  const due = addInterval(date, interval);
  return {
    last: {
      date,
      operator: last.operator,
      questions: last.subject,
      summary: last.output['summary'] as RevalidationSummary,
      sameIndex: last.settings['index'] === index,
    },
    every: describeInterval(interval),
    due,
    overdue: due < today,
  };
}

/** `28 of 30 answered, 25 of 28 with the stated evidence, 30 of 30 the same as last time`. */
export function describeSummary({
  questions,
  answered,
  stated,
  found,
  compared,
  same,
}: RevalidationSummary): string {
  return [
    `${answered} of ${questions} answered`,
    ...(stated === 0 ? [] : [`${found} of ${stated} as the file states`]),
    ...(compared === 0 ? [] : [`${same} of ${compared} the same as last time`]),
  ].join(', ');
}
