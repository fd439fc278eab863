/** An evaluation's inputs and this machine → the record that lets anyone repeat it and see what differed. */

import { describeMachine, describeVersions, type Machine } from '../../core/machine.js';
import { sha256Hex } from '../../core/text.js';
import type { EmbedderFingerprint } from '../../core/types.js';
import type { SopIndex } from '../sopIndex.js';

export interface RunManifest {
  readonly timeUtc: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly machine: Machine;
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
  return {
    timeUtc: new Date().toISOString(),
    versions: await describeVersions('labsage'),
    machine: describeMachine(),
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
