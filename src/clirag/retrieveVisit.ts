/** A patient's chart and a visit → its evidence cut into chunks, and what both stages of retrieval chose (paper 001, 2.3). */

import { createKeywordIndex } from '../core/keywordIndex.js';
import type { CountTokens } from '../core/tokenCounter.js';
import type { Chunk, Embedder, EmbedderFingerprint, Visit } from '../core/types.js';
import { timed } from '../core/trace.js';
import type { PatientChart } from './chartStore.js';
import { embedChunks } from './store/chartVectors.js';
import type { ServerCharts } from './store/serverCharts.js';
import { chunkNote, embedTextOf, type ChunkedNote } from './chunks.js';
import { retrieveGlobally, type StageHits } from './retrieval/globalRetrieval.js';
import { limitChunks } from './retrieval/limitChunks.js';
import { retrieveLocally } from './retrieval/localRetrieval.js';
import type { QuestionSets } from './retrieval/questionSets.js';
import type { Candidates, ScoringOptions } from './retrieval/scoreChunks.js';
import { selectEvidence, type Evidence, type EvidenceOptions } from './visits.js';

export interface RetrieveVisitOptions extends EvidenceOptions, ScoringOptions {
  readonly questions: QuestionSets;
  readonly fingerprint: EmbedderFingerprint;
  readonly openEmbedder: () => Promise<Embedder>;
  /** Where vectors are kept, if not in the patient's folder. */
  readonly server?: ServerCharts | undefined;
  readonly countTokens: CountTokens;
  /** `false`: the global stage alone. */
  readonly useLocal?: boolean;
  /** Notes are cut as if they had no headers. */
  readonly flat?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface VisitRetrieval {
  readonly visit: Visit;
  readonly evidence: Evidence;
  readonly notes: readonly ChunkedNote[];
  readonly global: StageHits;
  readonly local: StageHits;
  /** Every chunk that a question led to, with its best score, in chart order. */
  readonly retrieved: readonly { readonly chunk: Chunk; readonly score: number }[];
  /** Chunks of very long notes that were not read. */
  readonly leftOut?: number;
  /** The vectors could not be kept, for this reason. */
  readonly notKept?: string;
}

const NOTHING: StageHits = { questions: [], contributions: [] };

/** Reads the patient's folder alone. A visit without evidence has no hits. */
export function retrieveVisit(
  chart: PatientChart,
  visit: Visit,
  options: RetrieveVisitOptions,
): Promise<VisitRetrieval> {
  return timed('retrieve', () => findEvidence(chart, visit, options));
}

async function findEvidence(
  chart: PatientChart,
  visit: Visit,
  options: RetrieveVisitOptions,
): Promise<VisitRetrieval> {
  const evidence = selectEvidence(chart.notes, visit, options);
  const { notes, leftOut } = limitChunks(
    evidence.notes.map((note) =>
      chunkNote(note, { countTokens: options.countTokens, flat: options.flat === true }),
    ),
    { questions: [...options.questions.global, ...options.questions.local].map(({ question }) => question) },
  );
  const chunks = notes.flatMap((note) => note.chunks);
  if (chunks.length === 0) return { visit, evidence, notes, global: NOTHING, local: NOTHING, retrieved: [] };
  const { vectors, notKept } = await embedChunks(chart.folder, chunks, options);
  const embedder = await options.openEmbedder();
  const keywords = createKeywordIndex(chunks.map((chunk) => ({ id: chunk.id, text: embedTextOf(chunk) })));
  const candidates: Candidates = { chunks, vectors, keywords };
  const { top: _top, ...scoring } = options;
  const global = await retrieveGlobally(options.questions.global, candidates, { ...scoring, embedder });
  const types = global.contributions.map(({ type }) => type);
  const local =
    options.useLocal === false
      ? NOTHING
      : await retrieveLocally(options.questions.local, candidates, { ...scoring, embedder, types });
  const best = new Map<string, number>();
  for (const { unitId, score } of [...global.questions, ...local.questions].flatMap(({ hits }) => hits))
    best.set(unitId, Math.max(best.get(unitId) ?? 0, score));
  const retrieved = chunks.flatMap((chunk) => {
    const score = best.get(chunk.id);
    return score === undefined ? [] : [{ chunk, score }];
  });
  return {
    visit,
    evidence,
    notes,
    global,
    local,
    retrieved,
    ...(leftOut === 0 ? {} : { leftOut }),
    ...(notKept === undefined ? {} : { notKept }),
  };
}
