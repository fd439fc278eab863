/** A DOCX's parts in; the state in which its paragraphs are read (styles, counters, notes, open lists) out. */

import type { Boilerplate } from '../../../core/types.js';
import type { Inline } from '../inlineText.js';
import type { Position, ReaderEntry } from '../readerEntries.js';
import { newRepeats, type Repeats } from '../tableEntry.js';
import { collapseBlanks } from '../words.js';
import { readNumbering, type DocxNumbering } from './docxNumbering.js';
import { readStyles, type DocxStyles } from './docxStyles.js';
import { readParagraphText, type FieldState, type ParagraphText } from './docxText.js';
import { childOf, childrenOf, valueOf, type XmlElement } from './xmlTree.js';

export interface Reading {
  readonly styles: DocxStyles;
  readonly numbering: DocxNumbering;
  readonly entries: ReaderEntry[];
  readonly boilerplate: Boilerplate[];
  readonly notes: string[];
  readonly fields: FieldState;
  /** Footnotes and endnotes by `f1`, `e1`; each with the number shown. */
  readonly noteTexts: ReadonlyMap<string, XmlElement>;
  readonly noteNumbers: Map<string, string>;
  readonly repeats: Repeats;
  /** While a table is read: the notes its cells refer to, which stand after it. */
  cellNotes?: string[];
  /** Paragraphs met so far: the number of the current one. */
  paragraph: number;
  /** Left margins of the list items that are open, in twentieths of a point. */
  lists: { left: number; id: string }[];
  /** Pieces of a paragraph whose end was deleted: they go on in the next. */
  carried: Inline[];
  /** In page headers and footers, whose fields tab stops part: what a tab is read as. */
  readonly tab?: string;
}

export function newReading(part: (name: string) => XmlElement | undefined): Reading {
  const noteTexts = new Map<string, XmlElement>();
  for (const [kind, name] of [
    ['f', 'footnote'],
    ['e', 'endnote'],
  ] as const) {
    for (const note of childrenOf(part(`word/${name}s.xml`), name))
      if (note.attributes['type'] === undefined) noteTexts.set(`${kind}${note.attributes['id'] ?? ''}`, note);
  }
  return {
    styles: readStyles(part('word/styles.xml')),
    numbering: readNumbering(part('word/numbering.xml')),
    entries: [],
    boilerplate: [],
    notes: [],
    fields: { open: [] },
    noteTexts,
    noteNumbers: new Map(),
    repeats: newRepeats(),
    paragraph: 0,
    lists: [],
    carried: [],
  };
}

export function textOf(
  reading: Reading,
  paragraph: XmlElement,
  { position, bold }: { position: Position; bold: boolean },
): ParagraphText {
  const found = readParagraphText(paragraph, {
    position,
    bold,
    fields: reading.fields,
    ...(reading.tab !== undefined && { tab: reading.tab }),
    noteNumber: (id) => {
      const number = reading.noteNumbers.get(id) ?? String(reading.noteNumbers.size + 1);
      reading.noteNumbers.set(id, number);
      return number;
    },
  });
  if (found.struck.length > 0)
    reading.notes.push(
      `struck-out words left out in paragraph ${position.paragraph ?? 0}: "${collapseBlanks(found.struck.join('')).slice(0, 60)}"`,
    );
  return found;
}

export function listOf(
  reading: Reading,
  properties: XmlElement | undefined,
): { id: string; level: number } | undefined {
  const styleId = valueOf(properties, 'pStyle');
  const style = reading.styles.of(styleId);
  const own = childOf(properties, 'numPr');
  const id = valueOf(own, 'numId') ?? style.numberId;
  if (id === undefined || id === '0') return undefined;
  const level =
    valueOf(own, 'ilvl') ??
    (styleId === undefined ? undefined : reading.numbering.levelOfStyle(id, styleId)) ??
    style.numberLevel ??
    0;
  return { id, level: Number(level) };
}

/** Depth of a list item, by its indentation below the items that are open. */
export function openList(reading: Reading, item: { left: number; id: string }): number {
  /** Margins that differ by less are one column, in twentieths of a point. */
  const sameColumn = 60;
  const kept = reading.lists.filter((open) => open.left < item.left - sameColumn);
  reading.lists = [...kept, item];
  return reading.lists.length;
}
