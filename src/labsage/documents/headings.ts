/**
 * The entries of a document in; which of them are headings, and of which level, out.
 * Given headings keep their rank. All others are judged by words, label, layout and what stands around them.
 */

import { levelsOf, SAME_SIZE, type Candidate, type HeadingLevels } from './headingLevels.js';
import { follows, readLabel, romanValue, type Label } from './labels.js';
import type { ReaderEntry } from './readerEntries.js';
import {
  capitalisedShare,
  isCapitals,
  isNameLike,
  isOrder,
  isSectionName,
  isSignOff,
  isWarningWord,
} from './sectionNames.js';

/** Longest heading, in characters: more is a paragraph whatever its look. */
const HEADING_CHARS = 200;

/** `from` is the first entry that may be a heading: what stands before it is title and control data. */
export function findHeadings(entries: readonly ReaderEntry[], from = 0): HeadingLevels {
  const givenRanks = new Set(
    entries.filter((entry) => entry.given === 'heading').map((entry) => entry.level ?? 1),
  );
  const candidates = new Map<number, Candidate>();
  let upper: Label | undefined;
  let roman: number | undefined;
  entries.forEach((entry, index) => {
    if (index < from) return;
    const label = readLabel(entry.words.text);
    const candidate = judge(entry, label, {
      roman,
      upper,
      given: givenRanks.size > 0,
      next: entries[index + 1],
    });
    if (candidate !== undefined) {
      const { size } = entry;
      const setOff = size !== undefined && isSetOff(entry, entries[index + 1]);
      candidates.set(index, setOff ? { ...candidate, size } : candidate);
    }
    if (candidate?.family === 'roman')
      roman = candidate.label === undefined ? roman : valueOfRoman(candidate.label);
    else if (label?.kind === 'upper') upper = label;
  });
  dropSteps(candidates, entries);
  return levelsOf(candidates, entries);
}

/** The look of one line, without its surroundings, for those who part lines into entries. */
export function looksLikeHeadingLine(text: string): 'capitals' | 'numbered' | 'colon' | undefined {
  if (text.length > HEADING_CHARS) return undefined;
  const label = readLabel(text);
  if (label?.kind === 'bullet' || label?.kind === 'lower') return undefined;
  const name = label === undefined ? text : text.slice(label.end);
  if (isCapitals(name) && !/[.,;]$/.test(name)) return 'capitals';
  if (label !== undefined && isNameLike(name) && !isOrder(name)) return 'numbered';
  if (name.endsWith(':') && (isNameLike(name) || isSignOff(name))) return 'colon';
  return undefined;
}

interface Context {
  readonly roman: number | undefined;
  readonly upper: Label | undefined;
  readonly given: boolean;
  readonly next: ReaderEntry | undefined;
}

function judge(entry: ReaderEntry, label: Label | undefined, context: Context): Candidate | undefined {
  const text = entry.words.text;
  if (entry.given === 'heading') {
    const name = label === undefined ? text : text.slice(label.end);
    return { family: 'given', depth: entry.level ?? 1, name, sure: true, ...(label && { label }) };
  }
  if (entry.given === 'table' || entry.given === 'code' || entry.given === 'warning') return undefined;
  if (text.length > HEADING_CHARS || entry.lines > 3) return undefined;
  if (entry.given === 'item' && (context.given || (entry.level ?? 1) > 1)) return undefined;
  if (label?.kind === 'bullet' || label?.kind === 'lower') return undefined;
  const name = label === undefined ? text : text.slice(label.end);
  if (isWarningWord(name)) return undefined;
  const capitals = isCapitals(name) && !/[.,;]$/.test(name);
  if (entry.underlined !== undefined && name.length > 0) {
    return {
      family: 'underlined',
      depth: entry.underlined === '=' ? 1 : 2,
      name,
      sure: true,
      ...(label && { label }),
    };
  }
  if (label === undefined) return judgeUnlabelled(entry, name, capitals);
  if (label.kind === 'decimal') {
    if (label.numbers.length === 1 && label.close === ')') return undefined;
    if (capitals) return { family: 'decimal', depth: label.numbers.length, label, name, sure: true };
    // A short line with a blank line on both sides, or in type of its own, is set as a heading, whatever its words.
    const alone = label.numbers.length > 1 && entry.apart && context.next?.apart === true;
    const set =
      (alone || isSetOff(entry, context.next)) &&
      entry.lines === 1 &&
      name.length <= 60 &&
      !/[.;,:]$/.test(name);
    if (label.numbers.length === 1 && label.close === '' && !isSectionName(name) && !set) return undefined;
    if (!set && (!isNameLike(name) || (isOrder(name) && !isTitled(name)))) return undefined;
    return { family: 'decimal', depth: label.numbers.length, label, name, sure: false };
  }
  const numeral = valueOfRoman(label);
  const isRoman =
    label.kind === 'roman' ||
    (numeral !== undefined &&
      numeral === (context.roman ?? 0) + 1 &&
      !(context.upper && follows(label, context.upper)));
  if (!capitals && (!isNameLike(name) || (isOrder(name) && !isTitled(name) && !name.endsWith(':'))))
    return undefined;
  return { family: isRoman ? 'roman' : 'letter', depth: 1, label, name, sure: capitals };
}

/** Bold in type that is larger than that of what follows. */
function isSetOff(entry: ReaderEntry, next: ReaderEntry | undefined): boolean {
  return (
    entry.bold === true &&
    entry.size !== undefined &&
    next?.size !== undefined &&
    entry.size - next.size >= SAME_SIZE
  );
}

function judgeUnlabelled(entry: ReaderEntry, name: string, capitals: boolean): Candidate | undefined {
  if (entry.given === 'item') return undefined;
  if (isSignOff(name)) return undefined;
  if (capitals) {
    const words = name.split(' ').length;
    const enough =
      isSectionName(name) || (words > 1 && words <= 12) || (entry.apart && name.length > 4 && words <= 12);
    if (enough && !/\p{N}{3}/u.test(name))
      return { family: 'capitals', depth: 1, name, sure: isSectionName(name) };
  }
  if (entry.bold === true && entry.apart && isNameLike(name) && !/^\p{N}/u.test(name)) {
    return { family: name.endsWith(':') ? 'colon' : 'bold', depth: 1, name, sure: false };
  }
  if (
    name.endsWith(':') &&
    entry.lines === 1 &&
    !/^(?:the|these|this|those|a|an|for|to|in|at|on)\s\p{Ll}/iu.test(name) &&
    isNameLike(name) &&
    (isTitled(name) || name.split(' ').length <= 4) &&
    !isOrderOnly(name)
  ) {
    return { family: 'colon', depth: 1, name, sure: false };
  }
  return undefined;
}

function isTitled(name: string): boolean {
  return capitalisedShare(name.replace(/:$/, '').split(' ')) >= 0.99;
}

/** `Rinse:` may head a list, `Rinse the probe with:` does not. */
function isOrderOnly(name: string): boolean {
  return isOrder(name) && !isTitled(name);
}

function valueOfRoman(label: Label): number | undefined {
  return romanValue(label.text.replace(/[^A-Za-z]/g, ''));
}

/** Takes out what has no words under it, runs of short numbered lines, and numbered names in documents whose majors are capitals. */
function dropSteps(candidates: Map<number, Candidate>, entries: readonly ReaderEntry[]): void {
  const majors = [...candidates.values()].filter(
    (candidate) => candidate.family === 'decimal' && candidate.depth === 1,
  );
  const hasSureMajors =
    majors.some((candidate) => candidate.sure) ||
    [...candidates.values()].some((candidate) => candidate.family === 'given');
  const named = new Set(
    majors
      .filter((candidate) => isSectionName(candidate.name))
      .map((candidate) => candidate.name.toLowerCase()),
  );
  // Where most majors end without a colon, `2. Analysis:` is a step with steps of its own.
  const bare = [...named].filter((name) => !name.endsWith(':')).length;
  // Converters that lost the count number every major `1.`.
  const restarts = majors.filter(({ sure, label }) => sure && label?.numbers[0] === 1).length > 1;
  let lastMajor: Label | undefined;
  const doomed: number[] = [];
  for (const [index, candidate] of candidates) {
    const next = candidates.get(index + 1);
    const last = index + 1 >= entries.length;
    const label = candidate.label;
    let keep = candidate.sure;
    if (candidate.family === 'decimal' && candidate.depth === 1 && label !== undefined) {
      if (!candidate.sure) {
        keep =
          !last &&
          !hasStepSibling(entries, index, label) &&
          (hasSureMajors
            ? lastMajor !== undefined &&
              (follows(label, lastMajor) || (restarts && label.numbers[0] === 1)) &&
              (!/\p{Ll}/u.test(candidate.name) ||
                (isSectionName(candidate.name) && isTitled(candidate.name) && !candidate.name.endsWith(':')))
            : named.size >= 2 && (!candidate.name.endsWith(':') || bare < named.size / 2));
      }
      if (keep) lastMajor = label;
    } else if (!candidate.sure) {
      keep = !last && !(label !== undefined && hasStepSibling(entries, index, label));
      if (
        keep &&
        next?.family === candidate.family &&
        next.depth === candidate.depth &&
        candidate.family !== 'capitals'
      ) {
        keep =
          candidate.family === 'bold' ||
          (label !== undefined && isSectionName(candidate.name) && isTitled(candidate.name));
      }
    }
    if (!keep) doomed.push(index);
  }
  for (const index of doomed) candidates.delete(index);
}

/** The entry right after it, or right before it, is a step that counts on from it: then it is one of the steps itself. */
function hasStepSibling(entries: readonly ReaderEntry[], index: number, label: Label): boolean {
  const next = entries[index + 1];
  const before = entries[index - 1];
  const after = next === undefined ? undefined : readLabel(next.words.text);
  if (
    after !== undefined &&
    next?.given !== 'heading' &&
    after.numbers.length === label.numbers.length &&
    (follows(after, label) || sameRestart(after, label))
  )
    return true;
  const prior = before === undefined || before.given === 'heading' ? undefined : readLabel(before.words.text);
  if (prior === undefined || before === undefined) return false;
  const priorName = before.words.text.slice(prior.end);
  return (
    prior.numbers.length === label.numbers.length &&
    follows(label, prior) &&
    !isNameLike(priorName) &&
    label.numbers.length > 1
  );
}

/** `1.` after `1.`: converters that lost a list's count repeat its first number. */
function sameRestart(after: Label, label: Label): boolean {
  return (
    after.kind === 'decimal' &&
    label.kind === 'decimal' &&
    label.numbers.length === 1 &&
    after.numbers[0] === 1 &&
    label.numbers[0] === 1
  );
}
