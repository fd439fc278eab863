/** `Pneumonia: ceftriaxone 2 g q24h` → the problem, which is assessed, and what is said or ordered for it. */

import { drugsIn } from './drugOrders.js';
import { findValues } from './measuredValues.js';
import { DIAGNOSIS } from './soapCues.js';

export interface SplitProblem {
  /** Offsets in the sentence. */
  readonly headEnd: number;
  readonly restStart: number;
}

/** Longest name of a problem with its state, in characters. */
const HEAD_CHARACTERS = 110;
const BREAK = /:\s+|\s[-–]\s(?=\p{L})|\s(?:->|→)\s/gu;

/** Longest name of a problem that the table does not know, in words. */
const UNKNOWN_WORDS = 14;
/** Heads of a list in a plan that name no problem. */
const NO_PROBLEM =
  /^\W*(?:plan|orders?|meds?|labs?|code(?: status)?|dispo\w*|access|lines?|diet|fen|ppx|prophylaxis|comm\w*|activity|goals?|today|tomorrow|neuro|cv|resp|pulm|gi|gu|id|heme|endo|renal|imp(?:ression)?|assessment|a\/?p|recs?|recommendations?|other|nutrition|social|family|skin|pain|follow[- ]?up|events?|(?:(?:morning|afternoon|evening|bedtime|late) )?(?:breakfast|lunch|dinner|supper|snacks?|meals?)|anesthesia|instructions?|work status)\b/iu;
/** A word that orders or tells: what has one is a sentence and no name. */
const VERB =
  /\b(?:continue|start|stop|hold|held|resume|restart|give|check|repeat|recheck|change|wean|keep|remove|pull|d\/c|will|would|is|was|are|were|has|have|had|add|increase|decrease|send|obtain|monitor|follow|plan|recommend\w*|suggest\w*|consult|transfer|discharge|if|goal)\b/iu;

/** `isAssessed`: it stands among assessments and plans, where any name before a colon is a problem's unless it is a drug's. */
function namesProblem(text: string, isAssessed: boolean): boolean {
  if (DIAGNOSIS.test(text)) return true;
  if (!isAssessed) return false;
  const head = /^[^:]{3,}?(?=:\s)/u.exec(text)?.[0] ?? '';
  const words = head.match(/[\p{L}\p{N}/+-]+/gu)?.length ?? 0;
  if (head === '' || words > UNKNOWN_WORDS || NO_PROBLEM.test(head) || VERB.test(head)) return false;
  return drugsIn(head).length === 0 && findValues(head).length === 0 && !/^\W*\d+[:/]/u.test(head);
}

/** Undefined where the sentence does not begin with a problem and go on with something else. */
export function splitProblem(
  text: string,
  { isAssessed = false }: { isAssessed?: boolean } = {},
): SplitProblem | undefined {
  if (!namesProblem(text, isAssessed)) return undefined;
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
