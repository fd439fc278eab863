/** An HTML file's bytes in; its entries, boilerplate and control hints out. */

import { parse, parseFragment, type DefaultTreeAdapterTypes } from 'parse5';

import type { Boilerplate } from '../../../core/types.js';
import { decodeText } from '../decodedText.js';
import { inlineWords, type Inline } from '../inlineText.js';
import type { ControlHints, ReaderEntry, ReaderResult, Words } from '../readerEntries.js';
import { isWarningStart } from '../sectionNames.js';
import { joinLines } from '../textEntries.js';
import { collapseBlanks, joinWords } from '../words.js';
import { addText, flush, type Place, type Reading } from './htmlReading.js';
import {
  attribute,
  isElement,
  kindOfElement,
  listLabel,
  rowsOf,
  textOf,
  type Element,
} from './htmlElements.js';
import { guessHeaderRows, newRepeats, repeatable, tableOf } from '../tableEntry.js';

type Node = DefaultTreeAdapterTypes.ChildNode;

export interface HtmlEntries {
  readonly entries: readonly ReaderEntry[];
  readonly boilerplate: readonly Boilerplate[];
  readonly hints: ControlHints;
  readonly notes: readonly string[];
  readonly title?: string;
}

/** Elements nested deeper than this are read as flat text. */
const DEEPEST = 200;

export function readHtml(bytes: Uint8Array, options: { path: string }): ReaderResult {
  const { text, notes } = decodeText(bytes, options);
  const found = walkTree(parse(text, { sourceCodeLocationInfo: true }).childNodes, 1);
  return { ...found, notes: [...notes, ...found.notes] };
}

/** A piece of HTML that starts on line `firstLine` of its file. */
export function htmlEntries(html: string, options: { firstLine: number }): HtmlEntries {
  return walkTree(parseFragment(html, { sourceCodeLocationInfo: true }).childNodes, options.firstLine);
}

function walkTree(nodes: readonly Node[], firstLine: number): HtmlEntries {
  const reading: Reading = {
    firstLine,
    entries: [],
    boilerplate: [],
    pairs: [],
    running: [],
    notes: [],
    pieces: [],
    breaks: false,
    repeats: newRepeats(),
    line: firstLine,
  };
  walkAll(reading, nodes, { depth: 0, lists: 0, bold: false, raised: false, warning: false });
  flush(reading, { depth: 0, lists: 0, bold: false, raised: false, warning: false });
  return {
    entries: reading.entries,
    boilerplate: reading.boilerplate,
    hints: { pairs: reading.pairs, running: reading.running },
    notes: reading.notes,
    ...(reading.title !== undefined && { title: reading.title }),
  };
}

function walkAll(reading: Reading, nodes: readonly Node[], place: Place): void {
  for (const node of nodes) walk(reading, node, place);
}

function walk(reading: Reading, node: Node, place: Place): void {
  if (node.nodeName === '#text' && 'value' in node) {
    addText(reading, node.value, { line: node.sourceCodeLocation?.startLine, place });
    return;
  }
  if (!isElement(node)) return;
  if (node.sourceCodeLocation) reading.line = node.sourceCodeLocation.startLine + reading.firstLine - 1;
  const kind = kindOfElement(node);
  if (place.depth > DEEPEST && kind !== 'dropped') {
    addText(reading, textOf(node), { line: node.sourceCodeLocation?.startLine, place });
    return;
  }
  const inside = { ...place, depth: place.depth + 1 };
  switch (kind) {
    case 'dropped':
      return;
    case 'title': {
      const title = collapseBlanks(textOf(node));
      if (title !== '') reading.title ??= title;
      return;
    }
    case 'meta': {
      const name = attribute(node, 'name') ?? attribute(node, 'property') ?? '';
      const content = attribute(node, 'content') ?? '';
      if (name !== '' && content !== '') reading.pairs.push([name.replace(/^.*[:.]/, ''), content]);
      return;
    }
    case 'break':
      reading.breaks = true;
      return;
    case 'image':
      addText(reading, attribute(node, 'alt') ?? '', {
        line: node.sourceCodeLocation?.startLine,
        place,
      });
      return;
    case 'struck':
      reading.notes.push(
        `struck-out words left out in line ${reading.line}: "${collapseBlanks(textOf(node)).slice(0, 60)}"`,
      );
      return;
    case 'inline':
      walkAll(reading, node.childNodes, {
        ...inside,
        bold:
          place.bold ||
          /^(?:b|strong)$/.test(node.tagName) ||
          /font-weight:\s*(?:bold|[6-9]00)/i.test(attribute(node, 'style') ?? ''),
        raised: node.tagName === 'sup' || place.raised,
      });
      return;
    default:
  }
  flush(reading, place);
  switch (kind) {
    case 'heading': {
      const entriesBefore = reading.entries.length;
      walkAll(reading, node.childNodes, inside);
      const words = inlineWords(reading.pieces);
      reading.pieces = [];
      if (words.text !== '')
        reading.entries.splice(entriesBefore, 0, {
          given: 'heading',
          level: Number(node.tagName[1]),
          words,
          apart: true,
          lines: 1,
        });
      return;
    }
    case 'navigation':
      readNavigation(reading, node, inside);
      return;
    case 'list':
      readList(reading, node, { ...inside, lists: place.lists + 1 });
      return;
    case 'table':
      readTable(reading, node, inside);
      return;
    case 'definitions':
      readDefinitions(reading, node, inside);
      return;
    case 'preformatted':
      readPreformatted(reading, node);
      return;
    case 'warning':
      walkAll(reading, node.childNodes, { ...inside, warning: true });
      flush(reading, { ...inside, warning: true });
      return;
    case 'quote': {
      const warning = place.warning || isWarningStart(textOf(node).trim().slice(0, 60));
      walkAll(reading, node.childNodes, { ...inside, warning });
      flush(reading, { ...inside, warning });
      return;
    }
    default:
      walkAll(reading, node.childNodes, inside);
      flush(reading, inside);
  }
}

function readList(reading: Reading, list: Element, place: Place): void {
  const items = list.childNodes.filter((node): node is Element => isElement(node) && node.tagName === 'li');
  let number =
    Number.parseInt(
      attribute(list, 'start') ?? (attribute(list, 'reversed') === undefined ? '1' : String(items.length)),
      10,
    ) || 1;
  for (const node of list.childNodes) {
    if (!isElement(node) || node.tagName !== 'li') {
      walk(reading, node, place);
      continue;
    }
    flush(reading, place);
    number = Number.parseInt(attribute(node, 'value') ?? '', 10) || number;
    reading.line = (node.sourceCodeLocation?.startLine ?? 1) + reading.firstLine - 1;
    reading.label = { text: listLabel(list, number), depth: place.lists, line: reading.line };
    walkAll(reading, node.childNodes, { ...place, depth: place.depth + 1 });
    flush(reading, place);
    delete reading.label;
    number += attribute(list, 'reversed') === undefined ? 1 : -1;
  }
}

function readTable(reading: Reading, table: Element, place: Place): void {
  const rows = rowsOf(table);
  if (rows.layout) {
    for (const cell of rows.cells.flat()) {
      if (cell.repeated) continue;
      walkAll(reading, cell.element.childNodes, place);
      flush(reading, place);
    }
    return;
  }
  if (rows.caption !== undefined) {
    walkAll(reading, rows.caption.childNodes, place);
    flush(reading, place);
  }
  const known = new Map<Element, Words>();
  const wordsOf = (cell: Element): Words => {
    const words = known.get(cell) ?? inlineWords(cellPieces(reading, cell));
    known.set(cell, words);
    return words;
  };
  const words = rows.cells.map((row) =>
    row.map(({ element, repeated }) =>
      repeated ? repeatable(wordsOf(element), reading.repeats) : wordsOf(element),
    ),
  );
  const entry = tableOf(words, {
    headerRows: rows.headerRows || guessHeaderRows(words.map((row) => row.map((cell) => cell.text))),
  });
  if (entry.words.text !== '') reading.entries.push(entry);
}

/** A cell's words; blocks inside it are parted by a blank. */
function cellPieces(reading: Reading, cell: Element): Inline[] {
  const inner: Reading = { ...reading, entries: [], pieces: [], breaks: false };
  delete inner.label;
  walkAll(inner, cell.childNodes, {
    depth: DEEPEST / 2,
    lists: 0,
    bold: false,
    raised: false,
    warning: false,
  });
  flush(inner, { depth: 0, lists: 0, bold: false, raised: false, warning: false });
  return inner.entries.flatMap((entry) =>
    entry.words.text.split('\n').map((text) => ({
      text: ` ${text} `,
      position: entry.words.marks[0]?.position ?? { line: reading.line },
    })),
  );
}

/** Each term with the definition after it is a paragraph, and may be a control datum. */
function readDefinitions(reading: Reading, list: Element, place: Place): void {
  let term: ReaderEntry | undefined;
  const children = list.childNodes.flatMap((node) =>
    isElement(node) && node.tagName === 'div' ? node.childNodes : [node],
  );
  for (const node of children) {
    if (!isElement(node)) continue;
    const before = reading.entries.length;
    walkAll(reading, node.childNodes, place);
    flush(reading, place);
    const [first, ...more] = reading.entries.splice(before);
    if (first === undefined) continue;
    if (node.tagName === 'dt') {
      if (term !== undefined) reading.entries.push(term);
      term = first;
      reading.entries.push(...more);
      continue;
    }
    if (term !== undefined && first.given === 'text') {
      reading.pairs.push([term.words.text, first.words.text]);
      reading.entries.push({ ...first, words: joinWords([term.words, first.words], ' ') });
    } else {
      if (term !== undefined) reading.entries.push(term);
      reading.entries.push(first);
    }
    term = undefined;
    reading.entries.push(...more);
  }
  if (term !== undefined) reading.entries.push(term);
}

function readPreformatted(reading: Reading, node: Element): void {
  const start = (node.sourceCodeLocation?.startLine ?? 1) + reading.firstLine - 1;
  const lines = textOf(node)
    .split('\n')
    .map((text, index) =>
      text.trim() === ''
        ? undefined
        : {
            text: text.trim(),
            indent: text.length - text.trimStart().length,
            position: { line: start + index },
          },
    );
  for (const entry of joinLines(lines, { width: undefined }))
    reading.entries.push(entry.given === 'text' ? { ...entry, given: 'code' } : entry);
}

/** Heads, feet and menus: their headings stay text (a page's title stands there), their words are listed and read for control data. */
function readNavigation(reading: Reading, node: Element, place: Place): void {
  const inner: Reading = { ...reading, entries: [], pieces: [], breaks: false };
  delete inner.label;
  walkAll(inner, node.childNodes, { ...place, lists: 0 });
  flush(inner, { ...place, lists: 0 });
  for (const entry of inner.entries) {
    if (
      entry.given === 'heading' &&
      (node.tagName === 'header' || /^(?:banner)$/.test(attribute(node, 'role') ?? ''))
    ) {
      reading.entries.push(entry);
      continue;
    }
    const line = entry.words.marks[0]?.position.line;
    for (const text of entry.words.text.split('\n')) {
      if (text !== '')
        reading.boilerplate.push({ text, kind: 'navigation', ...(line !== undefined && { line }) });
    }
    if (node.tagName === 'nav') continue;
    if (entry.cells !== undefined)
      for (const row of entry.cells)
        for (let at = 0; at + 1 < row.length; at += 2) reading.pairs.push([row[at] ?? '', row[at + 1] ?? '']);
    for (const text of entry.words.text.split('\n')) reading.running.push(text);
  }
}
