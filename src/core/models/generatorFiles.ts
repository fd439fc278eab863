/** A folder with a language model as the hub lays it out → its weights, window and files: what `model.json` says, or would say. */

import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitCode, ToolError, systemCode } from '../errors.js';
import { parseObject } from '../lines.js';
import { DTYPE_OF_FILE, type Dtype, type GeneratorCard } from './modelFiles.js';

/** What is needed to load it. */
export interface GeneratorFolder {
  readonly folder: string;
  readonly dtype: Dtype;
  /** Files of weights beside the `.onnx` file. */
  readonly dataFiles: number;
  /** Prompt and reply together. */
  readonly contextTokens: number;
  /** Jinja. */
  readonly chatTemplate: string;
}

export interface ReadGenerator extends GeneratorFolder {
  /** `onnx/model_q4.onnx`. */
  readonly weights: string;
  /** All that belongs to it, `/`-separated. */
  readonly files: readonly string[];
}

const NEEDED_FILES = ['config.json', 'tokenizer.json', 'tokenizer_config.json'];
const FURTHER_FILES = [
  'generation_config.json',
  'special_tokens_map.json',
  'chat_template.jinja',
  'chat_template.json',
];
/** Where a folder has several: small and sound on a processor first. */
const PREFERRED: readonly Dtype[] = ['q4', 'q8', 'int8', 'uint8', 'bnb4', 'q4f16', 'fp16', 'fp32'];
/** Smaller weights are a Git LFS pointer. */
const LEAST_WEIGHT_BYTES = 1024;
/** Tokenizers without a limit state a number beyond all windows. */
const MOST_TOKENS = 100_000_000;
const WINDOW_FIELDS = ['max_position_embeddings', 'n_positions', 'n_ctx', 'max_seq_len', 'seq_length'];

/** Whether the folder is meant to write: it says how a conversation is put to it. */
export async function isGeneratorFolder(folder: string): Promise<boolean> {
  return (await readChatTemplate(folder)) !== undefined;
}

/** Throws (exit 4) for a folder that is no complete instruct model. */
export async function readGenerator(folder: string): Promise<ReadGenerator> {
  for (const name of NEEDED_FILES) {
    if ((await sizeOf(join(folder, name))) === undefined)
      throw noModel(folder, `${name} is missing`);
  }
  const chatTemplate = await readChatTemplate(folder);
  if (chatTemplate === undefined)
    throw noModel(folder, 'it has no chat template: it was not trained to follow instructions');
  const { name, dataFiles } = await chooseWeights(folder);
  const further: string[] = [];
  for (const file of FURTHER_FILES)
    if ((await sizeOf(join(folder, file))) !== undefined) further.push(file);
  const data = Array.from({ length: dataFiles }, (_, at) => dataFile(name, at));
  return {
    folder,
    dtype: DTYPE_OF_FILE[name] ?? 'fp32',
    dataFiles,
    contextTokens: await readWindow(folder),
    chatTemplate,
    weights: `onnx/${name}`,
    files: [...NEEDED_FILES, ...further, ...[name, ...data].map((file) => `onnx/${file}`)],
  };
}

/** A card without hashes, and where each of its files is now. Throws as `readGenerator` does. */
export async function draftGeneratorCard(
  folder: string,
  { id, alias, origin, licence }: { id: string; alias?: string; origin?: string; licence?: string },
): Promise<{ card: Omit<GeneratorCard, 'files'>; sources: ReadonlyMap<string, string> }> {
  const { weights, contextTokens, files } = await readGenerator(folder);
  return {
    card: {
      id,
      ...(alias === undefined ? {} : { alias }),
      kind: 'generator',
      contextTokens,
      origin: origin ?? 'imported, origin not stated',
      licence: licence ?? 'not stated',
      weights,
    },
    sources: new Map(files.map((file) => [file, join(folder, ...file.split('/'))])),
  };
}

/** As transformers.js names them. */
function dataFile(weights: string, at: number): string {
  return `${weights}_data${at === 0 ? '' : `_${at}`}`;
}

async function chooseWeights(folder: string): Promise<{ name: string; dataFiles: number }> {
  const names = await readdir(join(folder, 'onnx')).catch((): string[] => []);
  const known = names.filter((name) => Object.hasOwn(DTYPE_OF_FILE, name));
  const rank = (name: string): number => PREFERRED.indexOf(DTYPE_OF_FILE[name] ?? 'fp32');
  const [name] = known.sort((a, b) => rank(a) - rank(b));
  if (name === undefined)
    throw noModel(folder, `there are no weights in onnx/, such as onnx/model_q4.onnx`);
  let dataFiles = 0;
  while (names.includes(dataFile(name, dataFiles))) dataFiles++;
  const bytes = (await sizeOf(join(folder, 'onnx', name))) ?? 0;
  if (bytes < LEAST_WEIGHT_BYTES)
    throw noModel(folder, `onnx/${name} has ${bytes} bytes: a Git LFS pointer or half a download`);
  return { name, dataFiles };
}

async function readChatTemplate(folder: string): Promise<string | undefined> {
  const own = await readText(join(folder, 'chat_template.jinja'));
  if (own !== undefined) return own;
  for (const file of ['tokenizer_config.json', 'chat_template.json']) {
    const { chat_template: stated } = parseObject((await readText(join(folder, file))) ?? '') ?? {};
    if (typeof stated === 'string') return stated;
    if (!Array.isArray(stated)) continue;
    const named = stated as readonly { name?: unknown; template?: unknown }[];
    const template = named.find(({ name }) => name === 'default')?.template;
    if (typeof template === 'string') return template;
  }
  return undefined;
}

/** The smaller of what the model and its tokenizer state. */
async function readWindow(folder: string): Promise<number> {
  const config = parseObject((await readText(join(folder, 'config.json'))) ?? '') ?? {};
  const tokenizer = parseObject((await readText(join(folder, 'tokenizer_config.json'))) ?? '') ?? {};
  const inner = (config['text_config'] ?? {}) as Readonly<Record<string, unknown>>;
  const limits = [...WINDOW_FIELDS.flatMap((name) => [config[name], inner[name]]), tokenizer['model_max_length']]
    .filter((limit): limit is number => typeof limit === 'number')
    .filter((limit) => limit > 0 && limit < MOST_TOKENS);
  if (limits.length === 0) throw noModel(folder, 'config.json does not state how many tokens it can read');
  return Math.min(...limits);
}

function noModel(folder: string, why: string): ToolError {
  return new ToolError(ExitCode.model, `${folder} is no language model that can be used: ${why}`, {
    hint: 'it needs the files of an ONNX instruct model of the hub: config.json, tokenizer.json, tokenizer_config.json and onnx/',
  });
}

async function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  });
}
