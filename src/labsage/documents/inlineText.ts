/** The inline pieces of one paragraph in; its lines as a text editor would show them out. */

import type { Position, ReaderEntry, SourceLine, Words } from './readerEntries.js';
import { joinLines } from './textEntries.js';
import { collapseBlanks, joinRuns, joinWrapped, samePosition } from './words.js';

export interface Inline {
  readonly text: string;
  readonly position: Position;
  readonly bold?: boolean;
  /** A forced line break stands before it. */
  readonly breaks?: boolean;
}

/** Pieces of one line are set side by side; a line that no break starts goes on with the one before (`wrapped`) or is left to its words. */
export function inlineLines(pieces: readonly Inline[], options: { wrapped: boolean }): SourceLine[] {
  const lines: { text: string; position: Position; bold: boolean; breaks: boolean }[] = [];
  for (const piece of pieces) {
    const last = lines.at(-1);
    const bold = piece.bold === true || piece.text.trim() === '';
    if (last === undefined || piece.breaks === true || !samePosition(last.position, piece.position)) {
      lines.push({
        text: piece.text,
        position: piece.position,
        bold,
        breaks: piece.breaks === true,
      });
    } else {
      last.text += piece.text;
      last.bold &&= bold;
    }
  }
  return lines.flatMap((line, index) => {
    const text = collapseBlanks(line.text);
    if (text === '') return [];
    const goesOn = options.wrapped && index > 0 && !line.breaks;
    return [
      {
        text,
        position: line.position,
        indent: 0,
        ...(line.bold && { bold: true }),
        ...(goesOn && { starts: false }),
      },
    ];
  });
}

/** The entries that one paragraph of a marked-up format holds: more than one where its lines carry labels, keys or warnings. */
export function paragraphEntries(pieces: readonly Inline[], options: { wrapped: boolean }): ReaderEntry[] {
  return joinLines(inlineLines(pieces, options), { width: undefined, together: true });
}

/** All pieces as one stretch of words: headings, table cells. */
export function inlineWords(pieces: readonly Inline[]): Words {
  return joinWrapped(inlineLines(pieces, { wrapped: false }));
}

/** A list item's words behind its label, unless they carry a label of their own and the list has none but bullets. */
export function labelled(label: string, entry: ReaderEntry, position: Position): Words {
  const words = entry.words;
  if (label === '' || (label === '-' && /^(?:\d+(?:\.\d+)+[.)]?|\d+[.)]|[A-Za-z][.)])\s/.test(words.text)))
    return words;
  const head = joinRuns([{ text: label, position }]);
  if (words.text === '') return head;
  return {
    text: `${head.text} ${words.text}`,
    marks: [
      ...head.marks,
      ...words.marks.flatMap((mark) =>
        mark.at === 0 && samePosition(mark.position, position)
          ? []
          : [{ at: mark.at + head.text.length + 1, position: mark.position }],
      ),
    ],
  };
}

const SUPERSCRIPTS: Readonly<Record<string, string>> = {
  '0': '⁰',
  '1': '¹',
  '2': '²',
  '3': '³',
  '4': '⁴',
  '5': '⁵',
  '6': '⁶',
  '7': '⁷',
  '8': '⁸',
  '9': '⁹',
  '+': '⁺',
  '-': '⁻',
  '−': '⁻',
  '–': '⁻',
};

/** `10` with a raised `9` is not `109`: raised digits and signs become their raised characters, words stay as they are. */
export function raised(text: string): string {
  return /^[\d+\-−–\s]+$/.test(text) ? [...text].map((sign) => SUPERSCRIPTS[sign] ?? sign).join('') : text;
}
