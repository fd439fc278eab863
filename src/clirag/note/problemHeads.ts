/** `Pneumonia: ceftriaxone 2 g q24h` → the problem, which is assessed, and what is said or ordered for it. */

import { DIAGNOSIS } from './soapCues.js';

export interface SplitProblem {
  /** Offsets in the sentence. */
  readonly headEnd: number;
  readonly restStart: number;
}

/** Longest name of a problem with its state, in characters. */
const HEAD_CHARACTERS = 90;
const BREAK = /:\s+|\s[-–]\s(?=\p{L})|\s(?:->|→)\s/gu;

/** Undefined where the sentence does not begin with a problem and go on with something else. */
export function splitProblem(text: string): SplitProblem | undefined {
  if (!DIAGNOSIS.test(text)) return undefined;
  for (const { index, 0: mark } of text.matchAll(BREAK)) {
    if (index > HEAD_CHARACTERS) return undefined;
    const head = text.slice(0, index);
    // An arrow between two values is a course: `grade 2 -> 1-2`.
    if (!mark.startsWith(':') && /\d\s*%?$/u.test(head)) continue;
    if (/[.;!?]\s/u.test(head)) return undefined;
    const restStart = index + mark.length;
    return (text.slice(restStart).match(/[\p{L}\p{N}]+/gu)?.length ?? 0) < 2
      ? undefined
      : { headEnd: index, restStart };
  }
  return undefined;
}
