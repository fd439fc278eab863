/** Both programs with a real Chroma server, as jobs on a cluster would run them: shards side by side, one killed. */

import { afterAll, expect, test } from '@jest/globals';
import type { ChildProcess } from 'node:child_process';
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromaServer, fakeChroma, freePort, stopChroma, testWithChroma } from '../chromaServer.js';
import { inTemporaryFolder, writeFiles } from '../temporaryFolder.js';
import { writeRows } from './cliragRows.js';
import { clirag, labsage, manySections, type Ended } from './runBin.js';

afterAll(stopChroma);

const MODEL = ['--embedder', 'minilm'];

/** All ids of the collection that the store's name begins. */
async function idsOf(url: string, collection: string): Promise<string[]> {
  const base = `${url}/api/v2/tenants/default_tenant/databases/default_database/collections`;
  const found = (await (await fetch(base)).json()) as { id: string; name: string }[];
  const one = found.find(({ name }) => name.startsWith(`${collection}-`));
  if (one === undefined) return [];
  const reply = await fetch(`${base}/${one.id}/get`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ include: [], limit: 10_000 }),
  });
  return ((await reply.json()) as { ids: string[] }).ids;
}

/** Kills the process once the collection has grown by so many. */
function killAt(count: number, ids: () => Promise<string[]>): (child: ChildProcess) => void {
  const wait = async (child: ChildProcess): Promise<void> => {
    const before = (await ids()).length;
    while (child.exitCode === null && (await ids()).length < before + count) await sleep(10);
    child.kill('SIGKILL');
  };
  return (child) => void wait(child);
}

const embeddedOf = ({ out }: Ended): number => (JSON.parse(out) as { embedded: number }).embedded;

testWithChroma('labsage: two shards, one killed and run again, then one run that publishes', async () => {
  await inTemporaryFolder(async (cwd) => {
    const { url } = await chromaServer();
    await writeFiles(join(cwd, 'sops'), {
      'a.md': manySections('CH-001', { sections: 200, mark: 'mark' }),
      'b.md': manySections('CH-002', { sections: 200, mark: 'other' }),
    });
    const store = ['--store', `chroma:${url}/sops`];
    const ids = (): Promise<string[]> => idsOf(url, 'sops');
    const shard = (part: string, onStart?: (child: ChildProcess) => void): Promise<Ended> =>
      labsage(['index', 'sops', ...MODEL, ...store, '--shard', part, '--json', '--quiet'], {
        cwd,
        ...(onStart === undefined ? {} : { onStart }),
      });
    const killed = await shard('2/2', killAt(64, ids));
    expect(killed.code).toBeNull();
    // A request may have been under way.
    await sleep(500);
    const kept = (await ids()).length;
    expect(kept).toBeGreaterThanOrEqual(64);
    expect(await labsage(['search', 'plasma'], { cwd })).toMatchObject({ code: 3 });
    const [first, second] = await Promise.all([shard('1/2'), shard('2/2')]);
    expect([first.code, second.code]).toEqual([0, 0]);
    const published = await labsage(['index', 'sops', ...MODEL, ...store, '--json', '--quiet'], { cwd });
    const { searchUnits, embedded } = JSON.parse(published.out) as { searchUnits: number; embedded: number };
    // Killed work was kept, and nothing was done twice: what is left for the last run are the headings.
    expect(embeddedOf(first) + embeddedOf(second) + kept).toBe(searchUnits);
    expect(embedded).toBeLessThan(searchUnits);
    const stored = await ids();
    expect(new Set(stored).size).toBe(stored.length);
    expect(stored).toHaveLength(searchUnits);
    expect((await labsage(['verify'], { cwd })).code).toBe(0);

    await labsage(['index', 'sops', ...MODEL, '--index', 'file', '--quiet'], { cwd });
    for (const question of ['mix the plasma 17 times', 'potassium at 99 nm']) {
      const ask = (...more: string[]): Promise<Ended> =>
        labsage(['search', question, '-k', '20', '--json', ...more], { cwd });
      expect(await ask()).toEqual(await ask('--index', 'file'));
    }
    // Elsewhere, with the vectors where they were.
    await cp(join(cwd, '.labsage'), join(cwd, 'moved'), { recursive: true });
    expect((await labsage(['search', 'plasma', '--index', 'moved', '--json'], { cwd })).out).toBe(
      (await labsage(['search', 'plasma', '--json'], { cwd })).out,
    );
  });
});

testWithChroma('clirag: two shards, one killed and run again; notes then need no --store', async () => {
  await inTemporaryFolder(async (cwd) => {
    const { url } = await chromaServer();
    const rows = [1, 2, 3, 4].flatMap((patient) =>
      Array.from({ length: 80 }, (_, at) => ({
        patient,
        charted: `2150-01-02 ${String(Math.floor(at / 5)).padStart(2, '0')}:00:00`,
        text: `EVENTS:\nPatient ${patient} short of breath, oxygen at ${at} L.\nPLAN:\nWean oxygen, film ${at} of ${patient}.`,
      })),
    );
    await writeRows(join(cwd, 'NOTEEVENTS.csv'), rows);
    await clirag(['index', 'NOTEEVENTS.csv', '--quiet'], { cwd });
    const ids = (): Promise<string[]> => idsOf(url, 'notes');
    const shard = (part: string, onStart?: (child: ChildProcess) => void): Promise<Ended> =>
      clirag(
        [
          'index',
          '--embed',
          ...MODEL,
          '--store',
          `chroma:${url}/notes`,
          '--shard',
          part,
          '--json',
          '--quiet',
        ],
        { cwd, ...(onStart === undefined ? {} : { onStart }) },
      );
    const killed = await shard('2/2', killAt(64, ids));
    expect(killed.code).toBeNull();
    // A request may have been under way.
    await sleep(500);
    const kept = (await ids()).length;
    expect(kept).toBeGreaterThanOrEqual(64);
    const [first, second] = await Promise.all([shard('1/2'), shard('2/2')]);
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(embeddedOf(first) + embeddedOf(second) + kept).toBe(rows.length * 2);
    const stored = await ids();
    expect(new Set(stored).size).toBe(stored.length);
    expect(stored).toHaveLength(rows.length * 2);

    const note = ['note', '--patient', '3', '--visit', '#1', ...MODEL];
    const onServer = await clirag(note, { cwd });
    const inFolder = await clirag([...note, '--store', 'file'], { cwd });
    expect(onServer.code).toBe(0);
    expect(onServer.out).toBe(inFolder.out);
    expect(onServer.out).toContain('oxygen');
  });
});

test('a server that is down, or far away, is one line on stderr and exit 3 or 2', async () => {
  await inTemporaryFolder(async (cwd) => {
    await writeFiles(join(cwd, 'sops'), { 'a.md': manySections('CH-001', { sections: 2, mark: 'mark' }) });
    const url = `http://127.0.0.1:${await freePort()}`;
    const down = await labsage(['index', 'sops', ...MODEL, '--store', `chroma:${url}/sops`, '--quiet'], {
      cwd,
    });
    expect(down).toMatchObject({ code: 3, out: '' });
    expect(down.err).toBe(
      `error: the Chroma server at ${url} is not running there. Start it with: chroma run --path FOLDER, or name another with --store\n`,
    );
    const far = await labsage(
      ['index', 'sops', ...MODEL, '--store', 'chroma:http://192.0.2.1:8000/sops', '--quiet'],
      { cwd },
    );
    expect(far).toMatchObject({ code: 2, out: '' });
    expect(far.err).toContain('Add --allow-remote if your institution permits that');
    const shard = await labsage(['index', 'sops', ...MODEL, '--shard', '1/2'], { cwd });
    expect(shard).toMatchObject({ code: 2, out: '' });
    expect(await readdir(cwd)).toEqual(expect.not.arrayContaining(['manifest.json']));
  });
});

test('a server that mixes patients up: nothing is printed', async () => {
  await inTemporaryFolder(async (cwd) => {
    await writeRows(join(cwd, 'NOTEEVENTS.csv'), [
      { patient: 1, charted: '2150-01-02 08:00:00', text: 'PLAN:\nWean oxygen.' },
    ]);
    await clirag(['index', 'NOTEEVENTS.csv', '--quiet'], { cwd });
    const fake = await fakeChroma(({ path, body }) =>
      path === '/get'
        ? { ids: body['ids'], embeddings: [[1]], metadatas: [{ patient: '2', check: '' }] }
        : undefined,
    );
    try {
      const ended = await clirag(
        ['note', '--patient', '1', '--visit', '#1', ...MODEL, '--store', `chroma:${fake.url}/notes`],
        { cwd },
      );
      expect(ended).toMatchObject({ code: 3, out: '' });
      expect(ended.err).toContain('gave a record of another patient');
    } finally {
      await fake.close();
    }
  });
});
