/** A line that goes on after its first words → the known header that these may be, without a colon to tell. */

import { isMeasurementLabel } from './measurementLabels.js';
import type { Candidate, Place } from './headerCandidates.js';
import { isAllCapitals } from './noteLines.js';
import { beginsHeader, findHeaderEntry, type HeaderEntry } from './sectionHeaders.js';

/** Most words of a known header before running text. */
const MAX_RUN_IN_WORDS = 5;
/** A word that goes on with the sentence that a known word began: `Plan to wean`, `Pain controlled`. */
const GOES_ON =
  /^(?:entered|placed|checks?|toilet|is|was|are|were|be|been|has|have|had|to|of|with|for|and|or|on|in|at|by|from|as|will|would|can|could|should|may|well|not|than|that|which|who|but|per|via|after|before|during|while|until|since|if|when|then|also|still|continues?d?|remains?|due|likely|back|up|out|status|controlled|unchanged|pending|improved|improving|stable|called|aware|notified|came|went|said|states|showed|shows|reviewed|discussed|team|note|drawn|sent|done|given|obtained|performed|demonstrates?|revealed|removed|d\/c\S*|dc'?d|patent|draining|intact|PO)(?![\p{L}\p{N}])/iu;

/** A noun that makes one term of the two: `Respiratory failure`, `Chest tube`, `Blood pressure`, `Motor vehicle`. */
const COMPLETES =
  /^(?:abrasions?|abscess|accident|analysis|angiogra\w+|antibiotics?|arrest|arrhythmia|artery|assessment|bed|bleed(?:ing)?|block|blockers?|breaths?|call|cancer|cart|cath(?:eterization)?|causes?|checks?|cold|condition|consults?|contusion|count|ct|cultures?|deficits?|depression|disease|disorder|distress|duct|edema|effort|effusion|embol\w+|events?|evaluation|failure|fellow|fever|fibrillation|fibrosis|film|fluid|fractures?|function|gas|hygiene|infarction|infection|injur\w+|insufficiency|involvement|issues?|lab|laceration|lymphoma|mass|medicine|meds?|meeting|movements?|mri|murmur|muscles?|nodules?|note|obstruction|oximetry|output|pain|physical|practitioner|precautions|pressures?|prophylaxis|protocol|pump|rate|regimen|replacement|rhythm|rounds|scan|score|secretions|cx|chest|abd(?:omen)?|head|neck|brain|pelvis|service|services|shock|sounds|status|strength|surgery|symptoms?|syndrome|tamponade|team|tenderness|therapist|therapy|toilet|tract|transplant|tubes?|tumor|ultrasound|unit|valve|vehicle|vessels?|wall|wean(?:ing)?|workers?|work|wounds?|x-?rays?)\b/iu;
/** The letters of a SOAP note come in these pairs, each at the beginning of a line. */
const OTHER_LETTER: Readonly<Record<string, RegExp>> = {
  s: /^o\b/iu,
  o: /^s\b/iu,
  a: /^(?:p\b|plan\b)/iu,
  p: /^a\b/iu,
};

/** Of a line, as much as a header and the word after it can take. */
const OPENING_CHARACTERS = 120;
/** Of what follows, as much as tells whether it goes on with a sentence. */
const REST_CHARACTERS = 120;

export function runInCandidate(place: Place): Candidate | undefined {
  // A pattern over a line of megabytes would exhaust the stack.
  const opening = place.body.slice(0, OPENING_CHARACTERS);
  if (!beginsHeader(/^[^\s[]+/u.exec(opening)?.[0] ?? '')) return undefined;
  const words = [...opening.matchAll(/[^\s[]+|\[[^\s\]]*/gu)].slice(0, MAX_RUN_IN_WORDS + 1);
  for (let count = Math.min(MAX_RUN_IN_WORDS, words.length - 1); count >= 1; count--) {
    const last = words[count - 1];
    const next = words[count];
    if (last === undefined || next === undefined) continue;
    const end = last.index + last[0].length;
    const header = place.body.slice(0, end).replace(/\s*[-–]$/u, '');
    if (/[,;.:]$/u.test(header) || /\s{2,}/u.test(header) || next[0] === '|') continue;
    const entry = findHeaderEntry(header);
    if (entry === undefined || isMeasurementLabel(header)) continue;
    if (entry.title === 'Blood Gases' && /^\d/u.test(next[0])) continue;
    // `A right-sided catheter …`
    const other = header.length === 1 ? OTHER_LETTER[header.toLowerCase()] : undefined;
    if (header.length === 1 && (other === undefined || !place.lines.some(({ text }) => other.test(text))))
      continue;
    const gap = place.body.slice(header.length, next.index);
    // `ROS (from wife) no …`: what narrows the header down is part of it.
    const narrowed = /^\s\([^()]{2,30}\)(?=\s)/u.exec(place.body.slice(header.length))?.[0].length ?? 0;
    const score = runInScore({
      header,
      entry,
      count,
      gap,
      rest: place.body.slice(next.index, next.index + REST_CHARACTERS),
      place,
    });
    return {
      line: place.at,
      start: place.start,
      end: place.start + header.length + narrowed,
      words: place.body.slice(0, header.length + narrowed),
      entry,
      hasColon: false,
      isAlone: false,
      score,
    };
  }
  return undefined;
}

const STEPS = ['Assessment', 'Action', 'Response', 'Plan'];

/** At least two other steps begin lines of their own nearby. */
function isStepAmongSteps({ title }: HeaderEntry, { lines, at }: Place): boolean {
  if (!STEPS.includes(title)) return false;
  const near = lines.slice(Math.max(0, at - STEP_LINES), at + STEP_LINES).map(({ text }) => text);
  return STEPS.filter((step) => step !== title && near.some((text) => beginsWith(text, step))).length >= 2;
}

/** How far the steps of one problem reach, in lines. */
const STEP_LINES = 12;

function beginsWith(text: string, word: string): boolean {
  return (
    text.slice(0, word.length).toLowerCase() === word.toLowerCase() &&
    !/^[\p{L}\p{N}]/u.test(text.slice(word.length))
  );
}

/** Sections that share their name with a value: `Bili 9.8`, `Temp 37.2`. */
const VALUE_TITLES = new Set([
  'Bilirubin',
  'Infectious Disease',
  'Pain',
  'Blood Gases',
  'Withdrawal',
  'Hematology',
]);

/** Hints for and against; the weights were chosen on development charts. */
function runInScore(found: {
  header: string;
  entry: HeaderEntry;
  count: number;
  gap: string;
  rest: string;
  place: Place;
}): number {
  const { header, entry, count, gap, rest, place } = found;
  const isCapitals = place.usesCase && isAllCapitals(header);
  const startsSmall = place.usesCase && !place.beginsSmall && !/^\p{Lu}/u.test(header);
  let score = entry.isDistinct ? 0.4 : 0.3;
  if (isCapitals) score += header.length > 2 ? 0.3 : 0.15;
  else if (startsSmall) score -= 0.15;
  // Columns, or a token that follows at once: `Attending[**…**]`.
  if (gap.length >= 2 || (gap === '' && rest.startsWith('['))) score += 0.35;
  if (count >= 2 && entry.isDistinct) score += 0.15;
  if (place.isNumbered && entry.level === 2 && (isCapitals || /^[\p{Lu}\d]/u.test(rest))) score += 0.3;
  // `Concerns Mother says …`: within a sentence the second word would begin small.
  if (place.usesCase) {
    if (/^["'(]?\p{Lu}\p{Ll}{2,}/u.test(rest)) score += 0.35;
    else if (/^["'(]?[\p{Lu}\d]/u.test(rest)) score += 0.15;
  }
  const before = place.lines[place.at - 1];
  if (place.lines[place.at]?.isBlankBefore === true || before === undefined) score += 0.1;
  else if (place.lines[place.at]?.continues === true) score -= 0.4;
  else if (/[.!?:)]$/u.test(before.text)) score += 0.1;
  // The four letters, and the steps of a nurse's problem, come together.
  if (header.length === 1 || isStepAmongSteps(entry, place)) score += 0.3;
  if (GOES_ON.test(rest)) score -= 0.5;
  else if (
    gap.length === 1 &&
    !(count >= 2 && entry.isDistinct && entry.level === 1) &&
    COMPLETES.test(rest) &&
    (!place.usesCase || isCapitals === isAllCapitals(/^\S+/u.exec(rest)?.[0] ?? ''))
  )
    score -= 0.6;
  // `Gen not toxic   CV RRR`: systems in columns.
  const column = /\s{3,}(\S{2,14})\s/u.exec(rest)?.[1];
  if (entry.level === 2 && column !== undefined && findHeaderEntry(column)?.level === 2) score += 0.5;
  if (
    /^[<>~+]?\d/u.test(rest) &&
    (VALUE_TITLES.has(entry.title) || entry.title === '' || (!entry.isDistinct && entry.level === 2))
  )
    score -= 0.45;
  return Math.min(0.95, Math.max(0, score));
}
