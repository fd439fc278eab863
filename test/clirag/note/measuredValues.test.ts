/** Sentences of a chart → the values in them, with their times; no time, dose or aim is one. */

import { expect, test } from '@jest/globals';
import { findValues } from '../../../src/clirag/note/measuredValues.js';

const told = (sentence: string): string[] =>
  findValues(sentence)
    .filter(({ isEarlier }) => !isEarlier)
    .map(({ name, value, time }) => `${name} ${value}${time === undefined ? '' : ` at ${time}`}`);

test.each<[string, string[]]>([
  ['Repeat CBC 14:00, PTT 10:00.', []],
  ['PTT 10:00: 41. Plt 104, stable', ['PTT 41 at 10:00', 'Platelets 104']],
  ['Hct 14:00 26.3, no transfusion', ['Hematocrit 26.3 at 14:00']],
  ['Lab glucose at 0325 came back 57.', ['Glucose 57 at 03:25']],
  ['FS 1000 152, 1300 168', ['Glucose 152 at 10:00']],
  ['18:00 bili 11.9/0.4, Hct 44.', ['Bilirubin 11.9/0.4 at 18:00', 'Hematocrit 44 at 18:00']],
  ['K 4.5 at 16:00', ['Potassium 4.5 at 16:00']],
  ['HR 118 (112 - 131) bpm', ['Heart rate 118']],
  ['Hct 28.9 → 25.8 → 26.3', ['Hematocrit 26.3']],
  ['K 3.9, Mg 1.6 -> magnesium sulfate 2 g IV, KCl 20 mEq', ['Potassium 3.9', 'Magnesium 1.6']],
  ['WBC: 24,500 (91% polys), Plt 98,000-102,000', ['White cells 24,500', 'Platelets 98,000-102,000']],
  ['Cr 3.4, 104 K 4.1', ['Creatinine 3.4', 'Potassium 4.1']],
  ['Mg 2 g IV given', []],
  ['glucose 271 mg/dL', ['Glucose 271']],
  ['K 6.9: repeat pending', ['Potassium 6.9']],
  ['goal PTT 60-80', []],
  ['creatinine 1.0 at baseline', []],
  ['One spell, HR 64, sat 76, mild stim.', []],
])('%s', (sentence, values) => {
  expect(told(sentence)).toEqual(values);
});

test('a value is where its span says', () => {
  const sentence = 'Stable. Hct 14:00 26.3 and K 4.4.';
  expect(findValues(sentence).map(({ at, end }) => sentence.slice(at, end))).toEqual([
    'Hct 14:00 26.3',
    'K 4.4',
  ]);
});
