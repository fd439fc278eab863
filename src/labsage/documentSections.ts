/** A document's blocks → its sections at every level: a heading with what stands right under it, before the next heading. */

import { collapseBlanks } from '../core/text.js';
import type { Document, Span } from '../core/types.js';
import { withoutTitle } from './contextUnits.js';

export interface DocumentSection {
  /** From the major section down; `[]` for what stands before the first heading. */
  readonly path: readonly string[];
  readonly span: Span;
  /** The words under the heading, one block a line, without the heading. */
  readonly text: string;
}

/** In text order; together they hold every block of the document once. */
export function documentSections(document: Document): DocumentSection[] {
  const sections: { path: string[]; start: number; end: number; words: string[] }[] = [];
  const above: { level: number; text: string }[] = [];
  for (const { kind, level = 1, span, text } of withoutTitle(document)) {
    if (kind === 'heading') {
      while ((above.at(-1)?.level ?? 0) >= level) above.pop();
      above.push({ level, text: collapseBlanks(text) });
      sections.push({ path: above.map((heading) => heading.text), ...span, words: [] });
      continue;
    }
    const last = sections.at(-1);
    if (last === undefined) sections.push({ path: [], ...span, words: [text] });
    else {
      last.end = span.end;
      last.words.push(text);
    }
  }
  return sections.map(({ path, start, end, words }) => ({
    path,
    span: { start, end },
    text: words.join('\n'),
  }));
}
