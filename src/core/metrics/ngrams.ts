/** Tokens → n-gram counts and how many two texts share: the common ground of ROUGE and BLEU. */

/** Tokens hold no white space, so joining with a blank keeps different n-grams different. */
export function countNgrams(tokens: readonly string[], n: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let at = 0; at + n <= tokens.length; at++) {
    const ngram = tokens.slice(at, at + n).join(' ');
    counts.set(ngram, (counts.get(ngram) ?? 0) + 1);
  }
  return counts;
}

/** Clipped matches: each n-gram counts as often as both sides have it. */
export function countShared(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let shared = 0;
  for (const [ngram, count] of a) shared += Math.min(count, b.get(ngram) ?? 0);
  return shared;
}
