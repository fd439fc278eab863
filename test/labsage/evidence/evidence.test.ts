import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Block, BlockKind, Document } from '../../../src/core/types.js';
import { antecedentsOf, listEvidence, type Evidence } from '../../../src/labsage/evidence/evidence.js';
import type { RankedContext } from '../../../src/labsage/retrieve.js';
import {
  ANSWER_WORDS,
  FURTHER_WORDS,
  scoreEvidence,
  selectEvidence,
} from '../../../src/labsage/evidence/selectEvidence.js';
import { termOf } from '../../../src/core/keywordIndex.js';
import { countWords } from '../../../src/core/text.js';

type Line = readonly [BlockKind, string];

/** A document of one section, a block for each line. */
function piecesOf(lines: readonly Line[]): Evidence[] {
  let text = '';
  const blocks: Block[] = lines.map(([kind, words]) => {
    const start = text.length;
    text += `${words}\n`;
    return {
      docId: 'd',
      kind,
      span: { start, end: start + words.length },
      text: words,
      ...(kind === 'heading' ? { level: 2 } : {}),
    };
  });
  const context = {
    id: 'd#s',
    docId: 'd',
    headingPath: ['Section'],
    span: { start: 0, end: text.length },
    carried: [],
    tokens: 1,
    sha256: '',
  };
  const control = { status: 'current' } as const;
  const document: Document = {
    id: 'd',
    path: 'd.md',
    title: 'Title',
    text,
    sha256: '',
    control,
    blocks,
    origins: [],
    boilerplate: [],
  };
  const indexed = { ...document, record: { at: 0, bytes: 0, sha256: '' }, contexts: [context], units: [] };
  const ranked: RankedContext = { document: indexed, context, score: 1, rank: 1, hits: [] };
  return listEvidence(document, ranked);
}

test('a warning is one piece, also where its first line was read as a heading', () => {
  const whole = piecesOf([
    ['heading', 'Section'],
    ['warning', 'WARNING: Do not open\nthe tube. It spills.'],
  ]);
  expect(whole.map(({ text, kind }) => [kind, text])).toEqual([
    ['warning', 'WARNING: Do not open\nthe tube. It spills.'],
  ]);
  const split = piecesOf([
    ['heading', 'Section'],
    ['heading', 'WARNING: AIR HARMS'],
    ['paragraph', 'CONTROLS. Keep caps on.'],
    ['step', '1. Open.'],
  ]);
  expect(split.map(({ text, kind }) => [kind, text])).toEqual([
    ['warning', 'WARNING: AIR HARMS\nCONTROLS. Keep caps on.'],
    ['step', '1. Open.'],
  ]);
});

test.each<[string, readonly Line[], number, readonly string[]]>([
  [
    'a condition brings what it refers to',
    [
      ['step', '1. Repeat the level.'],
      ['step', '2. If it fails again, stop.'],
    ],
    1,
    ['1. Repeat the level.'],
  ],
  [
    'a warning governs the steps below it',
    [
      ['warning', 'Warning: wear gloves.'],
      ['step', '1. Open the tube.'],
    ],
    1,
    ['Warning: wear gloves.'],
  ],
  [
    'a warning governs no plain sentence',
    [
      ['warning', 'Warning: wear gloves.'],
      ['paragraph', 'The range is 1 to 5.'],
    ],
    1,
    [],
  ],
  [
    'nor a step under another heading',
    [
      ['warning', 'Warning: wear gloves.'],
      ['heading', 'Other'],
      ['step', '1. Open.'],
    ],
    1,
    [],
  ],
  [
    'an item brings the line that its list hangs on',
    [
      ['paragraph', 'Keep the tube cold.'],
      ['paragraph', 'Reject it when one of these applies:'],
      ['step', '- no collection time;'],
      ['step', '- capillary blood.'],
    ],
    3,
    ['Reject it when one of these applies:'],
  ],
  [
    'a list after a plain sentence hangs on nothing',
    [
      ['paragraph', 'Keep the tube cold.'],
      ['step', '1. Spin.'],
    ],
    1,
    [],
  ],
])('%s', (...[, lines, at, expected]) => {
  const pieces = piecesOf(lines);
  const piece = pieces[at];
  expect(piece === undefined ? undefined : antecedentsOf(piece, pieces).map(({ text }) => text)).toEqual(
    expected,
  );
});

const words = fc.array(fc.constantFrom('spin', 'tube', 'ice', 'If', '5', 'min.', 'WARNING', 'x'), {
  minLength: 1,
  maxLength: 25,
});
const kind = fc.constantFrom<BlockKind>('paragraph', 'step', 'warning', 'heading');

test('what is quoted are slices of the document, within the budget unless one piece with its antecedents is longer', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(kind, words), { minLength: 1, maxLength: 12 }), async (lines) => {
      const pieces = piecesOf(lines.map(([of, text]) => [of, text.join(' ')]));
      const term = { word: 'tube', term: 'tube', also: [], weight: 1, known: true };
      const scored = await scoreEvidence('which tube?', pieces, { terms: [term], embedder: undefined });
      const chosen = selectEvidence(scored, pieces, { question: 'which tube?' });
      for (const { document, span, text } of chosen)
        expect(document.text.slice(span.start, span.end)).toBe(text);
      expect(new Set(chosen.map(({ span }) => span.start)).size).toBe(chosen.length);
      const total = chosen.reduce((sum, { text }) => sum + countWords(text), 0);
      if (chosen.length > 4) expect(total).toBeLessThanOrEqual(ANSWER_WORDS + FURTHER_WORDS);
      expect(chosen.length > 0).toBe(pieces.length > 0);
    }),
  );
});

test('what scores far below the best is not quoted, whatever room is left', async () => {
  const pieces = piecesOf([
    ['paragraph', 'The smallest volume of plasma for ammonia is 250 uL.'],
    ['paragraph', 'Blood from an artery is welcome too.'],
  ]);
  const terms = ['smallest', 'volume', 'plasma', 'ammonia'].map((word) => ({
    word,
    term: termOf(word),
    also: [],
    weight: 2,
    known: true,
  }));
  const question = 'What is the smallest volume of plasma for ammonia?';
  const scored = await scoreEvidence(question, pieces, { terms, embedder: undefined });
  const quote = (far: number): number =>
    selectEvidence(
      scored.map((piece, at) => ({ ...piece, score: at === 0 ? piece.score : piece.score - far })),
      pieces,
      { question },
    ).length;
  const gap = (scored[0]?.score ?? 0) - (scored[1]?.score ?? 0);
  expect(scored[0]?.evidence.text).toContain('250 uL');
  expect(gap).toBeGreaterThan(5);
  expect(quote(0)).toBe(1);
  expect(quote(4 - gap)).toBe(2);
});

test('a value to judge meets the limit in its unit that names what was measured', async () => {
  const pieces = piecesOf([
    ['heading', 'Results'],
    ['paragraph', 'Factor VIII above 200 % is not called.'],
    ['paragraph', 'Factor IX below 10 % is called within 30 minutes.'],
    ['paragraph', 'Factor IX results in % carry two digits.'],
  ]);
  const terms = ['factor', 'ix', 'critical'].map((word, at) => ({
    word,
    term: word,
    also: [],
    weight: at === 1 ? 2 : 1,
    known: true,
  }));
  const scored = await scoreEvidence('Factor IX is 8 %, critical?', pieces, { terms, embedder: undefined });
  const limits = scored.filter(({ parts }) => (parts['limit'] ?? 0) > 0);
  expect(limits.map(({ evidence }) => evidence.text)).toEqual([
    'Factor IX below 10 % is called within 30 minutes.',
  ]);
  expect(scored[0]).toBe(limits[0]);
});
