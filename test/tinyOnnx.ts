/** A seed → the files of a small BERT-like embedding model: real ONNX, two megabytes, word vectors and nothing else. */

import { copyFile, mkdir, writeFile } from 'node:fs/promises';
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

/** `last_hidden_state = Gather(W, input_ids) + mean over tokens`, opset 13. */
function tinyOnnx(vectors: Float32Array): Buffer {
  const floats = Buffer.from(vectors.buffer, vectors.byteOffset, vectors.byteLength);
  const table = message([1, VOCABULARY], [1, TINY_DIMS], [2, 1], [8, 'W'], [9, floats]);
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
