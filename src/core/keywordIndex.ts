/** Texts under ids → BM25 scores of a query: MiniSearch with our words and stems. */

import MiniSearch from 'minisearch';
import { stemmer } from 'stemmer';
import { splitWords } from './text.js';

export interface KeywordIndex {
  /** BM25+ scores above 0, best first; ties by id. */
  search(query: string, options?: { top?: number }): KeywordHit[];
}

export interface KeywordHit {
  readonly id: string;
  readonly score: number;
  /** Stems of the query that the text contains. */
  readonly terms: readonly string[];
}

export function createKeywordIndex(
  texts: Iterable<{ readonly id: string; readonly text: string }>,
): KeywordIndex {
  const index = new MiniSearch<{ id: string; text: string }>({
    fields: ['text'],
    tokenize: keywordTerms,
    processTerm: (term) => term,
  });
  index.addAll([...texts]);
  return {
    search(query, { top } = {}) {
      const hits = index
        .search(query, { prefix: false, fuzzy: false, combineWith: 'OR' })
        .map(({ id, score, terms }) => ({ id: String(id), score, terms }))
        .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
      return top === undefined ? hits : hits.slice(0, top);
    },
  };
}

/** Lower-case stems of the words; a word with inner hyphens, dots or slashes counts whole and in parts. */
export function keywordTerms(text: string): string[] {
  return splitWords(text).flatMap((word) => {
    const whole = termOf(word.text);
    const parts = word.text.split(/[-./'’]/u).filter((part) => part !== '');
    return parts.length > 1 && !/^[\d.,]+$/u.test(word.text) ? [whole, ...parts.map(termOf)] : [whole];
  });
}

/** Lower case, µ unified, stemmed where it is a word of letters. */
export function termOf(word: string): string {
  const lower = word.toLowerCase().replace(/\u03bc/gu, 'µ');
  return /^[a-z]{4,}$/u.test(lower) ? stemmer(lower) : lower;
}

/** Words that say nothing of a question's subject, lower case. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but by can
  could did do does doing down during each few for from further had has have having he her here him his how i if in into
  is isn it its itself just let me more most my need needs no nor not now of off on once only or other our out over own
  please same shall she should so some such than that the their them then there these they this those through to too
  under until up us use used using very was we were what whats when where which while who why will with without would you your
  cant dont wont didnt doesnt isnt wasnt im ive whats hows thats lets please ok okay thanks hi hello
  many much long get give given go got tell say says one make makes take takes happen happens often`.split(
    /\s+/u,
  ),
);

/** True for words that say nothing of a question's subject. */
export function isFunctionWord(word: string): boolean {
  return FUNCTION_WORDS.has(word.toLowerCase());
}
