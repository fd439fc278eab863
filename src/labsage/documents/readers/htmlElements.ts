/** An HTML element in; what part it plays in a document, its list labels and its table grid out. */

import type { DefaultTreeAdapterTypes } from 'parse5';

type Node = DefaultTreeAdapterTypes.ChildNode;
export type Element = DefaultTreeAdapterTypes.Element;

export type ElementKind =
  | 'dropped'
  | 'title'
  | 'meta'
  | 'break'
  | 'image'
  | 'struck'
  | 'inline'
  | 'heading'
  | 'navigation'
  | 'list'
  | 'table'
  | 'definitions'
  | 'preformatted'
  | 'warning'
  | 'quote'
  | 'block';

const KIND_OF_TAG: Readonly<Record<string, ElementKind>> = {
  script: 'dropped',
  style: 'dropped',
  template: 'dropped',
  noscript: 'dropped',
  iframe: 'dropped',
  object: 'dropped',
  svg: 'dropped',
  title: 'title',
  meta: 'meta',
  br: 'break',
  img: 'image',
  del: 'struck',
  s: 'struck',
  strike: 'struck',
  nav: 'navigation',
  header: 'navigation',
  footer: 'navigation',
  aside: 'navigation',
  ul: 'list',
  ol: 'list',
  menu: 'list',
  table: 'table',
  dl: 'definitions',
  pre: 'preformatted',
  blockquote: 'quote',
};

const INLINE = new Set(
  'a abbr acronym b bdi bdo big cite code data dfn em font i ins kbd label mark output q ruby rb rp rt samp small span strong sub sup time tt u var wbr input button'.split(
    ' ',
  ),
);

const WARNING_CLASS =
  /(?:^|[\s_-])(?:warning|caution|note|danger|important|admonition|callout|alert)(?:$|[\s_-])/i;
/** Spans of table cells beyond this are read as this. */
const SPAN_LIMIT = 100;
/** Cells of one table that are repeated: beyond it, each stands once. */
const REPEAT_LIMIT = 50_000;

export function isElement(node: Node): node is Element {
  return 'tagName' in node;
}

export function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((attr) => attr.name === name)?.value;
}

export function kindOfElement(element: Element): ElementKind {
  const tag = element.tagName;
  if (
    attribute(element, 'hidden') !== undefined ||
    /display:\s*none/i.test(attribute(element, 'style') ?? '')
  )
    return 'dropped';
  if (/^h[1-6]$/.test(tag)) return 'heading';
  const warns =
    /^(?:div|section|aside|p|blockquote)$/.test(tag) && WARNING_CLASS.test(attribute(element, 'class') ?? '');
  if (warns) return 'warning';
  const role = attribute(element, 'role') ?? '';
  if (role === 'navigation' || role === 'banner' || role === 'contentinfo') return 'navigation';
  return KIND_OF_TAG[tag] ?? (INLINE.has(tag) ? 'inline' : 'block');
}

/** All its text as it stands, without recursion. */
export function textOf(element: Element): string {
  const parts: string[] = [];
  const stack: Node[] = [element];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.nodeName === '#text' && 'value' in node) parts.push(node.value);
    else if (isElement(node) && KIND_OF_TAG[node.tagName] !== 'dropped') {
      if (node.tagName === 'br') parts.push('\n');
      for (let index = node.childNodes.length - 1; index >= 0; index -= 1) {
        const child = node.childNodes[index];
        if (child !== undefined) stack.push(child);
      }
    }
  }
  return parts.join('');
}

/** `3.`, `c.`, `C.`, `iii.`, `III.` for `<ol>`, `-` for `<ul>`. */
export function listLabel(list: Element, number: number): string {
  if (list.tagName !== 'ol') return '-';
  const style = /list-style(?:-type)?:\s*([\w-]+)/i.exec(attribute(list, 'style') ?? '')?.[1]?.toLowerCase();
  const type =
    attribute(list, 'type') ??
    {
      'lower-alpha': 'a',
      'lower-latin': 'a',
      'upper-alpha': 'A',
      'upper-latin': 'A',
      'lower-roman': 'i',
      'upper-roman': 'I',
    }[style ?? ''] ??
    '1';
  return `${numberAs(number, type)}.`;
}

/** A count as letters (a … z, aa, …), Roman numerals or digits; what has no such form stays digits. */
export function numberAs(number: number, type: string): string {
  if (number < 1) return String(number);
  if (type === 'a' || type === 'A') {
    let letters = '';
    for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26))
      letters = String.fromCharCode(97 + ((rest - 1) % 26)) + letters;
    return type === 'a' ? letters : letters.toUpperCase();
  }
  if ((type === 'i' || type === 'I') && number < 4000) {
    let rest = number;
    let numeral = '';
    for (const [value, sign] of ROMAN) {
      numeral += sign.repeat(Math.floor(rest / value));
      rest %= value;
    }
    return type === 'i' ? numeral : numeral.toUpperCase();
  }
  return String(number);
}

const ROMAN: readonly (readonly [number, string])[] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

export interface GridCell {
  readonly element: Element;
  /** It stands here by its rowspan or colspan. */
  readonly repeated: boolean;
}

export interface TableRows {
  readonly cells: readonly (readonly GridCell[])[];
  readonly headerRows: number;
  readonly caption?: Element;
  /** A table that only places blocks on a page: its cells hold headings or tables, or it has one column. */
  readonly layout: boolean;
}

/** Cells that span rows or columns are repeated in each row, and once only across columns of one row. */
export function rowsOf(table: Element): TableRows {
  const rows: { row: Element; head: boolean }[] = [];
  let caption: Element | undefined;
  const collect = (parent: Element, head: boolean): void => {
    for (const node of parent.childNodes) {
      if (!isElement(node)) continue;
      if (node.tagName === 'tr') rows.push({ row: node, head });
      else if (node.tagName === 'caption') caption = node;
      else if (/^(?:thead|tbody|tfoot)$/.test(node.tagName)) collect(node, node.tagName === 'thead');
    }
  };
  collect(table, false);
  const pending = new Map<number, { element: Element; left: number }>();
  const grid: GridCell[][] = [];
  let repeats = 0;
  for (const { row } of rows) {
    const cells: GridCell[] = [];
    const fillPending = (): void => {
      for (let open = pending.get(cells.length); open !== undefined; open = pending.get(cells.length)) {
        repeats += 1;
        if (open.left <= 1 || repeats > REPEAT_LIMIT) pending.delete(cells.length);
        else open.left -= 1;
        cells.push({ element: open.element, repeated: true });
      }
    };
    for (const node of row.childNodes) {
      if (!isElement(node) || !/^t[dh]$/.test(node.tagName)) continue;
      fillPending();
      const rowspan = spanOf(node, 'rowspan');
      const colspan = spanOf(node, 'colspan');
      for (let column = 0; column < colspan; column += 1) {
        if (column > 0 && ++repeats > REPEAT_LIMIT) break;
        if (rowspan > 1) pending.set(cells.length, { element: node, left: rowspan - 1 });
        cells.push({ element: node, repeated: column > 0 });
      }
    }
    fillPending();
    grid.push(cells);
  }
  const headed = rows.findIndex(({ row, head }) => !head && !allHeaders(row));
  const headerRows = headed < 0 ? Math.min(rows.length, 1) : headed;
  const layout =
    grid.every((row) => row.length <= 1) || grid.flat().some((cell) => holdsBlocks(cell.element));
  return { cells: grid, headerRows, layout, ...(caption && { caption }) };
}

function spanOf(cell: Element, name: string): number {
  const span = Number.parseInt(attribute(cell, name) ?? '1', 10);
  return Number.isFinite(span) ? Math.min(Math.max(span, 1), SPAN_LIMIT) : 1;
}

function allHeaders(row: Element): boolean {
  const cells = row.childNodes.filter(
    (node): node is Element => isElement(node) && /^t[dh]$/.test(node.tagName),
  );
  return cells.length > 0 && cells.every((cell) => cell.tagName === 'th');
}

function holdsBlocks(cell: Element): boolean {
  const stack: Node[] = [...cell.childNodes];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!isElement(node)) continue;
    if (/^(?:h[1-6]|table)$/.test(node.tagName)) return true;
    for (const child of node.childNodes) stack.push(child);
  }
  return false;
}
