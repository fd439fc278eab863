/** A line of a note → the header that it may begin with, and how much speaks for it before its neighbours are asked. */

import { isMeasurementLabel } from './measurementLabels.js';
import { countWords, isAllCapitals, type NoteLine } from './noteLines.js';
import { runInCandidate } from './runInHeaders.js';
import { findHeaderEntry, isNoteTitle, type HeaderEntry } from './sectionHeaders.js';

export interface Candidate {
  /** Index of its line. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** Without the colon. */
  readonly words: string;
  readonly entry?: HeaderEntry;
  readonly hasColon: boolean;
  /** Nothing else stands on its line. */
  readonly isAlone: boolean;
  /** From 0 (never) to 1 (sure); at `ACCEPT` it is a header. */
  readonly score: number;
}

export const ACCEPT = 0.5;

/** A line without its list number, among the others. */
export interface Place {
  readonly lines: readonly NoteLine[];
  readonly at: number;
  /** A text in one case throughout says nothing by its case. */
  readonly usesCase: boolean;
  /** Its author begins lines with small letters, so that a header may, too. */
  readonly beginsSmall: boolean;
  readonly start: number;
  readonly body: string;
  readonly isNumbered: boolean;
}

/** Longest header without its colon. */
const MAX_CHARACTERS = 72;
const MAX_UNKNOWN_WORDS = 6;

/** `1. Resp: …`, in notes that number their systems. */
const NUMBERED = /^(?:(?:\d{1,2}|[IVX]{1,4})\.\s+|(?!24)\d{1,2}\s+(?=[A-Z]))/u;
const BULLET = /^(?:[-*•·◦▪●‣+>|]|o\s|#|\[)/u;
/** The banner of a radiology report, which is repeated on every page, and other frames of a note that head no section. */
const BANNER =
  /^(?:chest|abdomen|babygram|pelvis)\s*\(|^(?:us|ct|mr|mri)\s+[A-Z]+(?:\s+W\/.*)?$|^tracing\b|^(?:final|preliminary|addendum to)\s+report$|^wet read\b/iu;
const CLIP_NUMBER = /\bclip\s*#/iu;

function isBanner(line: string): boolean {
  return BANNER.test(line) || (line.includes('#') && CLIP_NUMBER.test(line));
}

export function candidateOf(
  lines: readonly NoteLine[],
  { at, usesCase, beginsSmall }: { at: number; usesCase: boolean; beginsSmall: boolean },
): Candidate | undefined {
  const line = lines[at];
  if (line === undefined || BULLET.test(line.text) || isBanner(line.text) || isBannerReason(lines, at)) {
    return undefined;
  }
  const numbered = NUMBERED.exec(line.text)?.[0] ?? '';
  const body = line.text.slice(numbered.length);
  if (!/^["'(]?(?:\p{L}|24\b)/u.test(body)) return undefined;
  const place: Place = {
    lines,
    at,
    usesCase,
    beginsSmall,
    start: line.start + numbered.length,
    body,
    isNumbered: numbered !== '',
  };
  const colon = colonCandidate(place);
  if (colon?.entry !== undefined) return colon;
  if (colon !== undefined) {
    // `FAMILY HISTORY   Father: colon cancer`: a known header before an unknown one.
    const runIn = runInCandidate(place);
    return runIn !== undefined && runIn.score > Math.max(colon.score, ACCEPT) ? runIn : colon;
  }
  const alone = numbered === '' ? (problemCandidate(place) ?? aloneCandidate(place)) : undefined;
  return alone ?? runInCandidate(place);
}

/** `Reason:` and `Admitting Diagnosis:` below the title of a radiology examination. */
function isBannerReason(lines: readonly NoteLine[], at: number): boolean {
  if (!/^(?:reason|admitting diagnosis):/iu.test(lines[at]?.text ?? '')) return false;
  const above = lines.slice(Math.max(0, at - 3), at);
  return above.some(({ text }) => isBanner(text)) || /^[^\p{Ll}]+$/u.test(above.at(-1)?.text ?? 'x');
}

/** Up to a colon that is not part of a time, a ratio or an address. */
const UP_TO_COLON = new RegExp(
  `^((?:[^:\\n]|:(?=\\d)){1,${MAX_CHARACTERS}}?)\\s?:(?=$|\\s|\\p{L}|["'(<>~\\[])`,
  'u',
);
/** Words that make a sentence of what stands before a colon. */
const SENTENCE_WORD =
  /\b(?:entered|placed|is|was|are|were|be|been|has|have|had|will|would|can|could|should|may|might|did|does|do|if|when|that|which|who|but|because|she|he|they|we|i|you|it|his|her|their|said|says|states|stated|reports|reported|asked|called|told|seen|given|started|received|including|following|include|includes|notable|showed|shows|revealed|reads?)\b/iu;

function colonCandidate(place: Place): Candidate | undefined {
  const match = UP_TO_COLON.exec(place.body);
  if (match === null) return undefined;
  const words = (match[1] ?? '').trim();
  const rest = place.body.slice(match[0].length).trim();
  const entry = lookUp(words);
  const candidate = {
    line: place.at,
    start: place.start,
    end: place.start + match[0].length,
    words,
    hasColon: true,
    isAlone: rest === '',
    ...(entry === undefined ? {} : { entry }),
  };
  if (isMeasurementLabel(words) && (entry === undefined || /^[<>~]?\d/u.test(rest))) return undefined;
  // `ABG 08:05: 7.31 / 42 / 88` is a value.
  if (entry !== undefined) {
    const isValue = entry.title === 'Blood Gases' && /\d/u.test(words + rest.slice(0, 3));
    return { ...candidate, score: isValue ? 0 : 1 };
  }
  return place.isNumbered ? undefined : { ...candidate, score: unknownColonScore(words, { rest, place }) };
}

/** Words that stand before a colon and head nothing. */
const NO_HEADER =
  /^(?:also|tonight|tomorrow|brother|sister|mother|father|son|daughter|wife|husband|present|stop|start|hold|dr|mr|mrs|ms|tel|ext|note|e\.?g|i\.?e|https?|time|date|page|pt|rn|md|(?:admission|discharge) date|date of (?:birth|admission|discharge)|dob|sex|age|name|unit)$/iu;
const STUDY =
  /\b(?:ultrasound|bronchoscopy|endoscopy|colonoscopy|cytology|pathology|biopsy|(?:pleural|ascitic|peritoneal|joint|spinal) fluid|angiogram|angiography|doppler|scan|film|cath|swallow(?: evaluation)?)\b/iu;

function unknownColonScore(words: string, { rest, place }: { rest: string; place: Place }): number {
  const count = countWords(words);
  if (count > MAX_UNKNOWN_WORDS || /[.;!?=@"]|,.*,/u.test(words) || SENTENCE_WORD.test(words)) return 0;
  // `Cefazolin 2 g q8h: …` is a line of a list of drugs.
  if (NO_HEADER.test(words) || /\d\s*(?:mg|mcg|g|units?|ml|meq)\b/iu.test(words)) return 0;
  // `Renal ultrasound: …` is a sub-heading like `CXR: …`.
  if (STUDY.test(words) && rest !== '') return 0.6;
  const isCapitals = isAllCapitals(words);
  if (place.usesCase && !/^["'(]?\p{Lu}/u.test(words))
    return rest === '' && place.lines[place.at]?.isBlankBefore === true ? 0.5 : 0.2;
  if (rest === '') return place.at < place.lines.length - 1 ? 0.8 : 0;
  if (isCapitals && place.usesCase) return 0.8;
  // `Day of ventilation: 1` is a value under a name, not a section.
  if (/^[<>~=]?\s?\d/u.test(rest) && countWords(rest) <= 6) return 0;
  if (countWords(rest) <= 3) return 0.1;
  return count <= 3 && !/\d/u.test(words) ? 0.35 : 0.2;
}

/** `Renal failure, acute` over `Assessment:`, which is followed by `Action:`: a problem of a nursing note. */
function problemCandidate({ lines, at, body, start }: Place): Candidate | undefined {
  const next = lines[at + 1];
  if (next === undefined || body.length > MAX_CHARACTERS || /[.:;!?]$/u.test(body)) return undefined;
  if (!/^assessment\b/iu.test(next.text) || !lines.some(({ text }) => /^action\b/iu.test(text)))
    return undefined;
  const entry = lookUp(body);
  return {
    line: at,
    start,
    end: start + body.length,
    words: body,
    hasColon: false,
    isAlone: true,
    score: 1,
    ...(entry === undefined ? {} : { entry }),
  };
}

function aloneCandidate(place: Place): Candidate | undefined {
  const { body, lines, at, usesCase } = place;
  if (body.length > MAX_CHARACTERS || /[.;!?,]$|:(?!\d)|\|/u.test(body)) return undefined;
  // A token right behind the word is its text: `Attending[**…**]`.
  if (/^\p{L}+\[/u.test(body)) return undefined;
  const entry = /\[/u.test(body) ? findHeaderEntry(body) : lookUp(body);
  const candidate = {
    line: at,
    start: place.start,
    end: place.start + body.length,
    words: body,
    hasColon: false,
    isAlone: true,
  };
  const line = lines[at];
  const before = lines[at - 1];
  const continues = line?.continues === true;
  // The first line may name the whole note: that heads no section.
  if (at === 0 && isNoteTitle(body)) return { ...candidate, score: 0 };
  if (entry !== undefined) {
    if (continues && !entry.isDistinct && !isAllCapitals(body)) return undefined;
    return { ...candidate, entry, score: 1 };
  }
  const next = lines[at + 1];
  if (
    next === undefined ||
    countWords(body) > MAX_UNKNOWN_WORDS ||
    isMeasurementLabel(body) ||
    DRUG.test(body)
  )
    return undefined;
  if (
    /\d{3,}|\bclip\b|[=<>@;]|\s{3,}/iu.test(body) ||
    /\d\s*$/u.test(body) ||
    SENTENCE_WORD.test(body) ||
    next.isBlankBefore
  )
    return undefined;
  // `Chief Complaint septic shock` is a header and its text; `ID follow up` is a title.
  const runIn = isNoteTitle(body) ? undefined : runInCandidate(place);
  const isCapitals = usesCase && isAllCapitals(body);
  const isTitle = isCapitals && (at === 0 || runIn?.entry?.isDistinct !== true);
  if (runIn !== undefined && runIn.score > 0 && !isTitle) return undefined;
  if (isCapitals) return { ...candidate, score: at === 0 || continues ? 0.3 : 0.9 };
  const startsSmall = usesCase && !/^\p{Lu}/u.test(body);
  if (continues || (startsSmall && (countWords(body) > 5 || line?.isBlankBefore !== true))) return undefined;
  // A short line over a block that begins anew: the more so after a blank line or the end of a sentence.
  const opensBlock = !usesCase || /^["'(]?(?:\p{Lu}|\d|[-*•o#]\s)/u.test(next.text);
  if (!opensBlock || isUnfinishedList(lines, at)) return undefined;
  if (line?.isBlankBefore === true) return { ...candidate, score: at === 0 ? 0.3 : 0.6 };
  return before !== undefined && /[.!?)]$/u.test(before.text) ? { ...candidate, score: 0.5 } : undefined;
}

/** A drug's name over what a pharmacist says of it: a line of a list, not a section. */
const DRUG =
  /^\p{L}*(?:olol|pril|sartan|statin|azole|mycin|micin|cillin|floxacin|azepam|dipine|parin|thiazide|semide|insulin|warfarin|amiodarone|dexamethasone|prednisone|prednisolone|metformin|digoxin|furosemide)$/iu;

/** Several short lines in a row are a list or a table, of which no line is a header. */
function isUnfinishedList(lines: readonly NoteLine[], at: number): boolean {
  const isShort = (line: NoteLine | undefined): boolean =>
    line !== undefined &&
    !line.isBlankBefore &&
    line.text.length < 40 &&
    !/[.:]/u.test(line.text) &&
    !BULLET.test(line.text);
  return isShort(lines[at + 1]) && isShort(lines[at + 2]);
}

/** Without what narrows a header down: `ROS (from wife)`, `Labs today`, `Orders 08:20`, `Exam on [date]`. */
function lookUp(words: string): HeaderEntry | undefined {
  const direct = findHeaderEntry(words);
  if (direct !== undefined) return direct;
  const bare = words
    .replace(/\([^()]*\)/gu, ' ')
    .replace(/\[[^[\]]*\]/gu, ' ')
    .replace(
      /\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}\/\d{1,2}(?:\/\d{2,4})?\b|\b\d{1,2}:?\d{2}(?:\s?[ap]m)?\b/giu,
      ' ',
    )
    .replace(
      /(?:,?\s*\b(?:today|yesterday|this (?:morning|afternoon|evening)|overnight|on (?:admission|discharge|arrival|transfer)|at discharge|in ed|in the ed|from \p{L}+))+\s*$/iu,
      ' ',
    )
    .trim();
  return bare === '' || bare === words ? undefined : findHeaderEntry(bare);
}
