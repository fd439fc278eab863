/** A model's name → where its files are and what they must be, with sizes checked at every load. */

import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitCode, ToolError, systemCode } from '../errors.js';
import type { Paths } from '../config.js';
import { sha256Hex } from '../text.js';
import type { EmbedderFingerprint } from '../types.js';

/** What `model.json` says of a model of any kind. */
export interface CommonCard {
  readonly id: string;
  readonly alias?: string;
  readonly origin: string;
  readonly licence: string;
  /** Path of the weights inside the folder, `onnx/…` in the model's own folder. */
  readonly weights: string;
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[];
}

/** Of an embedder. */
export interface ModelCard extends CommonCard {
  readonly kind: 'embedder';
  readonly dims: number;
  readonly pooling: 'mean' | 'cls';
  readonly prefixes: { readonly query: string; readonly passage: string };
  readonly maxTokens: number;
  /** Of an asymmetric model: the weights of the encoder that reads questions (MedCPT); absent where one reads both. */
  readonly queryWeights?: string;
}

/** Of a language model that runs here, without a server. */
export interface GeneratorCard extends CommonCard {
  readonly kind: 'generator';
  /** Prompt and reply together. */
  readonly contextTokens: number;
}

export interface ModelFiles {
  readonly card: ModelCard;
  readonly folder: string;
}

export interface GeneratorFiles {
  readonly card: GeneratorCard;
  readonly folder: string;
}

export type InstalledModel = ModelFiles | GeneratorFiles;

export function isEmbedder(model: InstalledModel): model is ModelFiles {
  return model.card.kind === 'embedder';
}

function isGenerator(model: InstalledModel): model is GeneratorFiles {
  return model.card.kind === 'generator';
}

/** Every model in the package and in the user's model folder; the user's wins where ids are equal. */
export async function listModels(paths: Paths): Promise<InstalledModel[]> {
  return (await readModels(paths)).models;
}

/** For each folder of models whose `model.json` cannot be used: what is wrong with it. */
export async function listBrokenModels(paths: Paths): Promise<string[]> {
  return (await readModels(paths)).broken;
}

/** `broken`: what is wrong with a folder whose `model.json` cannot be used. */
async function readModels(paths: Paths): Promise<{ models: InstalledModel[]; broken: string[] }> {
  const found = new Map<string, InstalledModel>();
  const broken: string[] = [];
  for (const root of [join(paths.packageRoot, 'models'), paths.models]) {
    for (const name of (await entries(root)).sort()) {
      const folder = join(root, name);
      const card = await readCard(folder);
      if (typeof card === 'string') broken.push(card);
      else if (card !== undefined) found.set(card.id, { card, folder } as InstalledModel);
    }
  }
  return { models: [...found.values()], broken };
}

/** Finds an embedder by id or alias. Throws (exit 4) naming the models that are there. */
export function findModel(name: string, paths: Paths): Promise<ModelFiles> {
  return findOfKind(name, paths, { among: (models) => models.filter(isEmbedder), kind: 'embedding model' });
}

/** Finds a generator by id or alias. Throws (exit 4) naming those that are there. */
export function findGenerator(name: string, paths: Paths): Promise<GeneratorFiles> {
  return findOfKind(name, paths, { among: (models) => models.filter(isGenerator), kind: 'language model' });
}

/** Finds a model of any kind. Throws (exit 4) naming those that are there. */
export function findInstalled(name: string, paths: Paths): Promise<InstalledModel> {
  return findOfKind(name, paths, { among: (models) => models, kind: 'model' });
}

async function findOfKind<Model extends InstalledModel>(
  name: string,
  paths: Paths,
  { among, kind }: { among: (models: InstalledModel[]) => Model[]; kind: string },
): Promise<Model> {
  const { models, broken } = await readModels(paths);
  const known = among(models);
  const model = known.find(({ card }) => card.id === name || card.alias === name);
  if (model !== undefined) return model;
  const names = known.map(({ card }) => card.alias ?? card.id).join(', ');
  const but = broken.length === 0 ? '' : ` (${broken.join('; ')})`;
  const none = kind === 'language model' ? 'bring one with: labsage models import FOLDER' : 'the package is incomplete: install it again';
  throw new ToolError(ExitCode.model, `no ${kind} named ${name} on this machine${but}`, {
    hint: names === '' ? none : `use one of: ${names}`,
  });
}

/** Of an asymmetric model the hash is that of both encoders' hashes. */
export function fingerprintOf({ card }: ModelFiles): EmbedderFingerprint {
  const hashOf = (path: string): string => {
    const found = card.files.find((file) => file.path === path);
    if (found === undefined) throw new ToolError(ExitCode.model, `model.json of ${card.id} does not list ${path}`);
    return found.sha256;
  };
  const passages = hashOf(card.weights);
  return {
    id: card.id,
    dims: card.dims,
    pooling: card.pooling,
    prefixes: card.prefixes,
    weightsSha256:
      card.queryWeights === undefined ? passages : sha256Hex(`${hashOf(card.queryWeights)} ${passages}`),
    maxTokens: card.maxTokens,
  };
}

/** One encoder's files as transformers.js looks for them. */
export interface EncoderFiles {
  /** Holds `config.json`, `tokenizer.json` and `onnx/`. */
  readonly folder: string;
  /** transformers.js's word for the weights' file name. */
  readonly dtype: Dtype;
}

export type Dtype = 'fp32' | 'fp16' | 'q8' | 'int8' | 'uint8' | 'q4' | 'q4f16' | 'bnb4';

/** transformers.js finds weights by these names only. */
export const DTYPE_OF_FILE: Readonly<Record<string, Dtype>> = {
  'model.onnx': 'fp32',
  'model_fp16.onnx': 'fp16',
  'model_quantized.onnx': 'q8',
  'model_int8.onnx': 'int8',
  'model_uint8.onnx': 'uint8',
  'model_q4.onnx': 'q4',
  'model_q4f16.onnx': 'q4f16',
  'model_bnb4.onnx': 'bnb4',
};

/** Throws (exit 4) for weights under a name that transformers.js does not know. */
export function encoderOf({ card, folder }: ModelFiles, role: 'query' | 'passage'): EncoderFiles {
  const weights = role === 'query' ? (card.queryWeights ?? card.weights) : card.weights;
  const parts = weights.split('/');
  const dtype = DTYPE_OF_FILE[parts.at(-1) ?? ''];
  if (dtype === undefined || parts.at(-2) !== 'onnx')
    throw new ToolError(ExitCode.model, `model.json of ${card.id} names weights ${weights}, not onnx/model….onnx`);
  return { folder: join(folder, ...parts.slice(0, -2)), dtype };
}

/** Throws (exit 4) if a file is missing or has another size: a cut download or a Git LFS pointer. */
export async function checkModelSizes({ card, folder }: InstalledModel): Promise<void> {
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
async function readCard(folder: string): Promise<ModelCard | GeneratorCard | string | undefined> {
  const path = join(folder, 'model.json');
  try {
    const card: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isModelCard(card) || isGeneratorCard(card) ? card : `${path} lacks a field, or has one of another kind`;
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
    isCommonCard(value) &&
    card?.kind === 'embedder' &&
    Number.isSafeInteger(card.dims) &&
    Number.isSafeInteger(card.maxTokens) &&
    (card.pooling === 'mean' || card.pooling === 'cls') &&
    typeof card.prefixes?.query === 'string' &&
    typeof card.prefixes.passage === 'string'
  );
}

function isGeneratorCard(value: unknown): value is GeneratorCard {
  const card = value as Partial<GeneratorCard> | null;
  return isCommonCard(value) && card?.kind === 'generator' && Number.isSafeInteger(card.contextTokens);
}

function isCommonCard(value: unknown): boolean {
  const card = value as Partial<CommonCard> | null;
  return (
    typeof card?.id === 'string' &&
    (card.alias === undefined || typeof card.alias === 'string') &&
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
