/** Text in, its document out; and a document's outline as short lines: what the tests of the readers compare. */

import { readDocument } from '../../src/labsage/document.js';
import type { Document } from '../../src/core/types.js';

export function documentOf(text: string, path = 'sample.txt'): Promise<Document> {
  return readDocument(new TextEncoder().encode(text), { path });
}

/** One line a block: `heading 1: 1. PURPOSE`. */
export function outline(document: Document): string[] {
  return document.blocks.map(
    (block) => `${block.kind}${block.level === undefined ? '' : ` ${block.level}`}: ${block.text}`,
  );
}

export function headings(document: Document): string[] {
  return document.blocks
    .filter((block) => block.kind === 'heading')
    .map((block) => `${block.level ?? 0} ${block.text}`);
}
