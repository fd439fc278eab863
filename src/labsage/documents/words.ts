/** Runs of text in; words with single blanks and the marks that lead back to the file out. */

import type { Position, Run, Words } from './readerEntries.js';

/** White space, control characters, and characters of no width that carry no meaning in Latin text. */

const BLANKS = /[\s\u0000-\u001f\u007f\u00ad\u200b\u2060\ufeff]+/g;

export const NO_WORDS: Words = { text: '', marks: [] };

export function collapseBlanks(text: string): string {
  return text.replace(BLANKS, ' ').trim();
}

/** Runs are set side by side as they stand: a blank between two of them must be in one of them. */
export function joinRuns(runs: readonly Run[]): Words {
  const parts: string[] = [];
  const marks: { at: number; position: Position }[] = [];
  let length = 0;
  let blankPending = false;
  for (const run of runs) {
    const flat = run.text.replace(BLANKS, ' ');
    const text = flat.trim();
    if (text === '') {
      blankPending ||= flat !== '' && length > 0;
      continue;
    }
    if ((blankPending || flat.startsWith(' ')) && length > 0) {
      parts.push(' ');
      length += 1;
    }
    const last = marks.at(-1);
    if (last === undefined || !samePosition(last.position, run.position)) {
      marks.push({ at: length, position: run.position });
    }
    parts.push(text);
    length += text.length;
    blankPending = flat.endsWith(' ');
  }
  return { text: parts.join(''), marks };
}

/** Joins hard-wrapped lines: by a blank, but by nothing where a line ends inside a hyphenated or slashed word. */
export function joinWrapped(lines: readonly Run[]): Words {
  return joinRuns(
    lines.map((line, index) => {
      const before = lines[index - 1]?.text.trimEnd() ?? '';
      return {
        text: endsInsideWord(before, line.text) ? line.text.trimStart() : ` ${line.text}`,
        position: line.position,
      };
    }),
  );
}

/** `24-` / `hour`, `and/` / `or`, `2-` / `8 °C`; but not `Albumin -` / `serum`. */
export function endsInsideWord(before: string, after: string): boolean {
  return (
    /[\p{L}\p{N}][-/\u2010\u2011]$/u.test(before.slice(-3)) &&
    /^[\p{Ll}\p{N}]/u.test(after.trimStart().slice(0, 2))
  );
}

/** Several words set one after the other with `separator` between; empty ones leave nothing but their place. */
export function joinWords(items: readonly Words[], separator: string): Words {
  const marks: { at: number; position: Position }[] = [];
  let length = 0;
  items.forEach((item, index) => {
    if (index > 0) length += separator.length;
    for (const mark of item.marks) {
      const last = marks.at(-1);
      if (last === undefined || !samePosition(last.position, mark.position)) {
        marks.push({ at: length + mark.at, position: mark.position });
      }
    }
    length += item.text.length;
  });
  return { text: items.map((item) => item.text).join(separator), marks };
}

/** The words from `start` to `end` (UTF-16 offsets), outer blanks cut off. */
export function cutWords(words: Words, start: number, end = words.text.length): Words {
  const part = words.text.slice(start, end);
  const from = start + (part.length - part.trimStart().length);
  const to = start + part.trimEnd().length;
  if (to <= from) return NO_WORDS;
  const marks: { at: number; position: Position }[] = [];
  for (const mark of words.marks) {
    if (mark.at >= to) break;
    if (mark.at <= from) marks[0] = { at: 0, position: mark.position };
    else marks.push({ at: mark.at - from, position: mark.position });
  }
  return { text: words.text.slice(from, to), marks };
}

export function samePosition(a: Position, b: Position): boolean {
  return a.line === b.line && a.page === b.page && a.paragraph === b.paragraph;
}
