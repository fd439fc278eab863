/** A question + any system's contexts → what the extractive generator quotes from them, without a refusal. */

import { sliceSpan } from '../../core/text.js';
import type { Embedder } from '../../core/types.js';
import { listEvidence, type Evidence } from '../evidence/evidence.js';
import { readQuestionTerms } from '../question/questionTerms.js';
import { scoreEvidence, selectEvidence } from '../evidence/selectEvidence.js';
import type { SopIndex } from '../sopIndex.js';
import type { ContextText } from './containment.js';
import type { RetrievedContext } from './systems.js';

/**
 * Our generator on another system's contexts, so that systems differ in what they retrieve and in nothing else. It quotes
 * the contexts' own words only and, as published, always answers.
 */
export async function quoteFromContexts(
  question: string,
  contexts: readonly RetrievedContext[],
  source: { index: SopIndex; embedder: Embedder },
): Promise<ContextText[]> {
  const terms = await readQuestionTerms(question, await source.index.readTerms());
  const pieces: Evidence[] = [];
  for (const { ranked } of contexts) {
    const document = await source.index.readDocument(ranked.document.id);
    for (const piece of listEvidence(document, ranked)) pieces.push(...clipPiece(piece));
  }
  const scored = await scoreEvidence(question, pieces, { terms, embedder: source.embedder });
  return selectEvidence(scored, pieces, { question }).map(({ document, header, span }) => ({
    document: document.path,
    text: [...(header === undefined ? [] : [header]), span]
      .map((part) => sliceSpan(document.text, part))
      .join('\n'),
  }));
}

/** A chunk's border may cut a sentence or part a row from its table's header. */
function clipPiece({ header, ...piece }: Evidence): Evidence[] {
  const { span: within } = piece.ranked.context;
  const span = { start: Math.max(piece.span.start, within.start), end: Math.min(piece.span.end, within.end) };
  if (span.end <= span.start) return [];
  const hasHeader = header !== undefined && within.start <= header.start && header.end <= within.end;
  const columns = hasHeader ? piece.columns : '';
  const text = sliceSpan(piece.document.text, span);
  return [{ ...piece, span, text, columns, ...(hasHeader ? { header } : {}) }];
}
