import '../../uuidForVectra.js';
import { expect, test } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { appendAudit, type AuditRecord } from '../../../src/core/auditLog.js';
import { checkAuditLog } from '../../../src/core/auditTrail.js';
import { parse } from 'csv-parse/sync';
import {
  EXPORT_COLUMNS,
  exportRow,
  findLog,
  findRecord,
  recordLines,
} from '../../../src/labsage/records/auditRecords.js';
import { auditEntryOf } from '../../../src/labsage/records/auditEntry.js';
import { replayDifferences, replayOptions } from '../../../src/labsage/records/answerReplay.js';
import { answerAsked } from '../../../src/labsage/lists/corpusAnswer.js';
import { keepManifest } from '../../../src/labsage/index/keptManifest.js';
import type { RetrieveOptions } from '../../../src/labsage/retrieve.js';
import { openSopIndex } from '../../../src/labsage/sopIndex.js';
import { inTemporaryFolder, writeFiles } from '../../temporaryFolder.js';
import { wordEmbedder, wordFingerprint } from '../../wordEmbedder.js';
import { build } from '../builtIndex.js';
import { SOPS, TODAY } from '../lists/controlledCorpus.js';

const QUESTION = 'Plasma Ammonia: how long to spin?';

/** Asks and records, as `labsage ask` does. */
async function record(index: string, options: RetrieveOptions): Promise<AuditRecord> {
  const opened = await openSopIndex(index);
  try {
    const asked = await answerAsked(QUESTION, { index: opened, embedder: wordEmbedder() }, options);
    await keepManifest(index, opened.manifest);
    return await appendAudit(index, auditEntryOf(asked, { index: opened, options }));
  } finally {
    await opened.close();
  }
}

async function replay(
  index: string,
  recorded: AuditRecord,
): Promise<{ text: string; differences: string[] }> {
  const opened = await openSopIndex(index);
  try {
    const found = await replayDifferences(recorded, opened, { logFolder: index });
    const { answer } = await answerAsked(
      recorded.subject,
      { index: opened, embedder: wordEmbedder() },
      replayOptions(recorded),
    );
    return { text: answer.text, differences: found.map(({ kind, name }) => `${kind} ${name}`) };
  } finally {
    await opened.close();
  }
}

async function withRecord(
  work: (state: { folder: string; sops: string; index: string; recorded: AuditRecord }) => Promise<void>,
  options: Partial<RetrieveOptions> = {},
): Promise<void> {
  await inTemporaryFolder(async (folder) => {
    const sops = await writeFiles(join(folder, 'sops'), SOPS);
    const index = join(folder, 'index');
    await build(sops, index);
    await work({ folder, sops, index, recorded: await record(index, { today: TODAY, ...options }) });
  });
}

test('an unchanged index gives the same answer, asked with the recorded options', async () => {
  const options = { k: 2, filters: { folders: ['chemistry'] } };
  await withRecord(async ({ index, recorded }) => {
    expect(replayOptions(recorded)).toEqual({ ...options, today: TODAY, mode: 'hybrid', preset: 'labsage' });
    expect(await replay(index, recorded)).toEqual({ text: recorded.output['text'], differences: [] });
  }, options);
});

test('every document that was edited, added or taken away since is named, and no other', async () => {
  await withRecord(async ({ sops, index, recorded }) => {
    const ammonia = SOPS['chemistry/CH-100-ammonia.md'] ?? '';
    await writeFiles(sops, {
      'chemistry/CH-100-ammonia.md': ammonia.replace('8 minutes', '12 minutes'),
      'chemistry/CH-900-new.md': '# New\n\nWords.\n',
    });
    await rm(join(sops, 'hematology/HE-400-esr.md'));
    await build(sops, index);
    const { text, differences } = await replay(index, recorded);
    expect(differences).toEqual([
      'document chemistry/CH-100-ammonia.md',
      'document chemistry/CH-900-new.md',
      'document hematology/HE-400-esr.md',
    ]);
    expect(text).not.toBe(recorded.output['text']);
  });
});

test('the log, and what a replay needs, outlive a re-index', async () => {
  await withRecord(async ({ sops, index, recorded }) => {
    await writeFiles(sops, { 'chemistry/CH-901.md': '# Another\n\nWords.\n' });
    await build(sops, index);
    await record(index, { today: TODAY });
    const { path } = await findLog([index], 'audit');
    expect(await checkAuditLog(path)).toMatchObject({ records: 2, faults: [] });
    expect(await findRecord(path, recorded.id.slice(0, 8))).toEqual(recorded);
    expect((await replay(index, recorded)).differences).toEqual(['document chemistry/CH-901.md']);
  });
});

test('without the kept manifest the changed sections of the answer are named', async () => {
  await withRecord(async ({ sops, index, recorded }) => {
    const ammonia = SOPS['chemistry/CH-100-ammonia.md'] ?? '';
    await writeFiles(sops, { 'chemistry/CH-100-ammonia.md': ammonia.replace('8 minutes', '12 minutes') });
    await build(sops, index);
    await rm(join(index, 'audit-manifests'), { recursive: true });
    expect((await replay(index, recorded)).differences).toEqual(['section ch-100-ammonia#specimen']);
  });
});

test('another model and other cutting are named', async () => {
  await withRecord(async ({ sops, index, recorded }) => {
    await build(sops, index, {
      embedder: wordEmbedder({ fingerprint: wordFingerprint('others') }),
      preset: 'paper',
    });
    const { differences } = await replay(index, recorded);
    expect(differences).toContain('model embedder');
    expect(differences).toContain('setting chunking preset');
  });
});

test('a record is found by the beginning of its id, and read as lines and as a row', async () => {
  await withRecord(async ({ index, recorded }) => {
    const { path } = await findLog([join(index, 'none'), index], 'audit');
    await expect(findRecord(path, 'zz')).rejects.toMatchObject({ exitCode: 3 });
    await expect(findRecord(path, recorded.id.slice(0, 8).toUpperCase())).resolves.toEqual(recorded);
    await record(index, { today: TODAY });
    await expect(findRecord(path, '')).rejects.toMatchObject({ exitCode: 2 });
    const lines = recordLines(recorded);
    expect(lines).toContain(`question   ${QUESTION}`);
    expect(lines.at(-1)).toContain('[S1]');
    const [row] = parse(exportRow(recorded));
    expect(row).toHaveLength(EXPORT_COLUMNS.length);
    expect(row).toContain(recorded.hash);
  });
});

test('a folder without a log says how one comes about', async () => {
  await inTemporaryFolder(async (folder) => {
    await expect(findLog([folder], 'audit')).rejects.toMatchObject({
      exitCode: 3,
      message: `there is no audit log in ${folder}`,
    });
  });
});
