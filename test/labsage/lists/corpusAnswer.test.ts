import '../../uuidForVectra.js';
import { expect, test } from '@jest/globals';
import { Chalk } from 'chalk';
import {
  answerAsked,
  answerCorpusQuestion,
  type AskedAnswer,
} from '../../../src/labsage/lists/corpusAnswer.js';
import { renderAsked } from '../../../src/labsage/lists/renderList.js';
import { unsearchedVersions } from '../../../src/labsage/lists/versionAnswer.js';
import { wordEmbedder } from '../../wordEmbedder.js';
import { TODAY, withControlledIndex } from './controlledCorpus.js';

function ask(question: string): Promise<AskedAnswer> {
  return withControlledIndex((index) =>
    answerAsked(question, { index, embedder: wordEmbedder() }, { today: TODAY }),
  );
}

async function listed(question: string): Promise<string[] | undefined> {
  const { list } = await ask(question);
  return list?.documents.map(({ document }) => document.control.number ?? '');
}

test.each([
  ['which assays use calcium chloride?', ['HE-300']],
  ['all procedures for the CS-5100', ['HE-300']],
  ['which SOPs mention heparin?', ['CH-200', 'HE-300']],
  ['which chemistry SOPs mention heparin?', ['CH-200']],
  ['which SOPs mention heparin and azide?', []],
  ['which SOPs mention lithium or azide?', ['CH-200', 'CH-100']],
  ["which SOPs don't mention heparin?", ['CH-100']],
  ['which other SOPs refer to CH-100?', ['CH-200']],
  ['for which tests does the tube have to travel in ice slurry?', ['CH-100']],
  ['which procedures have no critical value?', ['HE-300']],
  ['list the SOPs that Ada Byron owns', ['CH-100', 'CH-200']],
  ['which SOPs are overdue for review?', ['CH-200']],
  ['which SOPs took effect in 2026?', ['CH-100']],
  ['which SOPs are due for review in the next 3 months?', ['HE-300']],
  ['list superseded SOPs', ['HE-300']],
  ['which SOPs mention cephalin, including superseded ones?', ['HE-300']],
  ['how many SOPs are there?', ['CH-100', 'CH-200', 'HE-300']],
  ['which SOPs mention centrifgue?', ['CH-200']],
])('%s', async (question, numbers) => {
  expect((await listed(question))?.sort()).toEqual([...numbers].sort());
});

test('a list is an answer: text, a citation a document with every quote, warnings of overdue documents', async () => {
  const { answer, contexts } = await ask('which SOPs mention heparin?');
  expect(answer.answered).toBe(true);
  expect(answer.text.split('\n')).toEqual([
    '2 of 3 documents: heparin, 2 mentions',
    'CH-200 Serum Lithium, version 1.0 (1) [S1]',
    'HE-300 Activated Partial Thromboplastin Time, version 4.0 (1) [S2]',
  ]);
  expect(answer.citations.map(({ quotes }) => quotes.map(({ text }) => text))).toEqual([
    ['Serum only; never a heparin tube.'],
    ['Heparin prolongs the time on the CS-5100.'],
  ]);
  for (const { span, citations } of answer.grounding.sentences) {
    expect(answer.text.slice(span.start, span.end)).toContain(`[${citations[0] ?? ''}]`);
  }
  expect(answer.warnings).toEqual(['CH-200: review overdue since 2025-01-10.']);
  expect(contexts.map(({ context }) => context.headingPath)).toEqual([['Specimen'], ['Principle']]);
});

test('an empty list names the words that no document has', async () => {
  const { answer } = await ask('which SOPs mention procalcitonin?');
  expect(answer).toMatchObject({
    answered: false,
    text: 'None of 3 documents: procalcitonin.',
    missingTerms: ['procalcitonin'],
  });
});

test('where no document has all that is asked, the most telling part is listed, and that is said', async () => {
  const { answer, list } = await ask('which SOPs mention cephalin on the CS-5100?');
  expect(list?.query).toBe('CS-5100');
  expect(answer.warnings).toContain('No document has "cephalin" as well: the list is of "CS-5100" alone.');
});

test('a misspelt word is read as the word of the corpus, and that is said', async () => {
  expect((await ask('which SOPs mention centrifgue?')).answer.warnings).toContain(
    'Read "centrifgue" as "centrifuge".',
  );
});

test('questions for words are answered with words', async () => {
  const asked = await ask('how long is ammonia spun?');
  expect(asked.list).toBeUndefined();
  expect(asked.explained).toBeDefined();
});

test('with sections named, a question is for words', async () => {
  await withControlledIndex(async (index) => {
    const options = { today: TODAY, filters: { sections: ['Specimen'] } };
    expect(await answerCorpusQuestion('which SOPs mention heparin?', index, options)).toBeUndefined();
  });
});

test('how a document stands is said from its control data, superseded versions too', async () => {
  const { answer } = await ask('Which version of HE 300 is in force?');
  expect(answer.text.split('\n')).toEqual([
    'HE-300 Activated Partial Thromboplastin Time, version 4.0: in force, effective 2025-06-02; review by 2027-01-15 [S1]',
    'HE-300 Activated Partial Thromboplastin Time, version 3.0: superseded; in force is version 4.0, effective 2025-06-02 [S2]',
  ]);
  expect(answer.citations[1]?.quotes.map(({ text }) => text)).toContain('Status | SUPERSEDED by version 4.0');
  expect((await ask('is HE-400 in force?')).answer.text).toContain('not effective before 2027-02-01');
});

test('a filter that names what is not searched is told why', async () => {
  await withControlledIndex((index) => {
    const notes = (name: string): string[] =>
      unsearchedVersions(index, { today: TODAY, filters: { documents: [name] } });
    expect(notes('HE-300')).toEqual([]);
    expect(notes('HE-300-aptt-v3.md')).toEqual([
      'not searched: HE-300 Activated Partial Thromboplastin Time, version 3.0: superseded; in force is version 4.0, effective 2025-06-02',
    ]);
    expect(notes('HE-400')).toHaveLength(1);
    return Promise.resolve();
  });
});

test('what a person is shown: a list with lines, or what control data say with their quotes', async () => {
  const options = { color: new Chalk({ level: 0 }), full: false, explain: false, showQuestion: true };
  const shown = renderAsked(await ask('which SOPs mention heparin?'), options);
  expect(shown).toContain('which SOPs mention heparin?\n\n2 of 3 documents: heparin, 2 mentions');
  expect(shown).toContain('Specimen: Serum only; never a heparin tube.');
  expect(shown).toContain('! CH-200: review overdue since 2025-01-10.');
  expect(renderAsked(await ask('is HE-400 in force?'), options)).toContain('  Effective date | 2027-02-01');
});
