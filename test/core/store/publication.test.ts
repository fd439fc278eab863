import { expect, test } from '@jest/globals';
import { appendFile, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  DamagedError,
  openPublication,
  publish,
  readManifest,
  readPublished,
  type Publication,
} from '../../../src/core/store/publication.js';
import { inTemporaryFolder } from '../../temporaryFolder.js';

function content(words: string): {
  files: Record<string, { data: Buffer; extension: string }>;
  rest: { formatVersion: number };
} {
  return {
    files: {
      units: { data: Buffer.from(`units of ${words}`), extension: '.json' },
      vectors: { data: Buffer.from(`vectors of ${words}`), extension: '.f32' },
    },
    rest: { formatVersion: 1 },
  };
}

async function manifestOf(folder: string): Promise<Publication> {
  return (await readManifest(folder)) as unknown as Publication;
}

function opened(folder: string): ReturnType<typeof openPublication<Publication>> {
  return openPublication(folder, { readNow: () => manifestOf(folder) });
}

test('a new publication replaces the old one and leaves nothing of it, nor of a killed writer', async () => {
  await inTemporaryFolder(async (folder) => {
    await publish(folder, content('old'));
    await writeFile(join(folder, '.manifest.json.00aa.tmp'), 'half');
    await writeFile(join(folder, 'audit.jsonl'), 'kept');
    const { files } = await publish(folder, content('new'));
    const names = Object.values(files).map(({ name }) => name);
    expect((await readdir(folder)).sort()).toEqual([...names, 'audit.jsonl', 'manifest.json'].sort());
    expect((await readPublished(folder, files['units']!)).toString()).toBe('units of new');
  });
});

test('the same content gives the same bytes', async () => {
  await inTemporaryFolder(async (folder) => {
    await publish(folder, content('same'));
    const before = await readFile(join(folder, 'manifest.json'));
    await publish(folder, content('same'));
    expect(await readFile(join(folder, 'manifest.json'))).toEqual(before);
  });
});

test('a file that was damaged is written anew even if its name says that it is there', async () => {
  await inTemporaryFolder(async (folder) => {
    const { files } = await publish(folder, content('same'));
    await writeFile(join(folder, files['units']!.name), 'units of sane');
    await publish(folder, content('same'));
    expect((await readPublished(folder, files['units']!)).toString()).toBe('units of same');
  });
});

test('an open publication stays readable while others are published', async () => {
  await inTemporaryFolder(async (folder) => {
    await publish(folder, content('first'));
    const { files } = await opened(folder);
    await publish(folder, content('second'));
    await publish(folder, content('third'));
    expect((await files.readAll('vectors')).toString()).toBe('vectors of first');
    expect((await files.readPart('units', { at: 9, bytes: 5 })).toString()).toBe('first');
    await files.close();
  });
});

test('a reader between manifest and files sees the next publication, whole', async () => {
  await inTemporaryFolder(async (folder) => {
    await publish(folder, content('old'));
    const old = await manifestOf(folder);
    await publish(folder, content('new'));
    let reads = 0;
    const { files } = await openPublication(folder, {
      readNow: () => (++reads === 1 ? Promise.resolve(old) : manifestOf(folder)),
    });
    expect((await files.readAll('units')).toString()).toBe('units of new');
    await files.close();
  });
});

test('missing, cut, longer and changed files are damage that is named, exit 3', async () => {
  await inTemporaryFolder(async (folder) => {
    const { files: named } = await publish(folder, content('words'));
    const path = join(folder, named['units']!.name);
    const { files } = await opened(folder);
    await appendFile(path, 'x');
    await expect(files.readAll('units')).rejects.toThrow('it has 15 bytes instead of 14');
    await writeFile(path, 'units');
    await expect(files.readAll('units')).rejects.toThrow('it has 5 bytes instead of 14');
    await expect(files.readPart('units', { at: 0, bytes: 14 })).rejects.toThrow('it ends too early');
    await writeFile(path, 'units of sword');
    await expect(files.readAll('units')).rejects.toThrow('its checksum is another');
    await expect(files.readAll('terms')).rejects.toThrow('it names no file of terms');
    await files.close();
    await rm(path);
    await expect(opened(folder)).rejects.toThrow(`${path} is damaged: it is not there`);
    await expect(opened(folder)).rejects.toMatchObject({ exitCode: 3, name: 'DamagedError' });
  });
});

test('a manifest changed in any byte is damage, an absent one is none', async () => {
  await inTemporaryFolder(async (folder) => {
    expect(await readManifest(folder)).toBeUndefined();
    expect(await readManifest(join(folder, 'nowhere'))).toBeUndefined();
    await publish(folder, content('words'));
    const path = join(folder, 'manifest.json');
    const whole = await readFile(path);
    for (let at = 0; at < whole.length - 1; at++) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 1;
      // Blanks between the fields carry nothing.
      if (
        /\s/u.test(String.fromCharCode(whole[at] ?? 0)) &&
        /\s|!/u.test(String.fromCharCode(changed[at] ?? 0))
      )
        continue;
      await writeFile(path, changed);
      await expect(readManifest(folder)).rejects.toBeInstanceOf(DamagedError);
    }
    for (const text of ['', '[]', 'null', '5', '{}', '{"formatVersion":1}']) {
      await writeFile(path, text);
      await expect(readManifest(folder)).rejects.toBeInstanceOf(DamagedError);
    }
  });
});

test('a writer that lost its lock replaces nothing', async () => {
  await inTemporaryFolder(async (folder) => {
    await publish(folder, content('old'));
    const lost = { ...content('new'), assertHeld: () => Promise.reject(new Error('lost')) };
    await expect(publish(folder, lost)).rejects.toThrow('lost');
    const { files } = await opened(folder);
    expect((await files.readAll('units')).toString()).toBe('units of old');
    await files.close();
  });
});
