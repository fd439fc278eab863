/** The text nodes of a page in; its paragraphs, gathered piece by piece up to each block's border, out. */

import type { Boilerplate } from '../../../core/types.js';
import { labelled, paragraphEntries, raised, type Inline } from '../inlineText.js';
import type { ReaderEntry } from '../readerEntries.js';
import type { Repeats } from '../tableEntry.js';

export interface Reading {
  readonly firstLine: number;
  readonly entries: ReaderEntry[];
  readonly boilerplate: Boilerplate[];
  readonly pairs: [string, string][];
  readonly running: string[];
  readonly notes: string[];
  readonly repeats: Repeats;
  pieces: Inline[];
  breaks: boolean;
  line: number;
  title?: string;
  /** Set while a list item waits for its first words. */
  label?: { readonly text: string; readonly depth: number; readonly line: number };
}

export interface Place {
  readonly depth: number;
  readonly lists: number;
  readonly bold: boolean;
  readonly raised: boolean;
  readonly warning: boolean;
}

export function addText(
  reading: Reading,
  value: string,
  { line, place }: { line: number | undefined; place: Place },
): void {
  let at = line === undefined ? reading.line : line + reading.firstLine - 1;
  value.split('\n').forEach((part, index) => {
    if (index > 0) at += 1;
    const text = place.raised ? raised(part) : part;
    if (text === '') return;
    const last = reading.pieces.at(-1);
    // An element's border is no blank: pieces of one run stay on the line where the run began.
    const joined =
      index === 0 && last !== undefined && !/\s$/.test(last.text) && !/^\s/.test(text) && !reading.breaks;
    reading.pieces.push({
      text,
      position: joined ? last.position : { line: at },
      bold: place.bold,
      ...(reading.breaks && text.trim() !== '' && { breaks: true }),
    });
    if (text.trim() !== '') reading.breaks = false;
  });
  reading.line = at;
}

/** Ends a paragraph: what was gathered becomes an entry, or several. */
export function flush(reading: Reading, place: Place): void {
  const entries = paragraphEntries(reading.pieces, { wrapped: true });
  reading.pieces = [];
  reading.breaks = false;
  for (const entry of entries) {
    const label = reading.label;
    if (label !== undefined) {
      delete reading.label;
      reading.entries.push({
        ...entry,
        words: labelled(label.text, entry, { line: label.line }),
        given: 'item',
        level: label.depth,
        indent: label.depth,
      });
    } else {
      reading.entries.push({
        ...entry,
        indent: place.lists,
        ...(place.warning && { given: 'warning' as const }),
      });
    }
  }
}
