import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { appendAudit, auditLogPath, hashRecord, type AuditRecord } from '../../src/core/auditLog.js';
import { checkAuditLog, readAuditRecords } from '../../src/core/auditTrail.js';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-'));
  path = auditLogPath(folder);
  for (let at = 1; at <= 5; at++) await append(`question ${at}`);
});
afterEach(() => rm(folder, { recursive: true }));

function append(subject: string): Promise<AuditRecord> {
  return appendAudit(folder, {
    command: 'ask',
    subject,
    units: [{ id: 'ch-014#4', sha256: 'ab', version: '4.2' }],
    model: { embedder: 'words', generator: 'extractive' },
    settings: { k: 3 },
    output: { text: 'On ice, 2 h. µ °', answered: true },
  });
}

async function rewrite(change: (lines: string[]) => readonly string[]): Promise<void> {
  const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
  await writeFile(
    path,
    change(lines)
      .map((line) => `${line}\n`)
      .join(''),
  );
}

async function faults(head?: string): Promise<string[]> {
  const check = await checkAuditLog(path, head === undefined ? {} : { head });
  return check.faults.map(({ line, fault }) => `${line} ${fault}`);
}

test('an untouched log has no fault, and its head is the hash of its last record', async () => {
  const records: AuditRecord[] = [];
  for await (const record of readAuditRecords(path)) records.push(record);
  expect(records.map(({ subject }) => subject)).toEqual([1, 2, 3, 4, 5].map((at) => `question ${at}`));
  expect(await checkAuditLog(path)).toEqual({ records: 5, faults: [], head: records[4]?.hash });
});

test('an absent log is an empty one', async () => {
  expect(await checkAuditLog(join(folder, 'none.jsonl'))).toMatchObject({ records: 0, faults: [] });
});

test.each<[string, (lines: string[]) => readonly string[], readonly string[]]>([
  [
    'an edited word',
    (lines) => lines.map((line, at) => (at === 2 ? line.replace('2 h', '4 h') : line)),
    ['3 was edited: its content does not fit its hash'],
  ],
  [
    'a blank put in, which leaves the JSON as it was',
    (lines) => lines.map((line, at) => (at === 1 ? line.replace('":', '": ') : line)),
    ['2 was edited: its content does not fit its hash'],
  ],
  [
    'an edited line with a hash made to fit',
    (lines) => lines.map((line, at) => (at === 2 ? resign(line, { subject: 'another question' }) : line)),
    ['4 does not follow line 3: a record between them was deleted or replaced'],
  ],
  [
    'a record deleted in the middle',
    (lines) => lines.filter((_, at) => at !== 2),
    ['3 does not follow line 2: a record between them was deleted or replaced'],
  ],
  [
    'the first record deleted',
    (lines) => lines.slice(1),
    ['1 is not the first record: records before it were deleted'],
  ],
  [
    'two records exchanged',
    ([a = '', b = '', c = '', d = '', e = '']) => [a, c, b, d, e],
    [
      '2 follows line 3: the order was changed, or lines were put in between',
      '3 follows line 1: the order was changed, or lines were put in between',
      '4 follows line 2: the order was changed, or lines were put in between',
    ],
  ],
  ['a record repeated', ([a = '', ...rest]) => [a, a, ...rest], ['2 repeats line 1']],
  [
    'a damaged line',
    (lines) => lines.map((line, at) => (at === 3 ? line.slice(20) : line)),
    ['4 is no audit record: it is damaged or was overwritten'],
  ],
  [
    'another log put behind it',
    (lines) => [...lines, resign(lines[0] ?? '', { subject: 'begun anew' })],
    ['6 begins a new chain: what stands before it was put in front, or moved'],
  ],
  [
    'a blank line',
    ([a = '', ...rest]) => [a, '', ...rest],
    ['2 is no audit record: it is damaged or was overwritten'],
  ],
])('%s is found and named with its line', async (_, change, expected) => {
  await rewrite(change);
  expect(await faults()).toEqual(expected);
});

test('a line cut short is named', async () => {
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.slice(0, -30));
  expect(await faults()).toEqual([
    '5 is cut short: the writer was killed, or the file was cut',
    '5 is no audit record: it is damaged or was overwritten',
  ]);
});

test('a recorded head reveals that the end was cut off; a log that only grew has it further up', async () => {
  const { head } = await checkAuditLog(path);
  await append('question 6');
  expect(await checkAuditLog(path, { head })).toMatchObject({ faults: [], headLine: 5 });
  await rewrite((lines) => lines.slice(0, 4));
  expect(await faults()).toEqual([]);
  expect(await faults(head)).toEqual([expect.stringMatching(/^4 the recorded head .* is not in the log/u)]);
});

test('a head reveals that the whole log was written anew', async () => {
  const { head } = await checkAuditLog(path);
  let previousHash = '0'.repeat(64);
  await rewrite((lines) =>
    lines.map((line) => {
      const anew = resign(line, { operator: 'someone else', previousHash });
      previousHash = (JSON.parse(anew) as AuditRecord).hash;
      return anew;
    }),
  );
  expect(await faults()).toEqual([]);
  expect(await faults(head)).toHaveLength(1);
});

test('a line separator inside a quote ends no line', async () => {
  await append('one\u2028two\u2029three');
  expect(await checkAuditLog(path)).toMatchObject({ records: 6, faults: [] });
});

test('always: any changed byte of any line is a fault', async () => {
  const original = await readFile(path);
  await fc.assert(
    fc.asyncProperty(fc.nat(original.length - 2), fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const bytes = Buffer.from(original);
      bytes[at] = (bytes[at] ?? 0) ^ change;
      await writeFile(path, bytes);
      expect(await faults()).not.toEqual([]);
    }),
    { numRuns: 150 },
  );
});

test('revalidations are a chain of their own', async () => {
  await appendAudit(folder, { ...base(), command: 'revalidate' }, { log: 'revalidations' });
  expect(await checkAuditLog(auditLogPath(folder, 'revalidations'))).toMatchObject({
    records: 1,
    faults: [],
  });
  expect(await checkAuditLog(path)).toMatchObject({ records: 5, faults: [] });
});

function base(): Parameters<typeof appendAudit>[1] {
  return {
    command: 'ask',
    subject: 's',
    units: [],
    model: { embedder: 'words', generator: 'extractive' },
    settings: {},
    output: {},
  };
}

function resign(line: string, change: Partial<AuditRecord>): string {
  const { hash, ...unsigned } = { ...(JSON.parse(line) as AuditRecord), ...change };
  const anew = hashRecord(unsigned);
  expect(anew).not.toBe(hash);
  return JSON.stringify({ ...unsigned, hash: anew });
}
