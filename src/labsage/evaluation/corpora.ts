/** An index + the names of embedders → the corpus under each embedder, in every form that the compared systems search. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbedder } from '../../core/embedder.js';
import { systemCode } from '../../core/errors.js';
import { fingerprintOf, type ModelFiles } from '../../core/models/modelFiles.js';
import { createPrivateFolder } from '../../core/store/atomicFiles.js';
import { withFolderLock } from '../../core/store/folderLock.js';
import type { Document, Embedder } from '../../core/types.js';
import { packageVersion } from '../../core/version.js';
import { buildSopIndexFromUnits } from '../buildIndex.js';
import type { Preset } from '../index/indexFormat.js';
import { openSopIndex, readAllDocuments, sameFingerprint, type SopIndex } from '../sopIndex.js';
import { chunkingOf, cutDocument } from '../units.js';
import { openSystem, type EvaluatedSystem } from './evaluatedSystems.js';
import type { EvaluatedCorpus } from './evaluate.js';
import { keepVectors } from './keptVectors.js';
import { documentsByPath } from './questionScores.js';
import type { SystemName } from './systemNames.js';

export interface CorporaOptions {
  /** Proves that the model computes right on this machine; throws if not. */
  readonly prove: (model: ModelFiles, embedder: Embedder) => Promise<void>;
  readonly systems: readonly SystemName[];
  /** ISO date that decides which versions are in force. */
  readonly today: string;
  /** Sessions of the model side by side. */
  readonly threads?: number | undefined;
  readonly signal?: AbortSignal;
  readonly onStage?: (stage: string) => void;
}

/** Beside the index: vectors of an earlier evaluation, which need not be computed again. */
const KEPT_FOLDER = 'evaluation';

/**
 * Opens the corpora, hands them to `work`, and removes what was only built for it. The index itself is not changed. Two
 * evaluations of one index do not run at once.
 */
export async function withCorpora<Result>(
  source: { index: SopIndex; models: readonly ModelFiles[] },
  options: CorporaOptions,
  work: (corpora: readonly EvaluatedCorpus[]) => Promise<Result>,
): Promise<Result> {
  const temporary = await mkdtemp(join(tmpdir(), 'labsage-eval-'));
  const open: Embedder[] = [];
  try {
    const kept = await keptFolder(source.index.folder, temporary);
    return await withFolderLock(kept, { name: 'evaluation' }, async () => {
      const corpora: EvaluatedCorpus[] = [];
      for (const model of source.models) {
        const folder = join(temporary, `embedder-${corpora.length}`);
        corpora.push(await openCorpus({ index: source.index, model, open }, { ...options, folder, kept }));
      }
      return work(corpora);
    });
  } finally {
    await Promise.all(open.map((embedder) => embedder.close()));
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Where the index can't be written, vectors live as long as the evaluation. */
async function keptFolder(indexFolder: string, temporary: string): Promise<string> {
  const folder = join(indexFolder, KEPT_FOLDER);
  try {
    await createPrivateFolder(folder);
    return folder;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return temporary;
  }
}

async function openCorpus(
  { index, model, open }: { index: SopIndex; model: ModelFiles; open: Embedder[] },
  options: CorporaOptions & { folder: string; kept: string },
): Promise<EvaluatedCorpus> {
  const { systems: names, today } = options;
  const fresh = await createEmbedder(model, { threads: options.threads });
  open.push(fresh);
  await options.prove(model, fresh);
  const embedder = await keepVectors(fresh, options.kept);
  open.push(embedder);
  const documents = await readAllDocuments(index);
  const isGiven = ({ manifest }: SopIndex, preset: Preset): boolean =>
    sameFingerprint(manifest.embedder, fingerprintOf(model)) && manifest.chunking.preset === preset;
  const indexOf = async (preset: Preset): Promise<SopIndex> =>
    isGiven(index, preset) ? index : buildPreset(documents, { ...options, preset, embedder });
  options.onStage?.(`Preparing ${model.card.id}`);
  const ours = await indexOf('labsage');
  const paperIndex = names.includes('paper') ? await indexOf('paper') : undefined;
  const openAll = async (using: Embedder): Promise<EvaluatedSystem[]> => {
    const systems: EvaluatedSystem[] = [];
    for (const name of names) {
      if (name === 'none') continue;
      systems.push(await openSystem(name, { index: ours, paperIndex, embedder: using, today }));
    }
    return systems;
  };
  const systems = await openAll(embedder);
  return {
    embedder: model.card.id,
    systems,
    // Passages that a system embeds beforehand are kept ones; what a question costs is not.
    timedSystems: await openAll(freshAfterwards(embedder, fresh)),
    documents: documentsByPath(documents),
    indexed: new Map(ours.documents.map((document) => [document.path, document])),
  };
}

/** Texts whose vectors a system prepares in one large batch come from the file, all others from the model. */
function freshAfterwards(kept: Embedder, fresh: Embedder): Embedder {
  let isPrepared = false;
  return {
    fingerprint: fresh.fingerprint,
    async embed(texts, role) {
      if (role === 'query') isPrepared = true;
      return (isPrepared ? fresh : kept).embed(texts, role);
    },
    close: () => Promise.resolve(),
  };
}

async function buildPreset(
  documents: readonly Document[],
  options: CorporaOptions & { folder: string; preset: Preset; embedder: Embedder },
): Promise<SopIndex> {
  const chunking = chunkingOf(options.preset, packageVersion());
  const cut = [];
  for (const document of documents) cut.push(await cutDocument(document, chunking));
  const folder = join(options.folder, options.preset);
  const embedder: Embedder = { ...options.embedder, close: () => Promise.resolve() };
  await buildSopIndexFromUnits(cut, {
    folder,
    chunking,
    fingerprint: embedder.fingerprint,
    openEmbedder: () => Promise.resolve(embedder),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  return openSopIndex(folder);
}
