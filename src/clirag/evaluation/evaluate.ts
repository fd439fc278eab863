/** Patients, systems and a judge → every note measured, visit by visit, and the systems' scores. */

import { ExitCode, ToolError } from '../../core/errors.js';
import type { Note, NoteType, Visit } from '../../core/types.js';
import type { ChartStore, PatientChart } from '../chartStore.js';
import { openChartSources } from '../check/chartSources.js';
import type { NoteText } from '../check/checkedNotes.js';
import { cleanText } from '../clean.js';
import { renderMarkdown } from '../renderNote.js';
import { retrieveVisit } from '../retrieveVisit.js';
import { writeSoapNote, type SoapNoteOptions } from '../soapNote.js';
import { findVisit, listVisits } from '../visits.js';
import { readEvaluatedNote, type EvaluatedNote, type ReadingTools } from './evaluatedNote.js';
import { saidIn, type Fact, type Said } from './facts.js';
import { blindText, type PreferenceJudge, type Vote } from './preference.js';
import {
  compareSystems,
  scoreSystem,
  type Consistency,
  type PairedNote,
  type SystemScores,
} from './scores.js';
import type { System } from './systems.js';

export interface EvaluateOptions {
  readonly store: ChartStore;
  readonly patients: readonly string[];
  readonly systems: readonly System[];
  readonly options: SoapNoteOptions;
  readonly tools: ReadingTools;
  readonly facts: readonly Fact[] | undefined;
  /** Notes written elsewhere, by the name of their system. */
  readonly written: ReadonlyMap<string, readonly NoteText[]>;
  readonly judge: PreferenceJudge | undefined;
  readonly seed: number;
  readonly stem: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

export interface Faulty {
  readonly system: string;
  readonly visit: string;
  readonly faults: EvaluatedNote['faults'];
}

export interface Measured {
  readonly visits: number;
  /** Visits that have a progress note to compare with. */
  readonly gold: number;
  /** The gold notes measured as a system's are. */
  readonly goldScores: SystemScores;
  readonly systems: readonly SystemScores[];
  readonly consistency: readonly Consistency[];
  /** Hits of the global stage by note type. */
  readonly retrieved: Readonly<Partial<Record<NoteType, number>>>;
  readonly faulty: readonly Faulty[];
  /** Replies of generators that never came, by system. */
  readonly failed: Readonly<Record<string, number>>;
}

interface Run {
  readonly system: System;
  readonly pairs: PairedNote[];
  readonly notes: Map<string, EvaluatedNote>;
  missing: number;
  failed: number;
}

export async function evaluateNotes(asked: EvaluateOptions): Promise<Measured> {
  const { store, patients, systems, judge, seed, stem } = asked;
  const runs = systems.map((system): Run => ({ system, pairs: [], notes: new Map(), missing: 0, failed: 0 }));
  const golds: PairedNote[] = [];
  const retrieved: Partial<Record<NoteType, number>> = {};
  let visits = 0;
  for (const [at, patient] of patients.entries()) {
    asked.onProgress(at, patients.length);
    const chart = await store.openPatient(patient);
    const course = listVisits(chart.notes);
    const written = placeWritten(asked.written, chart);
    for (const visit of course) {
      asked.signal.throwIfAborted();
      visits++;
      const place = {
        chart,
        visit,
        course,
        written,
        sources: openChartSources(chart, visit),
        facts: factsOf(asked.facts, visit),
      };
      const gold = await readGold(place, asked.tools);
      if (gold !== undefined) golds.push({ patient, note: gold, gold });
      for (const run of runs) {
        const note = await readNote(run, place, asked);
        if (note === undefined) {
          run.missing++;
          continue;
        }
        const vote = gold === undefined ? undefined : await voteOn(note, { gold, judge });
        run.notes.set(visit.id, note);
        run.pairs.push({ patient, note, gold, ...(vote === undefined ? {} : { vote }) });
      }
      if (systems.some(({ kind }) => kind === 'generator')) {
        const { global } = await retrieveVisit(chart, visit, asked.options);
        for (const { type, hits } of global.contributions) retrieved[type] = (retrieved[type] ?? 0) + hits;
      }
    }
  }
  const named = runs
    .filter(({ system }) => system.kind !== 'ablation')
    .map(({ system, notes }) => ({ name: system.name, notes }));
  return {
    visits,
    gold: golds.length,
    goldScores: scoreSystem('gold', { pairs: golds, missing: visits - golds.length, seed, stem }),
    systems: runs.map(({ system, pairs, missing }) =>
      scoreSystem(system.name, { pairs, missing, seed, stem }),
    ),
    consistency: named.flatMap((a, at) =>
      named.slice(at + 1).flatMap((b) => compareSystems([a, b], { stem }) ?? []),
    ),
    retrieved,
    faulty: runs
      .filter(({ system }) => system.kind !== 'ablation' && system.kind !== 'copy')
      .flatMap(({ system, notes }) =>
        [...notes].map(([visit, { faults }]) => ({ system: system.name, visit, faults })),
      )
      .filter(({ faults }) => faults.length > 0),
    failed: Object.fromEntries(
      runs.filter(({ failed }) => failed > 0).map(({ system, failed }) => [system.name, failed]),
    ),
  };
}

interface Place {
  readonly chart: PatientChart;
  readonly visit: Visit;
  readonly course: readonly Visit[];
  readonly written: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly sources: ReturnType<typeof openChartSources>;
  readonly facts: readonly Fact[] | undefined;
}

function factsOf(facts: readonly Fact[] | undefined, visit: Visit): readonly Fact[] | undefined {
  const own = facts?.filter(
    ({ patient, visit: date }) => String(patient) === visit.patientId && date === visit.date,
  );
  return own === undefined || own.length === 0 ? undefined : own;
}

/** The last progress note of the visit that was stored: the one that stands. */
export function goldNoteOf(chart: PatientChart, visit: Visit): Note | undefined {
  const own = new Set(visit.noteIds);
  return chart.notes.filter(({ id, type }) => own.has(id) && type === 'progress_notes').at(-1);
}

async function readGold(
  { chart, visit, sources, facts }: Place,
  tools: ReadingTools,
): Promise<EvaluatedNote | undefined> {
  const note = goldNoteOf(chart, visit);
  return note === undefined
    ? undefined
    : readEvaluatedNote(note.text, { visit, sources, tools, facts, plain: cleanText(note.text).text });
}

async function readNote(run: Run, place: Place, asked: EvaluateOptions): Promise<EvaluatedNote | undefined> {
  const { system } = run;
  const { chart, visit, course, sources, facts } = place;
  const known = { visit, sources, facts, tools: asked.tools };
  if (system.kind === 'copy') {
    // Copied day after day, the first note stays what it was.
    const [first] = course;
    const copied = first === undefined || first.id === visit.id ? undefined : goldNoteOf(chart, first);
    return copied === undefined
      ? undefined
      : readEvaluatedNote(copied.text, { ...known, plain: cleanText(copied.text).text, priorFrom: 'gold' });
  }
  if (system.kind === 'notes') {
    const text = place.written.get(system.name)?.get(visit.id);
    return text === undefined ? undefined : readEvaluatedNote(text, known);
  }
  try {
    const note = await writeSoapNote(chart, visit, { ...asked.options, ...system.options });
    const said: Said[] = saidIn(note);
    const text = renderMarkdown(note).replace(/^---\n[\s\S]*?\n---\n/u, '');
    return await readEvaluatedNote(text, {
      ...known,
      said,
      ...(note.priorSummary === undefined ? {} : { priorFrom: note.priorSummary.from }),
    });
  } catch (error) {
    // A model that failed at once is an error, one that fails now and then has notes missing.
    if (!(error instanceof ToolError) || error.exitCode !== ExitCode.model || run.notes.size === 0)
      throw error;
    run.failed++;
    return undefined;
  }
}

async function voteOn(
  note: EvaluatedNote,
  { gold, judge }: { gold: EvaluatedNote; judge: PreferenceJudge | undefined },
): Promise<Vote | undefined> {
  return judge?.vote({ note: blindText(note.plain), gold: blindText(gold.plain) });
}

/** System → visit → text, of one patient. */
function placeWritten(
  written: EvaluateOptions['written'],
  chart: PatientChart,
): Map<string, Map<string, string>> {
  return new Map(
    [...written].map(([system, notes]) => [
      system,
      new Map(
        notes
          .filter(({ header }) => header.patient === chart.patientId && header.visit !== undefined)
          .map(({ header, text }) => [findVisit(chart.notes, header.visit ?? '').id, text]),
      ),
    ]),
  );
}
