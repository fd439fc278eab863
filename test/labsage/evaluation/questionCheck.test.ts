import { expect, test } from '@jest/globals';
import { readDocument } from '../../../src/labsage/document.js';
import { checkQuestions, type QuestionReport } from '../../../src/labsage/evaluation/questionCheck.js';
import { documentsByPath } from '../../../src/labsage/evaluation/questionScores.js';
import type { Question } from '../../../src/labsage/evaluation/questions.js';

const SOP = `# X-1 Test

## 4 Volume

Fill the tube to 2 mL. Mix it ten times.

| Mode | Minimum |
|---|---|
| Closed | 1.0 mL |

## 5 Control

Run two levels each morning.
`;

const GOOD: Question = {
  id: 'g',
  question: 'how full?',
  answer: 'Fill the tube to 2 mL.',
  evidence: [{ document: 'x.md', section: '4 Volume', quote: 'Fill the tube to 2 mL.' }],
  kind: 'fact',
  split: 'dev',
};

async function check(...questions: readonly Question[]): Promise<QuestionReport> {
  return checkQuestions(questions, documentsByPath([await readDocument(Buffer.from(SOP), { path: 'x.md' })]));
}

test('a question whose quotes stand in its document has no faults, a table row in its file’s own form included', async () => {
  const row = { document: 'x.md', section: '4 Volume', quote: '| Closed | 1.0 mL |' };
  const report = await check(GOOD, {
    ...GOOD,
    id: 'r',
    question: 'closed?',
    answer: row.quote,
    evidence: [row],
  });
  expect([report.faults, report.notes]).toEqual([[], []]);
  expect(report).toMatchObject({ questions: 2, kinds: { fact: 2 }, splits: { dev: 2 } });
});

test('an answer may be several quotes, or sentences of them', async () => {
  const evidence = [
    { document: 'x.md', quote: 'Fill the tube to 2 mL. Mix it ten times.' },
    { document: 'x.md', quote: 'Run two levels each morning.' },
  ];
  for (const answer of [
    'Fill the tube to 2 mL. Mix it ten times. Run two levels each morning.',
    'Run two levels each morning. Fill the tube to 2 mL. Mix it ten times.',
    'Mix it ten times. Run two levels each morning.',
  ])
    expect((await check({ ...GOOD, answer, evidence })).faults).toEqual([]);
});

test.each<[string, Partial<Question>, RegExp]>([
  [
    'another word',
    { evidence: [{ document: 'x.md', quote: 'Fill a tube to 2 mL.' }], answer: 'Fill a tube to 2 mL.' },
    /does not say "Fill a tube/u,
  ],
  [
    'another mark',
    { evidence: [{ document: 'x.md', quote: 'Fill the tube, to 2 mL.' }], answer: 'Fill the tube, to 2 mL.' },
    /but "Fill the tube to 2 mL"/u,
  ],
  [
    'another document',
    { evidence: [{ document: 'y.md', quote: 'Fill the tube to 2 mL.' }] },
    /there is no document y\.md/u,
  ],
  ['an answer of its own words', { answer: 'Two millilitres.' }, /not made of its quotes/u],
  ['one quote for two sections', { kind: 'multi-section' }, /needs two quotes/u],
  ['one document for two', { kind: 'multi-document' }, /needs two documents/u],
  [
    'a list of unknown documents',
    { answer: '', evidence: [], documents: ['z.md'] },
    /there is no document z\.md/u,
  ],
  [
    'a list with a document twice',
    { answer: '', evidence: [], documents: ['x.md', 'x.md'] },
    /names a document twice/u,
  ],
])('%s is a fault', async (_, changes, fault) => {
  const { faults } = await check({ ...GOOD, ...changes });
  expect(faults).toEqual([{ id: 'g', fault: expect.stringMatching(fault) }]);
});

test('a question that repeats another one, whatever its marks and case, is a fault', async () => {
  const { faults } = await check(GOOD, { ...GOOD, id: 'h', question: 'How FULL' });
  expect(faults).toEqual([{ id: 'h', fault: 'repeats the question of g' }]);
});

test('a section that is not there, or does not hold the quote, is a note', async () => {
  const under = (section: string): Question => ({
    ...GOOD,
    evidence: [{ document: 'x.md', section, quote: 'Fill the tube to 2 mL.' }],
  });
  expect((await check(under('9 Waste'))).notes).toEqual([
    { id: 'g', fault: 'x.md has no heading "9 Waste"' },
  ]);
  expect((await check(under('5 Control'))).notes[0]?.fault).toContain('does not stand under "5 Control"');
  expect((await check(under('5 Control'))).faults).toEqual([]);
});

test('echo is the share of the answer’s content words that the question has', async () => {
  const answer = 'Run two levels each morning.';
  const evidence = [{ document: 'x.md', quote: answer }];
  const { echo } = await check(
    { ...GOOD, question: 'levels run in the morning?', answer, evidence },
    { ...GOOD, id: 'h', question: 'what is checked when?', answer, evidence },
  );
  expect(echo?.median).toBe(0);
  expect(echo?.most.map(({ id }) => id)).toEqual(['g']);
});

test('unanswerable questions made of known words are counted', async () => {
  const none = (id: string, question: string): Question => ({ id, question, answer: '', evidence: [] });
  const { unanswerable } = await check(
    none('a', 'which tube for the control levels?'),
    none('b', 'which lipase tube?'),
  );
  expect(unanswerable).toEqual({ count: 2, ofKnownWords: 1 });
});
