/** A visit's sentences → those that still hold: not copied forward, not corrected later, no state that has ended. */

import { keywordTerms } from '../../core/keywordIndex.js';
import type { Note } from '../../core/types.js';
import { cleanText } from '../clean.js';
import { drugsIn } from './drugOrders.js';
import type { NoteSentence } from './noteSentences.js';
import { splitSentences } from '../../core/text.js';

export type Unsound = 'copied forward' | 'corrected later' | 'state has ended';

export interface Judged {
  readonly sound: readonly NoteSentence[];
  readonly unsound: readonly { readonly sentence: NoteSentence; readonly reason: Unsound }[];
}

/** Shortest sentence, in words, whose verbatim repetition is a copy and not a habit. */
const COPIED_WORDS = 5;

/** `earlier`: the patient's notes of the days before, to recognise what was copied from them. */
export function judgeSentences(
  sentences: readonly NoteSentence[],
  { earlier }: { earlier: readonly Note[] },
): Judged {
  const copied = readCopyKeys(earlier);
  const bad = readCorrectedValues(sentences);
  const sides = readSideCorrections(sentences);
  const ended = readEndedStates(sentences);
  const seen = new Set<string>();
  const sound: NoteSentence[] = [];
  const unsound: { sentence: NoteSentence; reason: Unsound }[] = [];
  const ordered = [...sentences].sort((a, b) => (a.charted < b.charted ? -1 : a.charted > b.charted ? 1 : 0));
  for (const sentence of ordered) {
    const key = copyKey(sentence.text);
    const isLong = key.split(' ').length >= COPIED_WORDS;
    const reason: Unsound | undefined =
      isLong && (copied.has(key) || seen.has(key))
        ? 'copied forward'
        : isCorrected(sentence, bad) || sides.some((isWrong) => isWrong(sentence))
          ? 'corrected later'
          : ended.some((isOver) => isOver(sentence))
            ? 'state has ended'
            : undefined;
    seen.add(key);
    if (reason === undefined) sound.push(sentence);
    else unsound.push({ sentence, reason });
  }
  return { sound, unsound };
}

function readCopyKeys(notes: readonly Note[]): Set<string> {
  const keys = new Set<string>();
  for (const { text } of notes) {
    const clean = cleanText(text).text;
    for (const { start, end } of splitSentences(clean)) keys.add(copyKey(clean.slice(start, end)));
  }
  return keys;
}

/** Case, punctuation, list marks and a label before the words do not count; figures do. */
export function copyKey(text: string): string {
  const words = text.replace(/^\s*(?:[-•*]\s*)?[\p{L} /]{1,24}:\s+/u, '');
  return (words.toLowerCase().match(/[\p{L}]+|\d+(?:[.:/]\d+)*/gu) ?? []).join(' ');
}

const CORRECTION =
  /\b(?:hemoly[sz]\w*|dilut(?:ed|ional)|contaminat\w*|spurious|mis-?label\w*|wrong (?:patient|side|tube|baby|chart)|in error|erroneous|keying|keyed|incorrect(?:ly)?|correct(?:ed|ion)|was venous|venous(?:,| sample| gas| stick)|not arterial|disregard|cancelled|above a running|doubt the number|line draw)\b/iu;

export function isCorrection(text: string): boolean {
  return CORRECTION.test(text);
}

/** `Hematocrit 21.4`: stated somewhere as wrong. The value that a later sentence still gives for the same is not. */
function readCorrectedValues(sentences: readonly NoteSentence[]): Set<string> {
  const bad = new Set<string>();
  for (const sentence of sentences.filter(({ text }) => isCorrection(text))) {
    const figures: readonly string[] = sentence.text.match(/\d+(?:\.\d+)?/gu) ?? [];
    for (const other of sentences) {
      if (other.charted > sentence.charted || other.chunk.noteId === sentence.chunk.noteId) continue;
      for (const { name, value } of other.values) {
        if (!figures.includes(value)) continue;
        const speaks =
          sentence.values.some((own) => own.name === name) || sharesWord(sentence.text, other.text, value);
        const isConfirmed = sentences.some(
          (third) =>
            third.charted > sentence.charted &&
            !isCorrection(third.text) &&
            third.values.some((own) => own.name === name && own.value === value && !own.isEarlier),
        );
        if (speaks && !isConfirmed) bad.add(`${name} ${value}`);
      }
    }
  }
  return bad;
}

function sharesWord(a: string, b: string, value: string): boolean {
  const terms = new Set(keywordTerms(a));
  return keywordTerms(b).filter((term) => term.length > 3 && term !== value && terms.has(term)).length >= 2;
}

function isCorrected(sentence: NoteSentence, bad: ReadonlySet<string>): boolean {
  return (
    !isCorrection(sentence.text) && sentence.values.some(({ name, value }) => bad.has(`${name} ${value}`))
  );
}

/** An addendum or a correction that gives the other side: what the corrected note says of the wrong side no longer holds. */
function readSideCorrections(sentences: readonly NoteSentence[]): ((sentence: NoteSentence) => boolean)[] {
  const said =
    /\b(?:side|laterality|left|right)\b.*\b(?:incorrect|incorrectly|wrong|error|corrected|should read|not)\b|\b(?:incorrect|incorrectly|wrong|error|should read)\b.*\b(?:side|left|right)\b/iu;
  const notes = new Set(sentences.filter(({ text }) => said.test(text)).map(({ chunk }) => chunk.noteId));
  return [...notes].flatMap((noteId) => {
    const own = sentences.filter(({ chunk }) => chunk.noteId === noteId);
    const [type, charted] = [own[0]?.chunk.type, own[0]?.charted ?? ''];
    const text = own.map((sentence) => sentence.text).join(' ');
    const right = /\b(?:is|on the|be|read)\s+(?:on the\s+)?["“]?(LEFT|RIGHT)\b/iu
      .exec(text)?.[1]
      ?.toLowerCase();
    if (right === undefined) return [];
    const wrong = new RegExp(String.raw`\b${right === 'right' ? 'left' : 'right'}\b`, 'iu');
    const terms = new Set(keywordTerms(text));
    return [
      (sentence: NoteSentence) =>
        sentence.chunk.noteId !== noteId &&
        sentence.chunk.type === type &&
        sentence.charted <= charted &&
        wrong.test(sentence.text) &&
        keywordTerms(sentence.text).filter((term) => term.length > 4 && terms.has(term)).length >= 2,
    ];
  });
}

/** A drug that is said to go on, in a report and not as an order. */
const GOES_ON_DRUG = /\b(?:continues|remains|still|stays) on\b/iu;
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
  [/\b(?:suction|-20)\b/iu, /\b(?:to water seal|on water seal|water seal (?:at|since|from))\b/iu],
  [
    /\bwater seal|chest tube\b/iu,
    /\b(?:chest tube (?:out|removed|d\/c'?d|was removed)|tube (?:out|removed))\b/iu,
  ],
];

function readEndedStates(sentences: readonly NoteSentence[]): ((sentence: NoteSentence) => boolean)[] {
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
  const isStopped = readStoppedDrugs(sentences);
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
    ({ text }) => GOES_ON_DRUG.test(text) && drugsIn(text).some(isStopped),
    ({ text }) => hasDrain && /\bno chest tube in place\b/iu.test(text),
    ({ text }) =>
      runs.test(text) &&
      !/\b(?:until|off|stop)\b/iu.test(text) &&
      drugsIn(text).some((drug) => stopped.has(drug)),
  ];
}

/** Drugs whose last order withholds them; that one `continues on` a drug is no order. */
function readStoppedDrugs(sentences: readonly NoteSentence[]): (drug: string) => boolean {
  const last = new Map<string, { action: string; charted: string }>();
  for (const { text, orders, charted } of sentences) {
    if (GOES_ON_DRUG.test(text)) continue;
    for (const { drug, action } of orders)
      if ((last.get(drug)?.charted ?? '') <= charted) last.set(drug, { action, charted });
  }
  return (drug) => last.get(drug)?.action === 'withheld';
}
