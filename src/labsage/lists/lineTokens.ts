/** A line → its words as terms that can be compared, each with where it stands. */

import { termOf } from '../../core/keywordIndex.js';
import type { Span } from '../../core/types.js';

/** `stemmed`: tests = test = tested, CS-5100 = CS 5100 = CS5100; `exact`: as written, but for case and blanks. */
export type TokenMode = 'stemmed' | 'exact';

export interface LineToken extends Span {
  readonly term: string;
}

/** Runs of letters and numbers apart, so that a hyphen, a blank or nothing between them makes no difference. */
const STEMMED = /\p{N}+(?:[.,]\p{N}+)*|[\p{L}\p{M}]+/gu;
const EXACT = /[\p{L}\p{M}\p{N}]+/gu;

export function lineTokens(text: string, mode: TokenMode): LineToken[] {
  const tokens: LineToken[] = [];
  for (const match of text.matchAll(mode === 'exact' ? EXACT : STEMMED)) {
    const [word] = match;
    const term = mode === 'exact' ? foldCase(word) : foldTerm(word);
    tokens.push({ start: match.index, end: match.index + word.length, term });
  }
  return tokens;
}

/** Subscripts and ligatures as plain characters, lower case, blanks as one. */
export function foldCase(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
}

/** Also without accents and thousands separators, and stemmed: CaCl₂ is found as CaCl2, 1,000 as 1000. */
function foldTerm(word: string): string {
  let term = foldedTerms.get(word);
  if (term === undefined) {
    term = computeTerm(word);
    foldedTerms.set(word, term);
  }
  return term;
}

/** A corpus has few distinct words; stemming each of them once makes reading the whole index ten times as fast. */
const foldedTerms = new Map<string, string>();

function computeTerm(word: string): string {
  const plain = foldCase(word)
    .normalize('NFD')
    .replace(/\p{M}+/gu, '');
  if (/^\d{1,3}(?:,\d{3})+$/u.test(plain)) return plain.replaceAll(',', '');
  const oneSpelling = plain.replace(/ae(?=m)/gu, 'e').replaceAll('yz', 'ys');
  return GREEK_ENDINGS.reduce((word, [ending, stem]) => word.replace(ending, stem), termOf(oneSpelling));
}

/** Stems of one word that English endings leave apart: lipemia = lipemic, hemolysis = hemolysed = hemolytic. */
const GREEK_ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/(?<=..)em(?:ia|i)?$/u, 'em'],
  [/(?<=..)lysi$/u, 'lys'],
  // Not of electrolytes and analytes, which are no lyses.
  [/(?<=(?:hemo|fibrino|lipo|proteo|glyco|thrombo|cyto))lyt$/u, 'lys'],
];
