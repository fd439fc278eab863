/** A patient's chart and a visit → its SOAP note: retrieve, judge, compose or have it written, compare with the visit before, prove (paper 001). */

import type { Generator } from '../core/generator.js';
import { readPromptRoom, type PromptRoom } from '../core/generator/promptRoom.js';
import type { Omitted, Visit } from '../core/types.js';
import type { PatientChart } from './chartStore.js';
import { provingTexts } from './check/provingTexts.js';
import { assembleNote, keysOf } from './note/assembleNote.js';
import { BODY_WORDS, composeNote, type ComposedNote } from './note/composeNote.js';
import type { PriorSummary, QuotedSentence, SoapNote } from './note/noteRecord.js';
import { readNoteSentences, type NoteSentence, type ScoredChunk } from './note/noteSentences.js';
import { summarizePrior, type PriorMode } from './note/priorSummary.js';
import { toSoapSentence, toSoapValue, toSource } from './note/provenance.js';
import { judgeSentences } from './note/soundSentences.js';
import { fitSources, writeWithModel } from './note/writtenNote.js';
import { buildPrompt, orderSources } from './prompt.js';
import { retrieveVisit, type RetrieveVisitOptions, type VisitRetrieval } from './retrieveVisit.js';

export interface PromptOptions extends RetrieveVisitOptions {
  /** Default: the stored note of the visit before, else a generated one. */
  readonly prior?: PriorMode;
  /** Tokens of the model's window, its reply included; the least relevant chunks that do not fit are left out. Default: no limit. */
  readonly contextTokens?: number;
}

export interface SoapNoteOptions extends PromptOptions {
  /** Default: extractive, which needs no language model. */
  readonly generator?: Generator;
  /** What a language model wrote and its sources do not say is left out. */
  readonly strict?: boolean;
}

/** A note that says more than this is made again with fewer words. */
const MOST_WORDS = 600;

/** The whole pipeline. A visit without evidence has a note that says so, whatever the generator. */
export async function writeSoapNote(
  chart: PatientChart,
  visit: Visit,
  options: SoapNoteOptions,
): Promise<SoapNote> {
  const retrieval = await retrieveVisit(chart, visit, options);
  const prior = await readPrior(chart, visit, { ...options, asOf: retrieval.evidence.asOf });
  const { sound, all } = readSentences(chart, retrieval);
  const known = { retrieval, prior, sound, embedder: options.fingerprint.id };
  if (options.generator !== undefined && retrieval.retrieved.length > 0) {
    const sources = orderSources(retrieval.retrieved.map(({ chunk }) => chunk)).map(toSource);
    const room = await readPromptRoom(options.generator, options.contextTokens);
    const { prompt, omitted } = renderPrompt({ retrieval, prior, room });
    const { model, strict } = { model: options.generator, strict: options.strict === true };
    // What orders the writer to say something is no proof of it.
    const texts = provingTexts(retrieval.notes);
    const proving = sources.map(({ key, unitId, text }) => ({ key, text: texts.get(unitId) ?? text }));
    const written = await writeWithModel(prompt, { model, proving, strict });
    return assembleNote(composeNote(sound, { all }), {
      ...known,
      written: { ...written, omitted: { ...omitted, ...written.counted }, generator: model.name },
    });
  }
  let note = assembleNote(composeNote(sound, { all }), known);
  for (let words = BODY_WORDS - 30; note.words > MOST_WORDS && words > 100; words -= 30)
    note = assembleNote(composeNote(sound, { all, words }), known);
  return note;
}

export interface VisitPrompt {
  readonly prompt: string;
  readonly omitted: Omitted;
  readonly retrieval: VisitRetrieval;
  readonly prior: PriorSummary | undefined;
}

/** The prompt for any model, exactly as `writeSoapNote` would send it. */
export async function writePrompt(
  chart: PatientChart,
  visit: Visit,
  options: PromptOptions,
): Promise<VisitPrompt> {
  const retrieval = await retrieveVisit(chart, visit, options);
  const prior = await readPrior(chart, visit, { ...options, asOf: retrieval.evidence.asOf });
  const { countTokens, contextTokens } = options;
  return { ...renderPrompt({ retrieval, prior, room: { countTokens, contextTokens } }), retrieval, prior };
}

function renderPrompt({
  retrieval: { visit, evidence, retrieved },
  prior,
  room,
}: {
  retrieval: VisitRetrieval;
  prior: PriorSummary | undefined;
  room: PromptRoom;
}): { prompt: string; omitted: Omitted } {
  const scores = new Map(retrieved.map(({ chunk, score }) => [chunk.id, score]));
  return fitSources(orderSources(retrieved.map(({ chunk }) => chunk)), {
    scoreOf: ({ chunk }) => scores.get(chunk.id) ?? 0,
    render: (sources) =>
      buildPrompt(sources, {
        visitDate: visit.date,
        asOf: evidence.asOf,
        ...(prior === undefined ? {} : { priorSummary: prior }),
      }),
    ...room,
  });
}

function readPrior(
  chart: PatientChart,
  visit: Visit,
  options: PromptOptions & { asOf: string },
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
function withSources(
  { parts, conflicts, values }: ComposedNote,
  retrieval: VisitRetrieval,
): QuotedSentence[] {
  const keyOf = keysOf(retrieval);
  const disputed = conflicts.flatMap(({ sentences }) => sentences);
  return [
    ...[...parts.A, ...parts.P, ...disputed, ...parts.S, ...parts.O].map((sentence) =>
      toSoapSentence(sentence, keyOf),
    ),
    ...values.map((value) => toSoapValue(value, keyOf)),
  ];
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
