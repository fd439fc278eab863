/** Something planned that a later note calls off → the clauses that still announce it. */

import type { Span } from '../../core/types.js';
import type { NoteSentence } from './noteSentences.js';
import { splitClauses } from './stateClaims.js';

/** What is planned and called off, each with its words. */
const EVENTS = [
  String.raw`transfer(?:red)?|tx to|call(?:ed)?[- ]?out|step-?down`,
  String.raw`discharged?(?: home)?|d\/c home|home (?:today|tomorrow)`,
  String.raw`surgery|OR|operation`,
  'extubat\\w+',
  'MRI?|CT|CTA',
  'EGD|endoscopy|colonoscopy|ERCP',
  'bronch(?:oscopy)?',
  'TEE',
  'cath(?:eterization)?',
  'trach(?:eostomy)?|PEG',
  'LP|lumbar puncture',
  'paracentesis|thoracentesis',
  'HD|dialysis',
] as const;

const OFF = String.raw`(?:cancell?ed|postponed|put off|called off|aborted|deferred)`;
const ANNOUNCED = EVENTS.map((names) => ({
  named: new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${names})(?![\p{L}\p{N}])`, 'u'),
  calledOff: new RegExp(
    String.raw`(?<![\p{L}\p{N}])(?:${names})(?:\s(?:\p{L}+\s){0,3}|\s)${OFF}(?![\p{L}])|(?<!\p{L})${OFF}\s(?:the\s|her\s|his\s)?(?:${names})(?![\p{L}\p{N}])`,
    'u',
  ),
}));

/** Only what stands among plans, in notes before the one that calls it off. */
export function readCancelledPlans(
  sentences: readonly NoteSentence[],
): (sentence: NoteSentence) => readonly Span[] {
  const cancelled = ANNOUNCED.flatMap(({ named, calledOff }) =>
    sentences
      .filter(({ text }) => calledOff.test(text))
      .map(({ charted, chunk }) => ({ named, calledOff, charted, noteId: chunk.noteId })),
  );
  return ({ text, part, charted, chunk }) => {
    if (part !== 'P') return [];
    const own = cancelled.filter(
      (one) => one.charted > charted && one.noteId !== chunk.noteId && !one.calledOff.test(text),
    );
    return splitClauses(text).filter(({ start, end }) =>
      own.some(({ named }) => named.test(text.slice(start, end))),
    );
  };
}
