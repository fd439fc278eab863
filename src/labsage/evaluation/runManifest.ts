/** An evaluation's inputs and this machine → the record that lets anyone repeat it and see what differed. */

import { createRequire } from 'node:module';
import { arch, cpus, release, totalmem, type } from 'node:os';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256Hex } from '../../core/text.js';
import type { EmbedderFingerprint } from '../../core/types.js';
import { packageVersion } from '../../core/version.js';
import type { SopIndex } from '../sopIndex.js';

export interface RunManifest {
  readonly timeUtc: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly machine: {
    readonly processor: string;
    readonly cores: number;
    readonly memoryBytes: number;
    readonly system: string;
  };
  readonly questions: readonly { readonly path: string; readonly sha256: string }[];
  readonly asked: { readonly answerable: number; readonly unanswerable: number; readonly lists: number };
  readonly corpus: {
    readonly documents: number;
    /** Of the paths and hashes of all documents. */
    readonly sha256: string;
    readonly producer: string;
  };
  readonly embedders: readonly EmbedderFingerprint[];
  /** Endpoints without keys. */
  readonly generators: readonly string[];
  readonly judge: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
}

export async function describeRun(run: {
  index: SopIndex;
  questions: readonly { readonly path: string; readonly sha256: string }[];
  asked: RunManifest['asked'];
  embedders: readonly EmbedderFingerprint[];
  generators: readonly string[];
  judge: string | undefined;
  settings: Readonly<Record<string, unknown>>;
}): Promise<RunManifest> {
  const { documents, chunking } = run.index.manifest;
  const [processor] = cpus();
  return {
    timeUtc: new Date().toISOString(),
    versions: {
      labsage: packageVersion(),
      node: process.versions.node,
      '@huggingface/transformers': await installedVersion('@huggingface/transformers'),
      'onnxruntime-node': await installedVersion('onnxruntime-node'),
    },
    machine: {
      processor: processor?.model.trim() ?? 'unknown',
      cores: cpus().length,
      memoryBytes: totalmem(),
      system: `${type()} ${release()} ${arch()}`,
    },
    questions: run.questions.map(({ path, sha256 }) => ({ path, sha256 })),
    asked: run.asked,
    corpus: {
      documents: documents.length,
      sha256: sha256Hex(documents.map(({ path, sha256 }) => `${path} ${sha256}`).join('\n')),
      producer: chunking.producer,
    },
    embedders: run.embedders,
    generators: run.generators,
    judge: run.judge ?? null,
    settings: run.settings,
  };
}

/** Looks for the package's own `package.json` above its entry, which `exports` may hide. */
async function installedVersion(name: string): Promise<string> {
  try {
    let folder = dirname(createRequire(import.meta.url).resolve(name));
    for (let depth = 0; depth < 6; depth++, folder = dirname(folder)) {
      const found = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined);
      const card =
        found === undefined ? undefined : (JSON.parse(found) as { name?: string; version?: string });
      if (card?.name === name && card.version !== undefined) return card.version;
    }
  } catch {
    // Reported as unknown: a manifest is no reason to fail.
  }
  return 'unknown';
}
