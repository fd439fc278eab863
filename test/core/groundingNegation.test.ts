import { test, expect } from '@jest/globals';
import { readStatement } from '../../src/core/grounding/statements.js';

/** The words of a sentence that it denies (`!`), denies for a while (`~`), leaves open (`?`) or tells of the past (`<`). */
function marksOf(sentence: string): string {
  return readStatement(sentence)
    .terms.flatMap(({ text, polarity }) => {
      const marks = [
        polarity.denied === 'yes' ? '!' : '',
        polarity.isGated ? '~' : '',
        polarity.isUnsure ? '?' : '',
        polarity.isPast ? '<' : '',
        polarity.isFamily ? '^' : '',
      ].join('');
      return marks === '' ? [] : [`${text.toLowerCase()}${marks}`];
    })
    .join(' ');
}

test.each([
  ['No chest pain, dyspnea or fever.', 'chest pain! dyspnea! fever!'],
  ['Denies fever, chills, or night sweats.', 'fever! chills! sweats!'],
  ['No fever, lungs clear.', 'fever!'],
  ['Without evidence of pneumonia, but with an effusion.', 'pneumonia!'],
  ['There is no pleural effusion in the left lung.', 'effusion!'],
  ['Pulmonary embolism was ruled out.', 'pulmonary embolism!'],
  ['Absence of fever.', 'fever!'],
  ['Blood cultures negative.', 'blood! cultures!'],
  ['Afebrile, abdomen nontender.', 'afebrile! nontender!'],
  ['Do not freeze or refrigerate the tube.', 'freeze! refrigerate!'],
  ['The tube must not be shaken.', 'shaken!'],
  ['Never freeze plasma.', 'freeze!'],
  ['Do not report until QC is reviewed.', 'report~'],
  ['Without difficulty, gram-negative rods grew.', ''],
  ['No significant change in the opacity.', ''],
  ['Pneumonia cannot be excluded.', ''],
  ['Cannot exclude pneumonia.', 'pneumonia?'],
  ['She never denies pain.', ''],
  ['History of stroke.', 'stroke<'],
  ['Mother had diabetes.', 'diabetes^'],
])('%s', (sentence, marks) => {
  expect(marksOf(sentence)).toBe(marks);
});
