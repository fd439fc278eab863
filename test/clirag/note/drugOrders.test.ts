/** Sentences → what they order or withhold; what is only thought of, or stands beside it, is no order. */

import { expect, test } from '@jest/globals';
import { findOrders } from '../../../src/clirag/note/drugOrders.js';

test.each<[string, string[]]>([
  ['Hold heparin.', ['heparin withheld']],
  ['start glargine; metformin: keep holding', ['glargine given', 'metformin withheld']],
  ['vancomycin and cefepime 4/11, both STOPPED 4/15', ['vancomycin withheld', 'cefepime withheld']],
  ['Prophylaxis: heparin 5000 units SC TID', ['heparin given']],
  ['please do not restart vancomycin', []],
  ['restart heparin if Hct stable', []],
  ['stop the infusion two hours after glargine', []],
  ['NPO after midnight', ['feeding withheld']],
  ['Continue gavage feeds and advance 20 cc/kg/day', ['feeding given']],
  ['Lungs clear.', []],
])('%s', (sentence, orders) => {
  expect(findOrders(sentence).map(({ drug, action }) => `${drug} ${action}`)).toEqual(orders);
});
