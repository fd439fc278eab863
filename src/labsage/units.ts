/** A document → its context and search units, and their form in the index and as `UnitRecord`s on a pipe. */

import { loadTokenCounter } from '../core/tokenCounter.js';
import { sliceSpan } from '../core/text.js';
import type { ContextUnit, Document, DocumentControl } from '../core/types.js';
import { CONTEXT_TOKENS, buildContextUnits } from './contextUnits.js';
import type { Chunking, Preset } from './index/indexFormat.js';
import { EMBED_TOKENS, UNIT_TOKENS, buildSearchUnits, type BuiltSearchUnit } from './searchUnits.js';

export interface CutDocument {
  readonly document: Document;
  readonly contexts: readonly ContextUnit[];
  readonly units: readonly BuiltSearchUnit[];
}

/** What `chunk --json` writes and `index -` reads: one context unit with its search units a line. */
export interface UnitRecord {
  readonly document: {
    readonly id: string;
    readonly path: string;
    readonly title: string;
    /** `{status: 'current'}` where absent. */
    readonly control?: DocumentControl | undefined;
  };
  readonly contextUnit: {
    readonly id: string;
    readonly headingPath: readonly string[];
    readonly text: string;
  };
  readonly searchUnits: readonly {
    readonly id: string;
    readonly text: string;
    readonly embedText: string;
    /** Down to the heading right above it; where absent, the context unit's. */
    readonly headingPath?: readonly string[] | undefined;
  }[];
}

export function chunkingOf(preset: Preset, producer: string): Chunking {
  return {
    preset,
    contextTokens: CONTEXT_TOKENS,
    unitTokens: UNIT_TOKENS,
    embedTokens: EMBED_TOKENS,
    producer,
  };
}

/** For a file whose name alone does not tell it from another one. */
export function withDocumentId(document: Document, id: string): Document {
  return { ...document, id, blocks: document.blocks.map((block) => ({ ...block, docId: id })) };
}

export async function cutDocument(document: Document, chunking: Chunking): Promise<CutDocument> {
  const countTokens = await loadTokenCounter();
  const contexts = buildContextUnits(document, { countTokens, limitTokens: chunking.contextTokens });
  const units = contexts.flatMap((context) =>
    buildSearchUnits(document, context, {
      countTokens,
      prefix: chunking.preset === 'labsage',
      unitTokens: chunking.unitTokens,
    }),
  );
  return { document, contexts, units };
}

export function unitRecords({ document, contexts, units }: CutDocument): UnitRecord[] {
  const { id, path, title, control, text } = document;
  return contexts.map((context) => ({
    document: { id, path, title, control },
    contextUnit: { id: context.id, headingPath: context.headingPath, text: sliceSpan(text, context.span) },
    searchUnits: units
      .filter((unit) => unit.contextId === context.id)
      .map(({ id: unitId, span, embedText, headingPath }) => ({
        id: unitId,
        text: sliceSpan(text, span),
        embedText,
        headingPath,
      })),
  }));
}
