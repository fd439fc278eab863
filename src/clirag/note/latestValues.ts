/** Sentences of a visit → the latest value of everything measured, with the sentence that states it. */

import type { MeasuredValue } from './measuredValues.js';
import type { NoteSentence } from './noteSentences.js';
import { isCorrection } from './soundSentences.js';

export interface LatestValue {
  readonly name: string;
  readonly value: string;
  /** `YYYY-MM-DD HH:MM`. */
  readonly at: string;
  readonly sentence: NoteSentence;
  /** In the sentence: name and value. */
  readonly start: number;
  readonly end: number;
}

export type LatestValues = ReadonlyMap<string, LatestValue>;

export function findLatestValues(sentences: readonly NoteSentence[]): LatestValues {
  const latest = new Map<string, LatestValue>();
  for (const sentence of sentences) {
    for (const value of sentence.values) {
      if (value.isEarlier || (isCorrection(sentence.text) && sentence.values.length > 1)) continue;
      const at = timeOf(value, sentence);
      const known = latest.get(value.name);
      if (known === undefined || at >= known.at)
        latest.set(value.name, {
          name: value.name,
          value: value.value,
          at,
          sentence,
          start: value.at,
          end: value.end,
        });
    }
  }
  return latest;
}

/** The sentence's own time for the value if it says one before the note's, else the note's. */
function timeOf({ time }: MeasuredValue, { charted, chunk }: NoteSentence): string {
  const said = time === undefined ? undefined : `${chunk.date} ${time}`;
  return said !== undefined && said <= charted ? said : charted;
}

export function isLatest(value: MeasuredValue, latest: LatestValues): boolean {
  return latest.get(value.name)?.value === value.value;
}
