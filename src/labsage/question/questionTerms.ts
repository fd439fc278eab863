/** A question + the corpus's words → its content terms, weighed, with other words for them, and those that it does not know. */

import { FUNCTION_WORDS, isFunctionWord, keywordTerms, termOf } from '../../core/keywordIndex.js';
import { splitWords } from '../../core/text.js';
import { loadTokenCounter } from '../../core/tokenCounter.js';
import type { Abbreviation } from './abbreviations.js';
import { LAB_SYNONYMS } from './labSynonyms.js';

export interface QuestionTerm {
  /** As asked. */
  readonly word: string;
  /** Lower-case stem. */
  readonly term: string;
  /** What means the same: abbreviations, long forms, synonyms; each as its stems, all of which must stand. */
  readonly also: readonly (readonly string[])[];
  /** Inverse document frequency, 0 for a word of every document. */
  readonly weight: number;
  /** Found in the corpus, as it is, stemmed, in other words, or within a small edit distance (then `corrected`). */
  readonly known: boolean;
  /** The corpus's word that was meant. */
  readonly corrected?: string;
}

/** What is known of the corpus's words; a `TermTable` is one. */
export interface Vocabulary {
  readonly documents: number;
  /** Documents that contain the stem. */
  readonly counts: ReadonlyMap<string, number>;
  /** Words of letters, lower case, as they are written. */
  readonly words: ReadonlyMap<string, number>;
  readonly abbreviations: readonly Abbreviation[];
}

export interface TermOptions {
  /** True for an everyday word, which is no typo of another; by default none is known. */
  readonly isWord?: (word: string) => boolean;
}

/** `questionTerms` with the everyday words of English, which are loaded only if the corpus lacks a word of the question. */
export async function readQuestionTerms(question: string, vocabulary: Vocabulary): Promise<QuestionTerm[]> {
  const terms = questionTerms(question, vocabulary);
  if (terms.every(({ corrected }) => corrected === undefined)) return terms;
  const countTokens = await loadTokenCounter();
  // WordPiece has the common words of English whole and takes misspelt ones apart.
  return questionTerms(question, vocabulary, { isWord: (word) => countTokens(word) === 1 });
}

/** The question's content words in order, each once. */
export function questionTerms(
  question: string,
  vocabulary: Vocabulary,
  { isWord = () => false }: TermOptions = {},
): QuestionTerm[] {
  const terms = new Map<string, QuestionTerm>();
  const asked = new Set(keywordTerms(question));
  for (const { text } of splitWords(question)) {
    for (const word of wordsIn(text, vocabulary)) {
      if (isFunctionWord(word) || terms.has(termOf(word))) continue;
      const term = weigh(word, { vocabulary, asked, isWord });
      if (term !== undefined) terms.set(termOf(word), term);
    }
  }
  return [...terms.values()];
}

/** The question with its typos corrected: what is embedded. */
export function correctedQuestion(question: string, terms: readonly QuestionTerm[]): string {
  let text = question;
  for (const { word, corrected } of terms) if (corrected !== undefined) text = text.replace(word, corrected);
  return text;
}

/** True if a text of these stems has the term or other words for it. */
export function holdsTerm(stems: ReadonlySet<string>, { term, also }: QuestionTerm): boolean {
  return stems.has(term) || also.some((phrase) => phrase.every((stem) => stems.has(stem)));
}

/** Of the weight of all terms; 0 where there is none. */
export function shareOfWeight(
  terms: readonly QuestionTerm[],
  counts: (term: QuestionTerm) => boolean,
): number {
  const weigh = (of: readonly QuestionTerm[]): number => of.reduce((sum, { weight }) => sum + weight, 0);
  const all = weigh(terms);
  return all === 0 ? 0 : weigh(terms.filter(counts)) / all;
}

/** An id (`CH-019`) or a word of the corpus stays whole; other words come apart at hyphens and slashes and lose `'s` and `n't`. */
function wordsIn(text: string, vocabulary: Vocabulary): string[] {
  const bare = text.replace(/(?:n['’]t|['’](?:s|ve|re|ll|d|m))$/iu, '');
  const isKnown = (word: string): boolean => vocabulary.counts.has(termOf(word));
  if (isKnown(bare)) return [bare];
  const singular = bare.replace(/s$/u, '');
  if (ID.test(singular) && isKnown(singular)) return [singular];
  if (ID.test(bare) && !AGE.test(bare)) return [bare];
  const hyphenated = bare.replace(/^(\p{L}+)(\d+)$/u, '$1-$2');
  if (isKnown(hyphenated)) return [hyphenated];
  return /[-/]/u.test(bare) ? partsOf(bare) : [bare];
}

/** Document, form and instrument numbers: letters, a hyphen, digits. */
const ID = /^(?=.*\p{L})(?=.*\d)[\p{L}\d]+(?:-[\p{L}\d]+)+$/u;
/** `17-year-old`, `24-hour`, `30-day`. */
const AGE = /^\d+-(?:year|month|week|day|hour|min)/iu;

interface TermContext {
  readonly vocabulary: Vocabulary;
  /** Stems of the whole question. */
  readonly asked: ReadonlySet<string>;
}

function weigh(
  word: string,
  { vocabulary, asked, isWord }: TermContext & Required<TermOptions>,
): QuestionTerm | undefined {
  const term = termOf(word);
  const also = otherWords(term, { vocabulary, asked });
  const count = vocabulary.counts.get(term);
  if (count !== undefined)
    return { word, term, also, weight: inverseFrequency(count, vocabulary), known: true };
  const known = also[0];
  if (known !== undefined) {
    const rarest = Math.min(...known.map((stem) => vocabulary.counts.get(stem) ?? 0));
    return { word, term, also, weight: inverseFrequency(rarest, vocabulary), known: true };
  }
  if (isMistypedFunctionWord(word)) return undefined;
  const corrected =
    /\d/u.test(term) || isWord(word.toLowerCase()) ? undefined : correctWord(word, vocabulary);
  if (corrected === undefined)
    return { word, term, also, weight: inverseFrequency(0, vocabulary), known: false };
  const meant = termOf(corrected);
  const weight = inverseFrequency(vocabulary.counts.get(meant) ?? 0, vocabulary);
  return {
    word,
    term: meant,
    also: otherWords(meant, { vocabulary, asked }),
    weight,
    known: true,
    corrected,
  };
}

/** Words of the corpus for the same thing. A long form counts only if the question has all of its words. */
function otherWords(term: string, { vocabulary, asked }: TermContext): string[][] {
  const found = new Map<string, string[]>();
  const add = (phrase: string): void => {
    const stems = contentStems(phrase);
    const isKnown = stems.length > 0 && stems.every((stem) => vocabulary.counts.has(stem));
    if (isKnown && !stems.includes(term)) found.set(stems.join(' '), stems);
  };
  const stands = (phrase: string): boolean => {
    const stems = contentStems(phrase);
    return stems.includes(term) && stems.every((stem) => asked.has(stem));
  };
  for (const { short, long } of vocabulary.abbreviations) {
    if (termOf(short) === term) add(long);
    else if (stands(long)) add(short);
  }
  for (const group of LAB_SYNONYMS) if (group.some(stands)) group.forEach(add);
  return [...found.values()];
}

function contentStems(phrase: string): string[] {
  return splitWords(phrase)
    .filter(({ text }) => !isFunctionWord(text))
    .map(({ text }) => termOf(text));
}

function correctWord(word: string, vocabulary: Vocabulary): string | undefined {
  const lower = word.toLowerCase();
  return shortenedWord(lower, vocabulary) ?? nearestWord(lower, vocabulary);
}

/** `hwo`, `teh`, `ofen`, `itslef`: says as little as the word that was meant. */
function isMistypedFunctionWord(word: string): boolean {
  const lower = word.toLowerCase();
  const letters = (text: string): string => Array.from(text).sort().join('');
  for (const candidate of FUNCTION_WORDS) {
    const isSwapped = candidate.length >= 3 && letters(candidate) === letters(lower);
    if ((isSwapped || candidate.length > MIN_TYPO_LENGTH) && editDistance(lower, candidate, 1) === 1)
      return true;
  }
  return false;
}

/** Shortest beginning that stands for a whole word. */
const MIN_SHORT_FORM = 4;

/** `trop` for troponin: the commonest word that it begins. */
function shortenedWord(word: string, { words }: Vocabulary): string | undefined {
  const bare = word.replace(/s$/u, '');
  if (bare.length < MIN_SHORT_FORM) return undefined;
  let best: string | undefined;
  for (const [candidate, count] of words)
    if (candidate.startsWith(bare) && (best === undefined || count > (words.get(best) ?? 0)))
      best = candidate;
  return best;
}

function inverseFrequency(count: number, { documents }: Vocabulary): number {
  return Math.log((documents + 1) / (count + 0.5));
}

function partsOf(word: string): string[] {
  return word.split(/[-/]/u).filter((part) => part !== '');
}

/** Shortest word in which a typo is looked for; shorter ones are too easily another word. */
const MIN_TYPO_LENGTH = 4;
/** Words from this length on may have two edits. */
const LONG_WORD = 8;

/** The commonest word of the corpus that is one edit away (two for long words), same first letter. */
function nearestWord(word: string, { words }: Vocabulary): string | undefined {
  if (word.length < MIN_TYPO_LENGTH) return undefined;
  const most = word.length >= LONG_WORD ? 2 : 1;
  let best: { word: string; distance: number; count: number } | undefined;
  for (const [candidate, count] of words) {
    if (candidate[0] !== word[0] || Math.abs(candidate.length - word.length) > most) continue;
    const distance = editDistance(word, candidate, most);
    if (distance > most) continue;
    if (best === undefined || distance < best.distance || (distance === best.distance && count > best.count))
      best = { word: candidate, distance, count };
  }
  return best?.word;
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
  return Math.min(last[b.length] ?? 0, most + 1);
}
