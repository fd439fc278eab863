/** Text → edits that write every bullet as `- ` and every numbered item as `1. `; what is no item is left alone. */

import type { Edit } from './offsetMap.js';

/** At a line's start; `o` only before a blank, because it is also a letter. */
const BULLET = /^([ \t]*)(?:[•·◦▪▫●○■□‣∙»➢➤]+[ \t]*|(?:[-*+]{1,2}|o)[ \t]+)(?=[^\s\-*])/gmu;
const NUMBER = /^([ \t]*)\(?(\d{1,2})\)[ \t]*(?=\p{L}|[[("'])/gmu;
const PROBLEM = /^([ \t]*)#[ \t]*(?=\p{L})/gmu;
/** A bullet inside a line ends the item before it. */
const INNER = /(?<=\S)[ \t]*[•◦▪●‣][ \t]*(?=\S)/gu;

export function bulletEdits(text: string): Edit[] {
  const edits: Edit[] = [];
  const add = (pattern: RegExp, standIn: (match: RegExpMatchArray) => string): void => {
    for (const match of text.matchAll(pattern)) {
      const end = match.index + match[0].length;
      const isFree = edits.every((edit) => end <= edit.start || match.index >= edit.end);
      if (isFree) edits.push({ start: match.index, end, text: standIn(match) });
    }
  };
  add(BULLET, ([, indent = '']) => `${indent}- `);
  add(NUMBER, ([, indent = '', number = '']) => `${indent}${number}. `);
  add(PROBLEM, ([, indent = '']) => `${indent}# `);
  add(INNER, () => '; ');
  return edits.sort((a, b) => a.start - b.start);
}
