/** Cited texts → what claims are compared with: statements, vocabulary, step orders and the words for verbatim search. */

import { readStepOrders, type SourceOrder } from './stepOrder.js';
import { poleTerm, readStatements, supportTerms, unwrapLines, type Statement } from './statements.js';
import { isSameStem } from './words.js';

export interface Evidence {
  readonly statements: readonly Statement[];
  /** Support terms of each statement, headings included. */
  readonly supports: readonly ReadonlySet<string>[];
  readonly vocabulary: ReadonlySet<string>;
  readonly orders: readonly SourceOrder[];
  /** Its statements where their sequence is an order of steps: of one source, not of several joined. */
  readonly steps: readonly Statement[];
  /** Normalised for verbatim search: once with lines joined, once as they are. */
  readonly plain: readonly string[];
}

/** What a text says is read when it is first asked for: a sentence that stands in it word by word needs none of it. */
export function readEvidence(text: string): Evidence {
  return lazyEvidence([normalise(unwrapLines(text)), normalise(text)], () => {
    const statements = readStatements(text);
    const supports = statements.map(
      (statement) =>
        new Set([...supportTerms(statement), ...statement.heading, ...statement.facets.map(poleTerm)]),
    );
    return {
      statements,
      supports,
      vocabulary: new Set(supports.flatMap((terms) => [...terms])),
      orders: statements.flatMap((statement) =>
        readStepOrders(statement).map((order) => ({ ...order, statement })),
      ),
      steps: statements,
    };
  });
}

/** Several sources read as one, for a sentence that cites them together. */
export function joinEvidence(parts: readonly Evidence[]): Evidence {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  return lazyEvidence(
    parts.flatMap(({ plain }) => plain),
    () => ({
      statements: parts.flatMap(({ statements }) => statements),
      supports: parts.flatMap(({ supports }) => supports),
      vocabulary: new Set(parts.flatMap(({ vocabulary }) => [...vocabulary])),
      orders: parts.flatMap(({ orders }) => orders),
      // Two texts have no common order of steps.
      steps: [],
    }),
  );
}

type ReadParts = Omit<Evidence, 'plain'>;

function lazyEvidence(plain: readonly string[], read: () => ReadParts): Evidence {
  let parts: ReadParts | undefined;
  const known = (): ReadParts => (parts ??= read());
  return {
    plain,
    get statements() {
      return known().statements;
    },
    get supports() {
      return known().supports;
    },
    get vocabulary() {
      return known().vocabulary;
    },
    get orders() {
      return known().orders;
    },
    get steps() {
      return known().steps;
    },
  };
}

/** The source's word for a claim's: itself, or one of the same stem. */
export function renamer({ vocabulary }: Pick<Evidence, 'vocabulary'>): (term: string) => string {
  const known = new Map<string, string>();
  return (term) => {
    const found =
      known.get(term) ??
      (vocabulary.has(term) ? term : ([...vocabulary].find((other) => isSameStem(term, other)) ?? term));
    known.set(term, found);
    return found;
  };
}

const LINE = '¶';

function normalise(text: string): string {
  return text
    .replace(/\r\n?/gu, '\n')
    .replace(/(?<!\[)\*\*(?!\])|__|`/gu, '')
    .replace(/[“”„]/gu, '"')
    .replace(/[‘’]/gu, "'")
    .replace(/[‐‑–—−]/gu, '-')
    .replace(/μ/gu, 'µ')
    .replace(/\s*\n\s*/gu, LINE)
    .replace(/[^\S\n]+/gu, ' ')
    .trim()
    .toLowerCase();
}

/** What may stand before a quoted sentence: start, line or sentence end, then label or bullet and quotes. */
const BEFORE_QUOTE = /(?:^|[¶|]\s*|[.!?;]["')\]]*\s+)(?:>\s*)?(?:[-*•◦▪‣]\s*)?(?:#{1,6}\s+)?["'(]*$/u;
const LABELLED =
  /(?:^|[¶|]\s*|[.!?;]["')\]]*\s+)(?:[-*•◦▪‣]\s*)?\(?(?:\d{1,3}|\u0002|[a-z]|[ivx]{1,4})[.)]\s*$/u;
const AFTER_QUOTE = /^["')\]]*(?:[.!?;]+["')\]]*)?\s*(?:$|[¶|])|^[.!?;]["')\]]*\s/u;

/** True when the sentence stands in a source word by word, from its beginning to its end. */
export function isVerbatim(sentence: string, { plain }: Pick<Evidence, 'plain'>): boolean {
  const wanted = quoteOf(sentence);
  return wanted.length >= 2 && plain.some((text) => findQuotes(text, wanted).length > 0);
}

/** Fewest words for a sentence that differs in its numbers only to be a misquotation. */
const QUOTE_WORDS = 4;
const QUOTE_NUMBERS = 3;
const NUMBERS = /\d+(?:[.,]\d+)*/gu;

/** A sentence of the source, word by word but with another number: what the sentence says and what the source. */
export function findMisquote(
  sentence: string,
  { plain }: Pick<Evidence, 'plain'>,
): { readonly claim: string; readonly source: string } | undefined {
  const wanted = quoteOf(sentence).replace(/^\(?\d{1,3}[.)]\s+(?=\S)/u, '');
  const mine = wanted.match(NUMBERS) ?? [];
  // A short line ("BP 120/80") may stand beside another reading of the same thing.
  const isLong =
    (wanted.match(/\p{L}+/gu)?.length ?? 0) >= QUOTE_WORDS ||
    mine.length >= QUOTE_NUMBERS ||
    wanted.includes('|');
  if (!isLong) return undefined;
  for (const text of plain) {
    const skeleton = text.replace(NUMBERS, NUMBER_SIGN);
    for (const at of findQuotes(skeleton, wanted.replace(NUMBERS, NUMBER_SIGN))) {
      const skipped = skeleton.slice(0, at).split(NUMBER_SIGN).length - 1;
      const theirs = (text.match(NUMBERS) ?? []).slice(skipped, skipped + mine.length);
      const i = mine.findIndex((number, n) => numericValue(number) !== numericValue(theirs[n] ?? ''));
      if (i !== -1) return { claim: mine[i] ?? '', source: theirs[i] ?? '' };
    }
  }
  return undefined;
}

/** Stands for any number; in no text. */
const NUMBER_SIGN = '\u0002';

function numericValue(number: string): string {
  const plain = number.replace(/,(?=\d{3}(?!\d))/gu, '').replace(/^0+(?=\d)/u, '');
  return /^\d+\.\d+$/u.test(plain) ? String(Number(plain)) : plain;
}

function quoteOf(sentence: string): string {
  return normalise(sentence)
    .replace(/^(?:>\s*)?(?:[-*•◦▪‣]\s*|#{1,6}\s+)/u, '')
    .replace(/[.;\s]+$/u, '');
}

/** Where `wanted` stands in the text from the beginning of a sentence or line to the end of one. */
function findQuotes(text: string, wanted: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const before = (at > 40 ? 'x' : '') + text.slice(Math.max(0, at - 40), at);
    const isStart = BEFORE_QUOTE.test(before) || LABELLED.test(before);
    if (isStart && AFTER_QUOTE.test(text.slice(at + wanted.length, at + wanted.length + 12))) found.push(at);
  }
  return found;
}
