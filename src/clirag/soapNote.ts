/** A patient's chart and a visit → its SOAP note: retrieve, judge, compose or have it written, compare with the visit before, prove (paper 001). */

import { EXTRACTIVE, type Generator } from '../core/generator.js';
import { groundText } from '../core/grounding.js';
import type { Grounding, Omitted, Visit } from '../core/types.js';
import type {
  OrderConflict,
  PriorSummary,
  QuotedSentence,
  SoapNote,
  SoapSectionName,
  SoapSentence,
} from './note/noteRecord.js';
import type { PatientChart } from './chartStore.js';
import { BODY_WORDS, composeNote, inChartOrder, type ComposedNote } from './note/composeNote.js';
import { compareVisits, type NoteChanges } from './note/noteChanges.js';
import { readNoteSentences, type NoteSentence, type ScoredChunk } from './note/noteSentences.js';
import { summarizePrior, type PriorMode } from './note/priorSummary.js';
import { fitSources, writeWithModel } from './note/writtenNote.js';
import { buildPrompt, orderSources } from './prompt.js';
import { toSoapSentence, toSoapValue, toSource } from './note/provenance.js';
import { countBodyWords, renderBody } from './renderNote.js';
import type { ExclusionReason } from './visits.js';
import { retrieveVisit, type RetrieveVisitOptions, type VisitRetrieval } from './retrieveVisit.js';
import { judgeSentences } from './note/soundSentences.js';

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
const NO_CHANGES: NoteChanges = { new: [], changed: [], resolved: [] };

/** The whole pipeline. A visit without evidence has a note that says so, whatever the generator. */
export async function writeSoapNote(
  chart: PatientChart,
  visit: Visit,
  options: SoapNoteOptions,
): Promise<SoapNote> {
  const retrieval = await retrieveVisit(chart, visit, options);
  const prior = await readPrior(chart, visit, { ...options, asOf: retrieval.evidence.asOf });
  const { sound, all } = readSentences(chart, retrieval);
  const known = { retrieval, prior, sound, options };
  if (options.generator !== undefined && retrieval.retrieved.length > 0) {
    const sources = orderSources(retrieval.retrieved.map(({ chunk }) => chunk)).map(toSource);
    const { prompt, omitted } = renderPrompt(known);
    const { model, strict } = { model: options.generator, strict: options.strict === true };
    const written = await writeWithModel(prompt, { model, sources, strict });
    return assemble(composeNote(sound, { all }), {
      ...known,
      written: { ...written, omitted: { ...omitted, ...written.counted }, generator: model.name },
    });
  }
  let note = assemble(composeNote(sound, { all }), known);
  for (let words = BODY_WORDS - 30; note.words > MOST_WORDS && words > 100; words -= 30)
    note = assemble(composeNote(sound, { all, words }), known);
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
  return { ...renderPrompt({ retrieval, prior, options }), retrieval, prior };
}

function renderPrompt({
  retrieval: { visit, evidence, retrieved },
  prior,
  options: { countTokens, contextTokens },
}: {
  retrieval: VisitRetrieval;
  prior: PriorSummary | undefined;
  options: PromptOptions;
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
    countTokens,
    contextTokens,
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

interface Written {
  readonly sections: SoapNote['sections'];
  readonly grounding: Grounding;
  readonly reply: string;
  readonly withheld: readonly string[];
  readonly isCut: boolean;
  readonly omitted: Omitted;
  readonly generator: string;
}

/** `written`: the sections of a language model; else they are composed. Changes and conflicts are the chart's in either case. */
function assemble(
  composed: ComposedNote,
  {
    retrieval,
    prior,
    sound,
    options,
    written,
  }: {
    retrieval: VisitRetrieval;
    prior: PriorSummary | undefined;
    sound: readonly NoteSentence[];
    options: SoapNoteOptions;
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
      : { reply: written.reply, isCut: written.isCut, withheld: written.withheld }),
    words: countBodyWords(text),
    omitted: written?.omitted ?? { intended: 0, sent: 0 },
    model: { embedder: options.fingerprint.id, generator: written?.generator ?? EXTRACTIVE },
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
