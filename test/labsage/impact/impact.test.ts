import '../../uuidForVectra.js';
import { expect, test } from '@jest/globals';
import { Chalk } from 'chalk';
import { mkdir, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vectorStores } from '../../../src/labsage/buildIndex.js';
import { findImpact, type Impact, type ImpactOptions } from '../../../src/labsage/impact/impact.js';
import { impactRecord, renderImpact, summarizeImpact } from '../../../src/labsage/impact/renderImpact.js';
import { sideBySide, wrapLines } from '../../../src/labsage/impact/sideBySide.js';
import { listSopFiles } from '../../../src/labsage/documents/sopFiles.js';
import { openSopIndex } from '../../../src/labsage/sopIndex.js';
import { inTemporaryFolder, writeFiles } from '../../temporaryFolder.js';
import { wordEmbedder } from '../../wordEmbedder.js';
import { build, buildOptions } from '../builtIndex.js';
import { SOPS, TODAY, controlledSop } from '../lists/controlledCorpus.js';

const QUESTIONS = [
  'Plasma Ammonia specimen: how many minutes to spin?',
  'Serum Lithium results: when is it critical?',
  'which SOPs mention azide?',
].map((question, at) => ({ id: `q${at + 1}`, question, evidence: [], isStated: false }));

const AMMONIA = 'chemistry/CH-100-ammonia.md';
const NEW_SOPS = { ...SOPS, [AMMONIA]: (SOPS[AMMONIA] ?? '').replace('8 minutes', '12 minutes') };

async function impactOf(
  old: Readonly<Record<string, string>>,
  current: Readonly<Record<string, string>>,
  options: Partial<ImpactOptions> & { reuseOld?: boolean } = {},
): Promise<{ impact: Impact; embedded: readonly string[] }> {
  return inTemporaryFolder(async (folder) => {
    const [before, after] = [join(folder, 'old'), join(folder, 'new')];
    await mkdir(before);
    await writeFiles(before, old);
    await writeFiles(after, current);
    const { embedder, chunking, fingerprint, openEmbedder } = buildOptions(join(folder, 'index'));
    if (options.reuseOld === true) await build(before, join(folder, 'index'));
    const index = options.reuseOld === true ? await openSopIndex(join(folder, 'index')) : undefined;
    try {
      const impact = await findImpact(
        { old: (await listSopFiles([before], '/')).files, current: (await listSopFiles([after], '/')).files },
        {
          chunking,
          fingerprint,
          openEmbedder,
          questions: QUESTIONS,
          retrieve: { today: TODAY },
          ...(index === undefined ? {} : { reuse: vectorStores(index) }),
          ...options,
        },
      );
      return { impact, embedded: embedder.texts };
    } finally {
      await index?.close();
    }
  });
}

test('the changed section, word by word, and the one question that is answered differently', async () => {
  const { impact } = await impactOf(SOPS, NEW_SOPS);
  expect(
    impact.documents.map(({ after, sections }) => [after?.path, sections.map(({ after: to }) => to?.path)]),
  ).toEqual([[AMMONIA, [['Specimen']]]]);
  expect(impact.answers.map(({ id, kind }) => [id, kind])).toEqual([
    ['q1', 'changed'],
    ['q2', 'same'],
    ['q3', 'same'],
  ]);
  expect(impact.answers[0]?.before.text).toContain('8 minutes');
  expect(impact.answers[0]?.after.text).toContain('12 minutes');
  expect(summarizeImpact(impact)).toBe(
    '1 document differs: 1 section changed. 1 of 3 saved questions is answered differently.',
  );
});

test('the same on both sides: nothing differs', async () => {
  const { impact } = await impactOf(SOPS, SOPS);
  expect(impact.documents).toEqual([]);
  expect(impact.answers.every(({ kind }) => kind === 'same')).toBe(true);
});

test('each text is embedded once: neither side what the other or another index has', async () => {
  const both = await impactOf(SOPS, NEW_SOPS);
  const fromIndex = await impactOf(SOPS, NEW_SOPS, { reuseOld: true });
  expect(new Set(both.embedded.filter((text) => text.includes('minutes') && text.includes('›'))).size).toBe(
    2,
  );
  expect(fromIndex.impact.embedded).toBeLessThan(both.impact.embedded);
  expect(fromIndex.impact.embedded).toBe(1);
});

test('a removed document: its questions are refused now', async () => {
  const rest = Object.fromEntries(Object.entries(SOPS).filter(([path]) => !path.includes('lithium')));
  const questions = [{ id: 'q1', question: 'which SOPs mention lithium?', evidence: [], isStated: false }];
  const { impact } = await impactOf(SOPS, rest, { questions });
  expect(impact.documents.map(({ kind, before }) => [kind, before?.path])).toEqual([
    ['removed', 'chemistry/CH-200-lithium.md'],
  ]);
  expect(impact.answers).toMatchObject([{ kind: 'refused' }]);
});

test('a draft is read as if it were in force, also against an empty side', async () => {
  const draft = controlledSop({
    number: 'CH-100',
    title: 'Plasma Ammonia',
    version: '3.0',
    status: 'DRAFT',
    effective: '2027-03-01',
    sections: { Specimen: 'Spin for 12 minutes at 4 °C.' },
  });
  const { impact } = await impactOf({ 'v2.md': SOPS[AMMONIA] ?? '' }, { 'v3.md': draft });
  expect(impact.documents).toMatchObject([
    { kind: 'changed', before: { path: 'v2.md' }, after: { path: 'v3.md' } },
  ]);
  expect(impact.answers[0]).toMatchObject({ kind: 'changed', after: { answered: true } });
  expect((await impactOf({}, { 'v3.md': draft })).impact.answers[0]?.kind).toBe('answered');
});

test('without questions no model is opened', async () => {
  const { impact, embedded } = await impactOf(SOPS, NEW_SOPS, {
    questions: [],
    openEmbedder: () => Promise.reject(new Error('opened')),
  });
  expect(impact.documents).toHaveLength(1);
  expect(embedded).toEqual([]);
});

test('an interrupt leaves no temporary index behind', async () => {
  const before = (await readdir(tmpdir())).filter((name) => name.startsWith('labsage-impact-'));
  const embedder = wordEmbedder({ failAfter: 3 });
  await expect(impactOf(SOPS, NEW_SOPS, { openEmbedder: () => Promise.resolve(embedder) })).rejects.toThrow(
    'the embedder was stopped',
  );
  expect((await readdir(tmpdir())).filter((name) => name.startsWith('labsage-impact-'))).toEqual(before);
});

test('for a person: section, words and answers side by side; for a program: one object', async () => {
  const { impact } = await impactOf(SOPS, NEW_SOPS);
  const lines = renderImpact(impact, { color: new Chalk({ level: 0 }), columns: 100 });
  expect(lines).toContain('  changed  Specimen');
  expect(lines.join('\n')).toContain('Spin for [-8-] {+12+} minutes');
  expect(lines.find((line) => line.includes('8 minutes') && line.includes('12 minutes'))).toContain(' | ');
  expect(JSON.parse(JSON.stringify(impactRecord(impact)))).toMatchObject({
    documents: [{ kind: 'changed', sections: [{ kind: 'changed', after: ['Specimen'] }] }],
    answers: [{ id: 'q1', kind: 'changed' }, { kind: 'same' }, { kind: 'same' }],
  });
});

test('columns wrap at words and keep their indentation', () => {
  expect(wrapLines('  one two three', 9)).toEqual(['  one two', '  three']);
  expect(wrapLines('a verylongword', 6)).toEqual(['a', 'verylo', 'ngword']);
  expect(sideBySide('left', 'right\nmore', { columns: 51 })).toEqual([
    `${'left'.padEnd(24)} | right`,
    `${''.padEnd(24)} | more`,
  ]);
});
