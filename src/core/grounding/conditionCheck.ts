/** A claim that states outright what its source states only under a condition → what condition it leaves out. */

import type { Comparison, Finding } from './comparison.js';
import { quantityTerm } from './quantities.js';
import type { Statement } from './statements.js';

const CONDITION =
  /(?<![\p{L}])(?:(?:only |even )?if|unless|provided(?: that)?|in case|only (?:when|after|once)|as long as)(?![\p{L}])/iu;
/** Any of these may carry the condition in other words. */
const CONDITIONAL =
  /(?<![\p{L}])(?:if|unless|when|whenever|once|provided|in case|should|would|until|only|after|as long as|may|might|can|could|depending|conditional|contingent|assuming|pending|where|in the event|except|as needed|prn|consider)(?![\p{L}])/iu;
/** Least share of the main part's words that the claim has, and least words. */
const MAIN_SHARE = 0.5;
const MAIN_WORDS = 2;

export function checkConditions({ claim, evidence, rename, shares }: Comparison): Finding[] {
  if (CONDITIONAL.test(claim.text)) return [];
  const best = Math.max(...shares, 0);
  const mine = new Set(termsIn(claim, 0, claim.text.length).map(rename));
  const nearest = evidence.statements.filter((_, i) => (shares[i] ?? 0) >= best - 1e-9);
  const left = nearest.map((statement) => leftOut(statement, mine));
  const [condition] = left;
  return condition === undefined || left.includes(undefined)
    ? []
    : [{ verdict: 'contradicted', reason: `leaves out the condition "${condition}"` }];
}

/** The statement's condition where the claim has its main part and nothing of the condition. */
function leftOut(statement: Statement, mine: ReadonlySet<string>): string | undefined {
  const match = CONDITION.exec(statement.text);
  if (match === null) return undefined;
  const { text } = statement;
  const start = Math.max(text.lastIndexOf(';', match.index), text.lastIndexOf('. ', match.index)) + 1;
  const end = indexAfter(text, /;|\.(?:\s|$)/u, match.index);
  const isLeading = !/[\p{L}\p{N}]/u.test(text.slice(start, match.index));
  const comma = indexAfter(text, /,/u, match.index);
  // "If K > 5.5 stop it": the condition ends with its number.
  const number = statement.quantities.find((quantity) => quantity.start > match.index)?.end;
  const leadEnd = comma < end ? comma : (number ?? end);
  const conditionEnd = isLeading ? Math.min(leadEnd, end) : end;
  const condition = termsIn(statement, match.index + match[0].length, conditionEnd);
  const clause = Math.max(start, text.lastIndexOf(',', match.index - 2) + 1);
  const main = isLeading ? termsIn(statement, conditionEnd, end) : termsIn(statement, clause, match.index);
  const said = main.filter((term) => mine.has(term)).length;
  const isMain =
    said >= Math.min(MAIN_WORDS, main.length) &&
    said > 0 &&
    said >= Math.max(main.length, mine.size) * MAIN_SHARE;
  return isMain && condition.length > 0 && !condition.some((term) => mine.has(term))
    ? text.slice(match.index, conditionEnd).trim()
    : undefined;
}

function indexAfter(text: string, mark: RegExp, at: number): number {
  const found = mark.exec(text.slice(at));
  return found === null ? text.length : at + found.index;
}

function termsIn({ terms, quantities }: Statement, from: number, to: number): string[] {
  return [
    ...terms
      .filter(({ isContent, start }) => isContent && start >= from && start < to)
      .map(({ term }) => term),
    ...quantities.filter(({ start }) => start >= from && start < to).map(quantityTerm),
  ];
}
