import '../../uuidForVectra.js';
import { expect, test } from '@jest/globals';
import { join } from 'node:path';
import { auditLogPath } from '../../../src/core/auditLog.js';
import { checkAuditLog } from '../../../src/core/auditTrail.js';
import { manifestHash } from '../../../src/labsage/index/keptManifest.js';
import {
  describeSummary,
  revalidate,
  revalidationStatus,
  type Revalidation,
  type RevalidationStatus,
} from '../../../src/labsage/records/revalidation.js';
import type { SavedQuestions } from '../../../src/labsage/records/savedQuestions.js';
import { openSopIndex } from '../../../src/labsage/sopIndex.js';
import { inTemporaryFolder, writeFiles } from '../../temporaryFolder.js';
import { wordEmbedder } from '../../wordEmbedder.js';
import { build } from '../builtIndex.js';
import { SOPS, TODAY } from '../lists/controlledCorpus.js';

const QUESTIONS: SavedQuestions = {
  sha256: 'ab',
  questions: [
    {
      id: 'spin',
      question: 'Plasma Ammonia specimen: how many minutes to spin?',
      evidence: [{ document: 'chemistry/CH-100-ammonia.md', quote: 'Spin for 8 minutes at 4 °C.' }],
      isStated: true,
    },
    { id: 'moon', question: 'procalcitonin minimum volume', evidence: [], isStated: true },
    { id: 'list', question: 'which SOPs mention azide?', evidence: [], isStated: false },
  ],
};

async function run(index: string): Promise<Revalidation> {
  const opened = await openSopIndex(index);
  try {
    return await revalidate(
      QUESTIONS,
      { index: opened, embedder: wordEmbedder() },
      { name: 'saved.jsonl', every: { count: 6, unit: 'month' }, retrieve: { today: TODAY } },
    );
  } finally {
    await opened.close();
  }
}

async function status(
  index: string,
  options: { today: string; every?: string },
): Promise<RevalidationStatus> {
  const opened = await openSopIndex(index);
  try {
    return await revalidationStatus(index, { today: options.today, index: manifestHash(opened.manifest) });
  } finally {
    await opened.close();
  }
}

test('who, when, of which index, with what, and what came out; then the same, then what an edit changed', async () => {
  await inTemporaryFolder(async (folder) => {
    const sops = await writeFiles(join(folder, 'sops'), SOPS);
    const index = join(folder, 'index');
    await build(sops, index);
    expect(await status(index, { today: TODAY })).toEqual({ every: '12 months', overdue: false });

    const first = await run(index);
    expect(
      first.results.map(({ id, answered, evidenceFound, same }) => [id, answered, evidenceFound, same]),
    ).toEqual([
      ['spin', true, true, undefined],
      ['moon', false, true, undefined],
      ['list', true, undefined, undefined],
    ]);
    expect(describeSummary(first.summary)).toBe('2 of 3 answered, 2 of 2 as the file states');
    expect(first.record).toMatchObject({
      command: 'revalidate',
      subject: 'saved.jsonl',
      model: { embedder: 'words', generator: 'extractive' },
      settings: { questionsSha256: 'ab', every: '6 months', today: TODAY },
    });
    expect(first.record.operator).not.toBe('');
    expect(first.record.settings['index']).toMatch(/^[0-9a-f]{64}$/u);

    expect((await run(index)).summary).toMatchObject({ compared: 3, same: 3 });

    const ammonia = SOPS['chemistry/CH-100-ammonia.md'] ?? '';
    await writeFiles(sops, { 'chemistry/CH-100-ammonia.md': ammonia.replace('8 minutes', '12 minutes') });
    await build(sops, index);
    expect((await status(index, { today: TODAY })).last?.sameIndex).toBe(false);
    const third = await run(index);
    expect(third.results.map(({ id, same, evidenceFound }) => [id, same, evidenceFound])).toEqual([
      ['spin', false, false],
      ['moon', true, true],
      ['list', true, undefined],
    ]);
    expect(await checkAuditLog(auditLogPath(index, 'revalidations'))).toMatchObject({
      records: 3,
      faults: [],
    });
  });
});

test('the next is due after the recorded interval', async () => {
  await inTemporaryFolder(async (folder) => {
    const index = join(folder, 'index');
    await build(await writeFiles(join(folder, 'sops'), SOPS), index);
    const { record } = await run(index);
    const year = Number(record.timeLocal.slice(0, 4));
    const { due = '', overdue, last } = await status(index, { today: record.timeLocal.slice(0, 10) });
    expect(overdue).toBe(false);
    expect(last).toMatchObject({
      date: record.timeLocal.slice(0, 10),
      questions: 'saved.jsonl',
      sameIndex: true,
    });
    expect(due > `${year}-05-31` && due < `${year + 1}-07-01`).toBe(true);
    expect((await status(index, { today: `${year + 2}-01-01` })).overdue).toBe(true);
  });
});
