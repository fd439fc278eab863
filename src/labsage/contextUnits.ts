/** A document's blocks → its context units: complete sections that together hold every word of it exactly once. */

import { collapseBlanks, sha256Hex, slugify, trimSpan, uniqueId, type GivenIds } from '../core/text.js';
import type { CountTokens } from '../core/tokenCounter.js';
import type { Block, ContextUnit, Document, Span } from '../core/types.js';

/** Longest context unit that is not cut at its subsections, in tokens. */
export const CONTEXT_TOKENS = 1500;

/** Longest introduction that is repeated in the parts of a cut section, in tokens. */
const CARRIED_TOKENS = 200;

/** A heading with what stands under it, before its first child. */
interface Section {
  readonly heading: Block | undefined;
  readonly path: readonly string[];
  readonly blocks: readonly Block[];
  readonly children: readonly Section[];
}

export interface ContextUnitOptions {
  readonly countTokens: CountTokens;
  readonly limitTokens?: number;
}

/**
 * Paper 000, "Section-Aware Document Segmentation": d = {U_1 … U_M}, one per major section. A section above the limit is
 * cut at its own subsections, else between blocks, never inside a list of steps or a table.
 */
export function buildContextUnits(document: Document, options: ContextUnitOptions): ContextUnit[] {
  const limit = options.limitTokens ?? CONTEXT_TOKENS;
  const pieces = sectionTree(document).flatMap((section) =>
    cutSection(section, { document, ...options, limit }),
  );
  const spans = coverText(
    document.text,
    pieces.map(({ span }) => span),
  );
  const ids: GivenIds = new Map();
  return pieces.map(({ path, carried }, at) => {
    const span = spans[at] ?? { start: 0, end: 0 };
    const text = document.text.slice(span.start, span.end);
    const sha256 = sha256Hex(text);
    const named = `${document.id}#${path.length === 0 ? 'front' : path.map(slugify).join('/')}`;
    return {
      // Sections of one name are told apart by what they say, so that another one before them changes no id.
      id: uniqueId(ids.has(named) ? `${named}~${sha256.slice(0, 6)}` : named, ids),
      docId: document.id,
      headingPath: path,
      span,
      carried,
      tokens: options.countTokens(text),
      sha256,
    };
  });
}

interface Piece {
  readonly path: readonly string[];
  readonly span: Span;
  readonly carried: readonly Span[];
}

interface CutOptions {
  readonly document: Document;
  readonly countTokens: CountTokens;
  readonly limit: number;
}

function cutSection(section: Section, options: CutOptions): Piece[] {
  const span = sectionSpan(section);
  if (span === undefined) return [];
  if (countSpan(span, options) <= options.limit) return [{ path: section.path, span, carried: [] }];
  if (section.children.length === 0) return cutBlocks(section, options);
  const own = ownSpan(section);
  const carried = own === undefined ? [] : carriedSpans(section, options);
  const intro = own === undefined ? [] : cutSection({ ...section, children: [] }, options);
  const parts = section.children.flatMap((child) =>
    cutSection(child, options).map((piece) => ({ ...piece, carried: [...carried, ...piece.carried] })),
  );
  return [...intro, ...parts];
}

/** A long section without subsections: runs of blocks below the limit; the later ones carry its warnings. */
function cutBlocks(section: Section, options: CutOptions): Piece[] {
  const pieces: Piece[] = [];
  const warnings: Span[] = [];
  let current: Span | undefined = section.heading?.span;
  let carried: Span[] = [];
  for (const run of blockRuns(section.blocks)) {
    const extended = { start: current?.start ?? run.start, end: run.end };
    const onlyHeading = current === undefined || current === section.heading?.span;
    if (!onlyHeading && current !== undefined && countSpan(extended, options) > options.limit) {
      pieces.push({ path: section.path, span: current, carried });
      carried = [...warnings];
      current = { start: run.start, end: run.end };
    } else current = extended;
    warnings.push(...run.warnings);
  }
  if (current !== undefined) pieces.push({ path: section.path, span: current, carried });
  return pieces;
}

/** Blocks that must stay together: consecutive steps, and a table with the line that introduces it. */
function blockRuns(blocks: readonly Block[]): (Span & { readonly warnings: readonly Span[] })[] {
  const runs: (Span & { warnings: Span[]; lastKind: Block['kind'] })[] = [];
  for (const block of blocks) {
    const last = runs.at(-1);
    const joins =
      last !== undefined &&
      block.kind === 'step' &&
      (last.lastKind === 'step' || last.lastKind === 'warning');
    const warnings = block.kind === 'warning' ? [block.span] : [];
    if (joins) {
      runs[runs.length - 1] = {
        start: last.start,
        end: block.span.end,
        warnings: [...last.warnings, ...warnings],
        lastKind: block.kind,
      };
    } else runs.push({ ...block.span, warnings, lastKind: block.kind });
  }
  return runs;
}

/** The section's introduction (its first paragraph before the children) and all its warnings, each if it is short. */
function carriedSpans(section: Section, options: CutOptions): Span[] {
  const intro = section.blocks.find((block) => block.kind === 'paragraph');
  const spans = section.blocks
    .filter((block) => block === intro || block.kind === 'warning')
    .map(({ span }) => span);
  return spans.filter((span) => countSpan(span, options) <= CARRIED_TOKENS);
}

function countSpan(span: Span, { document, countTokens }: CutOptions): number {
  return countTokens(document.text.slice(span.start, span.end));
}

function ownSpan({ heading, blocks }: Section): Span | undefined {
  const first = heading ?? blocks[0];
  const last = blocks.at(-1) ?? heading;
  return first === undefined || last === undefined
    ? undefined
    : { start: first.span.start, end: last.span.end };
}

function sectionSpan(section: Section): Span | undefined {
  const own = ownSpan(section);
  const lastChild = section.children.at(-1);
  const end = lastChild === undefined ? undefined : sectionSpan(lastChild)?.end;
  const start = own?.start ?? (section.children[0] && sectionSpan(section.children[0])?.start);
  if (start === undefined) return undefined;
  return { start, end: end ?? own?.end ?? start };
}

/** The major sections in order, preceded by what stands before the first of them. */
function sectionTree(document: Document): Section[] {
  const blocks = withoutTitle(document);
  const headings = blocks.filter((block) => block.kind === 'heading');
  const major = Math.min(...headings.map((block) => block.level ?? 1));
  const firstHeading = blocks.findIndex((block) => block.kind === 'heading');
  const front = firstHeading === -1 ? blocks : blocks.slice(0, firstHeading);
  const sections: Section[] =
    front.length === 0 ? [] : [{ heading: undefined, path: [], blocks: front, children: [] }];
  if (firstHeading !== -1) sections.push(...sectionsAt(blocks.slice(firstHeading), major, []));
  return sections;
}

/** A lone top heading with the document's title is no section: what it heads is the whole document. */
export function withoutTitle({ blocks, title }: Document): readonly Block[] {
  const headings = blocks.filter((block) => block.kind === 'heading');
  const first = headings[0];
  if (first === undefined || headings.length < 2) return blocks;
  const isTitle = collapseBlanks(first.text).toLowerCase() === collapseBlanks(title).toLowerCase();
  const isLoneTop = headings.slice(1).every((block) => (block.level ?? 1) > (first.level ?? 1));
  if (!isTitle && !isLoneTop) return blocks;
  return blocks.map((block) => (block === first ? { ...block, kind: 'paragraph' as const } : block));
}

function sectionsAt(blocks: readonly Block[], level: number, parent: readonly string[]): Section[] {
  const sections: Section[] = [];
  let at = 0;
  while (at < blocks.length) {
    const heading = blocks[at];
    if (heading === undefined) break;
    let end = at + 1;
    while (end < blocks.length && !isHeadingUpTo(blocks[end], Math.max(level, heading.level ?? 1))) end++;
    const under = blocks.slice(at + 1, end);
    const firstChild = under.findIndex((block) => block.kind === 'heading');
    const path = [...parent, collapseBlanks(heading.text)];
    const children = firstChild === -1 ? [] : under.slice(firstChild);
    const childLevel = Math.min(
      ...children.flatMap((block) => (block.kind === 'heading' ? [block.level ?? 1] : [])),
    );
    sections.push({
      heading,
      path,
      blocks: firstChild === -1 ? under : under.slice(0, firstChild),
      children: children.length === 0 ? [] : sectionsAt(children, childLevel, path),
    });
    at = end;
  }
  return sections;
}

function isHeadingUpTo(block: Block | undefined, level: number): boolean {
  return block?.kind === 'heading' && (block.level ?? 1) <= level;
}

/** Stretches the spans over the blanks between them, so that nothing of the text lies outside. */
function coverText(text: string, spans: readonly Span[]): Span[] {
  return spans.map((span, at) => {
    const start = at === 0 ? 0 : span.start;
    const end = spans[at + 1]?.start ?? text.length;
    return trimSpan(text, { start, end });
  });
}
