/** Text → edits that write every bullet as `- ` and every numbered item as `1. `; what is no item is left alone. */

import { sortDisjoint, type Edit } from './offsetMap.js';

/** At a line's start; `o` only before a blank, because it is also a letter. */
const BULLET = /^([ \t]*)(?:[•·◦▪▫●○■□‣∙»➢➤]+[ \t]*|(?:[-*+]{1,2}|o)[ \t]+)(?=[^\s\-*])/gmu;
const NUMBER = /^([ \t]*)\(?(\d{1,2})\)[ \t]*(?=\p{L}|[[("'])/gmu;
const PROBLEM = /^([ \t]*)#[ \t]*(?=\p{L})/gmu;
/** A bullet inside a line ends the item before it. */
const INNER = /(?<=\S)[ \t]*[•◦▪●‣][ \t]*(?=\S)/gu;

export function bulletEdits(text: string): Edit[] {
  const find = (pattern: RegExp, standIn: (match: RegExpMatchArray) => string): Edit[] =>
    [...text.matchAll(pattern)].map((match) => ({
      start: match.index,
      end: match.index + match[0].length,
      text: standIn(match),
    }));
  return sortDisjoint([
    ...find(BULLET, ([, indent = '']) => `${indent}- `),
    ...find(NUMBER, ([, indent = '', number = '']) => `${indent}${number}. `),
    ...find(PROBLEM, ([, indent = '']) => `${indent}# `),
    ...find(INNER, () => '; '),
  ]);
}
