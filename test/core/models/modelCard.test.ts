import { expect, test } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitCode } from '../../../src/core/errors.js';
import { draftCard, readModelCard, type CardOptions } from '../../../src/core/models/modelCard.js';
import { inTemporaryFolder, writeFiles } from '../../temporaryFolder.js';

const WEIGHTS = 'w'.repeat(2000);
const FILES = {
  'config.json': '{"hidden_size": 8, "max_position_embeddings": 512}',
  'tokenizer.json': '{}',
  'tokenizer_config.json': '{"model_max_length": 256}',
  'onnx/model.onnx': WEIGHTS,
};

function draft(
  files: Readonly<Record<string, string>>,
  options: Partial<CardOptions> = {},
): ReturnType<typeof draftCard> {
  return inTemporaryFolder(async (folder) =>
    draftCard(await writeFiles(folder, files), { id: 'x', pooling: 'cls', ...options }),
  );
}

test('dimensions, limits, weights and prefixes are read off the files', async () => {
  const { card, sources } = await draft(FILES, { queryPrefix: 'query: ' });
  expect(card).toEqual({
    id: 'x',
    kind: 'embedder',
    dims: 8,
    pooling: 'cls',
    prefixes: { query: 'query: ', passage: '' },
    maxTokens: 256,
    origin: 'imported, origin not stated',
    licence: 'not stated',
    weights: 'onnx/model.onnx',
  });
  expect([...sources.keys()].sort()).toEqual(Object.keys(FILES).sort());
});

test.each<[string, Record<string, string>, Partial<Awaited<ReturnType<typeof draft>>['card']>]>([
  ['weights beside config.json', { 'onnx/model.onnx': '', 'model_int8.onnx': WEIGHTS }, { weights: 'onnx/model_int8.onnx' }],
  ['weights of an unknown name', { 'onnx/model.onnx': '', 'encoder.onnx': WEIGHTS }, { weights: 'onnx/model.onnx' }],
  ['a limit of sentence-transformers', { 'sentence_bert_config.json': '{"max_seq_length": 128}' }, { maxTokens: 128 }],
  [
    'positions that start at 2',
    { 'tokenizer_config.json': '{}', 'config.json': '{"hidden_size": 8, "max_position_embeddings": 514, "model_type": "mpnet"}' },
    { maxTokens: 512 },
  ],
])('%s', async (_, changes, card) => {
  const files = Object.fromEntries(Object.entries({ ...FILES, ...changes }).filter(([, text]) => text !== ''));
  expect((await draft(files)).card).toMatchObject(card);
});

test.each([
  ['1_Pooling/config.json', '{"pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true}', 'mean'],
  ['1_Pooling/config.json', '{"pooling_mode_cls_token": true}', 'cls'],
  ['config.json', '{"hidden_size": 8, "_name_or_path": "ncbi/MedCPT-Query-Encoder"}', 'cls'],
])('%s with %s: %s pooling', async (file, text, pooling) => {
  const { card } = await inTemporaryFolder(async (folder) =>
    draftCard(await writeFiles(folder, { ...FILES, [file]: text }), { id: 'x' }),
  );
  expect(card.pooling).toBe(pooling);
});

test('two folders are two encoders', async () => {
  const both = (name: string): Record<string, string> =>
    Object.fromEntries(Object.entries(FILES).map(([path, text]) => [`${name}/${path}`, text]));
  const { card } = await draft({ ...both('MedCPT-Query-Encoder'), ...both('MedCPT-Article-Encoder') });
  expect(card).toMatchObject({ weights: 'passage/onnx/model.onnx', queryWeights: 'query/onnx/model.onnx' });
  const other = { ...both('query'), ...both('article'), 'query/config.json': '{"hidden_size": 9}' };
  await expect(draft(other)).rejects.toMatchObject({ exitCode: ExitCode.input, message: expect.stringContaining('9 and 8') });
});

test.each<[string, Record<string, string>, RegExp]>([
  ['nothing', { 'config.json': '' }, /holds no model/u],
  ['no tokenizer', { 'tokenizer.json': '' }, /tokenizer\.json is missing/u],
  ['no weights', { 'onnx/model.onnx': '' }, /has no ONNX weights/u],
  ['two weights', { 'onnx/model_q4.onnx': WEIGHTS }, /has 2 ONNX files: model.onnx, model_q4.onnx/u],
  ['weights in two files', { 'onnx/model.onnx_data': WEIGHTS }, /lie in two files/u],
  ['a Git LFS pointer', { 'onnx/model.onnx': 'version https://git-lfs.github.com/spec/v1' }, /Git LFS pointer/u],
  ['no dimensions', { 'config.json': '{}' }, /states no hidden_size/u],
  ['a broken config', { 'config.json': '{' }, /is no JSON/u],
])('%s is refused', async (_, changes, why) => {
  const files = Object.fromEntries(Object.entries({ ...FILES, ...changes }).filter(([, text]) => text !== ''));
  await expect(draft(files)).rejects.toMatchObject({
    exitCode: ExitCode.input,
    message: expect.stringMatching(why),
  });
});

test('a model that does not say how its tokens are pooled is not guessed at', async () => {
  await inTemporaryFolder(async (folder) => {
    await expect(draftCard(await writeFiles(folder, FILES), { id: 'x' })).rejects.toMatchObject({
      exitCode: ExitCode.usage,
      hint: expect.stringContaining('--pooling'),
    });
  });
});

test('a card that names a file outside its folder, or lacks a field, is refused', async () => {
  await inTemporaryFolder(async (folder) => {
    expect(await readModelCard(folder)).toBeUndefined();
    const card = {
      id: 'x',
      kind: 'embedder',
      dims: 8,
      pooling: 'cls',
      prefixes: { query: '', passage: '' },
      maxTokens: 512,
      origin: '',
      licence: '',
      weights: 'onnx/model.onnx',
      files: [{ path: 'onnx/model.onnx', bytes: 1, sha256: 'a'.repeat(64) }],
    };
    const write = (changes: object): Promise<void> =>
      writeFile(join(folder, 'model.json'), JSON.stringify({ ...card, ...changes }));
    await write({});
    expect(await readModelCard(folder)).toEqual(card);
    for (const path of ['../../home/key', '/etc/passwd', 'C:\\x', '']) {
      await write({ files: [{ path, bytes: 1, sha256: 'a'.repeat(64) }] });
      await expect(readModelCard(folder)).rejects.toThrow('"files.0.path" is wrong');
    }
    await write({ pooling: 'max' });
    await expect(readModelCard(folder)).rejects.toThrow('"pooling" is wrong');
  });
});
