/** A visit's sentences → which of them tell a state that has ended: a tube that is out, an infusion that was stopped. */

import { drugsIn, type DrugAction } from './drugOrders.js';
import type { NoteSentence } from './noteSentences.js';

/** A drug that is said to go on, in a report and not as an order. */
const GOES_ON_DRUG =
  /\b(?:continues|remains|still|stays) (?:on|running)\b|\b(?:infusion|gtt|drip|PCA) (?:continues|continued|remains|still|is running|running)\b/iu;
/** The mirror: said to be withheld still. */
const STILL_WITHHELD =
  /\b(?:still|remains?|stays?|continues? to be|kept)\b[^.;]{0,20}\b(?:held|on hold|off|withheld)\b/iu;
const GOES_ON = /\b(?:remains?|still|continues? (?:on|to)|currently|ongoing|stays)\b/iu;

const CHARTED_WRONGLY =
  /\b(?:charted|documented|scanned|signed)\b.*\b(?:in error|refused|returned|not given)\b/iu;
const AWAITS_REPEAT =
  /\b(?:repeat\w*|recheck\w*|redraw\w*)\b.{0,20}\b(?:pending|sent|awaited)\b|\b(?:before|until|pending|await\w*)\b.{0,12}\b(?:repeat\w*|recheck\w*|resulted|redraw)\b/iu;

/** A state, the words that say that it goes on, and those that say that it has ended. */
const STATES: readonly (readonly [state: RegExp, ended: RegExp])[] = [
  [/\b(?:intubated|on (?:the )?vent\w*|sedated)\b/iu, /\bextubated\b/iu],
  [
    /\bBiPAP|NIV\b/u,
    /\b(?:off BiPAP|BiPAP (?:off|d\/c|stopped|removed|weaned off)|(?:to|on) (?:nasal cannula|NC)\b)/u,
  ],
  [
    /\bCPAP\b/u,
    /\b(?:off CPAP|CPAP (?:off|d\/c|stopped|removed|discontinued)|CPAP (?:to|→|->) (?:RA|room air|NC)|room air)\b/u,
  ],
  [
    /\b(?:phototherapy|bili ?lights?)\b/iu,
    /\b(?:off phototherapy|(?:phototherapy|lights?) (?:is |was )?(?:off|stopped|d\/c'?d?|discontinued))/iu,
  ],
  [/\bfoley\b/iu, /\bfoley (?:is |was )?(?:out|removed|d\/c'?d?|discontinued)|\bremoved (?:the )?foley\b/iu],
  [
    /\b(?:pressors?|norepi\w*|levo(?:phed)?|vasopressin)\b/iu,
    /\boff (?:all )?(?:pressors?|norepi\w*|levo(?:phed)?|vasopressin)\b/iu,
  ],
  [
    /\b(?:nasal cannula|NC|HFNC|high[- ]flow|face ?mask)\b/iu,
    /\b(?:on|to|in) room air (?:since|from|at \d)|\bweaned to (?:RA|room air)\b/iu,
  ],
  [/\b(?:suction|-20)\b/iu, /\b(?:to water seal|on water seal|water seal (?:at|since|from))\b/iu],
  [
    /\bwater seal|chest tube\b/iu,
    /\b(?:chest tube (?:out|removed|d\/c'?d|was removed)|tube (?:out|removed))\b/iu,
  ],
];

/** What is put in or on and taken out or off again. */
const DEVICES = [
  'foley|urinary catheter|indwelling catheter', 'a-?line|art(?:erial)? line', '(?:central|IJ|subclavian|femoral) (?:venous )?(?:line|catheter)|cordis',
  'PICC', 'pigtail|chest tube', 'EVD|ventriculostomy', 'JP|hemovac|(?:surgical|wound) drain', 'NGT|OGT|NG tube|OG tube|dobhoff',
  'restraints?|mitts', 'sitter', '(?:cervical|C-)\\s?collar', 'traction', 'wound vac', 'TPN|lipids', 'CRRT|CVVH\\w*', 'pacing wires?', 'IABP|balloon pump',
  'cooling(?: blanket)?', 'isolation|precautions', 'epidural', 'PCA', 'isolette',
].map((names) => ({
  there: new RegExp(
    String.raw`\b(?:${names})\b.{0,40}\b(?:in place|in situ|intact|draining|patent|remains?|still|continues?|to (?:gravity|suction))\b|\b(?:remains?|still|continues?)\b.{0,25}\b(?:${names})\b`,
    'iu',
  ),
  gone: new RegExp(
    String.raw`\b(?:${names})\b.{0,12}\b(?:out|removed|off|stopped|pulled|discontinued|d\/c'?d|taken (?:out|down|off))\b|\b(?:removed|pulled|discontinued|d\/c'?d|off)\b (?:the |his |her )?(?:${names})\b`,
    'iu',
  ),
})); // prettier-ignore
const NOT_DONE = /\b(?:if|when|plan|tomorrow|possible|consider|before|then|will|to be|not|until)\b/iu;

/** A rate at which a drug runs. */
const RUNS_NOW = /\b(?:gtt|drip|infusion|mcg\/kg\/min|mcg\/min|units?\/h(?:r|our)?|mg\/h(?:r|our)?)\b/iu;

/** Devices that are out, and infusions that a later note stops. */
function readRemoved(sentences: readonly NoteSentence[]): ((sentence: NoteSentence) => boolean)[] {
  const devices = DEVICES.flatMap(({ there, gone }) =>
    sentences.some(({ text }) => gone.test(text) && !NOT_DONE.test(text))
      ? [({ text }: NoteSentence) => there.test(text) && !gone.test(text)]
      : [],
  );
  const stopped = new Map<string, string>();
  for (const { orders, charted } of sentences)
    for (const { drug, action } of orders)
      if (action === 'withheld' && (stopped.get(drug) ?? '') < charted) stopped.set(drug, charted);
      else if (action === 'given' && (stopped.get(drug) ?? '~~') < charted) stopped.delete(drug);
  return [
    ...devices,
    ({ text, orders, charted }) =>
      RUNS_NOW.test(text) &&
      orders.every(({ action }) => action === 'given') &&
      drugsIn(text).some((drug) => charted < (stopped.get(drug) ?? '')),
  ];
}

/** What tells of a sentence that its state is over, by what the others say. */
export function readEndedStates(sentences: readonly NoteSentence[]): ((sentence: NoteSentence) => boolean)[] {
  const over = STATES.flatMap(([state, ended]) =>
    sentences.some(
      ({ text }) =>
        ended.test(text) && !/\b(?:if|when|plan|tomorrow|possible|consider|before|then)\b/iu.test(text),
    )
      ? [
          (sentence: NoteSentence) =>
            GOES_ON.test(sentence.text) && state.test(sentence.text) && !ended.test(sentence.text),
        ]
      : [],
  );
  // An infusion that is said to go on, though it was stopped.
  const stopped = new Set(
    sentences
      .filter(({ text }) =>
        /\b(?:gtt|drip|infusion|PCA)\b.*\b(?:off|stopped|discontinued)\b|\b(?:off|stopped|discontinued)\b.*\b(?:gtt|drip|infusion|PCA)\b/iu.test(
          text,
        ),
      )
      .flatMap(({ text }) => drugsIn(text)),
  );
  const runs = /\b(?:remains?|continues?|still|stays)\b.*\b(?:gtt|drip|infusion|PCA)\b/iu;
  const hasDrain = sentences.some(
    ({ text }) => /\b(?:pigtail|chest tube)\b/iu.test(text) && !/\bno (?:pigtail|chest tube)\b/iu.test(text),
  );
  const lastAction = readLastActions(sentences);
  const notGiven = new Set(
    sentences.filter(({ text }) => CHARTED_WRONGLY.test(text)).flatMap(({ text }) => drugsIn(text)),
  );
  const clouded = sentences.filter(({ text }) =>
    /\b(?:oriented x ?[012]|oriented to name only|not follow(?:ing)? commands|GCS (?:[3-9]|1[0-2])|obtunded|unresponsive)\b/iu.test(
      text,
    ),
  );
  return [
    ...over,
    ...readRemoved(sentences),
    ({ text }) =>
      /\b(?:given|received|took)\b/iu.test(text) &&
      !CHARTED_WRONGLY.test(text) &&
      drugsIn(text).some((drug) => notGiven.has(drug)),
    // Said while a repeat was awaited, which has come since.
    ({ text, values, charted }) =>
      AWAITS_REPEAT.test(text) &&
      values.some(({ name, value }) =>
        sentences.some(
          (other) =>
            other.charted > charted &&
            other.values.some((own) => own.name === name && own.value !== value && !own.isEarlier),
        ),
      ),
    // A copied examination: clear in one line, clouded in the next or later.
    ({ text, charted }) =>
      /\b(?:A&O|AAO|oriented) ?x ?3\b/iu.test(text) && clouded.some((other) => other.charted >= charted),
    ({ text }) => GOES_ON_DRUG.test(text) && drugsIn(text).some((drug) => lastAction(drug) === 'withheld'),
    ({ text }) => STILL_WITHHELD.test(text) && drugsIn(text).some((drug) => lastAction(drug) === 'given'),
    ({ text }) => hasDrain && /\bno chest tube in place\b/iu.test(text),
    ({ text }) =>
      runs.test(text) &&
      !/\b(?:until|off|stop)\b/iu.test(text) &&
      drugsIn(text).some((drug) => stopped.has(drug)),
  ];
}

/** Of each drug, what its last order does; that one `continues on` a drug or that it is `still held` is no order. */
function readLastActions(sentences: readonly NoteSentence[]): (drug: string) => DrugAction | undefined {
  const last = new Map<string, { action: DrugAction; charted: string }>();
  for (const { text, orders, charted } of sentences) {
    if (GOES_ON_DRUG.test(text) || STILL_WITHHELD.test(text)) continue;
    for (const { drug, action } of orders)
      if ((last.get(drug)?.charted ?? '') <= charted) last.set(drug, { action, charted });
  }
  return (drug) => last.get(drug)?.action;
}
