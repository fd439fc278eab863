/** The chunks of a visit → so many that a note takes bounded time: of a note of megabytes those that the questions' words lead to. */

import { createKeywordIndex } from '../../core/keywordIndex.js';
import { embedTextOf, type ChunkedNote } from '../chunks.js';

/** Most chunks of a visit that are embedded, searched and read. */
export const MOST_CHUNKS = 600;

/** Notes shorter than their fair share stay whole. `leftOut`: chunks that nothing will read. */
export function limitChunks(
  notes: readonly ChunkedNote[],
  { questions, most = MOST_CHUNKS }: { questions: readonly string[]; most?: number },
): { notes: readonly ChunkedNote[]; leftOut: number } {
  const total = notes.reduce((sum, { chunks }) => sum + chunks.length, 0);
  if (total <= most) return { notes, leftOut: 0 };
  let room = most;
  const shortFirst = [...notes].sort((a, b) => a.chunks.length - b.chunks.length);
  const limited = new Map(
    shortFirst.map((note, at) => {
      const share = Math.floor(room / (shortFirst.length - at));
      const kept =
        note.chunks.length <= share ? note : { ...note, chunks: bestOf(note, { questions, share }) };
      room -= kept.chunks.length;
      return [note, kept];
    }),
  );
  const kept = notes.map((note) => limited.get(note) ?? note);
  return { notes: kept, leftOut: total - kept.reduce((sum, { chunks }) => sum + chunks.length, 0) };
}

/** The best by keywords of each question in turn, in the note's order. */
function bestOf(
  { chunks }: ChunkedNote,
  { questions, share }: { questions: readonly string[]; share: number },
): ChunkedNote['chunks'] {
  const keywords = createKeywordIndex(chunks.map((chunk) => ({ id: chunk.id, text: embedTextOf(chunk) })));
  const kept = new Set<string>();
  const hits = questions.map((question) => keywords.search(question).map(({ id }) => id));
  for (let rank = 0; kept.size < share && hits.some(({ length }) => rank < length); rank++)
    for (const ids of hits) {
      const id = ids[rank];
      if (id !== undefined && kept.size < share) kept.add(id);
    }
  for (const { id } of chunks) if (kept.size < share) kept.add(id);
  return chunks.filter(({ id }) => kept.has(id));
}
