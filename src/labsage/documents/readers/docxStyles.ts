/** A DOCX's styles part in; what each paragraph style means (heading rank, list level, bold), its ancestors followed, out. */

import { childOf, childrenOf, isOn, valueOf, type XmlElement } from './xmlTree.js';

export interface ParagraphStyle {
  /** 1 to 9. */
  readonly heading?: number;
  readonly isTitle: boolean;
  /** An entry of a table of contents. */
  readonly isContents: boolean;
  readonly bold: boolean;
  readonly numberId?: string;
  readonly numberLevel?: number;
  /** Twentieths of a point from the left margin. */
  readonly left?: number;
}

export interface DocxStyles {
  of(styleId: string | undefined): ParagraphStyle;
}

const PLAIN: ParagraphStyle = { isTitle: false, isContents: false, bold: false };

export function readStyles(part: XmlElement | undefined): DocxStyles {
  const elements = new Map(
    childrenOf(part, 'style').map((style) => [style.attributes['styleId'] ?? '', style]),
  );
  const defaultId = [...elements.values()].find(
    (style) =>
      style.attributes['type'] === 'paragraph' && /^(?:1|true)$/.test(style.attributes['default'] ?? ''),
  )?.attributes['styleId'];
  const known = new Map<string, ParagraphStyle>();
  const styleOf = (id: string, depth: number): ParagraphStyle => {
    const found = known.get(id);
    if (found !== undefined) return found;
    const element = elements.get(id);
    if (element === undefined || depth > 20) return PLAIN;
    const parentId = valueOf(element, 'basedOn');
    const style = withOwn(parentId === undefined ? PLAIN : styleOf(parentId, depth + 1), element);
    known.set(id, style);
    return style;
  };
  return { of: (styleId) => styleOf(styleId ?? defaultId ?? '', 0) };
}

function withOwn(parent: ParagraphStyle, element: XmlElement): ParagraphStyle {
  const name = (valueOf(element, 'name') ?? '').toLowerCase();
  const properties = childOf(element, 'pPr');
  const runs = childOf(element, 'rPr');
  const outline = Number(valueOf(properties, 'outlineLvl') ?? NaN);
  const named = /^heading ([1-9])$/.exec(name)?.[1];
  const heading = Number.isInteger(outline)
    ? outline < 9
      ? outline + 1
      : undefined
    : named !== undefined
      ? Number(named)
      : parent.heading;
  const numbering = childOf(properties, 'numPr');
  const numberId = valueOf(numbering, 'numId') ?? parent.numberId;
  const numberLevel = valueOf(numbering, 'ilvl');
  const left = leftOf(properties) ?? parent.left;
  const level = numberLevel === undefined ? parent.numberLevel : Number(numberLevel);
  return {
    ...(heading !== undefined && { heading }),
    isTitle: name === 'title' || parent.isTitle,
    isContents: /^toc (?:\d|heading)$/.test(name) || parent.isContents,
    bold: childOf(runs, 'b') === undefined ? parent.bold : isOn(runs, 'b'),
    ...(numberId !== undefined && { numberId }),
    ...(level !== undefined && { numberLevel: level }),
    ...(left !== undefined && { left }),
  };
}

/** A paragraph's indentation in twentieths of a point, from its own properties. */
export function leftOf(properties: XmlElement | undefined): number | undefined {
  const indent = childOf(properties, 'ind')?.attributes;
  const left = Number(indent?.['left'] ?? indent?.['start'] ?? NaN);
  return Number.isFinite(left) ? left : undefined;
}
