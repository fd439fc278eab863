/** A patient's chart and a visit → its SOAP note: retrieve, judge, compose, compare with the visit before, prove (paper 001). */

import { groundText } from '../core/grounding.js';
import type { OrderConflict, PriorSummary, SoapNote, SoapSentence, Visit } from '../core/types.js';
import type { PatientChart } from './chartStore.js';
import { BODY_WORDS, composeNote, inChartOrder, type ComposedNote } from './note/composeNote.js';
import { compareVisits, type NoteChanges } from './note/noteChanges.js';
import { readNoteSentences, type NoteSentence, type ScoredChunk } from './note/noteSentences.js';
import { summarizePrior, type PriorMode } from './note/priorSummary.js';
import { buildPrompt, orderSources } from './prompt.js';
import { toSoapSentence, toSoapValue, toSource } from './note/provenance.js';
import { countBodyWords, renderBody } from './renderNote.js';
import { retrieveVisit, type RetrieveVisitOptions, type VisitRetrieval } from './retrieveVisit.js';
import { judgeSentences } from './note/soundSentences.js';

export const EXTRACTIVE = 'extractive';

export interface SoapNoteOptions extends RetrieveVisitOptions {
  /** Default: the stored note of the visit before, else a generated one. */
  readonly prior?: PriorMode;
}

/** A note that says more than this is made again with fewer words. */
const MOST_WORDS = 600;
const NO_CHANGES: NoteChanges = { new: [], changed: [], resolved: [] };

/** The whole pipeline. A visit without evidence has a note that says so. */
export async function writeSoapNote(
  chart: PatientChart,
  visit: Visit,
  options: SoapNoteOptions,
): Promise<SoapNote> {
  const retrieval = await retrieveVisit(chart, visit, options);
  const prior = await readPrior(chart, visit, { ...options, asOf: retrieval.evidence.asOf });
  const { sound, all } = readSentences(chart, retrieval);
  let note = assemble(composeNote(sound, { all }), { retrieval, prior, sound, options });
  for (let words = BODY_WORDS - 30; note.words > MOST_WORDS && words > 100; words -= 30)
    note = assemble(composeNote(sound, { all, words }), { retrieval, prior, sound, options });
  return note;
}

/** The prompt for any model: the same retrieval, the same summary of the visit before. */
export async function writePrompt(
  chart: PatientChart,
  visit: Visit,
  options: SoapNoteOptions,
): Promise<{ prompt: string; retrieval: VisitRetrieval; prior: PriorSummary | undefined }> {
  const retrieval = await retrieveVisit(chart, visit, options);
  const { asOf } = retrieval.evidence;
  const prior = await readPrior(chart, visit, { ...options, asOf });
  const prompt = buildPrompt(orderSources(retrieval.retrieved.map(({ chunk }) => chunk)), {
    visitDate: visit.date,
    asOf,
    ...(prior === undefined ? {} : { priorSummary: prior }),
  });
  return { prompt, retrieval, prior };
}

function readPrior(
  chart: PatientChart,
  visit: Visit,
  options: SoapNoteOptions & { asOf: string },
): Promise<PriorSummary | undefined> {
  const { prior: mode, asOf } = options;
  return summarizePrior(chart, visit, {
    asOf,
    ...(mode === undefined ? {} : { mode }),
    composeVisit: async (before) => {
      const retrieval = await retrieveVisit(chart, before, options);
      const { sound, all } = readSentences(chart, retrieval);
      return withSources(composeNote(sound, { all }), retrieval);
    },
  });
}

/** A composed visit's sentences in the order that a summary wants: assessment, plan, then the rest. */
function withSources({ parts, conflicts, values }: ComposedNote, retrieval: VisitRetrieval): SoapSentence[] {
  const keyOf = keysOf(retrieval);
  const disputed = conflicts.flatMap(({ sentences }) => sentences);
  return [
    ...[...parts.A, ...parts.P, ...disputed, ...parts.S, ...parts.O].map((sentence) =>
      toSoapSentence(sentence, keyOf),
    ),
    ...values.map((value) => toSoapValue(value, keyOf)),
  ];
}

function keysOf({ retrieved }: VisitRetrieval): Map<string, string> {
  return new Map(orderSources(retrieved.map(({ chunk }) => chunk)).map(({ key, chunk }) => [chunk.id, key]));
}

/** `sound`: sentences of retrieved chunks that hold. `all`: those of the whole evidence that hold. */
function readSentences(
  chart: PatientChart,
  { visit, evidence, notes, global, local, retrieved }: VisitRetrieval,
): { sound: readonly NoteSentence[]; all: readonly NoteSentence[] } {
  const parts = new Map<string, Partial<Record<'S' | 'O' | 'A' | 'P', number>>>();
  for (const { soap, hits } of [...global.questions, ...local.questions])
    for (const { unitId, score } of hits) {
      const own = parts.get(unitId) ?? {};
      parts.set(unitId, { ...own, [soap]: Math.max(own[soap] ?? 0, score) });
    }
  const scoreOf = new Map(retrieved.map(({ chunk, score }) => [chunk.id, score]));
  const scored = notes
    .flatMap(({ chunks }) => chunks)
    .map((chunk): ScoredChunk => ({
      chunk,
      score: scoreOf.get(chunk.id) ?? 0,
      parts: parts.get(chunk.id) ?? {},
    }));
  const earlier = chart.notes.filter(
    ({ date, stored }) => date < visit.date && (stored ?? '') <= evidence.asOf,
  );
  const all = judgeSentences(readNoteSentences(notes, scored), { earlier }).sound;
  return { all, sound: all.filter(({ chunk }) => scoreOf.has(chunk.id)) };
}

function assemble(
  composed: ComposedNote,
  {
    retrieval,
    prior,
    sound,
    options,
  }: {
    retrieval: VisitRetrieval;
    prior: PriorSummary | undefined;
    sound: readonly NoteSentence[];
    options: SoapNoteOptions;
  },
): SoapNote {
  const { visit, evidence } = retrieval;
  const keyOf = keysOf(retrieval);
  const quote = (sentences: readonly NoteSentence[]): { sentences: readonly SoapSentence[] } => ({
    sentences: sentences.map((sentence) => toSoapSentence(sentence, keyOf)),
  });
  const sections = {
    subjective: quote(composed.parts.S),
    objective: {
      sentences: [
        ...quote(composed.parts.O).sentences,
        ...composed.values.map((value) => toSoapValue(value, keyOf)),
      ],
    },
    assessment: quote(composed.parts.A),
    plan: quote(composed.parts.P),
  };
  const conflicting: OrderConflict[] = composed.conflicts.map(({ drug, sentences }) => ({
    drug,
    ...quote([...sentences].sort(inChartOrder)),
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
  const quoted = [
    ...Object.values(sections).flatMap(({ sentences }) => sentences),
    ...conflicting.flatMap(({ sentences }) => sentences),
  ];
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
    grounding: groundText(
      quoted
        .map((sentence) => `${sentence.text.replace(/[.!?]*$/u, '')} [${sentence.citations.join(', ')}].`)
        .join('\n'),
      sources,
    ),
    words: countBodyWords(text),
    omitted: { intended: 0, sent: 0 },
    model: { embedder: options.fingerprint.id, generator: EXTRACTIVE },
  };
}
