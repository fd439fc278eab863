/** Two sets of SOP files + saved questions → which sections differ and which questions are now answered differently. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VectorStore } from '../../core/store/vectorStore.js';
import type { DocumentControl, Embedder, EmbedderFingerprint } from '../../core/types.js';
import type { AnswerSource } from '../answer.js';
import { compareAnswers, type AnswerChange } from '../records/answerChanges.js';
import { buildSopIndexFromUnits, vectorStores } from '../buildIndex.js';
import { cutSopFiles } from '../cutFiles.js';
import { answerAsked } from '../lists/corpusAnswer.js';
import { compareDocuments, type DocumentChange } from './documentChanges.js';
import { isSearchable } from '../documents/documentControl.js';
import type { Chunking } from '../index/indexFormat.js';
import type { RetrieveOptions } from '../retrieve.js';
import type { SavedQuestion } from '../records/savedQuestions.js';
import type { SopFile } from '../documents/sopFiles.js';
import { openSopIndex, type SopIndex } from '../sopIndex.js';
import type { CutDocument } from '../units.js';

export interface ImpactOptions {
  readonly chunking: Chunking;
  readonly fingerprint: EmbedderFingerprint;
  /** Called only if there are questions. */
  readonly openEmbedder: () => Promise<Embedder>;
  readonly questions: readonly SavedQuestion[];
  readonly retrieve: RetrieveOptions;
  /** Vectors of an index that is there, of the same embedder. */
  readonly reuse?: readonly VectorStore[];
  readonly signal?: AbortSignal;
  readonly onProgress?: (stage: 'embedding' | 'asking', done: number, total: number) => void;
}

export interface Impact {
  readonly documents: readonly DocumentChange[];
  /** Every question, those with the same answer too. */
  readonly answers: readonly AnswerChange[];
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** Texts that the model read: those that are in neither another index nor the other side. */
  readonly embedded: number;
}

/**
 * Reads both sides, compares them section by section and, if there are questions, answers each from two temporary indexes.
 * A version that is not in force (a draft, a future effective date) is read as if it were, unless its own side has one that is.
 */
export async function findImpact(
  files: { readonly old: readonly SopFile[]; readonly current: readonly SopFile[] },
  options: ImpactOptions,
): Promise<Impact> {
  const { chunking, signal } = options;
  const old = await cutSopFiles(files.old, { chunking, signal });
  const current = await cutSopFiles(files.current, { chunking, signal });
  const documents = compareDocuments(
    old.cut.map(({ document }) => document),
    current.cut.map(({ document }) => document),
  );
  const skipped = [...old.skipped, ...current.skipped];
  if (options.questions.length === 0) return { documents, answers: [], skipped, embedded: 0 };
  const folder = await mkdtemp(join(tmpdir(), 'labsage-impact-'));
  try {
    const { answers, embedded } = await askBoth(
      { old: old.cut, current: current.cut },
      { ...options, folder },
    );
    return { documents, answers, skipped, embedded };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function askBoth(
  sides: { old: readonly CutDocument[]; current: readonly CutDocument[] },
  options: ImpactOptions & { folder: string },
): Promise<{ answers: AnswerChange[]; embedded: number }> {
  const { today } = options.retrieve;
  const embedder = await options.openEmbedder();
  const opened: SopIndex[] = [];
  try {
    // The build closes the embedder that it opens; this one is used for the questions too.
    const shared = {
      ...options,
      opened,
      openEmbedder: () => Promise.resolve({ ...embedder, close: () => Promise.resolve() }),
    };
    const old = await openSide(readAsInForce(sides.old, today), {
      ...shared,
      folder: join(options.folder, 'old'),
    });
    const reuse = [...(options.reuse ?? []), ...(old === undefined ? [] : vectorStores(old.source.index))];
    const current = await openSide(readAsInForce(sides.current, today), {
      ...shared,
      reuse,
      folder: join(options.folder, 'new'),
    });
    const answers: AnswerChange[] = [];
    for (const [at, { id, question }] of options.questions.entries()) {
      options.signal?.throwIfAborted();
      options.onProgress?.('asking', at, options.questions.length);
      const [before, after] = [
        await answerFrom(question, old?.source, { ...options, embedder }),
        await answerFrom(question, current?.source, { ...options, embedder }),
      ];
      answers.push({ id, question, kind: compareAnswers(before, after), before, after });
    }
    return { answers, embedded: (old?.embedded ?? 0) + (current?.embedded ?? 0) };
  } finally {
    for (const index of opened) await index.close();
    await embedder.close();
  }
}

interface Side {
  readonly source: Omit<AnswerSource, 'embedder'>;
  readonly embedded: number;
}

/** Undefined for a side without documents, which answers nothing. */
async function openSide(
  cut: readonly CutDocument[],
  options: ImpactOptions & { folder: string; opened: SopIndex[] },
): Promise<Side | undefined> {
  if (cut.length === 0) return undefined;
  const { folder, chunking, fingerprint, openEmbedder, reuse, signal } = options;
  const { embedded } = await buildSopIndexFromUnits(cut, {
    folder,
    chunking,
    fingerprint,
    openEmbedder,
    ...(reuse === undefined ? {} : { reuse }),
    ...(signal === undefined ? {} : { signal }),
    onProgress: (stage, done, total) => {
      if (stage === 'embedding') options.onProgress?.(stage, done, total);
    },
  });
  const index = await openSopIndex(folder);
  options.opened.push(index);
  return { source: { index }, embedded };
}

async function answerFrom(
  question: string,
  source: Side['source'] | undefined,
  { embedder, retrieve }: { embedder: Embedder; retrieve: RetrieveOptions },
): Promise<AnswerChange['before']> {
  if (source !== undefined) return (await answerAsked(question, { ...source, embedder }, retrieve)).answer;
  return {
    question,
    text: 'There is no document on this side.',
    answered: false,
    confidence: 0,
    needsReview: false,
    warnings: [],
    missingTerms: [],
    citations: [],
    grounding: { sentences: [] },
    sources: [],
    omitted: { intended: 0, sent: 0 },
    model: { embedder: embedder.fingerprint.id, generator: 'extractive' },
    timingsMs: {},
  };
}

/** Of each number without a version in force, the latest is read as if it were; a document without a number stands alone. */
export function readAsInForce(cut: readonly CutDocument[], today: string): CutDocument[] {
  const groups = new Map<string, CutDocument[]>();
  for (const one of cut) {
    const key = one.document.control.number ?? one.document.id;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const promoted = new Set<CutDocument>();
  for (const group of groups.values()) {
    if (group.some(({ document }) => isSearchable(document.control, today))) continue;
    const [latest] = [...group].sort((a, b) => latestFirst(a.document.control, b.document.control));
    if (latest !== undefined) promoted.add(latest);
  }
  return cut.map((one) => {
    if (!promoted.has(one)) return one;
    const { effective, ...control } = one.document.control;
    const isEffective = effective !== undefined && effective <= today;
    const inForce: DocumentControl = { ...control, status: 'current', ...(isEffective ? { effective } : {}) };
    return { ...one, document: { ...one.document, control: inForce } };
  });
}

/** A draft that states no date yet is the latest. */
function latestFirst(a: DocumentControl, b: DocumentControl): number {
  return (b.effective ?? '9999').localeCompare(a.effective ?? '9999');
}
