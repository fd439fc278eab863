/** A Markdown file's bytes (CommonMark, GitHub tables, YAML front matter) in; its entries, boilerplate and control hints out. */

import type { List, ListItem, Nodes, PhrasingContent, Root, RootContent, Table } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

import type { Boilerplate } from '../../../core/types.js';
import { decodeText } from '../decodedText.js';
import { inlineWords, labelled, paragraphEntries, raised, type Inline } from '../inlineText.js';
import type { ReaderEntry, ReaderResult } from '../readerEntries.js';
import { isWarningStart } from '../sectionNames.js';
import { joinLines } from '../textEntries.js';
import { tableOf } from '../tableEntry.js';
import { collapseBlanks, joinWrapped } from '../words.js';
import { readFrontMatter } from './frontMatter.js';
import { htmlEntries } from './html.js';
import { readPlainText } from './plainText.js';

interface Reading {
  readonly source: string;
  /** Lines of front matter before `source`. */
  readonly offset: number;
  readonly entries: ReaderEntry[];
  readonly boilerplate: Boilerplate[];
  readonly notes: string[];
  /** Inside `<div class="warning">` … `</div>`. */
  inWarning: boolean;
}

interface Place {
  /** Depth of the list around; 0 outside of lists. */
  readonly depth: number;
  readonly warning: boolean;
}

/** Quotes and lists nested deeper than this are read as flat text. */
const DEEPEST = 60;

export function readMarkdown(bytes: Uint8Array, options: { path: string }): ReaderResult {
  const { text, notes } = decodeText(bytes, options);
  if (isTangled(text)) {
    const plain = readPlainText(bytes, options);
    return {
      ...plain,
      notes: [...plain.notes, 'too long or too tangled to be meant as Markdown; read as plain text'],
    };
  }
  const front = readFrontMatter(text);
  const reading: Reading = {
    source: front.rest,
    offset: front.lines,
    entries: [],
    boilerplate: [...front.boilerplate],
    notes: [...notes],
    inWarning: false,
  };
  const root: Root = fromMarkdown(front.rest, {
    extensions: [gfm()],
    mdastExtensions: [gfmFromMarkdown()],
  });
  readNodes(reading, withoutContents(reading, root.children), { depth: 0, warning: false });
  const title = front.pairs.find(([key]) => key.toLowerCase() === 'title')?.[1];
  return {
    entries: reading.entries,
    boilerplate: reading.boilerplate,
    hints: { pairs: front.pairs.filter(([key]) => key.toLowerCase() !== 'title'), running: [] },
    ...(title !== undefined && { title }),
    notes: reading.notes,
  };
}

/** Longest file that is read as Markdown, in characters: a longer one is a dump of something. */
const MARKDOWN_CHARS = 400_000;
/** The parser compares the emphasis marks of a paragraph pair by pair; this many pairs take some seconds. */
const MARK_PAIRS = 20_000_000;

/** Quotes 40 deep, list items 120 columns in, thousands of emphasis marks: time and stack for what no author means. */
function isTangled(text: string): boolean {
  if (text.length > MARKDOWN_CHARS) return true;
  if (/^[ ]{0,3}(?:> ?){40}/m.test(text) || /^[ \t]{120,}(?:[-*+]|\d{1,9}[.)])\s/m.test(text)) return true;
  if (/^(?:(?:[-*+]|\d{1,9}[.)]|>)[ \t]{1,4}){40}/m.test(text)) return true;
  let pairs = 0;
  for (const paragraph of text.split(/\n\s*\n/)) {
    const marks = paragraph.match(/[*_~]+/g)?.length ?? 0;
    pairs += marks * marks;
  }
  return pairs > MARK_PAIRS;
}

/** A list of links to this file's own headings is its table of contents; the heading over it goes too. */
function withoutContents(reading: Reading, nodes: readonly RootContent[]): RootContent[] {
  return nodes.filter((node, index) => {
    const next = nodes[index + 1];
    const heads = node.type === 'heading' || node.type === 'paragraph';
    const titled =
      heads &&
      /^\W*(?:table of )?contents\W*$/i.test(plainText(node)) &&
      next !== undefined &&
      isContents(next);
    const listed = node.type === 'list' && isContents(node);
    if (!titled && !listed) return true;
    for (const line of plainText(node).split('\n')) {
      const text = collapseBlanks(line);
      if (text !== '') reading.boilerplate.push({ text, kind: 'contents', line: lineOf(reading, node) });
    }
    return false;
  });
}

function isContents(node: RootContent): boolean {
  if (node.type !== 'list') return false;
  let links = 0;
  const all = node.children.every((item) =>
    item.children.every((child) => {
      if (child.type === 'list') return isContents(child);
      const link = child.type === 'paragraph' && child.children.length === 1 ? child.children[0] : undefined;
      if (link?.type !== 'link' || !link.url.startsWith('#')) return false;
      links += 1;
      return true;
    }),
  );
  return all && links > 0;
}

function plainText(node: Nodes): string {
  if ('value' in node) return node.value;
  if (!('children' in node)) return '';
  const inner = (node.children as Nodes[]).map(plainText);
  return inner.join(node.type === 'list' || node.type === 'listItem' ? '\n' : '');
}

function lineOf(reading: Reading, node: Nodes): number {
  return (node.position?.start.line ?? 1) + reading.offset;
}

function readNodes(reading: Reading, nodes: readonly RootContent[], place: Place): void {
  for (const node of nodes) readNode(reading, node, place);
}

function readNode(reading: Reading, node: RootContent, place: Place): void {
  const warning = place.warning || reading.inWarning;
  switch (node.type) {
    case 'heading':
      reading.entries.push({
        given: 'heading',
        level: node.depth,
        words: inlineWords(inlineOf(reading, node.children)),
        apart: true,
        lines: 1,
      });
      return;
    case 'paragraph':
      for (const entry of paragraphEntries(inlineOf(reading, node.children), { wrapped: false })) {
        reading.entries.push({
          ...entry,
          indent: place.depth,
          ...(warning && { given: 'warning' as const }),
        });
      }
      return;
    case 'blockquote': {
      const start = plainText(node).slice(0, 80);
      const warns = isWarningStart(start) || /^\s*\[!\w+\]/.test(start);
      if (place.depth > DEEPEST) {
        readFlat(reading, node);
        return;
      }
      readNodes(reading, node.children, { depth: place.depth, warning: place.warning || warns });
      return;
    }
    case 'list':
      readList(reading, node, place);
      return;
    case 'table':
      readTable(reading, node);
      return;
    case 'code': {
      const lines = node.value.split('\n').map((text, index) =>
        text.trim() === ''
          ? undefined
          : {
              text: text.trim(),
              indent: text.length - text.trimStart().length,
              position: {
                line:
                  lineOf(reading, node) +
                  index +
                  (reading.source.startsWith('    ', node.position?.start.offset ?? 0) ? 0 : 1),
              },
            },
      );
      for (const entry of joinLines(lines, { width: undefined }))
        reading.entries.push(entry.given === 'text' ? { ...entry, given: 'code' } : entry);
      return;
    }
    case 'html':
      readHtmlNode(reading, node.value, { line: lineOf(reading, node), place });
      return;
    case 'footnoteDefinition': {
      const before = reading.entries.length;
      readNodes(reading, node.children, place);
      const first = reading.entries[before];
      if (first !== undefined)
        reading.entries[before] = {
          ...first,
          words: labelled(`[${node.identifier}]`, first, { line: lineOf(reading, node) }),
        };
      return;
    }
    default:
  }
}

/** What is nested too deep to be meant. */
function readFlat(reading: Reading, node: Nodes): void {
  const start = node.position?.start.offset ?? 0;
  const text = reading.source.slice(start, node.position?.end.offset ?? start);
  const lines = text.split('\n').map((line, index) => ({
    text: line.replace(/[>\s]+/g, ' ').trim(),
    position: { line: lineOf(reading, node) + index },
  }));
  const words = joinWrapped(lines.filter((line) => line.text !== ''));
  if (words.text !== '') reading.entries.push({ given: 'text', words, apart: true, lines: lines.length });
}

function readList(reading: Reading, list: List, place: Place): void {
  const depth = place.depth + 1;
  if (depth > DEEPEST) {
    readFlat(reading, list);
    return;
  }
  for (const item of list.children) readItem(reading, item, { depth, warning: place.warning });
}

function readItem(reading: Reading, item: ListItem, place: Place): void {
  const position = { line: lineOf(reading, item) };
  const start = item.position?.start.offset ?? 0;
  const head = /^(?:\d{1,9}[.)]|[-*+])(?:\s+(\[[ xX]\]))?/.exec(reading.source.slice(start, start + 40));
  const marker = (head?.[0] ?? '-').replace(/\s.*$/, '');
  const label = /\d/.test(marker) ? marker : '-';
  const box = typeof item.checked === 'boolean' && head?.[1] !== undefined ? ` ${head[1]}` : '';
  const [first, ...rest] = item.children;
  const entries =
    first?.type === 'paragraph'
      ? paragraphEntries(inlineOf(reading, first.children), { wrapped: false })
      : [];
  const [own, ...more] = entries;
  if (own !== undefined) {
    const words = labelled(`${label}${box}`, own, position);
    reading.entries.push({ ...own, words, given: 'item', level: place.depth, indent: place.depth });
    for (const entry of more) reading.entries.push({ ...entry, indent: place.depth });
  } else if (first !== undefined) {
    readNode(reading, first, place);
  }
  readNodes(reading, rest, place);
}

function readTable(reading: Reading, table: Table): void {
  const rows = table.children.map((row) =>
    row.children.map((cell) => inlineWords(inlineOf(reading, cell.children))),
  );
  const width = rows[0]?.length ?? 0;
  const empty = { text: '', marks: [] };
  reading.entries.push(
    tableOf(
      rows.map((row) => [...row, ...Array.from({ length: Math.max(0, width - row.length) }, () => empty)]),
      { headerRows: 1 },
    ),
  );
}

function readHtmlNode(reading: Reading, html: string, at: { line: number; place: Place }): void {
  if (/^\s*<\/(?:div|section|aside)>\s*$/i.test(html)) {
    reading.inWarning = false;
    return;
  }
  if (
    /^\s*<(?:div|section|aside)\b[^>]*class=["'][^"']*\b(?:warning|caution|note|danger|important)\b[^"']*["'][^>]*>\s*$/i.test(
      html,
    )
  ) {
    reading.inWarning = true;
    return;
  }
  const inner = htmlEntries(html, { firstLine: at.line });
  for (const entry of inner.entries) reading.entries.push(entry);
  for (const item of inner.boilerplate) reading.boilerplate.push(item);
  for (const note of inner.notes) reading.notes.push(note);
}

/** Words of inline content: marks dropped, links and images by their text, struck-out words left out and noted. */
function inlineOf(reading: Reading, nodes: readonly PhrasingContent[]): Inline[] {
  const pieces: Inline[] = [];
  let breaks = false;
  let isRaised = false;
  let line = 1;
  const add = (text: string, bold: boolean): void => {
    pieces.push({
      text: isRaised ? raised(text) : text,
      position: { line },
      bold,
      ...(breaks && { breaks }),
    });
    breaks = false;
  };
  const walk = (node: PhrasingContent, bold: boolean): void => {
    line = Math.max(line, lineOf(reading, node));
    switch (node.type) {
      case 'text':
      case 'inlineCode':
        node.value.split('\n').forEach((part, index) => {
          if (index > 0) line += 1;
          add(part, bold);
        });
        return;
      case 'break':
        breaks = true;
        return;
      case 'image':
      case 'imageReference':
        add(node.alt ?? '', bold);
        return;
      case 'footnoteReference':
        add(`[${node.identifier}]`, bold);
        return;
      case 'html':
        if (/^<br\b/i.test(node.value)) breaks = true;
        if (/^<\/?sup\b/i.test(node.value)) isRaised = !node.value.startsWith('</');
        return;
      case 'delete':
        reading.notes.push(
          `struck-out words left out in line ${line}: "${collapseBlanks(plainText(node)).slice(0, 60)}"`,
        );
        return;
      default:
        if ('children' in node)
          for (const child of node.children) walk(child, bold || node.type === 'strong');
    }
  };
  for (const node of nodes) walk(node, false);
  const first = pieces[0];
  const alert = first === undefined ? null : /^\s*\[!(\w+)\]/.exec(first.text);
  if (first !== undefined && alert !== null)
    pieces[0] = { ...first, text: first.text.replace(alert[0], `${alert[1] ?? ''}:`) };
  return pieces;
}
