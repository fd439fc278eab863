/** A visit's sentences → those that still hold: not copied forward, not corrected later, no state that has ended. */

import { keywordTerms } from '../../core/keywordIndex.js';
import type { Note, Span } from '../../core/types.js';
import { cleanText } from '../clean.js';
import { splitSentences, trimSpan } from '../../core/text.js';
import { readCancelledPlans } from './cancelledPlans.js';
import { findOrders } from './drugOrders.js';
import { readEndedStates, readOutdated } from './endedStates.js';
import { findValues } from './measuredValues.js';
import type { NoteSentence } from './noteSentences.js';
import { splitClauses, type ToldSentence } from './stateClaims.js';

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
  const told = readEarlier(earlier);
  const copied = new Set(told.map(({ text }) => copyKey(text)));
  const bad = readCorrectedValues(sentences);
  const sides = [...readSideCorrections(sentences), ...readWithdrawn(sentences)];
  const readOver = readEndedStates(sentences, { earlier: told });
  const isOutdated = readOutdated(sentences, { withheldBefore: withheldAfter(told) });
  const cancelledIn = readCancelledPlans(sentences);
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
          : isOutdated(sentence)
            ? 'state has ended'
            : undefined;
    seen.add(key);
    const over = reason === undefined ? readOver(sentence) : undefined;
    const gone = over === undefined ? [] : [...over.clauses, ...cancelledIn(sentence)];
    if (over !== undefined && gone.length === 0) sound.push(sentence);
    else {
      unsound.push({ sentence, reason: reason ?? 'state has ended' });
      if (over?.isFalse === false) sound.push(...withoutClauses(sentence, gone));
    }
  }
  return { sound, unsound };
}

/** Notes before these say little of today and would take long to read. */
const EARLIER_NOTES = 60;

function readEarlier(notes: readonly Note[]): ToldSentence[] {
  return notes.slice(-EARLIER_NOTES).flatMap(({ text, date, time }) => {
    const clean = cleanText(text).text;
    const charted = `${date} ${time?.slice(0, 5) ?? '~'}`;
    return splitSentences(clean).map(({ start, end }) => ({
      text: clean.slice(start, end),
      charted,
      isPlan: false,
    }));
  });
}

/** Drugs whose last order of the days before withholds them. */
function withheldAfter(told: readonly ToldSentence[]): Set<string> {
  const withheld = new Set<string>();
  for (const { text } of [...told].sort((a, b) =>
    a.charted < b.charted ? -1 : a.charted > b.charted ? 1 : 0,
  ))
    for (const { drug, action } of findOrders(text))
      if (action === 'withheld') withheld.add(drug);
      else withheld.delete(drug);
  return withheld;
}

/** What is left says something of its own from so many words. */
const CLAUSE_WORDS = 3;

/** The runs of clauses that still hold, each a sentence of its own. */
function withoutClauses(sentence: NoteSentence, over: readonly Span[]): NoteSentence[] {
  const { text, span } = sentence;
  const runs: Span[] = [];
  let isOpen = false;
  for (const clause of splitClauses(text)) {
    const isOver = over.some(({ start, end }) => start < clause.end && clause.start < end);
    const last = runs.at(-1);
    if (isOver) isOpen = false;
    else if (isOpen && last !== undefined) runs[runs.length - 1] = { start: last.start, end: clause.end };
    else {
      runs.push(clause);
      isOpen = true;
    }
  }
  return runs
    .map((run) => trimSpan(text, run))
    .filter(
      ({ start, end }) => (text.slice(start, end).match(/[\p{L}\p{N}]+/gu)?.length ?? 0) >= CLAUSE_WORDS,
    )
    .map((run) => {
      const words = text.slice(run.start, run.end);
      const place = { start: span.start + run.start, end: span.start + run.end };
      return {
        ...sentence,
        text: words,
        span: place,
        rawSpan: sentence.rawOf(place),
        values: findValues(words),
        orders: findOrders(words),
      };
    });
}

/** Case, punctuation, list marks and a label before the words do not count; figures do. */
export function copyKey(text: string): string {
  const words = text.replace(/^\s*(?:[-•*]\s*)?[\p{L} /]{1,24}:\s+/u, '');
  return (words.toLowerCase().match(/[\p{L}]+|\d+(?:[.:/]\d+)*/gu) ?? []).join(' ');
}

const CORRECTION =
  /\b(?:hemoly[sz]\w*|dilut(?:ed|ional)|contaminat\w*|spurious|mis-?label\w*|wrong (?:patient|side|tube|baby|chart)|in error|erroneous|keying|keyed|incorrect(?:ly)?|correct(?:ed|ion)|was venous|venous(?:,| sample| gas| stick)|not arterial|disregard\w*|cancell?ed|withdrawn|retracted|another (?:patient|infant|baby)|different (?:patient|infant|baby)|wrongly|clotted sample|artifact\w*|above a running|doubt the number|line draw)\b/iu;

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

const WITHDRAWN =
  /\b(?:withdrawn|retracted|cancell?ed|another (?:patient|infant|baby)|different (?:patient|infant|baby)|wrong (?:patient|chart|baby)|in error)\b/iu;
/** So many words in common, and so great a share of what was said, show that it is what was withdrawn. */
const WITHDRAWN_TERMS = 3;
const WITHDRAWN_SHARE = 0.5;

/** A finding or order that a later sentence of another note takes back. */
function readWithdrawn(sentences: readonly NoteSentence[]): ((sentence: NoteSentence) => boolean)[] {
  return sentences
    .filter(({ text }) => WITHDRAWN.test(text))
    .map(({ text, chunk, charted }) => {
      const terms = new Set(longTerms(text));
      return (other: NoteSentence) => {
        if (other.chunk.noteId === chunk.noteId || other.charted > charted) return false;
        if (isCorrection(other.text)) return false;
        const own = longTerms(other.text);
        const shared = own.filter((term) => terms.has(term)).length;
        return shared >= WITHDRAWN_TERMS && shared >= WITHDRAWN_SHARE * own.length;
      };
    });
}

function longTerms(text: string): string[] {
  return [...new Set(keywordTerms(text))].filter((term) => term.length > 3);
}
