/** The blocks of any reader in; one canonical text, its spans, and the map back to the file out. */

import type { Block, Origin } from '../../core/types.js';
import type { ReaderBlock } from './readerEntries.js';

export interface CanonicalText {
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Sorted by `at`. */
  readonly origins: readonly Origin[];
}

/** Blocks stand one after the other, parted by a newline; a blank line stands before each heading but the first block. */
export function assembleText(blocks: readonly ReaderBlock[], options: { docId: string }): CanonicalText {
  const parts: string[] = [];
  const placed: Block[] = [];
  const origins: Origin[] = [];
  let length = 0;
  for (const block of blocks) {
    if (block.words.text === '') continue;
    if (length > 0) {
      const gap = block.kind === 'heading' ? '\n\n' : '\n';
      parts.push(gap);
      length += gap.length;
    }
    const text = block.words.text;
    for (const { at, position } of block.words.marks) origins.push({ at: length + at, ...position });
    parts.push(text);
    placed.push({
      docId: options.docId,
      kind: block.kind,
      ...(block.level !== undefined && { level: block.level }),
      span: { start: length, end: length + text.length },
      text,
      ...(block.headerLength !== undefined && {
        header: { start: length, end: length + block.headerLength },
      }),
    });
    length += text.length;
  }
  return { text: parts.join(''), blocks: placed, origins };
}
