/** Ratios in one run: embedding against a bare loop, start against `node -e 0`, a cold search against its bare parts, re-indexing. */

import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { resolvePaths } from '../src/core/config.js';
import { createEmbedder } from '../src/core/embedder.js';
import { findModel } from '../src/core/models/modelFiles.js';
import { bareLoop } from './bareEmbed.js';
import { corpusTexts, unitTexts } from './sopTexts.js';
import { median, pairedRuns, run, spread } from './timing.js';

/** Texts a round: enough for a steady rate, few enough to alternate often. */
const ROUND_TEXTS = 40;
const ROUNDS = 5;
/** Texts of the whole corpus that the bare loop embeds before and after an index run. */
const SAMPLE_TEXTS = 160;

export async function benchSpeed(args: readonly string[]): Promise<void> {
  const shared = process.env['LABSAGE_SHARED'] ?? '../shared';
  const sops = resolve(args[1] ?? join(shared, 'public', 'labdocs', 'sops'));
  const models = args[0] === undefined ? ['minilm', 'mpnet'] : [args[0]];
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.versions.node}`);
  for (const name of models) await embeddingRatio(name, sops);
  startRatio();
  for (const name of models) await coldSearchRatio(name, sops);
}

async function embeddingRatio(name: string, sops: string): Promise<void> {
  const model = await findModel(name, await resolvePaths(process.env));
  const texts = await unitTexts(sops, ROUND_TEXTS);
  const bare = await bareLoop(model.folder, texts);
  const embedder = await createEmbedder(model);
  await embedder.embed(texts.slice(0, 4), 'passage');
  await bare.run();
  const ratios: number[] = [];
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const bareMs = await bare.run();
    const startMs = performance.now();
    await embedder.embed(texts, 'passage');
    const oursMs = performance.now() - startMs;
    ratios.push(bareMs / oursMs);
    rates.push(bare.tokens / (bareMs / 1000));
  }
  await embedder.close();
  await bare.release();
  console.log(
    `${name}: embedding ${median(ratios).toFixed(3)} of a bare onnxruntime-node loop (${Math.round(median(rates))} tokens/s bare; ${spread(ratios)})`,
  );
}

function startRatio(): void {
  const pairs = pairedRuns([process.execPath, ['-e', '0']], [process.execPath, ['bin/labsage.js', '--help']]);
  console.log(`labsage --help ${median(pairs).toFixed(2)} × node -e 0 (${spread(pairs)})`);
}

async function coldSearchRatio(name: string, sops: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'labsage-speed-'));
  try {
    const { folder: modelFolder } = await findModel(name, await resolvePaths(process.env));
    const { texts, tokens } = await corpusTexts(sops);
    const stride = Math.max(1, Math.floor(texts.length / SAMPLE_TEXTS));
    const bare = await bareLoop(
      modelFolder,
      texts.filter((_, at) => at % stride === 0),
    );
    await bare.run();
    const beforeMs = await bare.run();
    const startMs = performance.now();
    run([
      process.execPath,
      ['bin/labsage.js', 'index', sops, '--index', folder, '--embedder', name, '--quiet'],
    ]);
    const indexMs = performance.now() - startMs;
    const bareRate = (2 * bare.tokens) / (beforeMs + (await bare.run()));
    await bare.release();
    const again = Array.from({ length: 5 }, () =>
      run([process.execPath, ['bin/labsage.js', 'index', sops, '--index', folder, '--quiet']]),
    );
    console.log(
      `${name}: index of ${sops} took ${(indexMs / 1000).toFixed(1)} s, unchanged again ${(median(again) / 1000).toFixed(2)} s`,
    );
    console.log(
      `${name}: whole index ${(tokens / indexMs / bareRate).toFixed(3)} of the bare loop's tokens per second (${tokens} tokens of ${texts.length} texts)`,
    );
    const pairs = pairedRuns(
      [process.execPath, ['dist/bench/bareLoad.js', modelFolder, folder]],
      [process.execPath, ['bin/labsage.js', 'search', 'hemolyzed specimen', '--index', folder]],
    );
    console.log(
      `${name}: cold search ${median(pairs).toFixed(2)} × (Node start + bare import and load + reading the vectors) (${spread(pairs)})`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
