/** `ask` states a confidence, refuses below one, flags what is low; `review` lists that and records verdicts in the proven log. */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../src/core/config.js';
import type { Answer } from '../../src/core/types.js';
import { labsage, type Ended } from './runBin.js';

const SOP = join(packageRoot, 'corpora', 'sops', 'chemistry', 'CH-014-plasma-ammonia.txt');
const CLEAR = 'What is the minimum volume for plasma ammonia?';
const VAGUE = 'How is the plasma stored and who gets called and what is the limit for hemolysis?';

let cwd = '';
const run = (...args: string[]): Promise<Ended> => labsage(args, { cwd });
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'labsage review '));
  expect((await run('index', SOP, '--embedder', 'minilm', '--quiet')).code).toBe(0);
}, 120_000);
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

test('a clear question is answered with more confidence than a vague one, which is flagged with its record', async () => {
  const clear = await run('ask', CLEAR, '--explain');
  expect(clear.out).toMatch(/\nConfidence 0\.[6-9]\d\.\n/u);
  expect(clear.out).toMatch(/confidence 0\.\d{3}: fit .* nearest .* lead .* held .* parts 0\.000/u);
  const vague = await run('ask', VAGUE);
  expect(vague.out).toMatch(
    /! Confidence 0\.[0-5]\d, low: have a person review this answer: labsage review record [0-9a-f]{8} /u,
  );
}, 60_000);

test('--min-confidence refuses before anything is quoted: exit 0 as any refusal, 5 where that is asked for', async () => {
  const refused = await run('ask', CLEAR, '--min-confidence', '0.999', '--json');
  expect(refused.code).toBe(0);
  const answer = JSON.parse(refused.out) as Answer;
  expect(answer).toMatchObject({ answered: false, needsReview: false, citations: [] });
  expect(answer.text).toMatch(
    /^Not answered: the confidence is 0\.\d{3}, and at least 0\.999 was asked for\.$/u,
  );
  const failed = await run('ask', CLEAR, '--min-confidence', '0.999', '--fail-unanswered');
  expect(failed.code).toBe(5);
  expect((await run('ask', CLEAR, '--min-confidence', '0.2', '--fail-unanswered')).code).toBe(0);
  const wrong = await run('ask', CLEAR, '--min-confidence', '60');
  expect(wrong.code).toBe(2);
  expect(wrong.err).toContain('a number from 0 to 1');
  const replay = await run('audit', 'replay', answer.auditId ?? '');
  expect(replay.out).toContain('The same answer');
}, 60_000);

interface Listed {
  readonly id: string;
  readonly question: string;
  readonly open: boolean;
  readonly reviews: readonly {
    readonly verdict: string;
    readonly reviewer: string;
    readonly note?: string;
  }[];
}

test('what is flagged is open until a verdict is recorded; the log is still whole', async () => {
  const answer = JSON.parse((await run('ask', VAGUE, '--json')).out) as Answer;
  expect(answer.needsReview).toBe(true);
  const id = answer.auditId ?? '';
  const list = async (...args: string[]): Promise<Listed[]> =>
    (await run('review', 'list', '--json', ...args)).out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Listed);
  const before = await list();
  expect(before.map((one) => one.id)).toContain(id);
  expect(before.every(({ question }) => question === VAGUE)).toBe(true);
  expect((await run('status')).out).toContain(`${before.length} answer`);

  const recorded = await run(
    'review',
    'record',
    id,
    '--verdict',
    'incomplete',
    '--note',
    'who is called?',
    '--operator',
    'R. Okafor',
  );
  expect(recorded.code).toBe(0);
  expect(recorded.out).toContain('incomplete, by R. Okafor');
  expect((await list()).map((one) => one.id)).not.toContain(id);
  const all = await list('--all');
  expect(all.find((one) => one.id === id)).toMatchObject({
    open: false,
    reviews: [{ verdict: 'incomplete', reviewer: 'R. Okafor', note: 'who is called?' }],
  });
  await run('review', 'record', id, '--verdict', 'correct', '--operator', 'S. Lind');
  const shown = await run('review', 'show', id.slice(0, 8));
  expect(shown.out).toMatch(/incomplete, R\. Okafor: who is called\?\n.*correct, S\. Lind/u);
  const verified = await run('audit', 'verify');
  expect([verified.code, verified.out]).toEqual([0, expect.stringMatching(/^ok /u)]);
  expect((await run('audit', 'list')).out).toMatch(/review/u);
  const status = JSON.parse((await run('status', '--json')).out) as { openReviews: number };
  expect(status.openReviews).toBe(before.length - 1);
}, 120_000);

test('an answer that was not flagged can be reviewed too; other records and other words cannot', async () => {
  const { auditId = '' } = JSON.parse((await run('ask', CLEAR, '--json')).out) as Answer;
  const verdict = JSON.parse(
    (await run('review', 'record', auditId, '--verdict', 'wrong', '--json')).out,
  ) as { id: string; settings: { answer: string } };
  expect(verdict.settings.answer).toBe(auditId);
  expect((await run('review', 'list', '--all')).out).toContain(auditId.slice(0, 8));
  const again = await run('review', 'record', verdict.id, '--verdict', 'wrong');
  expect([again.code, again.err]).toEqual([2, expect.stringContaining('only answers are reviewed')]);
  expect((await run('review', 'record', auditId, '--verdict', 'fine')).code).toBe(2);
  expect((await run('review', 'record', auditId)).code).toBe(2);
  expect((await run('review', 'record', 'ffffffff-no', '--verdict', 'wrong')).code).toBe(3);
}, 60_000);
