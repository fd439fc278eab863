/** The same question answered from two corpora → whether the answers differ, and in what. */

import { collapseBlanks } from '../../core/text.js';
import type { Answer } from '../../core/types.js';

/** `answered`: only the second answers; `refused`: only the first. */
export type AnswerChangeKind = 'same' | 'changed' | 'answered' | 'refused';

export interface AnswerChange {
  readonly id: string;
  readonly question: string;
  readonly kind: AnswerChangeKind;
  readonly before: Answer;
  readonly after: Answer;
}

export function compareAnswers(before: Answer, after: Answer): AnswerChangeKind {
  if (before.answered !== after.answered) return after.answered ? 'answered' : 'refused';
  return answerSignature(before) === answerSignature(after) ? 'same' : 'changed';
}

/**
 * What an answer says: its quotes and the documents that they are of. Versions, places and section numbers are no part of
 * it; all refusals are alike.
 */
export function answerSignature({ answered, citations }: Answer): string {
  if (!answered) return 'refused';
  return JSON.stringify(
    citations.map(({ document, quotes }) => [
      document.number ?? document.path,
      quotes.map(({ text }) => collapseBlanks(text)),
    ]),
  );
}

/** As a person compares it: the quotes, each block under its document, without marks. */
export function answerWords({ answered, text, citations }: Answer): string {
  if (!answered) return text;
  return citations
    .map(({ document, headingPath, quotes }) =>
      [
        [document.number ?? document.path, document.version ?? '', headingPath.at(-1) ?? '']
          .filter((part) => part !== '')
          .join(', '),
        ...quotes.map((quote) => `  ${quote.text}`),
      ].join('\n'),
    )
    .join('\n');
}
