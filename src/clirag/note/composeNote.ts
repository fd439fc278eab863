/** The sentences of a visit → those of its note, under S, O, A and P, and the orders that contradict each other. */

import { isFunctionWord, keywordTerms } from '../../core/keywordIndex.js';
import { countWords } from '../../core/text.js';
import type { SoapPart, Span } from '../../core/types.js';
import { contradicts, type DrugOrder } from './drugOrders.js';
import { findLatestValues, isLatest, type LatestValue, type LatestValues } from './latestValues.js';
import { concludes, type NoteSentence } from './noteSentences.js';
import { DIAGNOSIS, ENDS_AS_DIAGNOSIS, NAMES_PROBLEM } from './soapCues.js';
import { isCorrection } from './soundSentences.js';

/** Words of the four sections together; conflicts, changes and times take the rest of 600. */
export const BODY_WORDS = 520;
const SHARES: Readonly<Record<SoapPart, number>> = { S: 0.17, O: 0.38, A: 0.14, P: 0.31 };
/** A sentence with a latest value that the note does not give yet gains this for each, twice for at most … */
const LATEST_BONUS = 0.35;
const LATEST_COUNTED = 4;
/** … and loses this for each value that a later one replaced. */
const REPLACED_MALUS = 0.4;
/** Below this share of new words a sentence repeats what is there. */
const LEAST_NEW = 0.34;
/** With fewer words than this a note has room for what is new in part. */
const LEAST_WORDS = 300;
/** A long sentence must say more: scores are divided by words to this power. */
const LENGTH_POWER = 0.4;
/** Most pairs of conflicting orders that are set side by side. */
const CONFLICTS_SHOWN = 3;

export interface ComposedNote {
  readonly parts: Readonly<Record<SoapPart, readonly NoteSentence[]>>;
  readonly conflicts: readonly { readonly drug: string; readonly sentences: readonly NoteSentence[] }[];
  readonly latest: LatestValues;
  /** Latest values that no chosen sentence under O gives: fragments such as `Hct 26.3`, each with the sentence that has it. */
  readonly values: readonly LatestValue[];
}

/** Told with their time even where their sentence is not. */
const TOLD_VALUES = [
  'Temperature', 'Heart rate', 'Blood pressure', 'SpO2', 'Creatinine', 'Potassium', 'Sodium', 'Hematocrit', 'Hemoglobin',
  'White cells', 'Platelets', 'Lactate', 'INR', 'PTT', 'Glucose', 'Bilirubin', 'Magnesium', 'Anion gap', 'Ammonia', 'CRP',
  'CIWA', 'GCS', 'pH',
]; // prettier-ignore

/** `sentences`: the retrieved ones that hold; `all`: those of the whole evidence, which decide what is the latest. */
export function composeNote(
  sentences: readonly NoteSentence[],
  { all, words = BODY_WORDS }: { all: readonly NoteSentence[]; words?: number },
): ComposedNote {
  const latest = findLatestValues(all);
  const conflicts = findConflicts(sentences);
  const chosen = new Set<NoteSentence>();
  const state: Selection = { terms: new Set(), given: new Set(), chosen };
  const inConflict = new Set(conflicts.flatMap((conflict) => conflict.sentences));
  for (const sentence of inConflict) remember(sentence, state);
  const open = withAssessment(
    sentences.filter((sentence) => !inConflict.has(sentence) && !isSuperseded(sentence, all)),
  );
  let spared = 0;
  for (const part of ['A', 'S', 'P', 'O'] as const) {
    const own = open.filter((sentence) => sentence.part === part);
    const room = Math.round(SHARES[part] * words) + spared;
    spared = room - fill(own, { room, latest, state });
  }
  const taken = fill(open, { room: spared, latest, state });
  // A short chart: what repeats in part is still better than nothing.
  const missing = LEAST_WORDS - (words - spared + taken);
  if (missing > 0) fill(open, { room: missing, latest, state, leastNew: 0.01 });
  const own = new Set(sentences.map(({ chunk, span }) => placeKey(chunk.id, span)));
  const told = new Set(
    [...chosen]
      .filter(({ part }) => part === 'O')
      .flatMap((sentence) => sentence.values.map(({ name, value }) => `${name} ${value}`)),
  );
  const values = TOLD_VALUES.flatMap((name) => {
    const value = latest.get(name);
    return value === undefined ||
      told.has(`${name} ${value.value}`) ||
      !own.has(placeKey(value.sentence.chunk.id, value.sentence.span))
      ? []
      : [value];
  });
  const ordered = [...chosen].filter((sentence) => !inConflict.has(sentence)).sort(inChartOrder);
  const partOf = (part: SoapPart): NoteSentence[] => ordered.filter((sentence) => sentence.part === part);
  return {
    parts: { S: partOf('S'), O: partOf('O'), A: partOf('A'), P: partOf('P') },
    conflicts,
    latest,
    values,
  };
}

function placeKey(chunkId: string, { start, end }: Span): string {
  return `${chunkId} ${start} ${end}`;
}

/** Fewer sentences than this are no assessment: what the reports conclude, and sentences that begin with a problem, stand in. */
const LEAST_ASSESSED = 1;

function withAssessment(sentences: readonly NoteSentence[]): readonly NoteSentence[] {
  if (sentences.filter(({ part }) => part === 'A').length >= LEAST_ASSESSED) return sentences;
  return sentences.map((sentence) =>
    (sentence.part === 'O' || sentence.part === 'S') &&
    ((concludes(sentence) ? NAMES_PROBLEM : DIAGNOSIS).test(sentence.text) ||
      ENDS_AS_DIAGNOSIS.test(sentence.text))
      ? { ...sentence, part: 'A' }
      : sentence,
  );
}

interface Selection {
  readonly terms: Set<string>;
  /** Measures whose latest value is in the note. */
  readonly given: Set<string>;
  readonly chosen: Set<NoteSentence>;
}

/** Takes the best sentence again and again until the room is full; returns the words taken. */
function fill(
  sentences: readonly NoteSentence[],
  {
    room,
    latest,
    state,
    leastNew = LEAST_NEW,
  }: { room: number; latest: LatestValues; state: Selection; leastNew?: number },
): number {
  let taken = 0;
  const left = new Map(
    sentences
      .filter((sentence) => !state.chosen.has(sentence))
      .map((sentence) => {
        const words = countWords(sentence.text) + (sentence.label === undefined ? 0 : 2);
        return [sentence, { terms: contentTerms(sentence), words }];
      }),
  );
  for (;;) {
    let best: { sentence: NoteSentence; worth: number; words: number } | undefined;
    for (const [sentence, { terms, words }] of left) {
      if (taken + words > room) continue;
      const worth = worthOf(sentence, { latest, state, terms, words, leastNew });
      if (worth > (best?.worth ?? 0)) best = { sentence, worth, words };
    }
    if (best === undefined) return taken;
    left.delete(best.sentence);
    taken += best.words;
    remember(best.sentence, state);
  }
}

function worthOf(
  sentence: NoteSentence,
  {
    latest,
    state,
    terms,
    words,
    leastNew,
  }: {
    latest: LatestValues;
    state: Selection;
    terms: readonly string[];
    words: number;
    leastNew: number;
  },
): number {
  const fresh = terms.filter((term) => !state.terms.has(term)).length / Math.max(1, terms.length);
  if (fresh < leastNew) return 0;
  let score = sentence.score;
  let counted = 0;
  for (const value of sentence.values) {
    if (isLatest(value, latest)) {
      if (!state.given.has(value.name) && counted++ < LATEST_COUNTED) score += LATEST_BONUS;
    } else if (!value.isEarlier && !isCorrection(sentence.text)) score -= REPLACED_MALUS;
  }
  return (Math.max(0, score) * (0.3 + 0.7 * fresh)) / words ** LENGTH_POWER;
}

function remember(sentence: NoteSentence, state: Selection): void {
  state.chosen.add(sentence);
  for (const term of contentTerms(sentence)) state.terms.add(term);
  for (const { name } of sentence.values) state.given.add(name);
}

function contentTerms({ text }: NoteSentence): string[] {
  return [...new Set(keywordTerms(text))].filter((term) => !isFunctionWord(term));
}

export function inChartOrder(a: NoteSentence, b: NoteSentence): number {
  if (a.charted !== b.charted) return a.charted < b.charted ? -1 : 1;
  if (a.chunk.noteId !== b.chunk.noteId) return a.chunk.noteId < b.chunk.noteId ? -1 : 1;
  return a.span.start - b.span.start;
}

/** All that it orders was ordered otherwise by a later note. */
function isSuperseded({ orders, charted, chunk }: NoteSentence, all: readonly NoteSentence[]): boolean {
  return (
    orders.length > 0 &&
    orders.every((order) =>
      all.some(
        (later) =>
          later.charted > charted &&
          later.chunk.noteId !== chunk.noteId &&
          later.orders.some((own) => contradicts(own, order)),
      ),
    )
  );
}

/** So many notes that agree after an order against them have settled it. */
const SETTLING_NOTES = 2;

/** The latest order for a drug and the latest one that contradicts it, of different notes, unless the chart itself settles it. */
function findConflicts(sentences: readonly NoteSentence[]): ComposedNote['conflicts'] {
  const byDrug = new Map<string, { sentence: NoteSentence; order: DrugOrder }[]>();
  for (const sentence of [...sentences].sort(inChartOrder))
    for (const order of sentence.orders)
      byDrug.set(order.drug, [...(byDrug.get(order.drug) ?? []), { sentence, order }]);
  const pairs = [...byDrug].flatMap(([drug, orders]) => {
    const last = orders.at(-1);
    const against = orders.filter(
      ({ sentence, order }) =>
        last !== undefined &&
        contradicts(order, last.order) &&
        sentence.chunk.noteId !== last.sentence.chunk.noteId,
    );
    const other = against.at(-1);
    const after = new Set(
      orders
        .filter(({ sentence }) => other !== undefined && sentence.charted > other.sentence.charted)
        .map(({ sentence }) => sentence.chunk.noteId),
    );
    return last === undefined ||
      other === undefined ||
      after.size >= SETTLING_NOTES ||
      (last.order.isResumed === true && last.sentence.charted > other.sentence.charted)
      ? []
      : [{ drug, sentences: [other.sentence, last.sentence].sort(inChartOrder), orders: orders.length }];
  });
  const used = new Set<NoteSentence>();
  return pairs
    .sort((a, b) => b.orders - a.orders || (a.drug < b.drug ? -1 : 1))
    .filter(({ sentences: pair }) => {
      if (pair.some((sentence) => used.has(sentence))) return false;
      pair.forEach((sentence) => used.add(sentence));
      return true;
    })
    .slice(0, CONFLICTS_SHOWN)
    .map(({ drug, sentences: pair }) => ({ drug, sentences: pair }));
}
