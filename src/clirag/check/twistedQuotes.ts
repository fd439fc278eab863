/** A statement that is a sentence of the chart but for one word that turns it: a side, a denial, a drug → that sentence, and what differs. */

import { splitSentences } from '../../core/text.js';
import { drugsIn } from '../note/drugOrders.js';
import type { ChartSource, Library } from './chartSources.js';

export interface Twist {
  readonly source: ChartSource;
  /** In plain words. */
  readonly reason: string;
}

/** With fewer words a likeness says nothing. */
const LEAST_WORDS = 3;
const SIDES: ReadonlySet<string> = new Set([
  'left',
  'right',
  'bilateral',
  'l',
  'r',
  'left-sided',
  'right-sided',
]);
const DENIALS: ReadonlySet<string> = new Set([
  'no',
  'not',
  'denies',
  'denied',
  'without',
  'never',
  'negative',
]);
const AFFIRMS: ReadonlySet<string> = new Set(['reports', 'has', 'with', 'positive', 'complains']);

/** Undefined where the chart has the statement as it is, or nothing so like it. */
export function findTwist(claim: string, library: Library): Twist | undefined {
  for (const sentence of [claim, ...claim.split(/(?<=[.!?])\s+/u)]) {
    const mine = wordsOf(sentence);
    if (mine.length < LEAST_WORDS) continue;
    const twist = findOne(mine, library);
    if (twist !== undefined) return twist;
  }
  return undefined;
}

function findOne(mine: readonly string[], library: Library): Twist | undefined {
  const said = mine.join(' ');
  let found: Twist | undefined;
  for (const source of library.sources) {
    for (const theirs of sentencesOf(source)) {
      if (Math.abs(theirs.length - mine.length) > 1) continue;
      if (theirs.join(' ') === said) return undefined;
      const reason = found === undefined ? compare(mine, theirs) : undefined;
      if (reason !== undefined) found = { source, reason };
    }
  }
  return found;
}

const read = new WeakMap<ChartSource, readonly (readonly string[])[]>();

function sentencesOf(source: ChartSource): readonly (readonly string[])[] {
  const known = read.get(source);
  if (known !== undefined) return known;
  const sentences = splitSentences(source.text).map(({ start, end }) =>
    wordsOf(source.text.slice(start, end)),
  );
  read.set(source, sentences);
  return sentences;
}

function wordsOf(text: string): string[] {
  const bare = text.replace(/^\W*(?:\d{1,2}[.)]\s)?/u, '');
  return bare.toLowerCase().match(/[\p{L}\p{N}]+(?:[-./:][\p{L}\p{N}]+)*/gu) ?? [];
}

function compare(mine: readonly string[], theirs: readonly string[]): string | undefined {
  let start = 0;
  while (start < mine.length && mine[start] === theirs[start]) start++;
  let end = 0;
  while (
    end < Math.min(mine.length, theirs.length) - start &&
    mine[mine.length - 1 - end] === theirs[theirs.length - 1 - end]
  )
    end++;
  const own = mine.slice(start, mine.length - end);
  const other = theirs.slice(start, theirs.length - end);
  if (own.length > 1 || other.length > 1) return undefined;
  const [a = '', b = ''] = [own[0], other[0]];
  const isSide = SIDES.has(a) && SIDES.has(b);
  const isDrug = drugsIn(a).length > 0 && drugsIn(b).length > 0 && drugsIn(a)[0] !== drugsIn(b)[0];
  if (isSide || isDrug) return `says ${a}, the source ${b}`;
  if (a === '' && DENIALS.has(b)) return `affirms what the source denies ("${b}")`;
  if (b === '' && DENIALS.has(a)) return `denies what the source affirms ("${a}")`;
  if ((DENIALS.has(a) && AFFIRMS.has(b)) || (AFFIRMS.has(a) && DENIALS.has(b)))
    return `says ${a}, the source ${b}`;
  return undefined;
}
