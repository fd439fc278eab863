/** A visit's chunks and the global questions → hits for each, and which note types and sections contributed (paper 001, 2.3.1). */

import type { Chunk, Embedder, NoteType } from '../../core/types.js';
import type { ChartQuestion } from './questionSets.js';
import {
  dropDuplicates,
  scoreChunks,
  type Candidates,
  type QuestionHits,
  type ScoringOptions,
} from './scoreChunks.js';

export const GLOBAL_TOP = 6;

/** How much a note type and its sections gave. */
export interface Contribution {
  readonly type: NoteType;
  readonly hits: number;
  /** Hits by section header. */
  readonly sections: Readonly<Record<string, number>>;
}

export interface StageHits {
  readonly questions: readonly QuestionHits[];
  /** The contribution log: by number of hits, most first. */
  readonly contributions: readonly Contribution[];
}

/** Every question over all notes of the visit. */
export async function retrieveGlobally(
  questions: readonly ChartQuestion[],
  candidates: Candidates,
  options: ScoringOptions & { embedder: Embedder },
): Promise<StageHits> {
  return retrieveStage(questions, candidates, { ...options, top: options.top ?? GLOBAL_TOP });
}

/** What both stages share; `amongOf` limits the candidates of a question. */
export async function retrieveStage(
  questions: readonly ChartQuestion[],
  candidates: Candidates,
  options: ScoringOptions & {
    embedder: Embedder;
    top: number;
    amongOf?: (question: ChartQuestion) => (chunk: Chunk) => boolean;
  },
): Promise<StageHits> {
  const vectors = await options.embedder.embed(
    questions.map(({ question }) => question),
    'query',
  );
  const asked = questions.map((question, at): QuestionHits => {
    const { id, question: text, soap } = question;
    const vector = vectors[at] ?? new Float32Array();
    const among = options.amongOf?.(question);
    const ranked = scoreChunks({ text, vector }, candidates, {
      ...options,
      ...(among === undefined ? {} : { among }),
    });
    const useDedup = options.useDedup !== false;
    return {
      id,
      question: text,
      soap,
      ...dropDuplicates(ranked, candidates, { top: options.top, useDedup }),
    };
  });
  return { questions: asked, contributions: countContributions(asked, candidates) };
}

function countContributions(asked: readonly QuestionHits[], { chunks }: Candidates): Contribution[] {
  const chunkOf = new Map(chunks.map((chunk) => [chunk.id, chunk]));
  const types = new Map<NoteType, { hits: number; sections: Record<string, number> }>();
  for (const { unitId } of asked.flatMap(({ hits }) => hits)) {
    const chunk = chunkOf.get(unitId);
    if (chunk === undefined) continue;
    const entry = types.get(chunk.type) ?? { hits: 0, sections: {} };
    entry.hits++;
    entry.sections[chunk.header] = (entry.sections[chunk.header] ?? 0) + 1;
    types.set(chunk.type, entry);
  }
  return [...types]
    .map(([type, entry]) => ({ type, ...entry }))
    .sort((a, b) => b.hits - a.hits || (a.type < b.type ? -1 : 1));
}
