/** Lists, shards and the folder of a cohort: the whole list once, no file twice, no half line. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { appendFile, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openCohortFolder } from '../../../src/clirag/cohort/cohortFolder.js';
import { readPatientList } from '../../../src/clirag/cohort/cohortList.js';
import { parseShard, takeShard } from '../../../src/core/shard.js';
import { inTemporaryFolder } from '../../temporaryFolder.js';

test('the shards of a list are the list, each patient once, and differ by one patient at most', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string()), fc.integer({ min: 1, max: 20 }), (patients, count) => {
      const shards = Array.from({ length: count }, (_, at) => takeShard(patients, { number: at + 1, count }));
      expect(shards.flat().sort()).toEqual([...patients].sort());
      const sizes = shards.map(({ length }) => length);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    }),
  );
});

test.each([
  ['1/1', { number: 1, count: 1 }],
  ['3/16', { number: 3, count: 16 }],
  ['0/4', undefined],
  ['5/4', undefined],
  ['1', undefined],
  ['-1/4', undefined],
])('shard %s', (text, shard) => {
  expect(parseShard(text)).toEqual(shard);
});

test('a list of patients: ids, comments, JSON lines, each once', async () => {
  await inTemporaryFolder(async (folder) => {
    await writeFile(join(folder, 'list'), '\uFEFF7\r\n# eight\n8\n{"id":"9"}\n{"patient":10}\n7\n');
    expect(await readPatientList('list', folder)).toEqual(['7', '8', '9', '10']);
    await writeFile(join(folder, 'bad'), '{"name":"x"}\n');
    await expect(readPatientList('bad', folder)).rejects.toThrow('entry 1');
    await writeFile(join(folder, 'none'), '# nobody\n');
    await expect(readPatientList('none', folder)).rejects.toThrow('names no patient');
    await expect(readPatientList('absent', folder)).rejects.toThrow('there is no list');
  });
});

describe('the folder', () => {
  const options = { settings: { command: 'note', embedder: { id: 'a' } }, extension: '.md' };
  const visit = { patient: '7', visit: '2150-01-02' };

  test('a file is written once, with its line; what is there stays', async () => {
    await inTemporaryFolder(async (folder) => {
      const cohort = await openCohortFolder(folder, options);
      expect(await cohort.has(visit)).toBe(false);
      await cohort.add('first', { ...visit, words: 1 });
      expect(await cohort.has(visit)).toBe(true);
      await cohort.add('second', { ...visit, words: 1 });
      expect(await readFile(join(folder, '7', '2150-01-02.md'), 'utf8')).toBe('first');
      expect(await readdir(join(folder, '7'))).toEqual(['2150-01-02.md']);
      const [line = ''] = (await readFile(join(folder, 'manifest.jsonl'), 'utf8')).split('\n');
      expect(JSON.parse(line)).toMatchObject({ file: '7/2150-01-02.md', ...visit, words: 1 });
    });
  });

  test('a run that was killed between the file and its line is mended, half a line is left behind', async () => {
    await inTemporaryFolder(async (folder) => {
      const before = await openCohortFolder(folder, options);
      await before.add('text', visit);
      await writeFile(join(folder, 'manifest.jsonl'), '');
      await appendFile(join(folder, 'manifest.jsonl'), '{"file":"7/2150-01');
      const after = await openCohortFolder(folder, options);
      expect(await after.has(visit)).toBe(true);
      expect(await after.has(visit)).toBe(true);
      const lines = (await readFile(join(folder, 'manifest.jsonl'), 'utf8')).trim().split('\n');
      expect(lines).toHaveLength(2);
      expect(JSON.parse(lines[1] ?? '')).toMatchObject({ file: '7/2150-01-02.md', enteredLater: true });
    });
  });

  test('other settings are refused by name, and each shard has a manifest of its own', async () => {
    await inTemporaryFolder(async (folder) => {
      await openCohortFolder(folder, options);
      const other = { ...options, settings: { ...options.settings, embedder: { id: 'b' } } };
      await expect(openCohortFolder(folder, other)).rejects.toThrow(/embedder was \{"id":"a"\}/u);
      const shard = await openCohortFolder(folder, { ...options, shard: { number: 2, count: 3 } });
      await shard.add('text', visit);
      expect((await readdir(folder)).sort()).toEqual(['7', 'manifest-2-of-3.jsonl', 'settings.json']);
    });
  });
});
