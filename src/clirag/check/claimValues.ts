/** A statement that is nothing but values of one thing (`Hct 28.4 -> 27.9 at 16:00 (31.2 yesterday)`) → the sentences that give each of them. */

import type { NoteSentence } from '../note/noteSentences.js';
import { findValues } from '../note/measuredValues.js';

/** Words that say when or how a value changed, and nothing of another thing. */
const FILLER =
  /^(?:at|on|from|to|then|and|peak|was|is|now|of|after|down|up|am|pm|this|morning|last|night|noon|midnight|yesterday|evening|afternoon|today|repeat|admission|arrival|baseline|mg|dL|mmol|L|mEq|g|kg|C|F|bpm|s|sec|cmH2O|mmHg|ms)$/iu;
const FIGURE = /(?<![\d.:/-])[<>~]?\d+(?:\.\d+)?(?:\/\d+(?:\.\d+)?)?%?(?![\d:]|\.\d)/gu;
const DATED = /\b(?:on |\[)?(?:\d{4}-)?\d{1,2}[-/]\d{1,2}\b\]?/gu;
const CLOCK = /\b\d{1,2}:\d{2}\b/gu;

/** Undefined where it is more than values, or one of them is not charted, or not at the time that it says. */
export function findChartedValues(
  text: string,
  sentences: readonly NoteSentence[],
): NoteSentence[] | undefined {
  const [first, ...others] = findValues(text);
  if (first === undefined || others.some(({ name }) => name !== first.name)) return undefined;
  const clocks = text.match(CLOCK) ?? [];
  const bare = text.replace(CLOCK, ' ').replace(DATED, ' ');
  const named = bare.slice(0, first.at).trim();
  if (named !== '') return undefined;
  const rest = bare.replace(/^[^\d<>~]*/u, '');
  const words = rest.match(/\p{L}+/gu) ?? [];
  if (words.some((word) => !FILLER.test(word))) return undefined;
  const figures = (rest.match(FIGURE) ?? []).map((figure) => figure.replace(/^~/u, ''));
  if (figures.length === 0) return undefined;
  const isTimed = (clock: string, { text: said, charted }: NoteSentence): boolean =>
    said.includes(clock) || charted.endsWith(clock) || said.includes(clock.replace(':', ''));
  const found: NoteSentence[] = [];
  for (const figure of figures) {
    const giving = sentences.filter((one) => gives(one, { name: first.name, figure }));
    const sentence = giving.find((one) => clocks.some((clock) => isTimed(clock, one))) ?? giving[0];
    if (sentence === undefined) return undefined;
    found.push(sentence);
  }
  return clocks.every((clock) => found.some((one) => isTimed(clock, one))) ? [...new Set(found)] : undefined;
}

function gives({ text, values }: NoteSentence, { name, figure }: { name: string; figure: string }): boolean {
  return values.some((value, at) => {
    if (value.name !== name) return false;
    const until = values[at + 1]?.at ?? text.length;
    return (text.slice(value.at, until).match(FIGURE) ?? []).some(
      (other) => other.replace(/^~/u, '') === figure,
    );
  });
}
