import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { corpusBleu, nltkBleu, sentenceBleu, tokenize13a } from '../../../src/core/metrics/bleu.js';
import { expectClose, goldenTest } from './golden.js';

const text = fc
  .array(fc.constantFrom('spin', 'the', 'tube', 'at', '1,500', 'g.', '(cold)', 'µL', '\n'), { maxLength: 20 })
  .map((words) => words.join(' '));

test.each([
  ['Store at 4 °C.', ['Store', 'at', '4', '°C', '.']],
  ['1,000.5 then .5 and 5.', ['1,000.5', 'then', '.', '5', 'and', '5', '.']],
  ['2-8 mg/dL (fasting)', ['2', '-', '8', 'mg', '/', 'dL', '(', 'fasting', ')']],
  ['well-known µL ≥ 5 – ’', ['well-known', 'µL', '≥', '5', '–', '’']],
  ['haemo-\nlysed<skipped> tube', ['haemolysed', 'tube']],
  ['a &amp;lt; b &quot;c&quot;', ['a', '<', 'b', '"', 'c', '"']],
  [' \t ', []],
])('13a tokens of %j', (input, tokens) => {
  expect(tokenize13a(input)).toEqual(tokens);
});

test('a sentence by hand', () => {
  // candidate a b c d e of reference a b c x e: 4/5, 2/4, 1/3 and, smoothed, 1/(2·2)
  const bleu = sentenceBleu('a b c x e', 'a b c d e');
  expect(bleu.matches).toEqual([4, 2, 1, 0]);
  expect(bleu.totals).toEqual([5, 4, 3, 2]);
  expect(bleu.score).toBeCloseTo(((4 / 5) * (2 / 4) * (1 / 3) * (1 / 4)) ** (1 / 4), 12);
});

test('each further order without a match is halved again', () => {
  // 1/4 matched, then 1/(2·3), 1/(4·2), 1/(8·1)
  expect(sentenceBleu('a x y z', 'a b c d').precisions).toEqual([1 / 4, 1 / 6, 1 / 8, 1 / 8]);
});

test('a candidate that is too short is penalised', () => {
  const bleu = sentenceBleu('a b c d e f', 'a b c d');
  expect(bleu.brevityPenalty).toBeCloseTo(Math.exp(1 - 6 / 4), 12);
  expect(bleu.score).toBeCloseTo(Math.exp(-1 / 2), 12);
});

test('effective order: three equal words are perfect as a sentence and 0 as a corpus', () => {
  expect(sentenceBleu('repeat in duplicate', 'repeat in duplicate').score).toBe(1);
  expect(corpusBleu([{ candidate: 'repeat in duplicate', references: ['repeat in duplicate'] }]).score).toBe(
    0,
  );
});

test('a corpus sums counts before it divides', () => {
  const { matches, totals, candidateLength, referenceLength } = corpusBleu([
    { candidate: 'a b c d', references: ['a b c d'] },
    { candidate: 'x y', references: ['x z w'] },
  ]);
  expect({ matches, totals, candidateLength, referenceLength }).toEqual({
    matches: [5, 3, 2, 1],
    totals: [6, 4, 2, 1],
    candidateLength: 6,
    referenceLength: 7,
  });
});

test('of several references each n-gram takes the largest count, the length the closest, a tie the shorter', () => {
  const bleu = corpusBleu([{ candidate: 'a a b', references: ['a a', 'b b b b'] }]);
  expect(bleu.matches).toEqual([3, 1, 0, 0]);
  expect(bleu.referenceLength).toBe(2);
});

test('a segment without reference is a fault', () => {
  expect(() => corpusBleu([{ candidate: 'a', references: [] }])).toThrow(RangeError);
});

test.each([
  ['', 'a'],
  ['a', ''],
  ['', ''],
  ['a', 'b'],
])('nothing in common is 0: %j, %j', (reference, candidate) => {
  expect(sentenceBleu(reference, candidate).score).toBe(0);
  expect(nltkBleu(reference, candidate)).toBe(0);
});

test('no segments are 0', () => {
  expect(corpusBleu([]).score).toBe(0);
});

test("NLTK's method 1 by hand", () => {
  // 2/3, 1/2, then 0.1/1 and 0.1/1 (no candidate 4-gram: the total is at least 1)
  expect(nltkBleu('A b x', 'a B c')).toBeCloseTo(((2 / 3) * (1 / 2) * 0.1 * 0.1) ** (1 / 4), 12);
});

test('scores are always in [0, 1], and 1 for a text with a token against itself', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      for (const score of [sentenceBleu(a, b).score, nltkBleu(a, b)]) {
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
      }
      const own = tokenize13a(a).length === 0 ? 0 : 1;
      expect(sentenceBleu(a, a).score).toBeCloseTo(own, 12);
    }),
  );
});

goldenTest('sentence and corpus values are those of sacrebleu and NLTK', ({ pairs, corpus_bleu: corpus }) => {
  for (const pair of pairs) {
    const { id: label, reference, candidate, sentence_bleu: golden } = pair;
    expect({ label, tokens: tokenize13a(reference) }).toEqual({ label, tokens: pair.tokens_13a.reference });
    expect({ label, tokens: tokenize13a(candidate) }).toEqual({ label, tokens: pair.tokens_13a.candidate });
    const bleu = sentenceBleu(reference, candidate);
    expectClose(bleu.score, golden.score_1, { label });
    expect({ label, counts: bleu.matches }).toEqual({ label, counts: golden.counts });
    expect({ label, totals: bleu.totals }).toEqual({ label, totals: golden.totals });
    expectClose(bleu.brevityPenalty, golden.bp, { label });
    expect({ label, sizes: [bleu.candidateLength, bleu.referenceLength] }).toEqual({
      label,
      sizes: [golden.sys_len, golden.ref_len],
    });
    // Where nothing matches, sacrebleu stops before it smooths.
    if (golden.counts.some((count) => count > 0)) {
      golden.precisions_100.forEach((precision, at) =>
        expectClose(bleu.precisions[at], precision / 100, { label }),
      );
    }
    expectClose(nltkBleu(reference, candidate), pair.bleu4_nltk_method1, { label });
  }
  const all = corpusBleu(pairs.map(({ candidate, reference }) => ({ candidate, references: [reference] })));
  expectClose(all.score, corpus.score_100 / 100, { label: 'corpus' });
});

goldenTest(
  "ragas's BleuScore: the first piece of the response against all pieces of the reference",
  ({ ragas }) => {
    for (const golden of ragas.extra_bleu_rouge_wrappers) {
      const label = golden.response;
      const [candidate = ''] = golden.response.split('. ');
      const { score } = corpusBleu([{ candidate, references: golden.reference.split('. ') }]);
      expectClose(score, golden.bleu_score, { label });
      expectClose(score, golden.first_response_piece_vs_all_reference_pieces_corpus_bleu_1, { label });
      expectClose(
        sentenceBleu(golden.reference, golden.response).score,
        golden.plain_sacrebleu_sentence_bleu_1,
        { label },
      );
    }
  },
);
