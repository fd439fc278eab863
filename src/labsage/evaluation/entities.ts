/** A text → the names, numbers and codes in it: what a statement is specific about, found without a model. */

import { splitWords } from '../../core/text.js';

/** What stands right behind a number and belongs to it. */
const UNIT =
  /^(?:%|°?[cf]|x|g|kg|mg|µg|ug|ng|pg|fg|l|dl|ml|µl|ul|fl|mol|mmol|µmol|umol|nmol|pmol|meq|mosm|iu|u|miu|ku|s|sec|min|minutes?|h|hr|hours?|days?|weeks?|months?|years?|rpm|nm|mm|cm|µm|um|sd|cv|fold|cells?|tubes?|levels?|replicates?)(?:\/.+)?$/iu;

/**
 * Distinct, lower-case, in order: numbers with their units (`2000 x`, `250 ul`), words with a digit (`cs-5100`, `k2edta`),
 * words in capitals (`amr`), and capitalised words that do not begin a sentence (`liquichek`).
 */
export function listEntities(text: string): string[] {
  const words = splitWords(text);
  const entities = new Set<string>();
  for (const [at, { text: word, start }] of words.entries()) {
    const previous = words[at - 1];
    const gap = previous === undefined ? '' : text.slice(previous.end, start);
    if (isThousands(word, gap)) continue;
    if (isNumber(word)) {
      const number = joinThousands(word, text.slice(start));
      const end = start + number.length;
      const next = words.slice(at + 1, at + 5).find((candidate) => candidate.start >= end);
      const hasUnit = next !== undefined && UNIT.test(next.text) && isBlank(text.slice(end, next.start));
      entities.add(`${number.replaceAll(',', '')}${hasUnit ? ` ${unitName(next.text)}` : ''}`);
    } else if (/\d/u.test(word) || /^\p{Lu}[\p{Lu}\d]+s?$/u.test(word)) entities.add(word.toLowerCase());
    else if (/^\p{Lu}\p{Ll}{2,}/u.test(word) && previous !== undefined && /^[ \t]*$/u.test(gap))
      entities.add(word.toLowerCase());
  }
  return [...entities];
}

function isNumber(word: string): boolean {
  return /^\d+(?:\.\d+)?%?$/u.test(word);
}

/** The word splitter parts `2,000` at its comma. */
function joinThousands(word: string, from: string): string {
  return /^\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])/u.exec(from)?.[0] ?? word;
}

function isThousands(word: string, gap: string): boolean {
  return gap === ',' && /^\d{3}/u.test(word);
}

function isBlank(gap: string): boolean {
  return /^[\s\u00a0\u2009\u202f]*$/u.test(gap);
}

/** `µL`, `uL` and `µl` (either micro sign) are one unit. */
function unitName(unit: string): string {
  return unit.toLowerCase().replace(/[\u00b5\u03bc]/gu, 'u');
}
