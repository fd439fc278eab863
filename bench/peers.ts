/**
 * `npm run bench -- peers [minilm|mpnet]`: the same texts embedded here, by a bare onnxruntime-node loop and by
 * sentence-transformers (PyTorch, fp32), in turn. Needs LABSAGE_PYTHON (a Python that has sentence-transformers) and
 * LABSAGE_PEERS (a folder with the models' PyTorch weights under their names).
 */

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { cpus, availableParallelism } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { packageRoot, resolvePaths } from '../src/core/config.js';
import { createEmbedder } from '../src/core/embedder.js';
import { findModel } from '../src/core/models/modelFiles.js';
import { bareLoop } from './bareEmbed.js';
import { unitTexts } from './sopTexts.js';
import { median, spread } from './timing.js';

/** Search units embedded a round. */
const TEXTS = 200;
const ROUNDS = 5;

export async function benchPeers(args: readonly string[]): Promise<void> {
  const python = process.env['LABSAGE_PYTHON'];
  const folder = process.env['LABSAGE_PEERS'];
  if (python === undefined || folder === undefined)
    throw new Error('set LABSAGE_PYTHON and LABSAGE_PEERS (see the head of bench/peers.ts)');
  const names = args[0] === undefined ? ['minilm', 'mpnet'] : [args[0]];
  const texts = await unitTexts(resolve(args[1] ?? join(packageRoot, 'corpora', 'sops')), TEXTS);
  const threads = Math.max(1, availableParallelism());
  const results = [];
  for (const name of names) results.push(await compare(name, { python, folder, texts, threads }));
  console.log(
    JSON.stringify({
      machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
      node: process.versions.node,
      threads,
      texts: texts.length,
      results,
    }),
  );
}

async function compare(
  name: string,
  {
    python,
    folder,
    texts,
    threads,
  }: { python: string; folder: string; texts: readonly string[]; threads: number },
): Promise<object> {
  const model = await findModel(name, await resolvePaths(process.env));
  const peer = await openPeer(python, { model: join(folder, basename(model.folder)), texts, threads });
  const embedder = await createEmbedder(model);
  const bare = await bareLoop(model.folder, texts);
  const ours = await embedder.embed(texts, 'passage');
  await bare.run();
  const rounds: { oursMs: number; bareMs: number; peerMs: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const bareMs = await bare.run();
    const startMs = performance.now();
    await embedder.embed(texts, 'passage');
    const oursMs = performance.now() - startMs;
    rounds.push({ oursMs, bareMs, peerMs: (await peer.ask('run')) as number });
  }
  const exact = (await peer.ask('vectors')) as number[][];
  const cosines = ours.map((vector, at) =>
    vector.reduce((sum, value, dim) => sum + value * (exact[at]?.[dim] ?? 0), 0),
  );
  const cosine = cosines.reduce((sum, value) => sum + value, 0) / cosines.length;
  await embedder.close();
  await bare.release();
  peer.close();
  const toPeer = rounds.map(({ oursMs, peerMs }) => peerMs / oursMs);
  const toBare = rounds.map(({ oursMs, bareMs }) => bareMs / oursMs);
  console.log(
    `${name}: ${median(toPeer).toFixed(2)} × sentence-transformers (${spread(toPeer)}), ${median(toBare).toFixed(3)} of a bare loop (${spread(toBare)}), mean cosine to fp32 ${cosine.toFixed(4)} (least ${Math.min(...cosines).toFixed(4)}, n = ${cosines.length})`,
  );
  return { name, tokens: bare.tokens, rounds, cosine, versions: peer.versions };
}

interface Peer {
  readonly versions: unknown;
  ask(order: string): Promise<unknown>;
  close(): void;
}

async function openPeer(python: string, first: object): Promise<Peer> {
  const child = spawn(python, [join(packageRoot, 'bench', 'sentenceTransformers.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, HF_HUB_OFFLINE: '1' },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<unknown> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`${python} ended without an answer`);
    return JSON.parse(value) as unknown;
  };
  child.stdin.write(`${JSON.stringify(first)}\n`);
  const { versions } = (await answer()) as { versions: unknown };
  return {
    versions,
    ask(order) {
      child.stdin.write(`${order}\n`);
      return answer();
    },
    close: () => child.stdin.end(),
  };
}
