/** What was composed or written for a visit, and the summary of the visit before → the note with its sources, changes and proof. */

import { EXTRACTIVE } from '../../core/generator.js';
import { groundText } from '../../core/grounding.js';
import type { Grounding, Omitted } from '../../core/types.js';
import { orderSources } from '../prompt.js';
import { countBodyWords, renderBody } from '../renderNote.js';
import type { VisitRetrieval } from '../retrieveVisit.js';
import type { ExclusionReason } from '../visits.js';
import { inChartOrder, type ComposedNote } from './composeNote.js';
import { compareVisits, type NoteChanges } from './noteChanges.js';
import type {
  OrderConflict,
  PriorSummary,
  QuotedSentence,
  SoapNote,
  SoapSectionName,
  SoapSentence,
} from './noteRecord.js';
import type { NoteSentence } from './noteSentences.js';
import { toSoapSentence, toSoapValue, toSource } from './provenance.js';

const NO_CHANGES: NoteChanges = { new: [], changed: [], resolved: [] };

/** The keys of a visit's sources by chunk id. */
export function keysOf({ retrieved }: VisitRetrieval): Map<string, string> {
  return new Map(orderSources(retrieved.map(({ chunk }) => chunk)).map(({ key, chunk }) => [chunk.id, key]));
}

export interface Written {
  readonly sections: SoapNote['sections'];
  readonly grounding: Grounding;
  readonly reply: string;
  readonly withheld: readonly string[];
  readonly isCut: boolean;
  readonly servedBy?: string;
  readonly omitted: Omitted;
  readonly generator: string;
}

/** `written`: the sections of a language model; else they are composed. Changes and conflicts are the chart's in either case. */
export function assembleNote(
  composed: ComposedNote,
  {
    retrieval,
    prior,
    sound,
    embedder,
    written,
  }: {
    retrieval: VisitRetrieval;
    prior: PriorSummary | undefined;
    sound: readonly NoteSentence[];
    embedder: string;
    written?: Written;
  },
): SoapNote {
  const { visit, evidence } = retrieval;
  const keyOf = keysOf(retrieval);
  const quoted = quoteSections(composed, keyOf);
  const sections = written?.sections ?? quoted;
  const conflicting: OrderConflict[] = composed.conflicts.map(({ drug, sentences }) => ({
    drug,
    sentences: [...sentences].sort(inChartOrder).map((sentence) => toSoapSentence(sentence, keyOf)),
  }));
  const changes = {
    ...(prior === undefined
      ? NO_CHANGES
      : compareVisits({ latest: composed.latest, sentences: sound }, { prior, keyOf })),
    conflicting,
  };
  const text = renderBody({
    sections,
    changes,
    date: visit.date,
    ...(prior === undefined ? {} : { priorSummary: prior }),
  });
  const cited = new Set(
    [...text.matchAll(/\[((?:[SP]\d+)(?:, [SP]\d+)*)\]/gu)].flatMap((match) => match[1]?.split(', ') ?? []),
  );
  const sources = orderSources(retrieval.retrieved.map(({ chunk }) => chunk))
    .filter(({ key }) => cited.has(key))
    .map(toSource);
  return {
    visitId: visit.id,
    patientId: visit.patientId,
    date: visit.date,
    asOf: evidence.asOf,
    text,
    sources,
    sections,
    changes,
    ...(prior === undefined ? {} : { priorSummary: prior }),
    excluded: countReasons(evidence.excluded),
    grounding:
      written?.grounding ??
      groundQuoted(
        [
          ...Object.values(sections).flatMap(({ sentences }) => sentences),
          ...conflicting.flatMap(({ sentences }) => sentences),
        ],
        sources,
      ),
    ...(written === undefined
      ? {}
      : {
          reply: written.reply,
          isCut: written.isCut,
          withheld: written.withheld,
          ...(written.servedBy === undefined ? {} : { servedBy: written.servedBy }),
        }),
    ...(retrieval.leftOut === undefined ? {} : { leftOut: retrieval.leftOut }),
    words: countBodyWords(text),
    omitted: written?.omitted ?? { intended: 0, sent: 0 },
    model: { embedder, generator: written?.generator ?? EXTRACTIVE },
  };
}

function countReasons(excluded: readonly { reason: ExclusionReason }[]): SoapNote['excluded'] {
  const counts: Partial<Record<ExclusionReason, number>> = {};
  for (const { reason } of excluded) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}

function quoteSections(
  { parts, values }: ComposedNote,
  keyOf: ReadonlyMap<string, string>,
): Record<SoapSectionName, { sentences: readonly QuotedSentence[] }> {
  const quote = (sentences: readonly NoteSentence[]): { sentences: readonly QuotedSentence[] } => ({
    sentences: sentences.map((sentence) => toSoapSentence(sentence, keyOf)),
  });
  return {
    subjective: quote(parts.S),
    objective: {
      sentences: [...quote(parts.O).sentences, ...values.map((value) => toSoapValue(value, keyOf))],
    },
    assessment: quote(parts.A),
    plan: quote(parts.P),
  };
}

/** The quoter is checked as anything else is. */
function groundQuoted(sentences: readonly SoapSentence[], sources: SoapNote['sources']): Grounding {
  const lines = sentences.map(
    ({ text, citations }) => `${text.replace(/[.!?]*$/u, '')} [${citations.join(', ')}].`,
  );
  return groundText(lines.join('\n'), sources);
}
