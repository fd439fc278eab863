/** A question + the corpus's words → its content terms, weighed, and those that the corpus does not know. */

import { isFunctionWord, termOf } from '../core/keywordIndex.js';
import { splitWords } from '../core/text.js';

export interface QuestionTerm {
  /** As asked. */
  readonly word: string;
  /** Lower-case stem. */
  readonly term: string;
  /** Inverse document frequency, 0 for a word of every document. */
  readonly weight: number;
  /** Found in the corpus, as it is, stemmed, or within a small edit distance (then `corrected`). */
  readonly known: boolean;
  readonly corrected?: string;
}

/** What is known of the corpus's words; a `TermTable` is one. */
export interface Vocabulary {
  readonly documents: number;
  /** Documents that contain the stem. */
  readonly counts: ReadonlyMap<string, number>;
}

/** The question's content words in order, each once. */
export function questionTerms(question: string, vocabulary: Vocabulary): QuestionTerm[] {
  const terms = new Map<string, QuestionTerm>();
  for (const { text } of splitWords(question)) {
    for (const word of wordsIn(text, vocabulary)) {
      if (isFunctionWord(word) || terms.has(termOf(word))) continue;
      terms.set(termOf(word), weigh(word, vocabulary));
    }
  }
  return [...terms.values()];
}

/** An id (`CH-019`) or a word of the corpus stays whole; other words come apart at hyphens and slashes and lose `'s` and `n't`. */
function wordsIn(text: string, vocabulary: Vocabulary): string[] {
  const bare = text.replace(/(?:n['’]t|['’](?:s|ve|re|ll|d|m))$/iu, '');
  if (vocabulary.counts.has(termOf(bare)) || ID.test(bare)) return [bare];
  const hyphenated = bare.replace(/^(\p{L}+)(\d+)$/u, '$1-$2');
  if (vocabulary.counts.has(termOf(hyphenated))) return [hyphenated];
  return /[-/]/u.test(bare) ? partsOf(bare) : [bare];
}

/** Document, form and instrument numbers: letters, a hyphen, digits. */
const ID = /^(?=.*\p{L})(?=.*\d)[\p{L}\d]+(?:-[\p{L}\d]+)+$/u;

function weigh(word: string, vocabulary: Vocabulary): QuestionTerm {
  const term = termOf(word);
  const count = vocabulary.counts.get(term);
  if (count !== undefined) return { word, term, weight: inverseFrequency(count, vocabulary), known: true };
  const corrected = /\d/u.test(term)
    ? undefined
    : (shortenedTerm(term, vocabulary) ?? nearestTerm(term, vocabulary));
  if (corrected === undefined) return { word, term, weight: inverseFrequency(0, vocabulary), known: false };
  const weight = inverseFrequency(vocabulary.counts.get(corrected) ?? 0, vocabulary);
  return { word, term: corrected, weight, known: true, corrected };
}

/** Shortest beginning that stands for a whole word. */
const MIN_SHORT_FORM = 4;

/** `trop` for troponin, `calibraton` for calibr(ation): one begins with the other; the commonest such word. */
function shortenedTerm(term: string, { counts }: Vocabulary): string | undefined {
  const bare = term.replace(/s$/u, '');
  if (bare.length < MIN_SHORT_FORM) return undefined;
  let best: string | undefined;
  for (const [candidate, count] of counts) {
    const isShortForm =
      candidate.startsWith(bare) || (candidate.length > MIN_SHORT_FORM && bare.startsWith(candidate));
    if (isShortForm && /^\p{L}+$/u.test(candidate) && (best === undefined || count > (counts.get(best) ?? 0)))
      best = candidate;
  }
  return best;
}

function inverseFrequency(count: number, { documents }: Vocabulary): number {
  return Math.log((documents + 1) / (count + 0.5));
}

function partsOf(word: string): string[] {
  return word.split(/[-/]/u).filter((part) => part !== '');
}

/** Shortest word in which a typo is looked for; shorter ones are too easily another word. */
const MIN_TYPO_LENGTH = 5;

/** The commonest word of the corpus that is one edit away (two for long words), same first letter; numbers never match. */
function nearestTerm(term: string, { counts }: Vocabulary): string | undefined {
  if (term.length < MIN_TYPO_LENGTH) return undefined;
  const most = term.length >= 8 ? 2 : 1;
  let best: { term: string; distance: number; count: number } | undefined;
  for (const [candidate, count] of counts) {
    if (candidate[0] !== term[0] || Math.abs(candidate.length - term.length) > most || /\d/u.test(candidate))
      continue;
    const distance = editDistance(term, candidate, most);
    if (distance > most) continue;
    if (
      best === undefined ||
      distance < best.distance ||
      (distance === best.distance && count > best.count)
    ) {
      best = { term: candidate, distance, count };
    }
  }
  return best?.term;
}

/** Optimal string alignment distance (insert, delete, replace, swap neighbours), or `most + 1` when it is larger. */
export function editDistance(a: string, b: string, most: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let value = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replace);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) value = Math.min(value, (beforeLast[j - 2] ?? 0) + 1);
      row.push(value);
    }
    if (Math.min(...row) > most) return most + 1;
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? most + 1;
}
