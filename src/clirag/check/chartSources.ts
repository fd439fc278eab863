/** A chart, a visit and a time → the texts that a note is compared with: what holds, what held once, and what earlier days say. */

import { openGroundingLibrary } from '../../core/grounding.js';
import { keywordTerms } from '../../core/keywordIndex.js';
import { splitSentences } from '../../core/text.js';
import type { Chunk, Grounding, Note, Span, Visit } from '../../core/types.js';
import type { PatientChart } from '../chartStore.js';
import { chunkNote, type ChunkedNote } from '../chunks.js';
import { spanBefore } from '../clean/offsetMap.js';
import { UNLABELED } from '../headers/sectionHeaders.js';
import { readEndedStates, type Over, type ReadOver } from '../note/endedStates.js';
import { readNoteSentences, type NoteSentence } from '../note/noteSentences.js';
import { judgeSentences, type Unsound } from '../note/soundSentences.js';
import { selectEvidence, type Evidence } from '../visits.js';
import { blankSpan } from '../../core/grounding/plantedText.js';
import { provingTexts } from './provingTexts.js';

export interface ChartSource {
  readonly key: string;
  readonly chunk: Chunk;
  readonly note: ChunkedNote;
  /** The chunk under its header, without what was taken out of it. */
  readonly text: string;
  /** Length of the header before the chunk's own text. */
  readonly lead: number;
}

export interface Library {
  readonly sources: readonly ChartSource[];
  /** The one sentence, compared with the sources that share most with it, or with those of `keys` alone. */
  ground(claim: string, keys?: ReadonlySet<string>): Grounding['sentences'][number] | undefined;
  source(key: string): ChartSource | undefined;
}

export interface ChartSources {
  readonly visit: Visit;
  readonly evidence: Evidence;
  /** What the visit's notes say and no later note takes back. */
  readonly current: Library;
  /** All that the visit's notes say. */
  readonly whole: Library;
  /** Notes of earlier days. */
  readonly earlier: Library;
  readonly sentences: readonly NoteSentence[];
  /** Those of them that hold. */
  readonly sound: readonly NoteSentence[];
  /** By all of them, whether a sentence tells what is over; read when first asked for. */
  readOver(sentence: NoteSentence): Over;
  /** Of earlier days; read when first asked for. */
  earlierSentences(): readonly NoteSentence[];
  readonly unsound: readonly { readonly sentence: NoteSentence; readonly reason: Unsound }[];
}

/** Progress notes of the visit itself are what is being checked and no proof of it, unless `withProgressNotes`. */
export function openChartSources(
  chart: PatientChart,
  visit: Visit,
  options: { asOf?: string; withProgressNotes?: boolean } = {},
): ChartSources {
  const evidence = selectEvidence(chart.notes, visit, options);
  const before = chart.notes.filter(
    ({ date, stored }) => date < visit.date && (stored === undefined || stored <= evidence.asOf),
  );
  const notes = evidence.notes.map(cut);
  const sentences = readSentences(notes);
  const { unsound } = judgeSentences(sentences, { earlier: before });
  const over = unsound.filter(({ reason }) => reason !== 'copied forward').map(({ sentence }) => sentence);
  const gone = new Set(over);
  const past = before.map(cut);
  let readOver: ReadOver | undefined;
  let pastSentences: readonly NoteSentence[] | undefined;
  return {
    visit,
    evidence,
    sound: sentences.filter((sentence) => !gone.has(sentence)),
    readOver: (sentence) => (readOver ??= readEndedStates(sentences, { earlier: [] }))(sentence),
    earlierSentences: () => (pastSentences ??= readSentences(past)),
    current: createLibrary(notes, { without: over }),
    whole: createLibrary(notes),
    earlier: createLibrary(past),
    sentences,
    unsound,
  };
}

function readSentences(notes: readonly ChunkedNote[]): NoteSentence[] {
  return readNoteSentences(
    notes,
    notes.flatMap(({ chunks }) => chunks.map((chunk) => ({ chunk, score: 0, parts: {} }))),
  );
}

/** Nothing is embedded, so that chunks need fit no model. */
function cut(note: Note): ChunkedNote {
  return chunkNote(note, { countTokens: () => 0 });
}

function createLibrary(
  notes: readonly ChunkedNote[],
  { without = [] }: { without?: readonly NoteSentence[] } = {},
): Library {
  const proving = provingTexts(notes);
  const gone = new Map<string, Span[]>();
  for (const { chunk, span } of without) gone.set(chunk.noteId, [...(gone.get(chunk.noteId) ?? []), span]);
  const sources = notes.flatMap((note) =>
    note.chunks.map((chunk) => {
      const lead = chunk.header === UNLABELED ? '' : `${chunk.header}\n`;
      let text = proving.get(chunk.id) ?? chunk.text;
      for (const { start, end } of gone.get(chunk.noteId) ?? []) {
        const from = Math.max(0, start - chunk.span.start);
        const to = Math.min(text.length, end - chunk.span.start);
        if (to > from) text = blankSpan(text, { start: from, end: to });
      }
      return { chunk, note, text: lead + text, lead: lead.length };
    }),
  );
  const keyed: ChartSource[] = sources.map((source, at) => ({ key: `S${at + 1}`, ...source }));
  const byKey = new Map(keyed.map((source) => [source.key, source]));
  const library = openGroundingLibrary(keyed);
  return {
    sources: keyed,
    source: (key) => byKey.get(key),
    ground(claim, keys) {
      const spans = [{ start: 0, end: claim.length }];
      return library.ground(claim, { searchAll: true, spans, ...(keys === undefined ? {} : { keys }) })
        .sentences[0];
    },
  };
}

/** The sentence of a source that says most of a claim: verbatim, and where it stands in the note's raw TEXT. */
export function quoteFor(
  claim: string,
  { chunk, note, text, lead }: ChartSource,
): { text: string; span: Span } {
  const own = text.slice(lead);
  const wanted = new Set(termsOf(claim));
  let best: Span = { start: 0, end: own.length };
  let most = -1;
  for (const span of splitSentences(own)) {
    const terms = new Set(termsOf(own.slice(span.start, span.end)));
    const shared = [...wanted].filter((term) => terms.has(term)).length;
    const score = shared - terms.size / 1000;
    if (score > most) {
      most = score;
      best = span;
    }
  }
  const cleaned = { start: chunk.span.start + best.start, end: chunk.span.start + best.end };
  return { text: own.slice(best.start, best.end), span: spanBefore(note.cleaned.map, cleaned) };
}

/** Words by their stems, and figures; what denies says nothing of a thing. */
function termsOf(text: string): string[] {
  const words = keywordTerms(text).filter((term) => !/^(?:no|not|nor|without|denies|negative)$/u.test(term));
  const figures = (text.match(/\d+(?:\.\d+)?/gu) ?? []).map((figure) => `#${figure}`);
  return [...words.map((term) => term.slice(0, STEM_CHARACTERS)), ...figures];
}

const STEM_CHARACTERS = 6;
