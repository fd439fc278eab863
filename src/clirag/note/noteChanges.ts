/** A visit's latest values and orders, and the summary of the visit before → what is new, changed and resolved. */

import type { PriorSentence, PriorSummary, VisitChange } from './noteRecord.js';
import { findOrders } from './drugOrders.js';
import type { LatestValues } from './latestValues.js';
import { findValues } from './measuredValues.js';
import type { NoteSentence } from './noteSentences.js';
import { isCorrection } from './soundSentences.js';

/** In the order in which they are told. */
const COMPARED = [
  'Creatinine', 'Potassium', 'Sodium', 'Hematocrit', 'Hemoglobin', 'White cells', 'Platelets', 'Lactate', 'Bilirubin',
  'INR', 'Glucose', 'CRP', 'Ammonia', 'FiO2', 'Weight',
]; // prettier-ignore
const VALUES_SHOWN = 6;
const DRUGS_SHOWN = 4;

export interface NoteChanges {
  readonly new: readonly VisitChange[];
  readonly changed: readonly VisitChange[];
  readonly resolved: readonly VisitChange[];
}

/** `keyOf`: keys of this visit's chunks; the prior summary's sentences bring their own. */
export function compareVisits(
  current: { readonly latest: LatestValues; readonly sentences: readonly NoteSentence[] },
  { prior, keyOf }: { prior: PriorSummary; keyOf: ReadonlyMap<string, string> },
): NoteChanges {
  const before = readPrior(prior);
  const changed: VisitChange[] = [];
  for (const name of COMPARED) {
    const [now, was] = [current.latest.get(name), before.values.get(name)];
    const key = now === undefined ? undefined : keyOf.get(now.sentence.chunk.id);
    if (now === undefined || was === undefined || key === undefined || now.value === was.value) continue;
    if (changed.length === VALUES_SHOWN) break;
    changed.push({
      text: `${name} ${now.value} at ${now.at.slice(11).replace('~', 'an unknown time')}; on ${was.sentence.date} ${was.value}`,
      citations: [key, ...was.sentence.citations],
    });
  }
  const started: VisitChange[] = [];
  const ended: VisitChange[] = [];
  for (const [drug, { action, sentence }] of lastOrders(current.sentences)) {
    const key = keyOf.get(sentence.chunk.id);
    const was = before.orders.get(drug);
    if (key === undefined) continue;
    const time = sentence.chunk.time?.slice(0, 5) ?? sentence.chunk.date;
    if (action === 'given' && was === undefined)
      started.push({ text: `${drug}: first ordered or given in the note of ${time}`, citations: [key] });
    if (action === 'given' && was?.action === 'withheld')
      changed.push({
        text: `${drug}: ordered or given in the note of ${time}; on ${was.sentence.date} it was withheld`,
        citations: [key, ...was.sentence.citations],
      });
    if (action === 'withheld' && was?.action === 'given')
      ended.push({
        text: `${drug}: held or stopped in the note of ${time}; on ${was.sentence.date} it was given`,
        citations: [key, ...was.sentence.citations],
      });
  }
  return { new: started.slice(0, DRUGS_SHOWN), changed, resolved: ended.slice(0, DRUGS_SHOWN) };
}

interface PriorState {
  readonly values: ReadonlyMap<string, { value: string; sentence: PriorSentence }>;
  readonly orders: ReadonlyMap<string, { action: string; sentence: PriorSentence }>;
}

function readPrior({ sentences }: PriorSummary): PriorState {
  const values = new Map<string, { value: string; sentence: PriorSentence }>();
  const orders = new Map<string, { action: string; sentence: PriorSentence }>();
  for (const sentence of sentences) {
    if (!isCorrection(sentence.text))
      for (const { name, value, isEarlier } of findValues(sentence.text))
        if (!isEarlier) values.set(name, { value, sentence });
    for (const { drug, action } of findOrders(sentence.text)) orders.set(drug, { action, sentence });
  }
  return { values, orders };
}

function lastOrders(
  sentences: readonly NoteSentence[],
): Map<string, { action: string; sentence: NoteSentence }> {
  const last = new Map<string, { action: string; sentence: NoteSentence }>();
  for (const sentence of sentences)
    for (const { drug, action } of sentence.orders) {
      const known = last.get(drug);
      if (known === undefined || known.sentence.charted <= sentence.charted)
        last.set(drug, { action, sentence });
    }
  return last;
}
