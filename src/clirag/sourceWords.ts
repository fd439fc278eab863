/** A note's sentences + its sources → where each sentence stands in the source that it cites. */

import type { Span } from '../core/types.js';
import type { SoapNote } from './note/noteRecord.js';

export interface SourceWords {
  /** In the source's text, in order, none over another. */
  spansOf(key: string): readonly Span[];
  /** `S3-2`: the second of those spans in S3; `S3` where the words stand otherwise in it; undefined without such a source. */
  targetOf(said: string, keys: readonly string[]): string | undefined;
}

export function sourceWords(note: SoapNote): SourceWords {
  const sentences = [
    ...Object.values(note.sections).flatMap((section) => section.sentences),
    ...note.changes.conflicting.flatMap((conflict) => conflict.sentences),
  ];
  const textOf = new Map(note.sources.map(({ key, text }) => [key, text]));
  const spans = new Map<string, Span[]>();
  for (const [key, text] of textOf) {
    const own = sentences.filter(({ citations }) => citations.includes(key));
    const found = own.flatMap((sentence) => findWords(text, sentence.text) ?? []);
    spans.set(key, withoutOverlaps(found));
  }
  return {
    spansOf: (key) => spans.get(key) ?? [],
    targetOf(said, keys) {
      const known = keys.filter((key) => textOf.has(key));
      for (const key of known) {
        const text = textOf.get(key) ?? '';
        const claim = longestWithin(
          said,
          sentences.filter(({ citations }) => citations.includes(key)),
        );
        const span = claim === undefined ? undefined : findWords(text, claim);
        const at = (spans.get(key) ?? []).findIndex(({ start, end }) =>
          span === undefined ? false : start <= span.start && span.end <= end,
        );
        if (at >= 0) return `${key}-${at + 1}`;
      }
      return known[0];
    },
  };
}

/** The note may put a title or time before a sentence, and a full stop after it. */
function longestWithin(said: string, sentences: readonly { readonly text: string }[]): string | undefined {
  return sentences
    .map(({ text }) => text)
    .filter((text) => said.includes(text.replace(/\.$/u, '')))
    .sort((a, b) => b.length - a.length)[0];
}

/** White space may differ. */
function findWords(text: string, words: string): Span | undefined {
  const bare = words.trim().replace(/\.$/u, '');
  if (bare === '') return undefined;
  const pattern = bare.split(/\s+/u).map((word) => word.replace(/[.*+?^${}()|[\]\\/]/gu, '\\$&'));
  const match = new RegExp(`${pattern.join('\\s+')}\\.?`, 'u').exec(text);
  return match === null ? undefined : { start: match.index, end: match.index + match[0].length };
}

/** Of two that overlap the longer. */
function withoutOverlaps(found: readonly Span[]): Span[] {
  const kept: Span[] = [];
  for (const span of [...found].sort((a, b) => b.end - b.start - (a.end - a.start)))
    if (kept.every(({ start, end }) => span.end <= start || end <= span.start)) kept.push(span);
  return kept.sort((a, b) => a.start - b.start);
}
