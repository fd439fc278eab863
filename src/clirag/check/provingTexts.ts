/** A chart's notes → by chunk, what of them may prove something. */

import { blankPlantedText } from '../../core/grounding/plantedText.js';
import type { Span } from '../../core/types.js';

interface NoteWithChunks {
  readonly cleaned: { readonly text: string };
  readonly chunks: readonly { readonly id: string; readonly span: Span }[];
}

/** By chunk, what of it may prove something: planted sentences, also those that begin in a header, blanked out. */
export function provingTexts(notes: readonly NoteWithChunks[]): Map<string, string> {
  return new Map(
    notes.flatMap(({ cleaned, chunks }) => {
      const text = blankPlantedText(cleaned.text);
      return chunks.map(({ id, span }) => [id, text.slice(span.start, span.end)] as const);
    }),
  );
}
