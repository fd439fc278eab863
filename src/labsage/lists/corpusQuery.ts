/** The runs of words that a question asks for + a corpus → the query that finds them, and what had to be read otherwise. */

import type { ControlFilters } from './controlFilters.js';
import { isGenericWord, type Segment } from './corpusTerms.js';
import type { ListedCorpus } from './documentList.js';
import { questionTerms, type Vocabulary } from '../question/questionTerms.js';
import { phraseOf, type TermQuery } from './termQuery.js';

interface QueryOptions {
  readonly corpus: ListedCorpus;
  readonly filters: ControlFilters;
  readonly vocabulary: Vocabulary;
}

/**
 * All segments in one document; if no document has all, the most telling one, and a warning that says so. Undefined where
 * even that one stands in most documents: such a list would answer nothing.
 */
export function buildQuery(
  segments: readonly Segment[],
  options: QueryOptions,
): { query: TermQuery | undefined; warnings: string[] } | undefined {
  if (segments.length === 0) return { query: undefined, warnings: [] };
  const warnings: string[] = [];
  const parts = segments.map((segment) => ({ segment, ...segmentQuery(segment, { ...options, warnings }) }));
  const groups: TermQuery[] = [];
  for (const { segment, query } of parts) {
    const last = groups.at(-1);
    const part: TermQuery = segment.excluded ? { kind: 'not', part: query } : query;
    if (segment.joint === 'or' && last !== undefined)
      groups[groups.length - 1] = { kind: 'or', parts: [last, part] };
    else groups.push(part);
  }
  const [first] = groups;
  const all: TermQuery | undefined = groups.length === 1 ? first : { kind: 'and', parts: groups };
  const examined = options.corpus.list(undefined, options.filters).documents.length;
  const saysLittle = (part: (typeof parts)[number]): boolean =>
    part.segment.kind === 'words' && countDocuments(part.query, options) > examined / 2;
  if (parts.every((part) => part.isReduced && saysLittle(part))) return undefined;
  const isFound = groups.length === 1 || all === undefined || countDocuments(all, options) > 0;
  const isMeant = segments.some(({ excluded, joint }) => excluded || joint === 'and');
  if (isFound || isMeant) return { query: all, warnings };
  const rank = { code: 0, name: 1, words: 2 };
  const found = parts
    .map((part) => ({ ...part, documents: countDocuments(part.query, options) }))
    .filter(({ documents }) => documents > 0)
    .sort((a, b) => rank[a.segment.kind] - rank[b.segment.kind] || a.documents - b.documents);
  const [best] = found;
  if (best === undefined) return { query: all, warnings };
  if (saysLittle(best)) return undefined;
  const others = parts
    .filter(({ segment }) => segment !== best.segment)
    .map(({ segment }) => `"${segment.words.join(' ')}"`);
  warnings.push(
    `No document has ${others.join(', ')} as well: the list is of "${best.segment.words.join(' ')}" alone.`,
  );
  return { query: best.query, warnings };
}

/** The words close together; without those that only say what kind of thing it is, if no document has them too. */
function segmentQuery(
  segment: Segment,
  options: QueryOptions & { warnings: string[] },
): { query: TermQuery; isReduced: boolean } {
  const words = segment.words.map((word) => correctWord(word, options));
  const specific = words.filter((word) => !isGenericWord(word));
  const near = (chosen: readonly string[]): TermQuery => ({
    kind: 'near',
    phrases: [...(segment.negated ? ['no'] : []), ...chosen].map((word) => phraseOf(word, 'stemmed')),
  });
  const full = near(words);
  const canReduce = specific.length > 0 && specific.length < words.length;
  const isReduced = canReduce && (segment.negated || countDocuments(full, options) === 0);
  return { query: isReduced ? near(specific) : full, isReduced };
}

/** A word that no document has may be misspelt. */
function correctWord(word: string, options: QueryOptions & { warnings: string[] }): string {
  const own: TermQuery = { kind: 'near', phrases: [phraseOf(word, 'stemmed')] };
  if (/[^\p{L}]/u.test(word) || countDocuments(own, options) > 0) return word;
  const [term, ...others] = questionTerms(word, options.vocabulary);
  if (term?.corrected === undefined || others.length > 0) return word;
  options.warnings.push(`Read "${word}" as "${term.corrected}".`);
  return term.corrected;
}

function countDocuments(query: TermQuery, { corpus, filters }: QueryOptions): number {
  return corpus.list(query, filters).documents.length;
}
