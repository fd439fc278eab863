/** A model's name → where its files are and what they must be, with sizes checked at every load. */

import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitCode, ToolError, systemCode } from '../errors.js';
import type { Paths } from '../config.js';
import type { EmbedderFingerprint } from '../types.js';

/** `model.json` of a model's folder. */
export interface ModelCard {
  readonly id: string;
  readonly alias?: string;
  readonly kind: 'embedder';
  readonly dims: number;
  readonly pooling: 'mean' | 'cls';
  readonly prefixes: { readonly query: string; readonly passage: string };
  readonly maxTokens: number;
  readonly origin: string;
  readonly licence: string;
  /** Path of the weights inside the folder. */
  readonly weights: string;
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[];
}

export interface ModelFiles {
  readonly card: ModelCard;
  readonly folder: string;
}

/** Every model in the package and in the user's model folder; the user's wins where ids are equal. */
export async function listModels(paths: Paths): Promise<ModelFiles[]> {
  const found = new Map<string, ModelFiles>();
  for (const root of [join(paths.packageRoot, 'models'), paths.models]) {
    for (const name of (await entries(root)).sort()) {
      const folder = join(root, name);
      const card = await readCard(folder);
      if (card !== undefined) found.set(card.id, { card, folder });
    }
  }
  return [...found.values()];
}

/** Finds a model by id or alias. Throws (exit 4) naming the models that are there. */
export async function findModel(name: string, paths: Paths): Promise<ModelFiles> {
  const models = await listModels(paths);
  const model = models.find(({ card }) => card.id === name || card.alias === name);
  if (model === undefined) {
    const known = models.map(({ card }) => card.alias ?? card.id).join(', ');
    throw new ToolError(ExitCode.model, `no embedding model named ${name} on this machine`, {
      hint: known === '' ? 'the package is incomplete: install it again' : `use one of: ${known}`,
    });
  }
  return model;
}

export function fingerprintOf({ card }: ModelFiles): EmbedderFingerprint {
  const weights = card.files.find((file) => file.path === card.weights);
  if (weights === undefined) throw new ToolError(ExitCode.model, `model.json of ${card.id} does not list ${card.weights}`);
  return {
    id: card.id,
    dims: card.dims,
    pooling: card.pooling,
    prefixes: card.prefixes,
    weightsSha256: weights.sha256,
    maxTokens: card.maxTokens,
  };
}

/** Throws (exit 4) if a file is missing or has another size: a cut download or a Git LFS pointer. */
export async function checkModelSizes({ card, folder }: ModelFiles): Promise<void> {
  for (const file of card.files) {
    const path = join(folder, file.path);
    const bytes = await stat(path).then(
      (found) => found.size,
      (error: unknown) => {
        throw new ToolError(ExitCode.model, `model file ${path} cannot be read (${systemCode(error) ?? 'unknown'})`, {
          hint: 'install the package again',
          cause: error,
        });
      },
    );
    if (bytes !== file.bytes) {
      throw new ToolError(
        ExitCode.model,
        `model file ${path} has ${bytes} bytes instead of ${file.bytes}: a cut download or a Git LFS pointer`,
        { hint: 'install the package again, or fetch the file with git lfs pull' },
      );
    }
  }
}

async function entries(root: string): Promise<string[]> {
  try {
    return await readdir(root);
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}

async function readCard(folder: string): Promise<ModelCard | undefined> {
  let text: string;
  try {
    text = await readFile(join(folder, 'model.json'), 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as ModelCard;
  } catch (error) {
    throw new ToolError(ExitCode.model, `${join(folder, 'model.json')} is no JSON`, { cause: error });
  }
}
