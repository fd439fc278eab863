/** A DOCX file's bytes in; its entries (automatic numbers rebuilt), boilerplate and control hints out. */

import { ExitCode, ToolError } from '../../../core/errors.js';
import { labelled, paragraphEntries, type Inline } from '../inlineText.js';
import { readLabel } from '../labels.js';
import type { Position, ReaderResult, Words } from '../readerEntries.js';
import { guessHeaderRows, repeatable, tableOf } from '../tableEntry.js';
import { collapseBlanks, joinWords, NO_WORDS } from '../words.js';
import { listOf, newReading, openList, textOf, type Reading } from './docxReading.js';
import { leftOf } from './docxStyles.js';
import { childOf, childrenOf, isOn, parseXml, valueOf, type XmlElement } from './xmlTree.js';
import { readZipParts } from './zipParts.js';

const WANTED =
  /^(?:word\/(?:document|styles|numbering|footnotes|endnotes|(?:header|footer)\d*)|docProps\/(?:core|custom))\.xml$/i;

export async function readDocx(bytes: Uint8Array, options: { path: string }): Promise<ReaderResult> {
  const parts = await readZipParts(bytes, {
    path: options.path,
    wanted: (name) => WANTED.test(name),
  });
  const part = (name: string): XmlElement | undefined => {
    const found = parts.get(name);
    if (found === undefined) return undefined;
    try {
      return parseXml(found, options);
    } catch (cause) {
      if (cause instanceof ToolError) throw cause;
      throw new ToolError(
        ExitCode.input,
        `${options.path}: the file is damaged (${name} is not well-formed)`,
        { hint: 'open it in Word and save it again', cause },
      );
    }
  };
  const body = childOf(part('word/document.xml'), 'body');
  if (body === undefined)
    throw new ToolError(ExitCode.input, `${options.path}: holds no Word document`, {
      hint: 'save it as .docx again',
    });
  const reading = newReading(part);
  readBlocks(reading, body.children, { depth: 0 });
  const running = readRunning(
    reading,
    [...parts.keys()]
      .filter((name) => /\/(?:header|footer)\d*\.xml$/i.test(name))
      .sort()
      .map((name) => part(name)),
  );
  const title = collapseBlanks(childOf(part('docProps/core.xml'), 'title')?.text ?? '');
  return {
    entries: reading.entries,
    boilerplate: reading.boilerplate,
    hints: { pairs: customProperties(part('docProps/custom.xml')), running },
    ...(title !== '' && { title }),
    notes: reading.notes,
  };
}

interface Place {
  readonly depth: number;
}

/** Text boxes and tables nested deeper than this are left out. */
const DEEPEST = 30;

function readBlocks(reading: Reading, elements: readonly XmlElement[], place: Place): void {
  if (place.depth > DEEPEST) return;
  for (const element of elements) {
    switch (element.name) {
      case 'p':
        readParagraph(reading, element, place);
        break;
      case 'tbl':
        readTable(reading, element, place);
        break;
      case 'sdt': {
        const gallery = valueOf(childOf(childOf(element, 'sdtPr'), 'docPartObj'), 'docPartGallery') ?? '';
        const content = childOf(element, 'sdtContent')?.children ?? [];
        if (/table of contents/i.test(gallery)) readContents(reading, content);
        else readBlocks(reading, content, { depth: place.depth + 1 });
        break;
      }
      case 'customXml':
      case 'smartTag':
      case 'ins':
      case 'moveTo':
        readBlocks(reading, element.children, { depth: place.depth + 1 });
        break;
      case 'AlternateContent':
        readBlocks(reading, (childOf(element, 'Choice') ?? childOf(element, 'Fallback'))?.children ?? [], {
          depth: place.depth + 1,
        });
        break;
      default:
    }
  }
}

/** A table of contents: its lines are boilerplate. */
function readContents(reading: Reading, elements: readonly XmlElement[]): void {
  const inner: Reading = { ...reading, entries: [], lists: [], carried: [] };
  readBlocks(inner, elements, { depth: 1 });
  reading.paragraph = inner.paragraph;
  for (const entry of inner.entries) reading.boilerplate.push({ text: entry.words.text, kind: 'contents' });
}

function readParagraph(reading: Reading, paragraph: XmlElement, place: Place): void {
  reading.paragraph += 1;
  const properties = childOf(paragraph, 'pPr');
  const styleId = valueOf(properties, 'pStyle');
  const style = reading.styles.of(styleId);
  const position = { paragraph: reading.paragraph };
  const found = textOf(reading, paragraph, { position, bold: style.bold });
  const markDeleted = childOf(childOf(properties, 'rPr'), 'del') !== undefined;
  const pieces = [...reading.carried, ...found.pieces];
  reading.carried = markDeleted ? pieces : [];
  if (markDeleted) return;
  const isEmpty = pieces.every((piece) => piece.text.trim() === '');
  if (found.isContents || style.isContents) {
    const text = collapseBlanks(pieces.map((piece) => piece.text).join(''));
    if (text !== '') reading.boilerplate.push({ text, kind: 'contents' });
  } else if (!isEmpty) {
    pushEntries(reading, { paragraph, pieces, position });
  }
  for (const box of found.boxes) readBlocks(reading, box.children, { depth: place.depth + 1 });
  if (reading.cellNotes !== undefined) reading.cellNotes.push(...found.notes);
  else for (const id of found.notes) readNote(reading, id, place);
}

function pushEntries(
  reading: Reading,
  { paragraph, pieces, position }: { paragraph: XmlElement; pieces: readonly Inline[]; position: Position },
): void {
  const properties = childOf(paragraph, 'pPr');
  const style = reading.styles.of(valueOf(properties, 'pStyle'));
  const list = listOf(reading, properties);
  const label = list === undefined ? undefined : reading.numbering.next(list.id, list.level);
  const [first, ...more] = paragraphEntries(pieces, { wrapped: false });
  if (first === undefined) return;
  const words =
    label === undefined || label.text === '' ? first.words : labelled(label.text, first, position);
  const outline = Number(valueOf(properties, 'outlineLvl') ?? NaN);
  const heading = Number.isInteger(outline) ? (outline < 9 ? outline + 1 : undefined) : style.heading;
  const isHeading = heading !== undefined && words.text.length <= 200;
  if (style.isTitle || isHeading) {
    reading.lists = [];
    reading.entries.push({
      given: 'heading',
      level: style.isTitle && heading === undefined ? 0 : (heading ?? 0),
      words,
      apart: true,
      lines: 1,
    });
  } else if (
    label !== undefined &&
    label.text !== '' &&
    readLabel(words.text)?.numbers.length !== undefined &&
    (readLabel(words.text)?.numbers.length ?? 0) <= 1
  ) {
    const left = leftOf(properties) ?? label.left ?? style.left ?? 0;
    const depth = openList(reading, { left, id: list?.id ?? '' });
    reading.entries.push({ ...first, words, given: 'item', level: depth, indent: depth });
  } else {
    const left = leftOf(properties) ?? style.left ?? 0;
    if (label === undefined && left === 0) reading.lists = [];
    reading.entries.push({ ...first, words, apart: true, indent: Math.round(left / 120) });
  }
  for (const entry of more) reading.entries.push(entry);
}

function readNote(reading: Reading, id: string, place: Place): void {
  const note = reading.noteTexts.get(id);
  const number = reading.noteNumbers.get(id);
  if (note === undefined) return;
  const before = reading.entries.length;
  const main = reading.paragraph;
  readBlocks(reading, note.children, { depth: place.depth + 1 });
  reading.paragraph = main;
  const first = reading.entries[before];
  const position = { paragraph: main };
  if (first === undefined) return;
  reading.entries.splice(
    before,
    reading.entries.length - before,
    ...reading.entries
      .slice(before)
      .map((entry) => ({ ...entry, words: { ...entry.words, marks: [{ at: 0, position }] } })),
  );
  if (number !== undefined)
    reading.entries[before] = {
      ...first,
      given: 'text',
      words: labelled(
        `[${number}]`,
        { ...first, words: { ...first.words, marks: [{ at: 0, position }] } },
        position,
      ),
    };
}

/** Cells by rows, spans repeated; a table that only places blocks on the page is read as blocks. */
function readTable(reading: Reading, table: XmlElement, place: Place): void {
  const rows = rowsOf(table);
  const cells = rows.flatMap((row) => childrenOf(row, 'tc'));
  const isLayout =
    rows.every((row) => childrenOf(row, 'tc').length <= 1) ||
    cells.some((cell) => holdsBlocks(reading, cell));
  reading.lists = [];
  if (isLayout) {
    for (const cell of cells) readBlocks(reading, cell.children, { depth: place.depth + 1 });
    return;
  }
  const grid: Words[][] = [];
  const header: boolean[] = [];
  const bold: boolean[] = [];
  const notes: string[] = [];
  for (const row of rows) {
    const [only, ...others] = childrenOf(row, 'tc');
    // A first row of one cell over all columns is the table's caption.
    if (grid.length === 0 && only !== undefined && others.length === 0) {
      readBlocks(reading, only.children, { depth: place.depth + 1 });
      continue;
    }
    const line: Words[] = Array.from(
      { length: Math.min(Number(valueOf(childOf(row, 'trPr'), 'gridBefore') ?? 0) || 0, 60) },
      () => NO_WORDS,
    );
    let rowBold = true;
    for (const cell of childrenOf(row, 'tc')) {
      const properties = childOf(cell, 'tcPr');
      const merge = childOf(properties, 'vMerge');
      const continues = merge !== undefined && merge.attributes['val'] !== 'restart';
      const own = readCell({ ...reading, cellNotes: notes }, cell, place);
      reading.paragraph = own.paragraph;
      rowBold &&= own.bold;
      const above = grid.at(-1)?.[line.length] ?? NO_WORDS;
      const words = continues ? repeatable(above, reading.repeats) : own.words;
      const span = Math.min(Math.max(Number(valueOf(properties, 'gridSpan') ?? 1) || 1, 1), 60);
      line.push(words);
      for (let column = 1; column < span && reading.repeats.left > 0; column += 1)
        line.push(repeatable(words, reading.repeats));
    }
    grid.push(line);
    header.push(isOn(childOf(row, 'trPr'), 'tblHeader'));
    bold.push(rowBold);
  }
  const marked = header.findIndex((isHeader) => !isHeader);
  const headed = marked < 0 ? header.length : marked;
  const guessed = guessHeaderRows(grid.map((row) => row.map((cell) => cell.text)));
  const entry = tableOf(grid, {
    headerRows: headed > 0 ? headed : bold[0] === true && bold[1] === false ? 1 : guessed,
  });
  if (entry.words.text !== '') reading.entries.push(entry);
  for (const id of notes) readNote(reading, id, place);
}

/** Rows that were not deleted by a tracked change. */
function rowsOf(table: XmlElement): XmlElement[] {
  return table.children
    .flatMap((child) =>
      child.name === 'sdt'
        ? (childOf(child, 'sdtContent')?.children ?? [])
        : child.name === 'customXml'
          ? child.children
          : [child],
    )
    .filter((child) => child.name === 'tr' && childOf(childOf(child, 'trPr'), 'del') === undefined)
    .map((row) => ({
      ...row,
      children: row.children.flatMap((child) =>
        child.name === 'sdt' ? (childOf(child, 'sdtContent')?.children ?? []) : [child],
      ),
    }));
}

function holdsBlocks(reading: Reading, cell: XmlElement): boolean {
  return cell.children.some(
    (child) =>
      child.name === 'tbl' ||
      (child.name === 'p' &&
        reading.styles.of(valueOf(childOf(child, 'pPr'), 'pStyle')).heading !== undefined),
  );
}

function readCell(
  reading: Reading,
  cell: XmlElement,
  place: Place,
): { words: Words; bold: boolean; paragraph: number } {
  const inner: Reading = { ...reading, entries: [], lists: [], carried: [] };
  readBlocks(inner, cell.children, { depth: place.depth + 1 });
  const filled = inner.entries.filter((entry) => entry.words.text !== '');
  const flat = filled.map((entry) => ({
    ...entry.words,
    text: entry.words.text.replaceAll('\n', ' '),
  }));
  return {
    words: joinWords(flat, ' '),
    bold: filled.every((entry) => entry.bold === true),
    paragraph: inner.paragraph,
  };
}

/** Stands for the tab stops of a head, which blanks that are collapsed would lose. */
const FIELD_BAR = ' | ';

/** Heads and feet: each paragraph or table row a line, its fields parted by wide blanks. */
function readRunning(reading: Reading, parts: readonly (XmlElement | undefined)[]): string[] {
  const lines = new Set<string>();
  for (const part of parts) {
    const inner: Reading = {
      ...reading,
      entries: [],
      fields: { open: [] },
      lists: [],
      carried: [],
      tab: FIELD_BAR,
    };
    if (part !== undefined) readBlocks(inner, part.children, { depth: 1 });
    for (const entry of inner.entries) {
      if (entry.cells !== undefined)
        for (const row of entry.cells) lines.add(row.filter((cell) => cell !== '').join('   '));
      else if (entry.words.text !== '') lines.add(entry.words.text.split(FIELD_BAR).join('   '));
    }
  }
  for (const text of lines) reading.boilerplate.push({ text: collapseBlanks(text), kind: 'running-head' });
  return [...lines];
}

function customProperties(part: XmlElement | undefined): [string, string][] {
  return childrenOf(part, 'property').flatMap((property): [string, string][] => {
    const value = property.children[0]?.text ?? '';
    return value === '' ? [] : [[property.attributes['name'] ?? '', value]];
  });
}
