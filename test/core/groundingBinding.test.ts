import { test, expect } from '@jest/globals';
import { groundText } from '../../src/core/grounding.js';

const tube =
  'Whole blood is stable 7 days at 2-8 °C or 24 hours at room temperature. Store no more than 5 L at the bench; larger volumes go in the cabinet.';
const rack =
  'Load the reagents: PT reagent in position A1, aPTT reagent in A2. Fix no less than 6 and no more than 72 hours.';
const critical =
  'Potassium below 2.5 or above 6.5 mmol/L and glucose below 40 or above 500 mg/dL are critical.';
const intervals = 'Creatinine: men 0.7-1.3 mg/dL, women 0.5-1.1 mg/dL.';
const stroke = 'Sudden L facial droop and L arm weakness. CTA R M2 occlusion. SpO2 86 % on 2 L, 93 % on 5 L.';
const plan =
  'Plan: dc to rehab tomorrow if Hct stable. AST 46 -> 212 -> 98. Simvastatin 40 mg (held), donepezil 10 mg qHS.';

test.each([
  ['At room temperature the blood is stable for 7 days.', tube, false],
  ['The blood keeps for a week in the refrigerator, but only a day at ambient temperature.', tube, true],
  ['More than five liters belong in the cabinet.', tube, true],
  ['aPTT reagent goes in position A1.', rack, false],
  ['aPTT reagent goes in position A2.', rack, true],
  ['Fix for between 6 and 72 h.', rack, true],
  ['A glucose above 6.5 mmol/L is critical.', critical, false],
  ['A potassium above 6.5 mmol/L is critical.', critical, true],
  ['For women, creatinine is 0.7 to 1.3 mg/dL.', intervals, false],
  ['In women creatinine lies between 0.5 and 1.1 mg/dL.', intervals, true],
  ['There was sudden right arm weakness.', stroke, false],
  ['There was sudden left arm weakness.', stroke, true],
  ['He needed 5 liters of oxygen to reach a saturation of 93%.', stroke, true],
  ['Oxygen saturation was 93% on 2 liters.', stroke, false],
  ['The patient will be discharged to rehab tomorrow.', plan, false],
  ['The patient will be discharged to rehab tomorrow if the hematocrit is stable.', plan, true],
  ['AST rose to 212 and has since declined to 98.', plan, true],
  ['Donepezil was held.', plan, false],
])('%s', (sentence, source, isSupported) => {
  const { sentences } = groundText(`${sentence} [S1]`, [{ key: 'S1', text: source }]);
  expect(sentences.map(({ verdict }) => verdict === 'supported')).toEqual([isSupported]);
});
