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
  return (await readModels(paths)).models;
}

/** `broken`: what is wrong with a folder whose `model.json` cannot be used. */
async function readModels(paths: Paths): Promise<{ models: ModelFiles[]; broken: string[] }> {
  const found = new Map<string, ModelFiles>();
  const broken: string[] = [];
  for (const root of [join(paths.packageRoot, 'models'), paths.models]) {
    for (const name of (await entries(root)).sort()) {
      const folder = join(root, name);
      const card = await readCard(folder);
      if (typeof card === 'string') broken.push(card);
      else if (card !== undefined) found.set(card.id, { card, folder });
    }
  }
  return { models: [...found.values()], broken };
}

/** Finds a model by id or alias. Throws (exit 4) naming the models that are there. */
export async function findModel(name: string, paths: Paths): Promise<ModelFiles> {
  const { models, broken } = await readModels(paths);
  const model = models.find(({ card }) => card.id === name || card.alias === name);
  if (model !== undefined) return model;
  const known = models.map(({ card }) => card.alias ?? card.id).join(', ');
  const but = broken.length === 0 ? '' : ` (${broken.join('; ')})`;
  throw new ToolError(ExitCode.model, `no embedding model named ${name} on this machine${but}`, {
    hint: known === '' ? 'the package is incomplete: install it again' : `use one of: ${known}`,
  });
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

/** A text says what is wrong with it; undefined where the folder holds no model. */
async function readCard(folder: string): Promise<ModelCard | string | undefined> {
  const path = join(folder, 'model.json');
  try {
    const card: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isModelCard(card) ? card : `${path} lacks a field, or has one of another kind`;
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    return error instanceof SyntaxError
      ? `${path} is no JSON`
      : `${path} cannot be read (${systemCode(error) ?? 'unknown'})`;
  }
}

function isModelCard(value: unknown): value is ModelCard {
  const card = value as Partial<ModelCard> | null;
  return (
    typeof card?.id === 'string' &&
    (card.alias === undefined || typeof card.alias === 'string') &&
    card.kind === 'embedder' &&
    Number.isSafeInteger(card.dims) &&
    Number.isSafeInteger(card.maxTokens) &&
    (card.pooling === 'mean' || card.pooling === 'cls') &&
    typeof card.prefixes?.query === 'string' &&
    typeof card.prefixes.passage === 'string' &&
    Array.isArray(card.files) &&
    card.files.every(isFileEntry) &&
    card.files.some(({ path }) => path === card.weights)
  );
}

function isFileEntry(value: unknown): boolean {
  const file = value as Partial<ModelCard['files'][number]> | null;
  return (
    typeof file?.path === 'string' && typeof file.bytes === 'number' && typeof file.sha256 === 'string'
  );
}
