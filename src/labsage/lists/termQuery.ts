/** Words with AND, OR, NOT, parentheses and quotes → a query tree, and back to words. */

import { ExitCode, ToolError } from '../../core/errors.js';
import { lineTokens, type TokenMode } from './lineTokens.js';

/** Words that must follow each other: `"calcium chloride"`, and `CS-5100`, which is found as CS 5100 too. */
export interface Phrase {
  /** As asked. */
  readonly text: string;
  readonly terms: readonly string[];
}

/** `near`: all phrases close together in one line of a document; `and`, `or`, `not`: in one document. */
export type TermQuery =
  | { readonly kind: 'near'; readonly phrases: readonly Phrase[] }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly TermQuery[] }
  | { readonly kind: 'not'; readonly part: TermQuery };

/**
 * `calcium chloride`: both words close together; `"calcium chloride"`: side by side; `A AND B`: both in the document;
 * NOT binds tighter than AND, AND than OR. The operators are capitals, so that "and" can be searched for.
 * Throws (exit 2) with the place of the fault.
 */
export function parseTermQuery(text: string, mode: TokenMode): TermQuery {
  const parser: Parser = { tokens: readTokens(text), at: 0, mode };
  const query = parseOr(parser);
  const rest = parser.tokens[parser.at];
  if (rest !== undefined)
    throw wrong(rest.text === ')' ? 'a ) has no (' : `nothing can stand before ${rest.text}`);
  return query;
}

export function phraseOf(text: string, mode: TokenMode): Phrase {
  return { text, terms: lineTokens(text, mode).map(({ term }) => term) };
}

/** The query as `parseTermQuery` reads it. */
export function describeQuery(query: TermQuery): string {
  switch (query.kind) {
    case 'near':
      return query.phrases.map(({ text }) => (/[\s()"]/u.test(text) ? `"${text}"` : text)).join(' ');
    case 'not':
      return `NOT ${inBrackets(query.part)}`;
    case 'and':
    case 'or':
      return query.parts.map(inBrackets).join(query.kind === 'and' ? ' AND ' : ' OR ');
  }
}

function inBrackets(query: TermQuery): string {
  return query.kind === 'and' || query.kind === 'or' ? `(${describeQuery(query)})` : describeQuery(query);
}

interface Token {
  readonly kind: 'word' | 'phrase' | 'operator' | 'open' | 'close';
  readonly text: string;
}

interface Parser {
  readonly tokens: readonly Token[];
  at: number;
  readonly mode: TokenMode;
}

/** Straight and typographic quotes open and close alike. */
const TOKEN = /["“”„]([^"“”„]*)["“”„]|([()])|([^\s()"“”„]+)|["“”„]/gu;

function readTokens(text: string): Token[] {
  return [...text.matchAll(TOKEN)].map(([all, phrase, bracket, word]): Token => {
    if (phrase !== undefined) return { kind: 'phrase', text: phrase };
    if (bracket !== undefined) return { kind: bracket === '(' ? 'open' : 'close', text: bracket };
    if (word === undefined) throw wrong(`the quote ${all} is not closed`);
    return { kind: word === 'AND' || word === 'OR' || word === 'NOT' ? 'operator' : 'word', text: word };
  });
}

function parseOr(parser: Parser): TermQuery {
  const parts = [parseAnd(parser)];
  while (takeOperator(parser, 'OR')) parts.push(parseAnd(parser));
  return join('or', parts);
}

function parseAnd(parser: Parser): TermQuery {
  const parts = [parseNot(parser)];
  for (;;) {
    const next = parser.tokens[parser.at];
    // `(A OR B) C` and `A NOT B` mean AND.
    const isImplied =
      next !== undefined && next.kind !== 'close' && next.text !== 'OR' && next.text !== 'AND';
    if (!takeOperator(parser, 'AND') && !isImplied) return join('and', parts);
    parts.push(parseNot(parser));
  }
}

function parseNot(parser: Parser): TermQuery {
  if (takeOperator(parser, 'NOT')) return { kind: 'not', part: parseNot(parser) };
  if (parser.tokens[parser.at]?.kind === 'open') {
    parser.at++;
    const inner = parseOr(parser);
    if (parser.tokens[parser.at]?.kind !== 'close') throw wrong('a ( is not closed');
    parser.at++;
    return inner;
  }
  return parseNear(parser);
}

function parseNear(parser: Parser): TermQuery {
  const phrases: Phrase[] = [];
  for (; ; parser.at++) {
    const token = parser.tokens[parser.at];
    if (token?.kind !== 'word' && token?.kind !== 'phrase') break;
    const phrase = phraseOf(token.text.trim(), parser.mode);
    if (phrase.terms.length > 0) phrases.push(phrase);
  }
  if (phrases.length > 0) return { kind: 'near', phrases };
  const next = parser.tokens[parser.at];
  throw wrong(next === undefined ? 'a word is missing at its end' : `a word is missing before ${next.text}`);
}

function takeOperator(parser: Parser, operator: string): boolean {
  const token = parser.tokens[parser.at];
  if (token?.kind !== 'operator' || token.text !== operator) return false;
  parser.at++;
  return true;
}

function join(kind: 'and' | 'or', parts: readonly TermQuery[]): TermQuery {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind, parts };
}

function wrong(why: string): ToolError {
  return new ToolError(ExitCode.usage, `the terms cannot be read: ${why}`, {
    hint: `write them as in: labsage list '"calcium chloride" AND (aPTT OR "factor IX") NOT Eastgate'`,
  });
}
