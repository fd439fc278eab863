import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../src/core/config.js';
import { recognizeCorpusQuestion, type CorpusQuestion } from '../../../src/labsage/lists/corpusQuestion.js';

const OPTIONS = { today: '2026-11-30', folders: ['chemistry', 'hematology'] };

function recognize(question: string): CorpusQuestion | undefined {
  return recognizeCorpusQuestion(question, OPTIONS);
}

/** `a & !"no" b | -c`: what is looked for. */
function wanted(question: string): string | undefined {
  return recognize(question)
    ?.segments.map(
      ({ words, joint, negated, excluded }) =>
        `${joint === 'or' ? '| ' : ''}${excluded ? '-' : ''}${negated ? 'no ' : ''}${words.join(' ')}`,
    )
    .join(' & ')
    .replaceAll('& |', '|');
}

test.each([
  ['which assays use calcium chloride?', 'calcium chloride'],
  ['all procedures for the CS-5100', 'CS-5100'],
  ['list every SOP that mentions heparin', 'heparin'],
  ['how many SOPs mention hemolysis?', 'hemolysis'],
  ['In how many procedures is the log GEN-F-009 mentioned?', 'GEN-F-009'],
  ['what SOPs talk about cold agglutinins please', 'cold agglutinins'],
  ['Show me all documents with a Bio-Rad Liquichek control', 'Bio-Rad Liquichek control'],
  ['which tests run on the Atellica IM 1300?', 'Atellica IM 1300'],
  ['where is the backup analyser CS-2500 mentioned', 'CS-2500'],
  ['SOPs mentioning malaria', 'malaria'],
  ['Is there any SOP that mentions digoxin?', 'digoxin'],
  ['Which documents mention both heparin and EDTA?', 'heparin & EDTA'],
  ['which SOPs use XN CHECK or XN-L CHECK', 'XN CHECK | XN-L CHECK'],
  ["Which SOPs don't mention Eastgate?", '-Eastgate'],
  ['SOPs that mention GEN-F-004 but not GEN-F-015', 'GEN-F-004 & -GEN-F-015'],
  ['Can you list the procedures in which newborns are mentioned?', 'newborns'],
  ['list everything that mentions Sysmex', 'Sysmex'],
  ['Which procedures state that there is no critical value at all?', 'no critical value'],
  ['for which tests does the tube have to travel in ice slurry?', 'ice slurry'],
  ['which current SOPs cite "CLSI EP06"?', 'CLSI EP06'],
  ['Which SOPs name form QA-F-012, even if only to say that it is not used?', 'QA-F-012'],
  ['what runs on our CS-5100? give me every procedure', 'CS-5100'],
])('%s', (question, segments) => {
  expect(wanted(question)).toBe(segments);
});

test.each([
  ['how many SOPs do we have?', {}],
  ['list the SOPs that Ada Byron owns', { by: 'owner' }],
  ['which SOPs are approved by Dr. Okafor?', { by: 'approvedBy' }],
  ['As of 1 May 2026, which SOPs are past their review date?', { overdue: true, asOf: '2026-05-01' }],
  ['Which SOP is overdue for review?', { overdue: true }],
  [
    'Which of the SOPs in force took effect in 2026?',
    { effectiveFrom: '2026-01-01', effectiveBefore: '2027-01-01' },
  ],
  ['which documents came into force after 1 March 2026?', { effectiveFrom: '2026-03-02' }],
  ['Which SOPs are due for review before June 2027?', { reviewBefore: '2027-06-01' }],
  [
    'which procedures come up for review in the next 6 months?',
    { reviewFrom: '2026-11-30', reviewBefore: '2027-05-31' },
  ],
  ['list all superseded SOPs', { statuses: ['superseded'] }],
  ['every hematology SOP', { folders: ['hematology'] }],
  ['Which documents do not have a review date?', { missing: 'review' }],
])('%s asks for control data', (question, control) => {
  expect(recognize(question)?.control).toEqual(control);
});

test.each([
  'how long is ammonia stable on ice?',
  'which tube for ammonia?',
  'which procedure do I follow when the QC fails?',
  'what documents do I file after a failed QC?',
  'Which SOP tells me how to calibrate the XN-1000?',
  'What does every SOP say about gloves?',
  'Do all procedures require two controls?',
  'Which factor tests get added after mixing?',
  'How many ammonia tests can one pack do?',
  'list the reagents for aPTT',
  'what are all the steps for descaling?',
  'Which procedures should I do first?',
  `${'The night was long and the rack was full. '.repeat(8)}Which SOPs mention that?`,
])('not for documents: %s', (question) => {
  expect(recognize(question)).toBeUndefined();
});

test.each(['questions.jsonl', 'unanswerable.jsonl'])(
  'at most one in a hundred of %s, which ask for words, is taken for one',
  (file) => {
    const questions = readFileSync(join(packageRoot, 'queries', 'sops', file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { question: string }).question);
    expect(questions.length).toBeGreaterThan(50);
    const taken = questions.filter((question) => recognize(question) !== undefined);
    expect(taken.length / questions.length).toBeLessThanOrEqual(0.01);
  },
);
