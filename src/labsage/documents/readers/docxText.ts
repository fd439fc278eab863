/** The runs of a DOCX paragraph in; its inline pieces, with tracked changes, fields and text boxes settled, out. */

import { raised, type Inline } from '../inlineText.js';
import type { Position } from '../readerEntries.js';
import { childOf, isOn, valueOf, type XmlElement } from './xmlTree.js';

export interface ParagraphText {
  readonly pieces: readonly Inline[];
  /** Paragraphs and tables of text boxes anchored here. */
  readonly boxes: readonly XmlElement[];
  /** Ids of notes referred to, footnotes as `f1`, endnotes as `e1`. */
  readonly notes: readonly string[];
  readonly struck: readonly string[];
  /** Part of it lies in a table-of-contents field. */
  readonly isContents: boolean;
}

/** Fields may begin in one paragraph and end in a later one; one state serves a whole part. */
export interface FieldState {
  /** Instructions of the fields that are open, outermost first; `shown` once their result begins. */
  readonly open: { instruction: string; shown: boolean }[];
}

export interface TextOptions {
  readonly position: Position;
  readonly fields: FieldState;
  /** The number shown for a note. */
  readonly noteNumber: (id: string) => string;
  /** The style of the paragraph sets its runs bold. */
  readonly bold: boolean;
  /** What a tab stop is read as; a blank as in running text where nothing is given. */
  readonly tab?: string;
}

/** Signs of Word's Symbol and Wingdings fonts, by the low byte of their private-use code. */
const SYMBOLS: Readonly<Record<string, string>> = {
  '44': 'Δ',
  '57': 'Ω',
  '61': 'α',
  '62': 'β',
  '64': 'δ',
  '67': 'γ',
  '6C': 'λ',
  '6D': 'µ',
  '70': 'π',
  '73': 'σ',
  '77': 'ω',
  A3: '≤',
  A5: '∞',
  A8: '□',
  AE: '→',
  AC: '←',
  B0: '°',
  B1: '±',
  B3: '≥',
  B4: '×',
  B7: '•',
  B9: '≠',
  BB: '≈',
  D6: '√',
  D7: '⋅',
  DE: '⇒',
  E0: '→',
  FC: '✓',
  FE: '☑',
  '6F': '□',
};

const SKIPPED = new Set([
  'del',
  'moveFrom',
  'rPr',
  'pPr',
  'instrText',
  'delText',
  'Fallback',
  'commentReference',
  'annotationRef',
  'footnoteRef',
  'endnoteRef',
  'sdtPr',
  'rt',
]);

export function readParagraphText(paragraph: XmlElement, options: TextOptions): ParagraphText {
  const pieces: Inline[] = [];
  const boxes: XmlElement[] = [];
  const notes: string[] = [];
  const struck: string[] = [];
  let breaks = false;
  let isContents = isInContents(options.fields);

  const add = (text: string, format: RunFormat): void => {
    if (text === '' || isHiddenByField(options.fields)) return;
    if (format.struck) {
      struck.push(text);
      return;
    }
    pieces.push({
      text: format.raised ? raised(text) : text,
      position: options.position,
      bold: format.bold,
      ...(breaks && { breaks }),
    });
    breaks = false;
  };

  const walk = (element: XmlElement, format: RunFormat): void => {
    if (SKIPPED.has(element.name)) return;
    switch (element.name) {
      case 'r': {
        const own = runFormat(childOf(element, 'rPr'), options.bold);
        if (!own.hidden) for (const child of element.children) walk(child, own);
        return;
      }
      case 't':
        add(element.text, format);
        return;
      case 'tab':
      case 'ptab':
        add(options.tab ?? '\t', format);
        return;
      case 'br':
      case 'cr':
        if (element.attributes['type'] === undefined || element.attributes['type'] === 'textWrapping')
          breaks = true;
        return;
      case 'noBreakHyphen':
        add('-', format);
        return;
      case 'sym': {
        const code = element.attributes['char'] ?? '';
        add(
          SYMBOLS[code.slice(-2).toUpperCase()] ??
            (/^F0/i.test(code) ? '' : String.fromCodePoint(Number.parseInt(code, 16) || 0x20)),
          format,
        );
        return;
      }
      case 'fldChar':
        advanceField(options.fields, element.attributes['fldCharType']);
        isContents ||= isInContents(options.fields);
        return;
      case 'footnoteReference':
      case 'endnoteReference': {
        const id = `${element.name[0] ?? 'f'}${element.attributes['id'] ?? ''}`;
        if (element.attributes['customMarkFollows'] === undefined) add(`[${options.noteNumber(id)}]`, format);
        notes.push(id);
        return;
      }
      case 'txbxContent':
        boxes.push(element);
        return;
      case 'AlternateContent':
        // The fallback repeats the choice for older readers.
        for (const child of (childOf(element, 'Choice') ?? childOf(element, 'Fallback'))?.children ?? [])
          walk(child, format);
        return;
      default:
        for (const child of element.children) {
          if (child.name === 'instrText') continue;
          walk(child, format);
        }
    }
  };
  collectInstructions(paragraph, options.fields, (element) =>
    walk(element, { bold: options.bold, raised: false, struck: false, hidden: false }),
  );
  return { pieces, boxes, notes, struck, isContents };
}

interface RunFormat {
  readonly bold: boolean;
  readonly raised: boolean;
  readonly struck: boolean;
  readonly hidden: boolean;
}

function runFormat(properties: XmlElement | undefined, styleBold: boolean): RunFormat {
  return {
    bold: childOf(properties, 'b') === undefined ? styleBold : isOn(properties, 'b'),
    raised: valueOf(properties, 'vertAlign') === 'superscript',
    struck: isOn(properties, 'strike') || isOn(properties, 'dstrike'),
    hidden: isOn(properties, 'vanish'),
  };
}

/** Runs in order; those that only carry a field's instruction are kept for the field. */
function collectInstructions(
  paragraph: XmlElement,
  fields: FieldState,
  walk: (element: XmlElement) => void,
): void {
  for (const child of paragraph.children) {
    for (const part of child.children) {
      if (part.name !== 'instrText') continue;
      const open = fields.open.at(-1);
      if (open !== undefined && !open.shown) open.instruction += part.text;
    }
    walk(child);
  }
}

function advanceField(fields: FieldState, type: string | undefined): void {
  const last = fields.open.at(-1);
  if (type === 'begin') fields.open.push({ instruction: '', shown: false });
  else if (type === 'separate' && last !== undefined) last.shown = true;
  else if (type === 'end') fields.open.pop();
}

function isHiddenByField(fields: FieldState): boolean {
  return fields.open.some((field) => !field.shown);
}

function isInContents(fields: FieldState): boolean {
  return fields.open.some((field) => /^\s*TOC\b/i.test(field.instruction));
}
