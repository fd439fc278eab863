/** One question at one system → what it retrieved, what it answered and what of the ground truth that had, for people to read. */

import { countWords } from '../../core/text.js';
import type { Quoted } from './evaluatedSystems.js';
import type { Generated } from './generated.js';
import { findStatements, type GroundTruth } from './groundTruth.js';
import type { Question } from './questions.js';
import type { QuestionGroup } from './scoreSheet.js';
import type { RetrievedContext } from './systems.js';
import type { SystemName } from './systemNames.js';

export interface AskedCase {
  readonly id: string;
  readonly group: QuestionGroup;
  readonly question: string;
  readonly kind: string;
  readonly system: SystemName;
  /** What the question file gives: quotes with their places, or the documents of a list. */
  readonly wanted: readonly {
    readonly document: string;
    readonly section?: string;
    readonly quote?: string;
  }[];
  readonly contexts: readonly CaseContext[];
  readonly answer: string;
  /** Absent where the generator failed. */
  readonly answered?: boolean;
  readonly confidence?: number;
  /** Of the ground truth's statements, in the contexts and in the printed answer. */
  readonly statements: number;
  readonly retrieved: number;
  readonly printed: number;
  /** Listed documents, for whole-corpus questions. */
  readonly listed?: readonly string[];
}

export interface CaseContext {
  readonly document: string;
  readonly heading: string;
  readonly words: number;
  /** It contains a statement of the ground truth. */
  readonly isUseful: boolean;
  /** Its first words. */
  readonly snippet: string;
}

/** Characters of a context that are shown. */
const SNIPPET_CHARS = 240;

export function toCase(
  asked: { group: QuestionGroup; question: Question; truth?: GroundTruth },
  outcome: {
    system: SystemName;
    contexts: readonly RetrievedContext[];
    generated: Generated | undefined;
    quoted: Quoted;
  },
): AskedCase {
  const { group, question, truth } = asked;
  const { system, contexts, generated, quoted } = outcome;
  const statements = truth?.statements ?? [];
  const printed = generated?.printed;
  const anyDocument = printed?.isModelText === true;
  const countFound = (texts: Parameters<typeof findStatements>[1], options = {}): number =>
    findStatements(statements, texts, options).filter(Boolean).length;
  return {
    id: question.id,
    group,
    question: question.question,
    kind: question.kind ?? group,
    system,
    wanted: question.documents?.map((document) => ({ document })) ?? question.evidence,
    contexts: contexts.map((context) => ({
      document: context.document,
      heading: context.ranked.context.headingPath.join(' › '),
      words: countWords(context.text),
      isUseful: findStatements(statements, [context]).includes(true),
      snippet:
        context.text.length > SNIPPET_CHARS ? `${context.text.slice(0, SNIPPET_CHARS)}…` : context.text,
    })),
    answer: generated?.shown ?? '',
    ...(printed === undefined ? {} : { answered: printed.answered }),
    ...(quoted.confidence === undefined ? {} : { confidence: quoted.confidence }),
    statements: statements.length,
    retrieved: countFound(contexts),
    printed: printed?.answered === true ? countFound(printed.texts, { anyDocument }) : 0,
    ...(group === 'lists' ? { listed: quoted.listed } : {}),
  };
}

/** It is not as it should be: not all printed, answered without grounds, or a list that differs. */
export function isFailed(asked: AskedCase): boolean {
  if (asked.group === 'unanswerable') return asked.answered !== false;
  if (asked.group === 'answerable') return asked.printed < asked.statements;
  const wanted = new Set(asked.wanted.map(({ document }) => document));
  const listed = new Set(asked.listed);
  return wanted.size !== listed.size || [...wanted].some((document) => !listed.has(document));
}
