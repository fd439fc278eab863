import { expect, test } from '@jest/globals';
import { ExitCode } from '../../../src/core/errors.js';
import {
  checkGates,
  checkGatesMeasured,
  describeGate,
  parseGate,
  type Gate,
} from '../../../src/labsage/evaluation/gates.js';
import type { Summary } from '../../../src/labsage/evaluation/summaries.js';

test.each<[string, Gate['bound'], Partial<Gate>]>([
  ['context-recall=0.95', 'min', { system: 'labsage', metric: 'context-recall', value: 0.95 }],
  ['context-recall@5=1', 'min', { k: 5, value: 1 }],
  ['context-recall@600w=0.9', 'min', { words: 600 }],
  ['standard+title:answer-recall@3=0.5', 'min', { system: 'standard+title', k: 3 }],
  ['answer-words=80', 'max', { metric: 'answer-words', value: 80 }],
])('%s', (text, bound, gate) => {
  expect(parseGate(text, bound)).toMatchObject({ text, bound, ...gate });
});

test.each<[string, Gate['bound'], RegExp]>([
  ['context-recall', 'min', /form METRIC=VALUE/u],
  ['recall=0.9', 'min', /no metric recall/u],
  ['rag:context-recall=0.9', 'min', /no system rag/u],
  ['context-recall=95', 'min', /share of 1/u],
  ['false-answers=0.1', 'min', /better the lower/u],
  ['context-recall=0.9', 'max', /better the higher/u],
])('%s is refused', (text, bound, why) => {
  expect(() => parseGate(text, bound)).toThrow(
    expect.objectContaining({ exitCode: ExitCode.usage, message: expect.stringMatching(why) }),
  );
});

const PLAN = {
  systems: ['labsage'] as const,
  ks: [1, 3],
  words: [600],
  hasJudge: false,
  groups: { answerable: 5, unanswerable: 0, lists: 0 },
};

test.each<[string, Gate['bound'], RegExp]>([
  ['answer-accuracy=0.8', 'min', /needs a --judge/u],
  ['paper:context-recall=0.8', 'min', /needs paper among --systems/u],
  ['context-recall@5=0.8', 'min', /needs 5 among -k/u],
  ['context-recall@700w=0.8', 'min', /needs 700 among --words/u],
  ['answer-recall@600w=0.8', 'min', /number of contexts/u],
  ['list-recall=0.8', 'min', /questions with "documents"/u],
  ['false-answers=0.1', 'max', /questions without evidence/u],
])('%s is refused before anything is asked', (text, bound, why) => {
  expect(() => checkGatesMeasured([parseGate(text, bound)], PLAN)).toThrow(
    expect.objectContaining({ exitCode: ExitCode.usage, message: expect.stringMatching(why) }),
  );
});

const SUMMARY: Summary = {
  embedder: 'e',
  system: 'labsage',
  k: 3,
  metric: 'context-recall',
  group: 'answerable',
  mean: 0.9,
  median: 1,
  low: 0.8,
  high: 1,
  count: 9,
  missing: 1,
};

test.each([
  ['context-recall=0.9', true],
  ['context-recall=0.904', true],
  ['context-recall=0.906', false],
  ['context-recall@600w=0.1', false],
  ['answer-recall=0.1', false],
])('%s passes: %s', (text, passes) => {
  const [result] = checkGates([parseGate(text, 'min')], [SUMMARY], { answerK: 3, tolerance: 0.005 });
  expect(result?.passed).toBe(passes);
});

test('a count of words is held against the median, without tolerance', () => {
  const words: Summary = { ...SUMMARY, metric: 'answer-words', mean: 200, median: 80 };
  const passes = (text: string): boolean | undefined =>
    checkGates([parseGate(text, 'max')], [words], { answerK: 3, tolerance: 0.5 })[0]?.passed;
  expect([passes('answer-words=80'), passes('answer-words=79.9')]).toEqual([true, false]);
});

test('a shortfall names the metric, its value and the limit; what was not measured says so', () => {
  const describe = (text: string): string =>
    checkGates([parseGate(text, 'min')], [SUMMARY], { answerK: 3, tolerance: 0 })
      .map(describeGate)
      .join('');
  expect(describe('context-recall=0.95')).toBe(
    'context-recall is 0.9 (1 not measured), 0.95 is the least: fell short',
  );
  expect(describe('entity-recall@3=0.5')).toBe('entity-recall@3 could not be measured, 0.5 is the least');
});
