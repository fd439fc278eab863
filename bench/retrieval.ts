/** Evidence recall at equal words of context: the default, the paper's preset, and fixed-size chunks with and without title. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbedder } from '../src/core/embedder.js';
import { findModel } from '../src/core/models/modelFiles.js';
import { resolvePaths } from '../src/core/config.js';
import { packageVersion } from '../src/core/version.js';
import type { Embedder } from '../src/core/types.js';
import { buildSopIndex } from '../src/labsage/buildIndex.js';
import { localDate } from '../src/labsage/documents/documentControl.js';
import { evidenceRecall, fitWords, type ContextText } from '../src/labsage/evaluation/containment.js';
import { readQuestions, type Question } from '../src/labsage/evaluation/questions.js';
import {
  labsageSystem,
  standardSystem,
  STANDARD_CHUNKS,
  type RetrievalSystem,
} from '../src/labsage/evaluation/systems.js';
import type { Preset } from '../src/labsage/index/indexFormat.js';
import { listSopFiles } from '../src/labsage/documents/sopFiles.js';
import { openSopIndex, type SopIndex } from '../src/labsage/sopIndex.js';
import { chunkingOf } from '../src/labsage/units.js';
import { cachedEmbedder } from './cachedEmbedder.js';

export const WORD_BUDGETS = [150, 300, 600, 1000, 2000];
/** Contexts looked at to fill the largest budget. */
const RANKED = 60;

export interface BenchCorpus {
  readonly name: string;
  readonly sops: string;
  readonly questions: readonly Question[];
}

export async function benchCorpora(): Promise<BenchCorpus[]> {
  const shared = process.env['LABSAGE_SHARED'] ?? '../shared';
  const publicFolder = join(shared, 'public', 'labdocs');
  const own = await readQuestions(join('queries', 'sops', 'questions.jsonl'));
  return [
    { name: 'own-dev', sops: join('corpora', 'sops'), questions: own.filter(({ split }) => split === 'dev') },
    {
      name: 'own-test',
      sops: join('corpora', 'sops'),
      questions: own.filter(({ split }) => split === 'test'),
    },
    {
      name: 'public',
      sops: join(publicFolder, 'sops'),
      questions: await readQuestions(join(publicFolder, 'questions.jsonl')),
    },
  ];
}

export async function openBenchEmbedder(name: string): Promise<Embedder> {
  return cachedEmbedder(await createEmbedder(await findModel(name, await resolvePaths(process.env))));
}

/** Builds an index in a temporary folder and hands it to `work`. */
export async function withIndex<Result>(
  corpus: BenchCorpus,
  options: { embedder: Embedder; preset: Preset },
  work: (index: SopIndex) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'labsage-bench-'));
  try {
    const { files } = await listSopFiles([corpus.sops], process.cwd());
    const { embedder, preset } = options;
    await buildSopIndex(files, {
      folder,
      chunking: chunkingOf(preset, packageVersion()),
      fingerprint: embedder.fingerprint,
      openEmbedder: () => Promise.resolve({ ...embedder, close: () => Promise.resolve() }),
    });
    return await work(await openSopIndex(folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Mean evidence recall by budget. */
export async function recallAtWords(
  system: RetrievalSystem,
  questions: readonly Question[],
): Promise<number[]> {
  const sums = WORD_BUDGETS.map(() => 0);
  for (const question of questions) {
    const ranked: ContextText[] = await system.retrieve(question.question, RANKED);
    WORD_BUDGETS.forEach(
      (budget, at) => (sums[at] = (sums[at] ?? 0) + evidenceRecall(question, fitWords(ranked, budget))),
    );
  }
  return sums.map((sum) => sum / questions.length);
}

export async function benchRetrieval(args: readonly string[]): Promise<void> {
  const [embedderName = 'mpnet', only] = args;
  const embedder = await openBenchEmbedder(embedderName);
  const today = localDate(new Date());
  console.log(
    `embedder ${embedder.fingerprint.id}; evidence recall at ${WORD_BUDGETS.join(', ')} words of context`,
  );
  for (const corpus of (await benchCorpora()).filter(({ name }) => only === undefined || name === only)) {
    console.log(`\n${corpus.name}: ${corpus.questions.length} questions`);
    const row = async (system: RetrievalSystem): Promise<void> => {
      const recalls = await recallAtWords(system, corpus.questions);
      console.log(`${system.name.padEnd(28)} ${recalls.map((recall) => recall.toFixed(3)).join('  ')}`);
    };
    await withIndex(corpus, { embedder, preset: 'labsage' }, async (index) => {
      await row(
        await standardSystem(
          'standard (fixed chunks)',
          { index, embedder, today },
          { ...STANDARD_CHUNKS, title: false },
        ),
      );
      await row(
        await standardSystem(
          'standard + title',
          { index, embedder, today },
          { ...STANDARD_CHUNKS, title: true },
        ),
      );
      await row(labsageSystem('labsage, dense only', { index, embedder }, { mode: 'dense', today }));
      await row(labsageSystem('labsage (default)', { index, embedder }, { today }));
    });
    await withIndex(corpus, { embedder, preset: 'paper' }, async (index) => {
      await row(labsageSystem('paper preset', { index, embedder }, { preset: 'paper', today }));
    });
  }
  await embedder.close();
}
