import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findAbbreviations } from '../../../src/labsage/question/abbreviations.js';
import { splitQuestion } from '../../../src/labsage/question/questionParts.js';
import {
  correctedQuestion,
  editDistance,
  holdsTerm,
  questionTerms,
  readQuestionTerms,
  type Vocabulary,
} from '../../../src/labsage/question/questionTerms.js';
import { decodeTermTable, encodeTermTable } from '../../../src/labsage/index/termTable.js';

const table: Vocabulary = decodeTermTable(
  encodeTermTable([
    {
      title: 'CH-900 Ammonia, Plasma',
      units: [
        {
          headings: 'Definitions',
          words: 'CRR: clinically reportable range, by dilution.\nPST: patient-specimen time.',
        },
        {
          headings: 'Calibration',
          words: 'Run the calibration with controls in the refrigerator; precision within limits.',
        },
      ],
    },
    { title: 'CH-901 Lactate', units: [{ headings: 'Results', words: 'The CRR ends at 13.3 mmol/L.' }] },
  ]),
);

test.each([
  ['CRR: clinically reportable range, by dilution.', [['CRR', 'clinically reportable range']]],
  ['The analytical measuring range (AMR) is 10 to 750.', [['AMR', 'analytical measuring range']]],
  ['The AMR (analytical measuring range) is wide.', [['AMR', 'analytical measuring range']]],
  ['| LHP | lithium heparin plasma |', [['LHP', 'lithium heparin plasma']]],
  ['WBC | 4.0-10.8', []],
  ['Call the lead (QA).', []],
])('abbreviations of %j', (text, pairs) => {
  expect(findAbbreviations(text).map(({ short, long }) => [short, long])).toEqual(pairs);
});

test.each([
  ['who signs it, and how long is it kept?', 2],
  ['what is the limit? and who is called?', 2],
  ['Which tube do I need for lactate?', 0],
])('parts of %j', (question, count) => {
  expect(splitQuestion(question).parts).toHaveLength(count);
});

test('a story asks in its last sentence, a short last sentence with the one before', () => {
  expect(splitQuestion('The tube came warm. Nobody answers. May I still run the ammonia?').asking).toBe(
    'May I still run the ammonia?',
  );
  expect(splitQuestion('Level 1 failed twice. What next?').asking).toBe('Level 1 failed twice. What next?');
});

test.each([
  ['calibraton of ammonia', 'calibraton', 'calibration'],
  ['presicion limits', 'presicion', 'precision'],
  ['calib of ammonia', 'calib', 'calibration'],
])('%j is read as the corpus writes it', (question, word, corrected) => {
  const terms = questionTerms(question, table);
  expect(terms.find((term) => term.word === word)).toMatchObject({ known: true, corrected });
  expect(correctedQuestion(question, terms)).toBe(question.replace(word, corrected));
});

test('an abbreviation and its long form stand for each other, and everyday words for those of the SOPs', () => {
  const crr = questionTerms('CRR for ammonia', table).find(({ word }) => word === 'CRR');
  expect(crr !== undefined && holdsTerm(new Set(['clinic', 'report', 'rang']), crr)).toBe(true);
  const fridge = questionTerms('in the fridge', table).find(({ word }) => word === 'fridge');
  expect(fridge?.known).toBe(true);
  expect(fridge !== undefined && holdsTerm(new Set(['refriger']), fridge)).toBe(true);
});

test('an everyday word that the corpus lacks is no typo of one that it has', async () => {
  const words = (await readQuestionTerms('calibraton in a rage', table)).map(({ word, corrected }) => [
    word,
    corrected,
  ]);
  expect(words).toEqual([
    ['calibraton', 'calibration'],
    ['rage', undefined],
  ]);
  const asTypo = questionTerms('rage', table).find(({ word }) => word === 'rage');
  expect(asTypo?.corrected).toBe('range');
  expect((await readQuestionTerms('rage', table))[0]).toMatchObject({ known: false });
});

test('mistyped function words are no terms, unknown names stay unknown', () => {
  expect(questionTerms('hwo ofen teh', table)).toEqual([]);
  expect(questionTerms('procalcitonin', table)).toMatchObject([{ known: false }]);
});

test('editDistance is symmetric, 0 for equal words only, and never above the limit + 1', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      const distance = editDistance(a, b, 3);
      expect(distance).toBe(editDistance(b, a, 3));
      expect(distance === 0).toBe(a === b);
      expect(distance).toBeLessThanOrEqual(4);
    }),
  );
});

test('a term table depends on the words alone and gives them back', () => {
  const source = { title: 'T', units: [{ headings: 'H', words: 'Spin the tube. Spin again.' }] };
  expect(encodeTermTable([source])).toEqual(encodeTermTable([structuredClone(source)]));
  const read = decodeTermTable(encodeTermTable([source]));
  const found: number[][] = [];
  read.eachUnit('spin', (unit, occurrences) => found.push([unit, occurrences]));
  expect(found).toEqual([[0, 2]]);
  expect(read.words.get('again')).toBe(1);
});
