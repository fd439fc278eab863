/** Retrieved chunks of a visit → their sentences with place, time, SOAP part and what they state. */

import { splitSentences, trimSpan } from '../../core/text.js';
import type { Chunk, Section, SoapPart, Span } from '../../core/types.js';
import type { ChunkedNote } from '../chunks.js';
import { spanBefore } from '../clean/offsetMap.js';
import { drugsIn, findOrders, type DrugOrder } from './drugOrders.js';
import { findValues, type MeasuredValue } from './measuredValues.js';
import { UNLABELED } from '../headers/sectionHeaders.js';
import { splitProblem } from './problemHeads.js';
import { DIAGNOSIS, ORDER_VERBS, PROBLEMS, PRIORITY_CUES, SKIPPED_HEADERS, BOILERPLATE } from './soapCues.js';
import { assignPart } from './soapParts.js';

export interface NoteSentence {
  /** Verbatim from the cleaned note, a bullet or list number left out. */
  readonly text: string;
  /** The title of a problem or a report part under which it stands, where this says more than the sentence alone. */
  readonly label?: string;
  readonly chunk: Chunk;
  /** In the cleaned text, and in the note's raw TEXT. */
  readonly span: Span;
  readonly rawSpan: Span;
  /** From spans of the cleaned note to spans of its raw TEXT. */
  readonly rawOf: (span: Span) => Span;
  readonly part: SoapPart;
  /** What retrieval and its own words give it. */
  readonly score: number;
  readonly values: readonly MeasuredValue[];
  readonly orders: readonly DrugOrder[];
  /** `YYYY-MM-DD HH:MM`, `~` where the time is unknown: for sorting. */
  readonly charted: string;
}

export interface ScoredChunk {
  readonly chunk: Chunk;
  readonly score: number;
  /** SOAP parts of the questions that led to it, by their best score. */
  readonly parts: Readonly<Partial<Record<SoapPart, number>>>;
}

/** Each sentence once, with the chunk that contains the whole of it; what is only a heading or a label is left out. */
export function readNoteSentences(
  notes: readonly ChunkedNote[],
  scored: readonly ScoredChunk[],
): NoteSentence[] {
  const byNote = new Map<string, ScoredChunk[]>();
  for (const item of scored) byNote.set(item.chunk.noteId, [...(byNote.get(item.chunk.noteId) ?? []), item]);
  return notes.flatMap((note) => readOneNote(note, byNote.get(note.note.id) ?? []));
}

function readOneNote(note: ChunkedNote, scored: readonly ScoredChunk[]): NoteSentence[] {
  const { cleaned, sections } = note;
  const seen = new Set<number>();
  return scored.flatMap((item) => {
    const { chunk } = item;
    if (SKIPPED_HEADERS.test(chunk.header) || asks(chunk)) return [];
    return splitSentences(cleaned.text, chunk.span).flatMap((whole) => {
      // What the overlap cut in two is read whole from the chunk before.
      const begins = whole.start === chunk.span.start && chunk.ordinal > 1;
      if (begins && !isSentenceStart(cleaned.text, whole.start)) return [];
      const span = withoutMarks(cleaned.text, withoutSubheading(whole, sections));
      const words = cleaned.text.slice(span.start, span.end);
      if (seen.has(span.start) || !isStatement(words) || isTitle(words, span, cleaned.text)) return [];
      seen.add(span.start);
      return tellApart(span, { note, item });
    });
  });
}

/** Where what stands before a colon is a problem, whatever its name. */
const ASSESSED = /^(?:assessment|assessment and plan|impression|plan|problems?|problem list)$/iu;

interface Place {
  readonly note: ChunkedNote;
  readonly item: ScoredChunk;
}

/** One sentence, or two where a problem is followed by what is ordered or found for it. */
function tellApart(span: Span, place: Place): NoteSentence[] {
  const { text } = place.note.cleaned;
  const { chunk } = place.item;
  const section = sectionAt(place.note.sections, span.start);
  const isAssessed = ASSESSED.test(section?.header ?? '') || ASSESSED.test(chunk.header);
  const split = isReport(chunk) ? undefined : splitProblem(text.slice(span.start, span.end), { isAssessed });
  if (split === undefined) return [describeSentence(span, place)];
  const head = { start: span.start, end: span.start + split.headEnd };
  const problem = text.slice(head.start, head.end);
  const rest = describeSentence(
    { start: span.start + split.restStart, end: span.end },
    { ...place, ...(problem.length <= LABEL_CHARACTERS ? { label: problem } : {}) },
  );
  return rest.part === 'A'
    ? [describeSentence(span, { ...place, part: 'A' })]
    : [describeSentence(head, { ...place, part: 'A' }), rest];
}

/** `part` and `label`: known already. */
function describeSentence(
  span: Span,
  {
    note: { note, cleaned, sections },
    item: { chunk, parts, score },
    ...known
  }: Place & { part?: SoapPart; label?: string },
): NoteSentence {
  const text = cleaned.text.slice(span.start, span.end);
  const section = sectionAt(sections, span.start);
  const label = known.label ?? labelOf(text, chunk, section);
  return {
    text,
    ...(label === undefined ? {} : { label }),
    chunk,
    span,
    rawSpan: spanBefore(cleaned.map, span),
    rawOf: (other: Span) => spanBefore(cleaned.map, other),
    part:
      known.part ??
      assignPart(text, { chunk, parts, section, isOrders: isOrderNote(note.description, cleaned.text) }),
    score: score + priorityOf(text) + placePriority(chunk, section),
    values: findValues(text),
    orders: findOrders(text, { isPlan: chunk.soap === 'P' || ASSESSED.test(chunk.header) }),
    charted: `${chunk.date} ${chunk.time?.slice(0, 5) ?? '~'}`,
  };
}

/** `ICU Fellow Order Note`, `POD2 orders`. */
function isOrderNote(description: string | undefined, text: string): boolean {
  const [title = ''] = /^.{0,60}$/mu.exec(text.slice(0, 200).trimStart()) ?? [];
  return (
    /\borders?\b/iu.test(description ?? '') ||
    /^(?:[\p{L}\d]+\s){0,3}orders(?:\s\S+){0,2}$/iu.test(title.trim())
  );
}

const LABEL_CHARACTERS = 40;

/** What a radiologist was asked, and no finding. */
const REQUEST =
  /^(?:indications?|(?:clinical )?(?:history|information|indication)|clinical|hx|medical condition|underlying medical condition|reason\b.*)$/iu;

function asks({ type, header }: Chunk): boolean {
  return type === 'radiology' && REQUEST.test(header);
}

function isReport({ type }: Chunk): boolean {
  return type === 'radiology' || type === 'echo' || type === 'ecg';
}

function isSentenceStart(text: string, at: number): boolean {
  return /(?:^|\n|[.!?]\s)[ \t]*$/u.test(text.slice(Math.max(0, at - 4), at));
}

/** Sub-headings that only name a step of nursing care. */
const STEP_HEADING =
  /^(?:assessment|action|response|plan|findings|impression|recommendations?|conclusions?):?$/iu;

function withoutSubheading(span: Span, sections: readonly Section[]): Span {
  const heading = sections.find(
    ({ headerSpan }) =>
      headerSpan !== undefined && headerSpan.start >= span.start && headerSpan.start <= span.start + 3,
  );
  const end = heading?.headerSpan?.end;
  return heading?.level === 2 && end !== undefined && STEP_HEADING.test(heading.header) && end < span.end
    ? { start: end, end: span.end }
    : span;
}

function withoutMarks(text: string, span: Span): Span {
  const marks =
    /^(?:\s|[-•*o#+]\s|#\d{1,2}\s|\(?\d{1,2}[.)](?:\s|(?=\p{Lu}\p{Ll})))+/u.exec(
      text.slice(span.start, span.end),
    )?.[0].length ?? 0;
  return trimSpan(text, { start: span.start + marks, end: span.end });
}

/** Names the note and says nothing. */
const TITLE_LINE =
  /^(?:[\p{L}/&-]+\s+){0,4}(?:note|consult(?:ation)?|follow[- ]?up|evaluation|handoff|review)\W*$/iu;
/** The first line of a note that names its shift or service: `NPN 1900-0700`, `CVICU ADMIT`, `LIVER F/U`, `POD2 orders`. */
const NAMES_NOTE =
  /\b(?:\d{3,4}|\d{1,2}\s?[ap]m?)\s?-\s?(?:\d{3,4}|\d{1,2}\s?[ap]m?)\b|^\W*(?:NPN|RT note)\b|\b(?:orders(?: \S+)?|f\/u|follow-?up|initial|admit|admission|update)\W*$/iu;
const ALL_CAPITALS = /^[^\p{Ll}]+$/u;
const TITLE_WORDS = 6;

function isTitle(words: string, { start, end }: Span, text: string): boolean {
  if (text.slice(0, start).trim() !== '' || !/^[ \t.:]*(?:\n|$)/u.test(text.slice(end, end + 40)))
    return false;
  return (
    (words.match(/\S+/gu)?.length ?? 0) <= TITLE_WORDS &&
    (ALL_CAPITALS.test(words) || NAMES_NOTE.test(words)) &&
    drugsIn(words).length === 0
  );
}

/** A relative's own news. */
const OF_RELATIVE =
  /^\W*(?:(?:the|her|his|pt'?s?|patient'?s)\s+)?(?:wife|husband|sister|brother|mother|father|son|daughter|roommate|partner|girlfriend|boyfriend|aunt|uncle|cousin|niece|nephew)\s(?:herself|himself|also)?\s?(?:has|had|takes|is on|uses)\b/iu;
/** Nothing but placeholders of names, and how to reach them. */
const ONLY_NAMES = /^(?:\W|\[[a-z ]+\]|\b(?:pager?|beeper|dr|md|rn|np|pa|phd|at|and|x)\b|\d)+$/iu;
/** What a relative has: never to be read as the patient's. */
const FAMILY = new RegExp(
  String.raw`\b(?:FHx?|family h(?:isto)?x?y?|(?:brother|sister|father|uncle|aunt|grand(?:mother|father)|cousin|parent)s?(?:'s)?)\b[^.;]{0,30}\b(?:${PROBLEMS}|amputat\w+)\b`,
  'iu',
);
/** Also the blank that a dictation left. */
const TOKEN_LEFT = /\[\*\*|\*\*\]|_{3,}/u;

function isStatement(text: string): boolean {
  const words = text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return (
    (words >= 3 || (words === 2 && isTelling(text))) &&
    !isTail(text) &&
    !TITLE_LINE.test(text) &&
    !FAMILY.test(text) &&
    !OF_RELATIVE.test(text) &&
    !ONLY_NAMES.test(text) &&
    !/:$/u.test(text) &&
    !TOKEN_LEFT.test(text) &&
    !/\|.*\|.*\|.*\|/u.test(text)
  );
}

/** Two words may do: `Aspirin tonight`, `Withdrawal resolved`, `No pneumothorax`, `Transfer F6`, `DNR/DNI`. */
const TELLING = new RegExp(
  String.raw`^\W*(?:no|without|new)\s+(?:${PROBLEMS})\b|^\W*(?:${ORDER_VERBS})\s\S|\b(?:full code|DN[RI]|CMO)\b`,
  'iu',
);

function isTelling(text: string): boolean {
  return (
    TELLING.test(text) || drugsIn(text).length > 0 || (DIAGNOSIS.test(text) && /\p{L}{3,}\W*$/u.test(text))
  );
}

/** What a wrong full stop cut off: a bracket closes that was never opened. */
function isTail(text: string): boolean {
  let open = 0;
  for (const char of text) {
    if (char === '(') open++;
    else if (char === ')' && --open < 0) return !/^\W*[\p{L}\d]{1,3}\)/u.test(text);
  }
  return false;
}

function sectionAt(sections: readonly Section[], at: number): Section | undefined {
  return sections.filter(({ span }) => span.start <= at && at < span.end).at(-1);
}

/** Titles that are no standard section: a nursing problem, a sub-heading such as `CXR`. */
function labelOf(text: string, chunk: Chunk, section: Section | undefined): string | undefined {
  const title = section?.level === 2 && !STEP_HEADING.test(section.header) ? section.header : chunk.header;
  if (title === UNLABELED || chunk.soap !== undefined || text.startsWith(title)) return undefined;
  return title.length <= LABEL_CHARACTERS && !STEP_HEADING.test(title) ? title : undefined;
}

const CONCLUDING =
  /^(?:impression|conclusions?|interpretation|assessment|assessment and plan|diagnosis|recommendations|plan|orders|interval events)$/iu;

/** It stands where a report says what it found, all in all. */
export function concludes({ chunk }: NoteSentence): boolean {
  return isReport(chunk) && CONCLUDING.test(chunk.header);
}

/** What a report concludes and a physician assesses comes first; the head of a report comes last. */
function placePriority({ type, header }: Chunk, section: Section | undefined): number {
  const isConclusion = CONCLUDING.test(section?.header ?? header);
  if (type === 'radiology') return isConclusion ? 1.2 : header === UNLABELED ? -1.5 : 0.1;
  if (type === 'echo') return isConclusion ? 0.8 : -0.3;
  return isConclusion && (type === 'physician' || type === 'consult') ? 0.6 : 0;
}

function priorityOf(text: string): number {
  const gained = PRIORITY_CUES.reduce(
    (sum, { weight, pattern }) => sum + (pattern.test(text) ? weight : 0),
    0,
  );
  return gained - (BOILERPLATE.test(text) ? 1.5 : 0);
}
