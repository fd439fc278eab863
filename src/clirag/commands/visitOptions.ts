/** Options of `retrieve`, `prompt` and `note` → the chart, the visit, and what the pipeline needs. */

import { resolve } from 'node:path';
import { DEFAULT_EMBEDDER } from '../../core/config.js';
import { nameEmbedder } from '../../core/models/provenEmbedder.js';
import type { Io, Output } from '../../core/output.js';
import { loadTokenCounter } from '../../core/tokenCounter.js';
import type { Visit } from '../../core/types.js';
import type { ChartStore, PatientChart } from '../chartStore.js';
import type { PriorMode } from '../note/priorSummary.js';
import { readQuestionSets } from '../retrieval/questionSets.js';
import { openQuestionVectors } from '../retrieval/questionVectors.js';
import type { SoapNoteOptions } from '../soapNote.js';
import { findVisit, parseAsOf } from '../visits.js';
import { openChart, openServer, openStore, type StoreFlags } from './openStore.js';

export interface VisitFlags extends StoreFlags {
  readonly visit?: string;
  readonly asOf?: string;
  readonly embedder?: string;
  readonly withProgressNotes?: boolean;
  readonly prior?: PriorMode;
  /** `--no-…` switches: commander's default is true. */
  readonly local?: boolean;
  readonly bm25?: boolean;
  readonly rerank?: boolean;
  readonly dedup?: boolean;
  readonly weight?: number;
  readonly globalQuestions?: string;
  readonly localQuestions?: string;
  readonly contextTokens?: number;
  /** Sessions of the model side by side. */
  readonly threads?: number;
  readonly json?: boolean;
}

export interface OpenedVisit {
  readonly chart: PatientChart;
  /** The visit named, or the patient's first where none was (for a whole course). */
  readonly visit: Visit;
  readonly options: SoapNoteOptions;
}

/** Opens the one patient, runs `work`, and closes the model. */
export async function withVisit<Result>(
  flags: VisitFlags,
  context: { io: Io; output: Output },
  work: (opened: OpenedVisit) => Promise<Result>,
): Promise<Result> {
  const asOf = flags.asOf === undefined ? undefined : parseAsOf(flags.asOf);
  return withStore(flags, context, async ({ store, options }) => {
    const chart = await openChart(store, flags);
    const visit = findVisit(chart.notes, flags.visit ?? '#1');
    return work({ chart, visit, options: asOf === undefined ? options : { ...options, asOf } });
  });
}

/** Opens the store, runs `work`, and closes the model, which is loaded at the first text that has no vector yet. */
export async function withStore<Result>(
  flags: VisitFlags,
  { io, output }: { io: Io; output: Output },
  work: (opened: { store: ChartStore; options: SoapNoteOptions }) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(flags, io);
  const questions = await readQuestionSets({
    ...(flags.globalQuestions === undefined ? {} : { global: resolve(io.cwd, flags.globalQuestions) }),
    ...(flags.localQuestions === undefined ? {} : { local: resolve(io.cwd, flags.localQuestions) }),
  });
  const named = await nameEmbedder(flags.embedder ?? DEFAULT_EMBEDDER, {
    env: io.env,
    threads: flags.threads ?? givenCores(io.env),
  });
  const embedder = openQuestionVectors(store.folder, named);
  const progress = output.progress('Embedding chunk');
  try {
    return await work({
      store,
      options: {
        questions,
        fingerprint: named.fingerprint,
        server: await openServer(flags, { io, fingerprint: named.fingerprint }),
        openEmbedder: () => Promise.resolve(embedder),
        countTokens: await loadTokenCounter(),
        useLocal: flags.local !== false,
        useKeywords: flags.bm25 !== false,
        useRerank: flags.rerank !== false,
        useDedup: flags.dedup !== false,
        withProgressNotes: flags.withProgressNotes === true,
        signal: io.signal,
        onProgress: (done, total) => progress.update(done, total),
        ...(flags.weight === undefined ? {} : { denseWeight: flags.weight }),
        ...(flags.prior === undefined ? {} : { prior: flags.prior }),
        ...(flags.contextTokens === undefined ? {} : { contextTokens: flags.contextTokens }),
      },
    });
  } finally {
    progress.stop();
    await named.close();
  }
}

/** What besides chart and questions decides a note, as records, cohorts and manifests hold it. */
export function recordSettings(options: SoapNoteOptions): Readonly<Record<string, unknown>> {
  return {
    withProgressNotes: options.withProgressNotes === true,
    useLocal: options.useLocal !== false,
    useKeywords: options.useKeywords !== false,
    useRerank: options.useRerank !== false,
    useDedup: options.useDedup !== false,
    denseWeight: options.denseWeight ?? null,
    prior: options.prior ?? null,
    contextTokens: options.contextTokens ?? null,
  };
}

/** A Slurm job gets the cores it was given, not the node's; undefined elsewhere. */
function givenCores(env: Io['env']): number | undefined {
  const cores = Number(env['SLURM_CPUS_PER_TASK']);
  return Number.isSafeInteger(cores) && cores > 0 ? cores : undefined;
}
