/** An index + an embedder → the retrieval systems that are compared: ours, the paper's, and fixed-size chunks. */

import { byScore } from '../../core/rank.js';
import { sliceSpan } from '../../core/text.js';
import type { Document, Embedder, Span } from '../../core/types.js';
import { isSearchable } from '../documentControl.js';
import { retrieveContexts, type RetrieveOptions } from '../retrieve.js';
import { clipToTokens, EMBED_TOKENS } from '../searchUnits.js';
import { readAllDocuments, type SopIndex } from '../sopIndex.js';
import { loadTokenCounter, SPECIAL_TOKENS } from '../../core/tokenCounter.js';
import type { ContextText } from './containment.js';

export type SystemName = 'standard' | 'standard+title' | 'paper' | 'labsage';

export interface RetrievalSystem {
  readonly name: string;
  /** Contexts in rank order. */
  retrieve(question: string, k: number): Promise<ContextText[]>;
}

/** LabSage on an index, with any options (the paper's system is an index of the paper preset). */
export function labsageSystem(
  name: string,
  source: { index: SopIndex; embedder: Embedder },
  options: RetrieveOptions,
): RetrievalSystem {
  return {
    name,
    async retrieve(question, k) {
      const ranked = await retrieveContexts(question, source, { ...options, k });
      return Promise.all(
        ranked.map(async ({ document, context }) => {
          const { text, path } = await source.index.readDocument(document.id);
          return { document: path, text: sliceSpan(text, context.span) };
        }),
      );
    },
  };
}

/** Standard RAG of paper 000: one segmentation for search and context, of fixed size. */
export interface FixedChunks {
  readonly words: number;
  readonly overlapWords: number;
  /** Puts the document's title in front of what is embedded. */
  readonly title: boolean;
}

/** 200 words with 40 overlapping: about 256 tokens, what the embedders read whole. */
export const STANDARD_CHUNKS: Omit<FixedChunks, 'title'> = { words: 200, overlapWords: 40 };

export async function standardSystem(
  name: string,
  source: { index: SopIndex; embedder: Embedder; today: string },
  chunks: FixedChunks,
): Promise<RetrievalSystem> {
  const countTokens = await loadTokenCounter();
  const documents = (await readAllDocuments(source.index)).filter(({ control }) =>
    isSearchable(control, source.today),
  );
  const pieces = documents.flatMap((document) =>
    fixedSpans(document, chunks).map((span) => ({ document, text: sliceSpan(document.text, span) })),
  );
  const texts = pieces.map(({ document, text }) =>
    clipToTokens(chunks.title ? `${document.title}\n${text}` : text, {
      tokens: EMBED_TOKENS - SPECIAL_TOKENS,
      countTokens,
    }),
  );
  const vectors = await source.embedder.embed(texts, 'passage');
  return {
    name,
    async retrieve(question, k) {
      const [query] = await source.embedder.embed([question], 'query');
      return vectors
        .map((vector, at) => ({ id: at.toString().padStart(8, '0'), at, score: dot(vector, query) }))
        .sort(byScore)
        .slice(0, k)
        .flatMap(({ at }) => {
          const piece = pieces[at];
          return piece === undefined ? [] : [{ document: piece.document.path, text: piece.text }];
        });
    },
  };
}

function fixedSpans({ text }: Document, { words, overlapWords }: FixedChunks): Span[] {
  const all = [...text.matchAll(/\S+/gu)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
  const spans: Span[] = [];
  for (let from = 0; from < all.length; from += words - overlapWords) {
    const last = all[Math.min(from + words, all.length) - 1];
    const first = all[from];
    if (first !== undefined && last !== undefined) spans.push({ start: first.start, end: last.end });
    if (from + words >= all.length) break;
  }
  return spans;
}

function dot(a: Float32Array, b: Float32Array | undefined): number {
  return a.reduce((sum, value, dim) => sum + value * (b?.[dim] ?? 0), 0);
}
