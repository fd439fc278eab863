import { expect, test } from '@jest/globals';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot, type Paths } from '../../../src/core/config.js';
import { checkModelSizes, findModel, fingerprintOf, isEmbedder, listModels } from '../../../src/core/models/modelFiles.js';
import { inTemporaryFolder } from '../../temporaryFolder.js';

function pathsWith(models: string): Paths {
  return { packageRoot, models, config: '', state: join(models, '..', 'state') };
}

test('the bundled models are there, whole, and found by id and alias', async () => {
  const paths = pathsWith('/nonexistent');
  const models = (await listModels(paths)).filter(isEmbedder);
  expect(models.map(({ card }) => card.alias).sort()).toEqual(['minilm', 'mpnet']);
  for (const model of models) {
    await checkModelSizes(model);
    expect(await findModel(model.card.id, paths)).toEqual(await findModel(model.card.alias ?? '', paths));
    expect(fingerprintOf(model)).toMatchObject({ id: model.card.id, dims: model.card.dims });
  }
});

test('an unknown model is exit 4 and names those that are there', async () => {
  await expect(findModel('bert', pathsWith('/nonexistent'))).rejects.toMatchObject({
    exitCode: 4,
    hint: 'use one of: minilm, mpnet',
  });
});

test('a broken folder of one model does not keep the others from being used, and is named when it is wanted', async () => {
  await inTemporaryFolder(async (folder) => {
    const cards = { 'half-card': '{"id":"half-card"}', 'no-json': '{', null: 'null', list: '{"id":"x","files":[null]}' };
    for (const [name, card] of Object.entries(cards)) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'model.json'), card);
    }
    await mkdir(join(folder, 'empty'));
    await writeFile(join(folder, 'file'), '');
    await mkdir(join(folder, 'odd', 'model.json'), { recursive: true });
    const paths = pathsWith(folder);
    expect((await findModel('minilm', paths)).card.alias).toBe('minilm');
    const message = await findModel('half-card', paths).catch((error: unknown) => String(error));
    for (const name of [...Object.keys(cards), 'odd']) expect(message).toContain(join(folder, name, 'model.json'));
    expect(message).not.toContain(join(folder, 'empty'));
  });
});

test('a Git LFS pointer or a missing file in place of the weights is told before anything is loaded', async () => {
  await inTemporaryFolder(async (folder) => {
    await cp(join(packageRoot, 'models', 'all-MiniLM-L6-v2'), join(folder, 'mine'), { recursive: true });
    const model = await findModel('minilm', pathsWith(folder));
    expect(model.folder).toBe(join(folder, 'mine'));
    await writeFile(join(folder, 'mine', model.card.weights), 'x'.repeat(130));
    await expect(checkModelSizes(model)).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringMatching(/has 130 bytes instead of \d+: a cut download or a Git LFS pointer$/u),
    });
    const gone = { ...model, card: { ...model.card, files: [{ path: 'gone', bytes: 1, sha256: '' }] } };
    await expect(checkModelSizes(gone)).rejects.toThrow('cannot be read (ENOENT)');
  });
});
