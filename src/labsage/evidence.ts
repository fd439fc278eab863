/** Context units → the sentences, steps, table rows and warnings that an answer may quote, each with where it stands. */

import { overlaps, sliceSpan, splitSentences } from '../core/text.js';
import type { Block, Document, Span } from '../core/types.js';
import type { RankedContext } from './retrieve.js';

export type EvidenceKind = 'sentence' | 'step' | 'row' | 'warning';

/** A piece that can be quoted on its own. */
export interface Evidence {
  readonly document: Document;
  readonly ranked: RankedContext;
  readonly kind: EvidenceKind;
  readonly span: Span;
  readonly text: string;
  /** Table rows: the header row of their table. */
  readonly header?: Span;
  /** Words of the headings above it. */
  readonly heading: string;
  /** Column names of its table, else empty. */
  readonly columns: string;
  /** Search units that hold it. */
  readonly holders: readonly string[];
  /** Position among the context's pieces, for neighbours. */
  readonly place: number;
}

/** A step above this many characters is quoted by its sentences. */
const LONG_STEP = 360;

/** The pieces of a context unit in text order; headings are no pieces, they are the pieces' `heading`. */
export function listEvidence(document: Document, ranked: RankedContext): Evidence[] {
  const pieces: Evidence[] = [];
  const path = [...ranked.context.headingPath];
  const place = ranked.document.contexts.indexOf(ranked.context);
  const units = ranked.document.units.filter(({ context }) => context === place);
  const inner: { level: number; text: string }[] = [];
  let isFirst = true;
  for (const block of document.blocks) {
    if (!overlaps(block.span, ranked.context.span)) continue;
    if (block.kind === 'heading') {
      if (!isFirst || path.length === 0) {
        while ((inner.at(-1)?.level ?? 0) >= (block.level ?? 1)) inner.pop();
        inner.push({ level: block.level ?? 1, text: block.text });
      }
    } else {
      const heading = [path.at(-1) ?? '', ...inner.map(({ text }) => text)]
        .filter((text) => text !== '')
        .join(' › ');
      for (const span of piecesOf(document.text, block)) {
        const header = block.kind === 'table' ? block.header : undefined;
        pieces.push({
          document,
          ranked,
          kind: kindOf(block),
          span,
          text: sliceSpan(document.text, span),
          ...(header === undefined || span.start < header.end ? {} : { header }),
          heading,
          columns: header === undefined ? '' : sliceSpan(document.text, header),
          holders: units
            .filter((unit) => unit.span.start <= span.start && span.end <= unit.span.end)
            .map(({ id }) => id),
          place: pieces.length,
        });
      }
    }
    isFirst = false;
  }
  return pieces;
}

function piecesOf(text: string, block: Block): Span[] {
  const isWhole =
    (block.kind === 'step' || block.kind === 'warning') && block.span.end - block.span.start <= LONG_STEP;
  if (isWhole) return [block.span];
  const spans = splitSentences(text, block.span);
  if (block.kind !== 'table') return spans;
  const header = block.header;
  return spans.filter((span) => header === undefined || span.start >= header.end);
}

function kindOf({ kind }: Block): EvidenceKind {
  if (kind === 'table') return 'row';
  return kind === 'step' || kind === 'warning' ? kind : 'sentence';
}

/** Words that continue what stands before: without it the piece can be misread. */
const NEEDS_ANTECEDENT =
  /^(?:[-•*]\s+|\(?[0-9a-zA-Z]{1,3}[.)]\s+)?(?:if (?:not|so|it|they|this|that|these|those|either|both|still|the (?:repeat|second|problem|failure|result))\b|then\b|otherwise\b|repeat\b|in (?:this|that|these|either) cases?\b|else\b|when (?:this|that|it)\b)/iu;

/**
 * What has to be quoted with a piece: the piece before, if it continues it, and the nearest warning above it under the same
 * heading, which governs it.
 */
export function antecedentsOf(piece: Evidence, siblings: readonly Evidence[]): Evidence[] {
  const before = siblings.slice(0, piece.place).filter(({ heading }) => heading === piece.heading);
  const antecedents: Evidence[] = [];
  let first = piece;
  while (NEEDS_ANTECEDENT.test(first.text) && antecedents.length < 2) {
    const previous = before.filter(({ place, kind }) => place < first.place && kind !== 'warning').at(-1);
    if (previous === undefined) break;
    antecedents.unshift(previous);
    first = previous;
  }
  const warning = before.filter(({ kind, place }) => kind === 'warning' && place < first.place).at(-1);
  return warning === undefined || piece.kind === 'warning' ? antecedents : [warning, ...antecedents];
}
