/** An index + an embedder → the retrieval systems that are compared: ours, the paper's, and fixed-size chunks. */

import { byScore } from '../../core/rank.js';
import { sha256Hex, sliceSpan } from '../../core/text.js';
import { loadTokenCounter, SPECIAL_TOKENS, type CountTokens } from '../../core/tokenCounter.js';
import type { Document, Embedder, Span } from '../../core/types.js';
import { isSearchable } from '../documents/documentControl.js';
import { carriedWords } from '../evidence/sectionWords.js';
import type { IndexedDocument } from '../index/indexFormat.js';
import { retrieveContexts, type RankedContext, type RetrieveOptions } from '../retrieve.js';
import { clipToTokens, EMBED_TOKENS } from '../searchUnits.js';
import { readAllDocuments, type SopIndex } from '../sopIndex.js';
import type { ContextText } from './containment.js';

/** What a system hands to the generator, and where it stands. */
export interface RetrievedContext extends ContextText {
  readonly span: Span;
  /** Repeated from the section that it was cut from; a generator reads it too. */
  readonly carried: string;
  readonly ranked: RankedContext;
}

export interface RetrievalSystem {
  readonly name: string;
  /** Contexts in rank order. */
  retrieve(question: string, k: number): Promise<RetrievedContext[]>;
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
      return Promise.all(ranked.map((one) => readContext(one, source.index)));
    },
  };
}

export async function readContext(ranked: RankedContext, index: SopIndex): Promise<RetrievedContext> {
  const document = await index.readDocument(ranked.document.id);
  const { span } = ranked.context;
  const carried = carriedWords(document, ranked.context);
  return { document: document.path, text: sliceSpan(document.text, span), span, carried, ranked };
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
  const pieces = documents.flatMap((document) => {
    const indexed = source.index.document(document.id);
    return indexed === undefined ? [] : cutChunks(document, indexed, { chunks, countTokens });
  });
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
        .flatMap(({ at, score }, place) => {
          const piece = pieces[at];
          return piece === undefined ? [] : [toRetrieved(piece, { score, rank: place + 1 })];
        });
    },
  };
}

/** A chunk is its own search unit and context unit. */
interface ChunkPiece {
  readonly document: IndexedDocument;
  /** Place among the document's chunks. */
  readonly at: number;
  readonly text: string;
}

function cutChunks(
  document: Document,
  indexed: IndexedDocument,
  options: { chunks: FixedChunks; countTokens: CountTokens },
): ChunkPiece[] {
  const spans = fixedSpans(document, options.chunks);
  const contexts = spans.map((span, at) => {
    const text = sliceSpan(document.text, span);
    const id = `${document.id}#chunk-${at + 1}`;
    const tokens = options.countTokens(text);
    return { id, docId: document.id, headingPath: [], span, carried: [], tokens, sha256: sha256Hex(text) };
  });
  const units = contexts.map(({ id, span, tokens }, context) => ({
    id,
    context,
    span,
    carried: [],
    tokens,
    headingPath: [],
  }));
  const chunked: IndexedDocument = { ...indexed, contexts, units };
  return spans.map((span, at) => ({ document: chunked, at, text: sliceSpan(document.text, span) }));
}

function toRetrieved(
  { document, at, text }: ChunkPiece,
  { score, rank }: { score: number; rank: number },
): RetrievedContext {
  const context = document.contexts[at];
  if (context === undefined) throw new RangeError(`${document.id} has no chunk ${at + 1}`);
  const hit = { unitId: context.id, score, rank: 1, via: 'dense' as const, parts: { dense: score } };
  return {
    document: document.path,
    text,
    span: context.span,
    carried: '',
    ranked: { document, context, score, rank, hits: [hit] },
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
