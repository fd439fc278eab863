/** Note types that contributed and the local questions → hits for each type's own questions among its notes alone (paper 001, 2.3.2). */

import type { Embedder, NoteType } from '../../core/types.js';
import { retrieveStage, type StageHits } from './globalRetrieval.js';
import type { ChartQuestion } from './questionSets.js';
import type { Candidates, ScoringOptions } from './scoreChunks.js';

export const LOCAL_TOP = 4;

export async function retrieveLocally(
  questions: readonly ChartQuestion[],
  candidates: Candidates,
  options: ScoringOptions & { embedder: Embedder; types: readonly NoteType[] },
): Promise<StageHits> {
  const asked = questions.flatMap((question) =>
    (question.noteTypes ?? [])
      .filter((type) => options.types.includes(type))
      .map((type) => ({ ...question, noteTypes: [type] })),
  );
  return retrieveStage(asked, candidates, {
    ...options,
    top: options.top ?? LOCAL_TOP,
    amongOf:
      ({ noteTypes }) =>
      ({ type }) =>
        noteTypes?.includes(type) === true,
  });
}
