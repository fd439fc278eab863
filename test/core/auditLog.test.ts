import { expect, test } from '@jest/globals';
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import {
  FIRST_HASH,
  appendAudit,
  auditLogPath,
  hashRecord,
  type AuditEntry,
  type AuditRecord,
} from '../../src/core/auditLog.js';
import { inTemporaryFolder } from '../temporaryFolder.js';

function entry(subject: string): AuditEntry {
  return {
    command: 'ask',
    subject,
    units: [{ id: 'a#1', sha256: 'f'.repeat(64), document: 'a.md' }],
    model: { embedder: 'words', generator: 'extractive' },
    settings: { k: 3 },
    output: { answered: true },
  };
}

async function records(folder: string): Promise<AuditRecord[]> {
  const text = await readFile(auditLogPath(folder), 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditRecord);
}

function expectChain(list: readonly AuditRecord[]): void {
  list.forEach(({ hash, ...unsigned }, at) => {
    expect(hashRecord(unsigned)).toBe(hash);
    expect(unsigned.previousHash).toBe(list[at - 1]?.hash ?? FIRST_HASH);
  });
}

test('every record holds the hash of the one before and its own', async () => {
  await inTemporaryFolder(async (folder) => {
    for (const subject of ['one', 'two', 'µ'.repeat(100_000), 'four'])
      await appendAudit(folder, entry(subject));
    const list = await records(folder);
    expect(list.map(({ subject }) => subject.length)).toEqual([3, 3, 100_000, 4]);
    expectChain(list);
    if (process.platform !== 'win32') expect((await stat(auditLogPath(folder))).mode & 0o777).toBe(0o600);
  });
});

test('times are UTC and local with its offset', async () => {
  await inTemporaryFolder(async (folder) => {
    const { timeUtc, timeLocal } = await appendAudit(folder, entry('when'));
    expect(timeLocal).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/u);
    expect(Math.abs(Date.parse(timeLocal) - Date.parse(timeUtc))).toBeLessThan(1000);
  });
});

test('many at once: none is lost, the chain holds', async () => {
  await inTemporaryFolder(async (folder) => {
    await Promise.all(Array.from({ length: 15 }, (_, at) => appendAudit(folder, entry(`q${at}`))));
    const list = await records(folder);
    expect(new Set(list.map(({ subject }) => subject)).size).toBe(15);
    expectChain(list);
  });
});

test.each([
  ['half a record', '{"id":"x","prev'],
  ['zeros after a power cut', '\0'.repeat(500)],
  ['a long cut line', 'x'.repeat(200_000)],
])('what a killed writer left is cut off: %s', async (_what, tail) => {
  await inTemporaryFolder(async (folder) => {
    await appendAudit(folder, entry('one'));
    await appendFile(auditLogPath(folder), tail);
    await appendAudit(folder, entry('two'));
    const list = await records(folder);
    expect(list.map(({ subject }) => subject)).toEqual(['one', 'two']);
    expectChain(list);
  });
});

test('a log that is nothing but a cut line begins anew', async () => {
  await inTemporaryFolder(async (folder) => {
    await writeFile(auditLogPath(folder), '{"id":');
    await appendAudit(folder, entry('one'));
    expectChain(await records(folder));
  });
});

test.each(['no json', '5', 'null', '{"hash":"short"}', ''])(
  'a last line that is no record (%j) is damage, exit 3, and nothing is written',
  async (line) => {
    await inTemporaryFolder(async (folder) => {
      await appendAudit(folder, entry('one'));
      await appendFile(auditLogPath(folder), `${line}\n`);
      const before = await readFile(auditLogPath(folder), 'utf8');
      await expect(appendAudit(folder, entry('two'))).rejects.toMatchObject({ exitCode: 3 });
      expect(await readFile(auditLogPath(folder), 'utf8')).toBe(before);
    });
  },
);
