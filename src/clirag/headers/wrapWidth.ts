/** Text → the column at which its author's program wrapped lines, if it did: where a line break may be no break. */

/** Narrower text is a list, wider text was not wrapped at all. */
const NARROWEST = 58;
const WIDEST = 112;
/** How far before the column a line may end because the next word did not fit. */
const SLACK = 3;

/** The width, or undefined where lines end where the author ended them. */
export function findWrapWidth(text: string): number | undefined {
  const lengths = text.split('\n').map((line) => line.trimEnd().length);
  const longest = lengths.reduce((most, length) => Math.max(most, length), 0);
  if (longest < NARROWEST || longest > WIDEST) return undefined;
  const nearby = lengths.filter((length) => length > longest - 16).length;
  return nearby >= 2 ? longest : undefined;
}

/** Whether the first word of `next` would not have fitted on `line`, so that the break between them is only a wrap. */
export function isWrapped(line: string, next: string, width: number | undefined): boolean {
  if (width === undefined) return false;
  const firstWord = /^\s*(\S+)/u.exec(next.slice(0, WIDEST))?.[1] ?? '';
  return line.trimEnd().length + 1 + firstWord.length > width - SLACK;
}
