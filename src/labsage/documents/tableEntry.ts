/** The words of a table's cells in; its entry, header rows told apart, out. */

import { isKnownKey } from './controlKeys.js';
import type { ReaderEntry, SourceLine, Words } from './readerEntries.js';
import { joinRuns, joinWords, NO_WORDS } from './words.js';

/** What cells that span rows or columns may still add to a document by being repeated, in characters. */
export interface Repeats {
  left: number;
}

/** Real tables repeat some thousand characters; without a bound a file of 50 KB becomes a text of 100 MB. */
export function newRepeats(): Repeats {
  return { left: 1_000_000 };
}

/** The words once more, or none where the document has repeated too much already: each still stands once. */
export function repeatable(words: Words, repeats: Repeats): Words {
  repeats.left -= words.text.length + 1;
  return repeats.left < 0 ? NO_WORDS : words;
}

/** One header row if the first has names only where others have numbers, or if it alone fills every column with short names. */
export function guessHeaderRows(rows: readonly (readonly string[])[]): number {
  const first = rows[0];
  if (first === undefined || rows.length < 2 || isControlTable(rows)) return 0;
  if (first.some((cell) => /^[<>≤≥±~]?\s*\d/.test(cell)) || first[0] === '') {
    return first[0] === '' && first.slice(1).every((cell) => /^\D/.test(cell)) ? 1 : 0;
  }
  const numeric = rows.slice(1).some((row) => row.some((cell) => /^[<>≤≥±~]?\s*\d/.test(cell)));
  if (numeric) return 1;
  return first.length >= 3 &&
    first.every((cell) => /^[\p{Lu}\p{N}]/u.test(cell) && cell.length <= 40 && !/[.;]$/.test(cell))
    ? 1
    : 0;
}

/** Two columns of key and value, which have no header: `Version | 3.1`. */
function isControlTable(rows: readonly (readonly string[])[]): boolean {
  const keyed = rows.filter((row) => isKnownKey(`${(row[0] ?? '').replace(/:$/, '')}:`)).length;
  return (
    keyed >= 2 &&
    keyed >= rows.length / 2 &&
    isKnownKey(`${(rows[0]?.[0] ?? '').replace(/:$/, '')}:`) &&
    !rows[0]?.some((cell) => /^(?:date|change|description|reason)/i.test(cell))
  );
}

/** A table entry from the words of its cells, rows of unequal length filled up. */
export function tableOf(
  rows: readonly (readonly Words[])[],
  options: { headerRows: number; lines?: number },
): ReaderEntry {
  const kept = rows.filter((row) => row.some((cell) => cell.text !== ''));
  const rowWords = kept.map((row) => rowOf(row));
  const cells = kept.map((row) => row.map((cell) => cell.text));
  const headerRows = isControlTable(cells) ? 0 : options.headerRows;
  const dropped = rows.slice(0, headerRows).filter((row) => row.every((cell) => cell.text === '')).length;
  return {
    given: 'table',
    words: joinWords(rowWords, '\n'),
    apart: true,
    lines: options.lines ?? rows.length,
    headerRows: Math.min(headerRows - dropped, Math.max(0, rowWords.length - 1)),
    cells,
  };
}

/** A table from rows whose cells drawn lines part. Names that a later page repeats stand once. */
export function ruledTable(lines: readonly SourceLine[]): ReaderEntry {
  const [first] = lines;
  const names = first?.cells?.join('\n');
  const rows = lines.filter(
    (line) =>
      line === first || line.position.page === first?.position.page || line.cells?.join('\n') !== names,
  );
  const cells = rows.map((row) => row.cells ?? []);
  const named = first?.bold === true && rows[1] !== undefined && rows[1].bold !== true;
  const entry = tableOf(
    rows.map((row) => (row.cells ?? []).map((text) => joinRuns([{ text, position: row.position }]))),
    { headerRows: named ? 1 : guessHeaderRows(cells), lines: rows.length },
  );
  return { ...entry, ...(first?.size !== undefined && { size: first.size }) };
}

/** Cells joined by ` | `; an empty cell leaves its place: `Sodium | | mmol/L`. */
function rowOf(cells: readonly Words[]): Words {
  const parts: Words[] = [];
  cells.forEach((cell, index) => {
    if (index > 0)
      parts.push({
        text:
          parts.at(-1)?.text.endsWith(' ') === false && (cells[index - 1]?.text ?? '') !== '' ? ' | ' : '| ',
        marks: [],
      });
    parts.push(cell);
  });
  const joined = joinWords(parts, '');
  const trimmed = joined.text.trimEnd();
  return { text: trimmed, marks: joined.marks };
}
