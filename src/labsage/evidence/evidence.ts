/** Context units → the sentences, steps, table rows and warnings that an answer may quote, each with where it stands. */

import { countWords, overlaps, sliceSpan, splitSentences } from '../../core/text.js';
import type { Block, Document, Span } from '../../core/types.js';
import type { RankedContext } from '../retrieve.js';

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
  /** Headings between its context unit's and it, outermost first. */
  readonly subheadings: readonly string[];
  /** Column names of its table, else empty. */
  readonly columns: string;
  /** Search units that hold it. */
  readonly holders: readonly string[];
  /** Position among the context's pieces, for neighbours. */
  readonly place: number;
}

/** A step of more characters is quoted by its sentences. */
const LONG_STEP = 360;
/** A warning of more words is quoted by its sentences. */
export const LONG_WARNING_WORDS = 60;

/** Begins a warning, also where a reader took its first line, all capitals, for a heading. */
export const WARNING_START = /^(?:[-•*]\s+)?(?:warning|caution|danger)\b/iu;

/** The pieces of a context unit in text order; headings are no pieces, they are the pieces' `heading`. */
export function listEvidence(document: Document, ranked: RankedContext): Evidence[] {
  const pieces: Evidence[] = [];
  const major = ranked.context.headingPath.at(-1) ?? '';
  const place = ranked.document.contexts.indexOf(ranked.context);
  const units = ranked.document.units.filter(({ context }) => context === place);
  const inner: { level: number; text: string }[] = [];
  const blocks = document.blocks.filter(({ span }) => overlaps(span, ranked.context.span));
  for (const [at, block] of wholeWarnings(document.text, blocks).entries()) {
    if (block.kind === 'heading') {
      if (at === 0 && major !== '') continue;
      while ((inner.at(-1)?.level ?? 0) >= (block.level ?? 1)) inner.pop();
      inner.push({ level: block.level ?? 1, text: block.text });
      continue;
    }
    const subheadings = inner.map(({ text }) => text);
    const heading = [major, ...subheadings].filter((text) => text !== '').join(' › ');
    const header = block.kind === 'table' ? block.header : undefined;
    for (const span of piecesOf(document.text, block)) {
      pieces.push({
        document,
        ranked,
        kind: kindOf(block),
        span,
        text: sliceSpan(document.text, span),
        ...(header === undefined || span.start < header.end ? {} : { header }),
        heading,
        subheadings,
        columns: header === undefined ? '' : sliceSpan(document.text, header),
        holders: units
          .filter((unit) => unit.span.start <= span.start && span.end <= unit.span.end)
          .map(({ id }) => id),
        place: pieces.length,
      });
    }
  }
  return pieces;
}

/** A heading that begins a warning, and the paragraph that stands on the next line, are one warning. */
function wholeWarnings(text: string, blocks: readonly Block[]): Block[] {
  const whole: Block[] = [];
  for (const block of blocks) {
    const before = whole.at(-1);
    const continues =
      before?.kind === 'heading' &&
      block.kind === 'paragraph' &&
      WARNING_START.test(before.text) &&
      text.slice(before.span.end, block.span.start) === '\n';
    if (!continues) whole.push(block);
    else {
      const span = { start: before.span.start, end: block.span.end };
      whole[whole.length - 1] = { docId: block.docId, kind: 'warning', span, text: sliceSpan(text, span) };
    }
  }
  return whole;
}

function piecesOf(text: string, block: Block): Span[] {
  if (block.kind === 'table') {
    const { header } = block;
    return splitSentences(text, block.span).filter(
      (span) => header === undefined || span.start >= header.end,
    );
  }
  const isWhole =
    block.kind === 'warning'
      ? countWords(sliceSpan(text, block.span)) <= LONG_WARNING_WORDS
      : block.kind === 'step' && block.span.end - block.span.start <= LONG_STEP;
  if (isWhole) return [block.span];
  // Outside of tables a line break is only where a line of the file ends.
  const words = sliceSpan(text, block.span).replaceAll('\n', ' ');
  return splitSentences(words).map(({ start, end }) => ({
    start: block.span.start + start,
    end: block.span.start + end,
  }));
}

function kindOf({ kind }: Block): EvidenceKind {
  if (kind === 'table') return 'row';
  return kind === 'step' || kind === 'warning' ? kind : 'sentence';
}

/** Words that continue what stands before: without it the piece can be misread. */
const NEEDS_ANTECEDENT =
  /^(?:[-•*]\s+|\(?[0-9a-zA-Z]{1,3}[.)]\s+)?(?:(?:it|they|this|these|those|both|neither)\b|if (?:not|so|it|they|this|that|these|those|either|both|still|the (?:repeat|second|problem|failure|result))\b|then\b|otherwise\b|repeat\b|in (?:this|that|these|either) cases?\b|else\b|when (?:this|that|it)\b)/iu;

/** Steps of one troubleshooting list may each lean on the one before. */
const MOST_ANTECEDENTS = 3;

/** A line that a list hangs on: `Reject the tube when:`. */
const LEADS_IN = /:\s*$/u;

/** The sentence that the list of a step hangs on, which may turn the step's sense: `Not accepted:`. */
function leadIn(step: Evidence, before: readonly Evidence[]): Evidence | undefined {
  const above = before.filter(({ place, kind }) => place < step.place && kind !== 'step').at(-1);
  return above !== undefined && LEADS_IN.test(above.text) ? above : undefined;
}

/**
 * What has to be quoted with a piece: the pieces before, if it continues them; the sentence that its list hangs on; and the
 * warning that governs it: the nearest above it under the same heading, for a step.
 */
export function antecedentsOf(piece: Evidence, siblings: readonly Evidence[]): Evidence[] {
  const before = siblings.slice(0, piece.place).filter(({ heading }) => heading === piece.heading);
  const antecedents: Evidence[] = [];
  let first = piece;
  while (NEEDS_ANTECEDENT.test(first.text) && antecedents.length < MOST_ANTECEDENTS) {
    const previous = before.filter(({ place, kind }) => place < first.place && kind !== 'warning').at(-1);
    if (previous === undefined) break;
    antecedents.unshift(previous);
    first = previous;
  }
  if (piece.kind !== 'step') return antecedents;
  const lead = leadIn(piece, before);
  if (lead !== undefined && !antecedents.includes(lead)) antecedents.unshift(lead);
  const warning = before
    .filter(({ kind, place, text }) => kind === 'warning' && place < first.place && WARNING_START.test(text))
    .at(-1);
  return warning === undefined || warning === lead ? antecedents : [warning, ...antecedents];
}
