import { expect, test } from '@jest/globals';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitCode } from '../../../src/core/errors.js';
import { openLanguageModel } from '../../../src/core/generator.js';
import type { LanguageModel, ModelOptions } from '../../../src/core/generator/chat.js';
import { readPromptRoom } from '../../../src/core/generator/promptRoom.js';
import { isGeneratorFolder, readGenerator } from '../../../src/core/models/generatorFiles.js';
import { inTemporaryFolder, writeFiles } from '../../temporaryFolder.js';
import { writeTinyGenerator } from '../../tinyOnnx.js';

const WORDS = ['mix', 'the', 'plasma', 'cold'];

function withModel(
  options: Partial<Parameters<typeof writeTinyGenerator>[1]>,
  use: (open: (more?: ModelOptions) => LanguageModel) => Promise<void>,
): Promise<void> {
  return inTemporaryFolder(async (folder) => {
    await writeTinyGenerator(join(folder, 'tiny'), { words: WORDS, ...options });
    const opened: LanguageModel[] = [];
    try {
      await use((more) => {
        const model = openLanguageModel('transformers:tiny', { cwd: folder, ...more });
        opened.push(model);
        return model;
      });
    } finally {
      for (const model of opened) await model.close?.();
    }
  });
}

test('what is written is streamed, and ends where the files of the model say', () =>
  withModel({}, async (open) => {
    const seen: string[] = [];
    const model = open({ onText: (piece) => seen.push(piece) });
    const reply = await model.complete({ system: 'Be brief.', user: 'what now?' });
    expect(reply).toMatchObject({ text: 'mix the plasma cold', complete: true, completionTokens: 5 });
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.join('')).toBe('mix the plasma cold');
    // The seed means nothing: the likeliest token is taken.
    expect((await model.complete({ system: 'Be brief.', user: 'what now?', seed: 9 })).text).toBe(reply.text);
  }));

test('the window is the model’s own, and its tokens are counted by its own tokenizer', () =>
  withModel({ contextTokens: 300 }, async (open) => {
    const { countTokens, contextTokens } = await readPromptRoom(open(), undefined);
    expect(contextTokens).toBe(300 - 64);
    expect(countTokens('mix the plasma, twice')).toBe(5);
    expect((await readPromptRoom(open(), 100)).contextTokens).toBe(100);
    await expect(open().complete({ user: 'cold '.repeat(290), maxTokens: 20 })).rejects.toMatchObject({
      exitCode: ExitCode.model,
      message: expect.stringMatching(/the prompt has \d+ tokens.*does not fit into the 300/u),
    });
  }));

test('an interrupt and the time limit end a reply that would not end; then the model is gone', () =>
  withModel({ stops: false, contextTokens: 100_000 }, async (open) => {
    const stop = new AbortController();
    const model = open({ signal: stop.signal, onText: () => stop.abort() });
    const endless = { user: 'x', maxTokens: 90_000 };
    await expect(model.complete(endless)).rejects.toMatchObject({ name: 'AbortError' });
    await expect(open({ timeoutMs: 3000 }).complete(endless)).rejects.toThrow('it did not end in 3 s');
  }));

const FILES = {
  'config.json': '{"max_position_embeddings": 8192}',
  'tokenizer.json': '{}',
  'tokenizer_config.json': '{"model_max_length": 1e30, "chat_template": "T"}',
  'onnx/model_q4.onnx': 'w'.repeat(2000),
};

function reading(changes: Readonly<Record<string, string>>): ReturnType<typeof readGenerator> {
  const files = Object.fromEntries(
    Object.entries({ ...FILES, ...changes }).filter(([, text]) => text !== ''),
  );
  return inTemporaryFolder(async (folder) => readGenerator(await writeFiles(folder, files)));
}

test.each<[string, Record<string, string>, object]>([
  [
    'as it is',
    {},
    { dtype: 'q4', contextTokens: 8192, chatTemplate: 'T', dataFiles: 0, weights: 'onnx/model_q4.onnx' },
  ],
  [
    'the smaller of two windows',
    { 'tokenizer_config.json': '{"model_max_length": 2048, "chat_template": "T"}' },
    { contextTokens: 2048 },
  ],
  [
    'a window inside of text_config',
    { 'config.json': '{"text_config": {"max_position_embeddings": 77}}' },
    { contextTokens: 77 },
  ],
  [
    'a template of its own file',
    { 'tokenizer_config.json': '{}', 'chat_template.jinja': 'J' },
    { chatTemplate: 'J' },
  ],
  [
    'one of several templates',
    {
      'tokenizer_config.json':
        '{"chat_template": [{"name": "tools", "template": "X"}, {"name": "default", "template": "D"}]}',
    },
    { chatTemplate: 'D' },
  ],
  [
    'weights in several files, the smallest of several kinds',
    { 'onnx/model.onnx': 'w'.repeat(2000), 'onnx/model_q4.onnx_data': 'd', 'onnx/model_q4.onnx_data_1': 'd' },
    { dtype: 'q4', dataFiles: 2, files: expect.arrayContaining(['onnx/model_q4.onnx_data_1']) },
  ],
])('read off the files: %s', async (_, changes, expected) => {
  expect(await reading(changes)).toMatchObject(expected);
});

test.each<[string, Record<string, string>, RegExp]>([
  ['no config', { 'config.json': '' }, /config\.json is missing/u],
  ['no template', { 'tokenizer_config.json': '{}' }, /no chat template/u],
  ['no weights', { 'onnx/model_q4.onnx': '' }, /no weights in onnx/u],
  ['a Git LFS pointer', { 'onnx/model_q4.onnx': 'version https' }, /has 13 bytes: a Git LFS pointer/u],
  ['no window', { 'config.json': '{}' }, /does not state how many tokens/u],
])('no language model that can be used: %s', async (_, changes, message) => {
  await expect(reading(changes)).rejects.toMatchObject({
    exitCode: ExitCode.model,
    message: expect.stringMatching(message),
  });
});

test('a folder without a chat template is no generator', () =>
  inTemporaryFolder(async (folder) => {
    await writeFiles(folder, FILES);
    expect(await isGeneratorFolder(folder)).toBe(true);
    await writeFile(join(folder, 'tokenizer_config.json'), '{}');
    expect(await isGeneratorFolder(folder)).toBe(false);
    await rm(join(folder, 'tokenizer_config.json'));
    expect(await isGeneratorFolder(folder)).toBe(false);
  }));
