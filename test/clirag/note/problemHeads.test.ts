/** A problem and what is said for it: told apart where a sentence begins with a problem. */

import { expect, test } from '@jest/globals';
import { splitProblem } from '../../../src/clirag/note/problemHeads.js';

test.each<[string, string, string]>([
  ['Pneumonia: ceftriaxone 2 g q24h, day 3', 'Pneumonia', 'ceftriaxone 2 g q24h, day 3'],
  [
    'Encephalopathy now grade 2 -> 1-2: lactulose 30 mL q6h',
    'Encephalopathy now grade 2 -> 1-2',
    'lactulose 30 mL q6h',
  ],
  [
    'Grade II liver laceration - serial Hct q6h, bed rest',
    'Grade II liver laceration',
    'serial Hct q6h, bed rest',
  ],
  ['Acute kidney failure: hold lisinopril', 'Acute kidney failure', 'hold lisinopril'],
])('%s', (sentence, head, rest) => {
  const split = splitProblem(sentence);
  expect(sentence.slice(0, split?.headEnd)).toBe(head);
  expect(sentence.slice(split?.restStart)).toBe(rest);
});

test.each([
  'Potassium: repeat at noon',
  'Pneumonia is improving on ceftriaxone.',
  'Pneumonia: better',
  'Hct 25.8 -> 27.1 after one unit',
  'Sepsis. Plan: continue antibiotics for a week',
])('%s stays whole', (sentence) => {
  expect(splitProblem(sentence)).toBeUndefined();
});
