/** A visit's sentences → those that still hold: not copied forward, not corrected later, no state that has ended. */

import { keywordTerms } from '../../core/keywordIndex.js';
import type { Note } from '../../core/types.js';
import { cleanText } from '../clean.js';
import { readEndedStates } from './endedStates.js';
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
  const sides = [...readSideCorrections(sentences), ...readWithdrawn(sentences)];
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
