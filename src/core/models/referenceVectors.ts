/** A model's reference vectors + an embedder → proof that this machine computes them right, remembered in a mark. */

import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { ExitCode, ToolError, systemCode } from '../errors.js';
import type { Embedder } from '../types.js';
import { fingerprintOf, type ModelFiles } from './modelFiles.js';

/** Least cosine to the fp32 vector; right machines give 0.98 or more, wrong ones about 0 (models/README.md). */
export const MIN_REFERENCE_COSINE = 0.96;

/** `reference.json` of a model's folder. */
export interface Reference {
  /** `role` of an asymmetric model; a passage where absent. */
  readonly vectors: readonly {
    readonly text: string;
    readonly role?: 'query' | 'passage';
    readonly vector: readonly number[];
  }[];
}

export const REFERENCE_FILE = 'reference.json';

/**
 * Embeds the reference texts and compares. Throws (exit 4) when this machine computes the model wrong.
 * @returns the least cosine found, or undefined where the model has no reference vectors.
 */
export async function checkReferenceVectors(model: ModelFiles, embedder: Embedder): Promise<number | undefined> {
  const reference = await readReference(model);
  if (reference === undefined) return undefined;
  let least = 1;
  for (const role of ['passage', 'query'] as const) {
    const known = reference.vectors.filter((one) => (one.role ?? 'passage') === role);
    if (known.length === 0) continue;
    const vectors = await embedder.embed(
      known.map(({ text }) => text),
      role,
    );
    known.forEach(({ vector }, at) => {
      const cosine = cosineOf(vectors[at] ?? new Float32Array(0), vector);
      if (!(cosine >= least)) least = Number.isNaN(cosine) ? -1 : cosine;
    });
  }
  if (least < MIN_REFERENCE_COSINE) {
    throw new ToolError(
      ExitCode.model,
      `model ${model.card.id} computes wrong vectors on this processor (${processorName()}): cosine ${least.toFixed(2)} to its reference, ${MIN_REFERENCE_COSINE} is the least`,
      { hint: 'use another model with --embedder, or another machine' },
    );
  }
  return least;
}

/** True if this machine passed the check for these weights before. */
export async function hasReferenceMark(model: ModelFiles, stateFolder: string): Promise<boolean> {
  try {
    return (await readFile(markPath(model, stateFolder), 'utf8')).startsWith('passed');
  } catch {
    return false;
  }
}

/** Remembers that this machine passed; a state folder that can't be written only costs the next run a check. */
export async function writeReferenceMark(model: ModelFiles, stateFolder: string): Promise<void> {
  try {
    await mkdir(stateFolder, { recursive: true, mode: 0o700 });
    await writeFile(markPath(model, stateFolder), 'passed\n', { mode: 0o600 });
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}

function markPath(model: ModelFiles, stateFolder: string): string {
  const { weightsSha256 } = fingerprintOf(model);
  const key = createHash('sha256')
    .update([weightsSha256, model.folder, processorName(), process.arch, process.versions.node.split('.')[0]].join('\n'))
    .digest('hex');
  return join(stateFolder, `reference-${key.slice(0, 24)}`);
}

function processorName(): string {
  return cpus()[0]?.model.trim() ?? 'unknown processor';
}

async function readReference({ card, folder }: ModelFiles): Promise<Reference | undefined> {
  if (!card.files.some((file) => file.path === REFERENCE_FILE)) return undefined;
  const path = join(folder, REFERENCE_FILE);
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Reference;
  } catch (error) {
    throw new ToolError(ExitCode.model, `reference vectors ${path} cannot be read`, { cause: error });
  }
}

function cosineOf(a: Float32Array, b: readonly number[]): number {
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (let at = 0; at < b.length; at++) {
    const x = a[at] ?? NaN;
    const y = b[at] ?? NaN;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return dot / Math.sqrt(aa * bb);
}
