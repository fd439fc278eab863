/** A section → what governs it from outside of its own words: its introduction and warnings, and the warnings within. */

import { sliceSpan } from '../../core/text.js';
import type { ContextUnit, Document, Quote } from '../../core/types.js';
import { locate } from '../document.js';
import type { RankedContext } from '../retrieve.js';
import { WARNING_START, type Evidence } from './evidence.js';

/** Warnings of one section that an answer carries. */
const MOST_WARNINGS = 3;

/** What the section that it was cut from says to all its parts, verbatim; empty where nothing was carried. */
export function carriedWords(
  document: Pick<Document, 'text'>,
  { carried }: Pick<ContextUnit, 'carried'>,
): string {
  return carried.map((span) => sliceSpan(document.text, span)).join('\n');
}

/** Carried warnings, then those of the section itself, in the order of the text. */
export function sectionWarnings(
  document: Document,
  { ranked, pieces }: { ranked: RankedContext; pieces: readonly Evidence[] },
): Quote[] {
  const own = pieces
    .filter((piece) => piece.ranked === ranked && piece.kind === 'warning' && WARNING_START.test(piece.text))
    .map(({ span }) => span);
  const carried = ranked.context.carried.filter((span) => WARNING_START.test(sliceSpan(document.text, span)));
  return [...carried, ...own].slice(0, MOST_WARNINGS).map((span) => ({
    text: sliceSpan(document.text, span),
    span,
    location: locate(document, span),
  }));
}
