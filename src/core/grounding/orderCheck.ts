/** A claim's order of steps and its step number → where the evidence has them otherwise. */

import type { Comparison, Finding } from './comparison.js';
import { compareOrders, isAgainstSequence, readStepOrders } from './stepOrder.js';

/** "Six hours after the dose" tells a time, no order of the steps that a procedure lists. */
const TIMED =
  /(?<![\p{L}])(?:seconds?|min(?:ute)?s?|h(?:ou)?rs?|h|days?|weeks?|months?)\s(?:after|before|following|prior to|post)(?![\p{L}])/iu;
/** Least share of the best statement's words for an order of steps to be the claim's. */
const NEAR_BEST = 0.7;
/** Least share of a claim's words for a step to be its step. */
const MIN_STEP_SHARE = 0.5;

export function checkOrder({ claim, evidence, rename, shares }: Comparison): Finding[] {
  return readStepOrders(claim).flatMap((own): Finding[] => {
    const best = Math.max(...shares, 0);
    const relations = evidence.orders
      .filter(({ statement }) => (shares[evidence.statements.indexOf(statement)] ?? 0) >= best * NEAR_BEST)
      .map((other) => compareOrders(own, other, rename));
    const [nearest] = relations.filter(({ relation }) => relation !== 'other').sort((a, b) => b.fit - a.fit);
    if (
      nearest?.relation === 'swapped' ||
      (nearest === undefined &&
        !TIMED.test(claim.text) &&
        isAgainstSequence(own, { statements: evidence.steps, rename }))
    ) {
      return [{ verdict: 'contradicted', reason: 'the source has the steps in the other order' }];
    }
    return [];
  });
}

/** "3. Add the buffer" of what the source numbers 2. */
export function checkLabel({ claim, evidence, shares }: Comparison): Finding[] {
  if (claim.label === undefined) return [];
  const best = Math.max(...shares, 0);
  const step = evidence.statements.find(
    (statement, i) => (shares[i] ?? 0) === best && statement.label !== undefined,
  );
  if (step?.label === undefined || best < MIN_STEP_SHARE || step.label === claim.label) return [];
  return [
    { verdict: 'contradicted', reason: `says step ${claim.label}, in the source it is step ${step.label}` },
  ];
}
