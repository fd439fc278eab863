/** The bytes of an XML part in; a plain tree of elements out. Entities of a DTD are never expanded. */

import { SaxesParser } from 'saxes';

import { ExitCode, ToolError } from '../../../core/errors.js';

export interface XmlElement {
  /** Without its prefix. */
  readonly name: string;
  /** By names without prefixes. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Its own text, as far as it has no child elements. */
  readonly text: string;
}

interface Building {
  name: string;
  attributes: Record<string, string>;
  children: Building[];
  text: string;
}

/** Elements nested deeper than this make no document. */
const DEEPEST = 400;
/** Elements of one part: a page of Word has some hundreds to a thousand. */
const ELEMENT_LIMIT = 1_000_000;

/** @throws Error for XML that is not well-formed or nested beyond reason; ToolError (input) for more elements than are read. */
export function parseXml(bytes: Uint8Array, options: { path: string }): XmlElement {
  const root: Building = { name: '', attributes: {}, children: [], text: '' };
  const open: Building[] = [root];
  let elements = 0;
  const parser = new SaxesParser();
  parser.on('opentag', (tag) => {
    elements += 1;
    if (elements > ELEMENT_LIMIT)
      throw new ToolError(
        ExitCode.input,
        `${options.path}: more than ${ELEMENT_LIMIT / 1e6} million elements, and was not read`,
        { hint: 'split the file' },
      );
    const element: Building = { name: localName(tag.name), attributes: {}, children: [], text: '' };
    for (const [name, value] of Object.entries(tag.attributes)) element.attributes[localName(name)] ??= value;
    open.at(-1)?.children.push(element);
    open.push(element);
    if (open.length > DEEPEST) throw new Error(`XML nested deeper than ${DEEPEST} elements`);
  });
  parser.on('closetag', () => open.pop());
  parser.on('text', (text) => {
    const element = open.at(-1);
    if (element !== undefined && element.children.length === 0) element.text += text;
  });
  parser.on('error', (error) => {
    throw error;
  });
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : 'utf-8';
  parser.write(new TextDecoder(encoding).decode(bytes)).close();
  return root.children[0] ?? root;
}

export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => child.name === name);
}

export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** The `val` attribute of a child: `<w:ilvl w:val="1"/>`. */
export function valueOf(element: XmlElement | undefined, name: string): string | undefined {
  return childOf(element, name)?.attributes['val'];
}

/** A switch of Word's: present and not said to be off. */
export function isOn(element: XmlElement | undefined, name: string): boolean {
  const child = childOf(element, name);
  return child !== undefined && !/^(?:0|false|off|none)$/i.test(child.attributes['val'] ?? '1');
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}
