/** A folder as models are exported or carried → what its `model.json` says, or would say. */

import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ExitCode, ToolError, systemCode } from '../errors.js';
import { DTYPE_OF_FILE, type GeneratorCard, type ModelCard } from './modelFiles.js';

/** What cannot be read off a model's files, from the command line. */
export interface CardOptions {
  readonly id: string;
  readonly alias?: string;
  readonly pooling?: 'mean' | 'cls';
  readonly maxTokens?: number;
  readonly queryPrefix?: string;
  readonly passagePrefix?: string;
  readonly origin?: string;
  readonly licence?: string;
}

/** A card without hashes, and where each of its files is now. */
export interface DraftCard {
  readonly card: Omit<ModelCard, 'files'>;
  /** Path in the imported model → path of the file to copy. */
  readonly sources: ReadonlyMap<string, string>;
}

const common = {
  id: z.string().min(1),
  alias: z.string().optional(),
  origin: z.string(),
  licence: z.string(),
  weights: z.string(),
  files: z.array(
    z.object({ path: z.string().refine(isInside), bytes: z.int().nonnegative(), sha256: z.string().regex(/^[0-9a-f]{64}$/u) }),
  ),
};

const embedderSchema = z.object({
  ...common,
  kind: z.literal('embedder'),
  dims: z.int().positive(),
  pooling: z.enum(['mean', 'cls']),
  prefixes: z.object({ query: z.string(), passage: z.string() }),
  maxTokens: z.int().positive(),
  queryWeights: z.string().optional(),
});

const generatorSchema = z.object({
  ...common,
  kind: z.literal('generator'),
  contextTokens: z.int().positive(),
});

const cardSchema = z.discriminatedUnion('kind', [embedderSchema, generatorSchema]);

/** Files of an encoder beside its weights; the first three are needed. */
const ENCODER_FILES = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'special_tokens_map.json'];
const NEEDED_FILES = 3;
/** Folders of the two encoders of an asymmetric model, by the words that their makers use. */
const QUERY_FOLDER = /quer|question/iu;
const PASSAGE_FOLDER = /article|passage|document|context|\bdoc\b/iu;
/** Smaller weights are a Git LFS pointer. */
const LEAST_WEIGHT_BYTES = 1024;
/** Longest input where a model states no limit. */
const DEFAULT_MAX_TOKENS = 512;
/** These models count positions from 2 on. */
const OFFSET_POSITIONS = new Set(['roberta', 'xlm-roberta', 'mpnet', 'camembert']);

/** The folder's `model.json`, or undefined where it has none. Throws (exit 3) naming the field that is wrong. */
export async function readModelCard(folder: string): Promise<ModelCard | GeneratorCard | undefined> {
  const path = join(folder, 'model.json');
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const parsed = cardSchema.safeParse(parseJson(text, path));
  if (parsed.success) {
    const { alias, ...card } = parsed.data;
    const named = alias === undefined ? {} : { alias };
    if (card.kind === 'generator') return { ...card, ...named };
    const { queryWeights, ...rest } = card;
    return { ...rest, ...named, ...(queryWeights === undefined ? {} : { queryWeights }) };
  }
  const [issue] = parsed.error.issues;
  throw new ToolError(ExitCode.input, `${path}: "${issue?.path.join('.') ?? ''}" is wrong (${issue?.message ?? ''})`);
}

/** Reads off the files what a card says. Throws (exit 3) for a folder that holds no model, (exit 2) where pooling is not stated. */
export async function draftCard(folder: string, options: CardOptions): Promise<DraftCard> {
  const encoders = await findEncoders(folder);
  const read = await Promise.all(encoders.map((encoder) => readEncoder(encoder, options)));
  const [passage = failNoModel(folder), query] = read;
  if (query !== undefined && query.dims !== passage.dims) {
    throw new ToolError(
      ExitCode.input,
      `the two encoders in ${folder} have ${query.dims} and ${passage.dims} dimensions: they don't belong together`,
    );
  }
  return {
    card: {
      id: options.id,
      ...(options.alias === undefined ? {} : { alias: options.alias }),
      kind: 'embedder',
      dims: passage.dims,
      pooling: passage.pooling,
      prefixes: { query: options.queryPrefix ?? '', passage: options.passagePrefix ?? '' },
      maxTokens: options.maxTokens ?? Math.min(...read.map(({ maxTokens }) => maxTokens)),
      origin: options.origin ?? 'imported, origin not stated',
      licence: options.licence ?? 'not stated',
      weights: passage.weights,
      ...(query === undefined ? {} : { queryWeights: query.weights }),
    },
    sources: new Map(read.flatMap(({ sources }) => sources)),
  };
}

interface EncoderFolder {
  readonly folder: string;
  /** Its name in the imported model, empty for the model's own folder. */
  readonly name: string;
}

/** One encoder in the folder itself, or the passages' and the questions' in two of its folders. */
async function findEncoders(folder: string): Promise<EncoderFolder[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw new ToolError(ExitCode.input, `model folder ${folder} cannot be read (${systemCode(error) ?? 'unknown'})`, {
      cause: error,
    });
  });
  if (entries.some(({ name }) => name === 'config.json')) return [{ folder, name: '' }];
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const query = names.filter((name) => QUERY_FOLDER.test(name));
  const passage = names.filter((name) => PASSAGE_FOLDER.test(name) && !QUERY_FOLDER.test(name));
  if (query.length !== 1 || passage.length !== 1) failNoModel(folder);
  return [
    { folder: join(folder, passage[0] ?? ''), name: 'passage' },
    { folder: join(folder, query[0] ?? ''), name: 'query' },
  ];
}

function failNoModel(folder: string): never {
  throw new ToolError(ExitCode.input, `${folder} holds no model`, {
    hint: 'it needs config.json, tokenizer.json, tokenizer_config.json and ONNX weights, or two folders with them whose names say query and article',
  });
}

interface ReadEncoder {
  readonly dims: number;
  readonly pooling: 'mean' | 'cls';
  readonly maxTokens: number;
  readonly weights: string;
  readonly sources: readonly (readonly [string, string])[];
}

async function readEncoder({ folder, name }: EncoderFolder, options: CardOptions): Promise<ReadEncoder> {
  const inModel = (path: string): string => (name === '' ? path : `${name}/${path}`);
  const sources: (readonly [string, string])[] = [];
  for (const [at, file] of ENCODER_FILES.entries()) {
    const found = await stat(join(folder, file)).catch(() => undefined);
    if (found !== undefined) sources.push([inModel(file), join(folder, file)]);
    else if (at < NEEDED_FILES) throw new ToolError(ExitCode.input, `${join(folder, file)} is missing`);
  }
  const weights = await findWeights(folder);
  sources.push([inModel(`onnx/${weights.name}`), weights.path]);
  const config = (await readJson(join(folder, 'config.json'))) ?? {};
  const dims = config['hidden_size'] ?? config['dim'] ?? config['d_model'];
  if (typeof dims !== 'number') throw new ToolError(ExitCode.input, `${join(folder, 'config.json')} states no hidden_size`);
  return {
    dims,
    pooling: options.pooling ?? (await readPooling(folder, config)),
    maxTokens: await readMaxTokens(folder, config),
    weights: inModel(`onnx/${weights.name}`),
    sources,
  };
}

/** In `onnx/` or beside `config.json`, the only ones there. */
async function findWeights(folder: string): Promise<{ name: string; path: string }> {
  const found: { name: string; path: string }[] = [];
  for (const place of [join(folder, 'onnx'), folder]) {
    const names = await readdir(place).catch(() => []);
    found.push(...names.filter((name) => /\.onnx(?:[._]data)?$/u.test(name)).map((name) => ({ name, path: join(place, name) })));
  }
  const [first] = found;
  if (first === undefined) throw new ToolError(ExitCode.input, `${folder} has no ONNX weights`, { hint: 'export them, as the README shows' });
  if (found.some(({ name }) => /data$/u.test(name)))
    throw new ToolError(ExitCode.input, `the weights in ${folder} lie in two files`, { hint: 'export the model as a single .onnx file' });
  if (found.length > 1)
    throw new ToolError(ExitCode.input, `${folder} has ${found.length} ONNX files: ${found.map(({ name }) => name).join(', ')}`, { hint: 'leave only the one that is to be used' });
  const { size } = await stat(first.path);
  if (size < LEAST_WEIGHT_BYTES)
    throw new ToolError(ExitCode.input, `${first.path} has ${size} bytes: a Git LFS pointer or half a download`, { hint: 'fetch it with git lfs pull' });
  return { path: first.path, name: first.name in DTYPE_OF_FILE ? first.name : 'model.onnx' };
}

/** sentence-transformers states it in a file of its own; MedCPT's two encoders are known to use the first token. */
async function readPooling(folder: string, config: Readonly<Record<string, unknown>>): Promise<'mean' | 'cls'> {
  const pooling = await readJson(join(folder, '1_Pooling', 'config.json'));
  if (pooling?.['pooling_mode_cls_token'] === true) return 'cls';
  if (pooling?.['pooling_mode_mean_tokens'] === true) return 'mean';
  const name = `${typeof config['_name_or_path'] === 'string' ? config['_name_or_path'] : ''} ${folder}`;
  if (/medcpt/iu.test(name)) return 'cls';
  throw new ToolError(ExitCode.usage, `${folder} does not say how its tokens become one vector`, {
    hint: 'add --pooling cls (MedCPT, BGE) or --pooling mean (most sentence-transformers)',
  });
}

async function readMaxTokens(folder: string, config: Readonly<Record<string, unknown>>): Promise<number> {
  const { max_seq_length: stated } = (await readJson(join(folder, 'sentence_bert_config.json'))) ?? {};
  const { model_max_length: tokenizer } = (await readJson(join(folder, 'tokenizer_config.json'))) ?? {};
  const positions = config['max_position_embeddings'];
  const offset = OFFSET_POSITIONS.has(String(config['model_type'])) ? 2 : 0;
  const limits = [
    typeof stated === 'number' ? stated : undefined,
    typeof tokenizer === 'number' ? tokenizer : undefined,
    typeof positions === 'number' ? positions - offset : undefined,
  ].filter((limit) => limit !== undefined && limit > 0);
  return Math.min(...(limits.length === 0 ? [DEFAULT_MAX_TOKENS] : (limits as number[])));
}

async function readJson(path: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  });
  return text === undefined ? undefined : (parseJson(text, path) as Readonly<Record<string, unknown>>);
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ToolError(ExitCode.input, `${path} is no JSON`, { cause: error });
  }
}

/** A card that is carried from elsewhere must not name files outside its folder. */
function isInside(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !/[\\:]/u.test(path) && !path.split('/').includes('..');
}
