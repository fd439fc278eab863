/** What a chart claims of states, sentence by sentence → which clauses no longer hold: the latest charted statement wins. */

import type { Span } from '../../core/types.js';
import { drugsIn, type DrugAction } from './drugOrders.js';
import { findValues } from './measuredValues.js';
import type { NoteSentence } from './noteSentences.js';
import { readClaims, type StateClaim, type ToldSentence } from './stateClaims.js';

export interface Over {
  /** It was never true when it was written, as far as the chart tells: copied, and not to be trusted in any part. */
  readonly isFalse: boolean;
  /** Clauses of the sentence that are over; none where it holds. */
  readonly clauses: readonly Span[];
}

export type ReadOver = (sentence: NoteSentence) => Over;

/** A sentence from elsewhere is judged by them, too. `earlier`: what the days before say, of which only what begins and ends a lasting state counts. */
export function readEndedStates(
  sentences: readonly NoteSentence[],
  { earlier }: { earlier: readonly ToldSentence[] },
): ReadOver {
  const claimsOf = new Map(sentences.map((sentence) => [sentence, readClaims(toldBy(sentence))]));
  const timelines = readTimelines(claimsOf, earlier);
  return (sentence) => {
    const claims = claimsOf.get(sentence) ?? readClaims(toldBy(sentence));
    const over = claims.filter((claim) => isOver(claim, { claims, sentence, timelines }));
    // The title under which it stands belongs to what it claims and not to its text.
    const shift = prefixOf(sentence).length;
    return {
      isFalse: over.some(({ kind, state }) => {
        const last = timelines.get(state)?.last;
        return (kind === 'present' || kind === 'absent') && last !== undefined && sentence.charted >= last.at;
      }),
      clauses: over.map(({ clause: { start, end } }) => ({
        start: Math.max(0, start - shift),
        end: Math.max(0, end - shift),
      })),
    };
  };
}

function prefixOf({ label }: NoteSentence): string {
  return label === undefined ? '' : `${label} `;
}

function toldBy(sentence: NoteSentence): ToldSentence {
  const { text, charted, part, chunk } = sentence;
  return {
    text: prefixOf(sentence) + text,
    charted,
    isPlan: part === 'P' || chunk.soap === 'P' || chunk.header === 'Assessment and Plan',
  };
}

interface StateEvent {
  readonly kind: 'started' | 'ended';
  readonly at: string;
  readonly noteId: string;
}

interface Timeline {
  readonly last: StateEvent | undefined;
  /** Notes of this visit that speak of it as going on. */
  readonly present: ReadonlySet<string>;
  /** The latest rate that this visit gives for it. */
  readonly rate: { readonly rate: string; readonly at: string; readonly noteId: string } | undefined;
  /** This visit itself says that it has ended. */
  readonly isToday: boolean;
}

function readTimelines(
  claimsOf: ReadonlyMap<NoteSentence, readonly StateClaim[]>,
  earlier: readonly ToldSentence[],
): ReadonlyMap<string, Timeline> {
  const events = new Map<string, StateEvent[]>();
  const present = new Map<string, Set<string>>();
  const rates = new Map<string, { rate: string; at: string; noteId: string }>();
  const today = new Set<string>();
  const groups = new Map<string, Set<string>>();
  const add = (state: string, event: StateEvent): void => {
    events.set(state, [...(events.get(state) ?? []), event]);
  };
  for (const told of earlier)
    for (const { state, kind, row, at } of readClaims(told))
      if (row.isLasting && (kind === 'started' || kind === 'ended')) add(state, { kind, at, noteId: '' });
  const all = [...claimsOf].flatMap(([{ chunk }, claims]) =>
    claims.map((claim) => ({ claim, noteId: chunk.noteId })),
  );
  for (const { claim } of all)
    if (claim.row.group !== undefined)
      groups.set(claim.row.group, (groups.get(claim.row.group) ?? new Set()).add(claim.state));
  for (const { claim, noteId } of all) {
    const { state, kind, at, row, rate } = claim;
    if (rate !== undefined && RUNNING.has(kind) && (rates.get(state)?.at ?? '') <= at)
      rates.set(state, { rate, at, noteId });
    if (
      kind === 'ended' ||
      kind === 'started' ||
      (kind === 'present' && (claim.isTimed || row.isDecisive === true))
    ) {
      add(state, { kind: kind === 'ended' ? 'ended' : 'started', at, noteId });
      if (kind !== 'ended' && row.group !== undefined)
        for (const other of groups.get(row.group) ?? [])
          if (other !== state) add(other, { kind: 'ended', at, noteId });
      if (kind === 'ended') today.add(state);
    } else if (kind === 'absent') today.add(state);
    else if (kind === 'present') present.set(state, (present.get(state) ?? new Set()).add(noteId));
  }
  return new Map(
    [...new Set([...events.keys(), ...present.keys(), ...rates.keys()])].map((state) => [
      state,
      {
        last: events.get(state)?.reduce((last, event) => (event.at >= last.at ? event : last)),
        present: present.get(state) ?? new Set(),
        rate: rates.get(state),
        isToday: today.has(state),
      },
    ]),
  );
}

/** The sentence itself tells that it ended or began, or that it goes on after the end: it is the news. */
function tellsChange(
  claims: readonly StateClaim[],
  { state, last }: { state: string; last: StateEvent },
): boolean {
  return claims.some(
    (other) =>
      other.state === state &&
      (other.kind === 'ended' || other.kind === 'started' || (other.isTimed && other.at >= last.at)),
  );
}

const RUNNING: ReadonlySet<StateClaim['kind']> = new Set(['present', 'started', 'rated']);

/** A rate that another note replaced later; a sentence that gives the latest, too, tells a course. */
function isOtherRate(
  { state, kind, rate, at }: StateClaim,
  { claims, latest, noteId }: { claims: readonly StateClaim[]; latest: Timeline['rate']; noteId: string },
): boolean {
  if (rate === undefined || latest === undefined || !RUNNING.has(kind)) return false;
  if (latest.noteId === noteId || latest.at <= at || latest.rate === rate) return false;
  return !claims.some((other) => other.state === state && other.rate === latest.rate);
}

/** Notes of one visit that must agree before they are believed against an end on an earlier day. */
const BELIEVED_NOTES = 2;

function isOver(
  claim: StateClaim,
  {
    claims,
    sentence,
    timelines,
  }: {
    claims: readonly StateClaim[];
    sentence: NoteSentence;
    timelines: ReadonlyMap<string, Timeline>;
  },
): boolean {
  const timeline = timelines.get(claim.state);
  const last = timeline?.last;
  if (timeline === undefined) return false;
  const { rate } = timeline;
  // An order names the rate to begin with; what runs is charted.
  if (sentence.part !== 'P' && isOtherRate(claim, { claims, latest: rate, noteId: sentence.chunk.noteId }))
    return true;
  if (last === undefined) return false;
  if (tellsChange(claims, { state: claim.state, last })) return false;
  const isLater = sentence.charted >= last.at;
  if (last.kind === 'started')
    return claim.kind === 'absent' || (claim.kind === 'toStart' && !isLater && claim.row.isLasting);
  // An order to keep it is carried out where it ends later on the same day.
  if (claim.kind === 'toEnd')
    return claim.row.isLasting || (!isLater && last.at.slice(0, 10) === sentence.chunk.date);
  if (claim.kind !== 'present' && claim.kind !== 'rated') return false;
  const isEarlierDay = last.at.slice(0, 10) < sentence.chunk.date;
  if (isEarlierDay && !timeline.isToday && timeline.present.size >= BELIEVED_NOTES) return false;
  if (isLater)
    // What changes through the day may have changed again, unless the same note says otherwise.
    return claim.row.isLasting || last.noteId === sentence.chunk.noteId || COPIED_WORDS.test(sentence.text);
  return !hasOtherValues((prefixOf(sentence) + sentence.text).slice(claim.clause.start, claim.clause.end));
}

const COPIED_WORDS = /\b(?:remains?|still|continues?|stays|maintained)\b/iu;
/** Settings of what supports the patient: they go with it. */
const SETTINGS = new Set(['FiO2', 'Chest tube output']);

/** It was true when charted, and it gives measurements of that time. */
function hasOtherValues(clause: string): boolean {
  return findValues(clause).some(({ name }) => !SETTINGS.has(name));
}

const CHARTED_WRONGLY =
  /\b(?:charted|documented|scanned|signed)\b.*\b(?:in error|refused|returned|not given)\b/iu;
const AWAITS_REPEAT =
  /\b(?:repeat\w*|recheck\w*|redraw\w*)\b.{0,20}\b(?:pending|sent|awaited)\b|\b(?:before|until|pending|await\w*)\b.{0,12}\b(?:repeat\w*|recheck\w*|resulted|redraw)\b/iu;
/** A drug that is said to go on, in a report and not as an order. */
const GOES_ON_DRUG =
  /\b(?:continues|remains|still|stays) (?:on|running)\b|\b(?:infusion|gtt|drip|PCA) (?:continues|continued|remains|still|is running|running)\b/iu;
/** The mirror: said to be withheld still. */
const STILL_WITHHELD =
  /\b(?:still|remains?|stays?|continues? to be|kept)\b[^.;]{0,20}\b(?:held|on hold|off|withheld)\b/iu;
/** A report that one is withheld, which repeats what held before if today's orders say otherwise. */
const IS_WITHHELD = /\b(?:on hold|holding)\b/iu;

/** What is told of drugs and results against the visit's orders and later results. */
export function readOutdated(
  sentences: readonly NoteSentence[],
  { withheldBefore }: { withheldBefore: ReadonlySet<string> },
): (sentence: NoteSentence) => boolean {
  const lastAction = readLastActions(sentences);
  const notGiven = new Set(
    sentences.filter(({ text }) => CHARTED_WRONGLY.test(text)).flatMap(({ text }) => drugsIn(text)),
  );
  const orientation = readOrientation(sentences);
  return ({ text, values, charted, chunk }) => {
    const drugs = drugsIn(text);
    if (
      /\b(?:given|received|took)\b/iu.test(text) &&
      !CHARTED_WRONGLY.test(text) &&
      drugs.some((drug) => notGiven.has(drug))
    )
      return true;
    // Said while a repeat was awaited, which has come since.
    if (
      AWAITS_REPEAT.test(text) &&
      values.some(({ name, value }) =>
        sentences.some(
          (other) =>
            other.charted > charted &&
            other.values.some((own) => own.name === name && own.value !== value && !own.isEarlier),
        ),
      )
    )
      return true;
    const own = orientedTo(text);
    if (own !== undefined && orientation !== undefined && own !== orientation.times) {
      // That one was unresponsive earlier is worth telling.
      const isEarlier = charted < orientation.charted && own > 0;
      if (isEarlier || chunk.noteId === orientation.noteId || own > orientation.times) return true;
    }
    if (GOES_ON_DRUG.test(text) && drugs.some((drug) => lastAction(drug) === 'withheld')) return true;
    if (!drugs.some((drug) => lastAction(drug) === 'given')) return false;
    return (
      STILL_WITHHELD.test(text) ||
      (IS_WITHHELD.test(text) &&
        drugs.every((drug) => withheldBefore.has(drug) && lastAction(drug) === 'given'))
    );
  };
}

/** Of each drug, what its last order does; that one `continues on` a drug or that it is `still held` is no order. */
function readLastActions(sentences: readonly NoteSentence[]): (drug: string) => DrugAction | undefined {
  const last = new Map<string, { action: DrugAction; charted: string }>();
  for (const { text, orders, charted } of sentences) {
    if (GOES_ON_DRUG.test(text) || STILL_WITHHELD.test(text) || IS_WITHHELD.test(text)) continue;
    for (const { drug, action } of orders)
      if ((last.get(drug)?.charted ?? '') <= charted) last.set(drug, { action, charted });
  }
  return (drug) => last.get(drug)?.action;
}

/** To how many of person, place and time one is oriented. */
function orientedTo(text: string): number | undefined {
  const times = /\b(?:A&O|AAO|A ?\+ ?O|oriented) ?[x×] ?([0-4])\b/iu.exec(text)?.[1];
  if (times !== undefined) return Number(times);
  if (/\boriented to (?:self|name|person) only\b/iu.test(text)) return 1;
  return /\b(?:not follow(?:ing)? commands|GCS (?:[3-9]|1[0-2])\b|obtunded|unresponsive)/iu.test(text)
    ? 0
    : undefined;
}

/** The latest; of one time the worst. */
function readOrientation(
  sentences: readonly NoteSentence[],
): { times: number; charted: string; noteId: string } | undefined {
  let last: { times: number; charted: string; noteId: string } | undefined;
  for (const { text, charted, chunk } of sentences) {
    const times = orientedTo(text);
    if (times === undefined) continue;
    if (last === undefined || charted > last.charted || (charted === last.charted && times < last.times))
      last = { times, charted, noteId: chunk.noteId };
  }
  return last;
}
