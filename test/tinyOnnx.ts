/** A seed, or a text → the files of a small model that embeds by word vectors, or that always writes that text: real ONNX, a few megabytes. */

import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../src/core/config.js';
import { seededRandom } from '../src/core/metrics/random.js';

export const TINY_DIMS = 16;
/** Of the bundled WordPiece tokenizer, which the model uses. */
const VOCABULARY = 30_522;
const CLS = 101;
const SEP = 102;

/**
 * Each token's state is its word vector plus the mean of all, so that the first token's says what the text is about.
 * Models of one `seed` share their word vectors; `mark` sets the first token's own, so that two encoders differ.
 */
export async function writeTinyModel(
  folder: string,
  options: { seed: number; mark: number; weights?: string; config?: object },
): Promise<void> {
  const { weights = 'model.onnx', config = {} } = options;
  await mkdir(folder, { recursive: true });
  const tokenizer = join(packageRoot, 'models', 'all-MiniLM-L6-v2');
  for (const name of ['tokenizer.json', 'tokenizer_config.json', 'special_tokens_map.json'])
    await copyFile(join(tokenizer, name), join(folder, name));
  const stated = { model_type: 'bert', hidden_size: TINY_DIMS, max_position_embeddings: 512, ...config };
  await writeFile(join(folder, 'config.json'), JSON.stringify(stated));
  await writeFile(join(folder, weights), tinyOnnx(wordVectors(options)));
}

function wordVectors({ seed, mark }: { seed: number; mark: number }): Float32Array {
  const random = seededRandom(seed);
  const vectors = Float32Array.from({ length: VOCABULARY * TINY_DIMS }, () => random() - 0.5);
  vectors.fill(0, CLS * TINY_DIMS, (CLS + 1) * TINY_DIMS);
  vectors.fill(0, SEP * TINY_DIMS, (SEP + 1) * TINY_DIMS);
  vectors[CLS * TINY_DIMS] = mark;
  return vectors;
}

const CHAT_TEMPLATE =
  "{% for message in messages %}{{ message['role'] + ': ' + message['content'] + ' ' }}{% endfor %}{% if add_generation_prompt %}{{ 'assistant' }}{% endif %}";

/**
 * A model that continues whatever it reads with these words of the bundled vocabulary, each once, and then stops: the next
 * token hangs on the last one alone. Without `stops` it never does, and writes the last word over and over.
 */
export async function writeTinyGenerator(
  folder: string,
  options: { words: readonly string[]; contextTokens?: number; stops?: boolean; template?: string | null },
): Promise<void> {
  const { words, contextTokens = 4096, stops = true, template = CHAT_TEMPLATE } = options;
  await mkdir(join(folder, 'onnx'), { recursive: true });
  const bundled = join(packageRoot, 'models', 'all-MiniLM-L6-v2');
  const tokenizer = await readFile(join(bundled, 'tokenizer.json'), 'utf8');
  const { vocab } = (JSON.parse(tokenizer) as { model: { vocab: Record<string, number> } }).model;
  const chain = [...words.map((word) => vocab[word] ?? NaN), ...(stops ? [SEP] : [])];
  if (chain.some(Number.isNaN)) throw new Error(`not all of ${words.join(' ')} are words of the vocabulary`);
  const settings = JSON.parse(await readFile(join(bundled, 'tokenizer_config.json'), 'utf8')) as object;
  const chat = template === null ? {} : { chat_template: template };
  const files: Record<string, string> = {
    'tokenizer.json': tokenizer,
    'tokenizer_config.json': JSON.stringify({
      ...settings,
      model_max_length: contextTokens,
      eos_token: '[SEP]',
      ...chat,
    }),
    'config.json': JSON.stringify({
      model_type: 'llama',
      architectures: ['LlamaForCausalLM'],
      vocab_size: VOCABULARY,
      hidden_size: chain.length,
      num_hidden_layers: 0,
      num_attention_heads: 1,
      num_key_value_heads: 1,
      max_position_embeddings: 1_000_000,
    }),
    'generation_config.json': JSON.stringify({ eos_token_id: [SEP] }),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await writeFile(join(folder, 'onnx', 'model_q4.onnx'), chainOnnx(chain));
}

/** `logits = Gather(E, input_ids) · U`: E says which place of the chain comes next, U which token stands there. */
function chainOnnx(chain: readonly number[]): Buffer {
  const places = chain.length;
  const next = new Float32Array(VOCABULARY * places);
  for (let token = 0; token < VOCABULARY; token++) next[token * places] = 1;
  const token = new Float32Array(places * VOCABULARY);
  chain.forEach((id, place) => {
    token[place * VOCABULARY + id] = 1;
    next[id * places] = 0;
    next[id * places + Math.min(place + 1, places - 1)] = 1;
  });
  const graph = message(
    [1, message([1, 'E'], [1, 'input_ids'], [2, 'place'], [4, 'Gather'])],
    [1, message([1, 'place'], [1, 'U'], [2, 'logits'], [4, 'MatMul'])],
    [2, 'chain'],
    [5, message([1, VOCABULARY], [1, places], [2, 1], [8, 'E'], [9, bytesOf(next)])],
    [5, message([1, places], [1, VOCABULARY], [2, 1], [8, 'U'], [9, bytesOf(token)])],
    [11, valueInfo('input_ids', 7, ['batch', 'tokens'])],
    [12, valueInfo('logits', 1, ['batch', 'tokens', VOCABULARY])],
  );
  return message([1, 8], [7, graph], [8, message([1, ''], [2, 13])]);
}

function bytesOf(floats: Float32Array): Buffer {
  return Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength);
}

/** `last_hidden_state = Gather(W, input_ids) + mean over tokens`, opset 13. */
function tinyOnnx(vectors: Float32Array): Buffer {
  const table = message([1, VOCABULARY], [1, TINY_DIMS], [2, 1], [8, 'W'], [9, bytesOf(vectors)]);
  const axes = message([1, 'axes'], [8, 1], [20, 7]);
  const keep = message([1, 'keepdims'], [3, 1], [20, 2]);
  const graph = message(
    [1, message([1, 'W'], [1, 'input_ids'], [2, 'words'], [4, 'Gather'])],
    [1, message([1, 'words'], [2, 'mean'], [4, 'ReduceMean'], [5, axes], [5, keep])],
    [1, message([1, 'words'], [1, 'mean'], [2, 'last_hidden_state'], [4, 'Add'])],
    [2, 'tiny'],
    [5, table],
    [11, valueInfo('input_ids', 7, ['batch', 'tokens'])],
    [12, valueInfo('last_hidden_state', 1, ['batch', 'tokens', TINY_DIMS])],
  );
  return message([1, 8], [7, graph], [8, message([1, ''], [2, 13])]);
}

function valueInfo(name: string, type: number, dims: readonly (string | number)[]): Buffer {
  const shape = message(...dims.map((dim): Field => [1, message([typeof dim === 'string' ? 2 : 1, dim])]));
  return message([1, name], [2, message([1, message([1, type], [2, shape])])]);
}

/** A protobuf field: its number, and an integer, a text or bytes. */
type Field = readonly [number, number | string | Buffer];

function message(...fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.map(([number, value]) => {
      if (typeof value === 'number') return Buffer.concat([varint(number * 8), varint(value)]);
      const bytes = Buffer.from(value);
      return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
    }),
  );
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left]);
    bytes.push((left % 128) + 128);
  }
}
