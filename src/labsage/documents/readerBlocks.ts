/** A reader's entries in; the document's title and its typed blocks (headings, paragraphs, steps, tables, warnings) out. */

import { findTitle, type FoundTitle } from './documentTitle.js';
import type { HeadingLevels } from './headingLevels.js';
import { findHeadings } from './headings.js';
import { follows, readLabel, type Label } from './labels.js';
import type { ReaderBlock, ReaderEntry, Words } from './readerEntries.js';
import { isCapitals, isNameLike, isSectionName, isWarningStart, isWarningWord } from './sectionNames.js';
import { cutWords, joinWords, NO_WORDS } from './words.js';

export interface FoundBlocks {
  readonly blocks: readonly ReaderBlock[];
  readonly title?: string;
  /** The entries before the first section, title included: where control data stand. */
  readonly head: readonly ReaderEntry[];
  /** The entries after that. */
  readonly body: readonly ReaderEntry[];
}

/** Longest title or heading, in characters; what is longer is a paragraph, however it is marked. */
export const HEADING_CHARS = 300;

export function findBlocks(read: readonly ReaderEntry[]): FoundBlocks {
  const entries = read.map((entry) =>
    entry.given === 'heading' && entry.words.text.length > HEADING_CHARS
      ? { ...entry, given: 'text' as const }
      : entry,
  );
  const { entries: parted, title } = withWholeTitle(mergeWarnings(partRunIns(entries)));
  const levels = findHeadings(parted, title.after);
  const firstSection = Math.min(parted.length, levels.keys().next().value ?? parted.length);
  return {
    blocks: [...typed(parted, { levels, title })],
    ...(title.text !== undefined && { title: title.text }),
    head: parted.slice(0, firstSection),
    body: parted.slice(firstSection),
  };
}

/** The wrapped lines of the title become one entry. */
function withWholeTitle(entries: readonly ReaderEntry[]): {
  entries: readonly ReaderEntry[];
  title: FoundTitle;
} {
  const title = findTitle(entries);
  const { index, count } = title.at ?? { index: 0, count: 1 };
  const first = entries[index];
  if (first === undefined || count < 2) return { entries, title };
  const words = joinWords(
    entries.slice(index, index + count).map((entry) => entry.words),
    ' ',
  );
  return {
    entries: [...entries.slice(0, index), { ...first, words, lines: count }, ...entries.slice(index + count)],
    title: { ...title, after: title.after - count + 1 },
  };
}

/** `1. PURPOSE The purpose …` and `1. Purpose: The purpose …` hold a heading and a paragraph. */
function partRunIns(entries: readonly ReaderEntry[]): ReaderEntry[] {
  const runIns = entries.map((entry) => (entry.given === 'text' ? runInOf(entry.words) : undefined));
  const doubtful = new Set(
    runIns.flatMap((run, index) =>
      run === undefined || run.sure ? [] : [entries[index]?.words.text.slice(0, run.end).toLowerCase()],
    ),
  );
  return entries.flatMap((entry, index) => {
    const run = runIns[index];
    if (run === undefined || (!run.sure && doubtful.size < 2)) return [entry];
    return [
      { ...entry, words: cutWords(entry.words, 0, run.end), lines: 1 },
      { ...entry, words: cutWords(entry.words, run.end), lines: entry.lines, apart: true },
    ];
  });
}

interface RunIn {
  /** Where the heading's words end. */
  readonly end: number;
  /** False: only a document that has more of its kind means it so. */
  readonly sure: boolean;
}

/** The heading that opens a numbered paragraph; undefined if there is none. */
function runInOf(words: Words): RunIn | undefined {
  const label = readLabel(words.text);
  if (label === undefined || label.close === '' || label.numbers.length !== 1) return undefined;
  const name = words.text.slice(label.end, label.end + 120);
  if (label.kind === 'upper') {
    // `B. Staining the Smear 1. Place the slide …`
    const before = /^(\p{Lu}[^.;:!?]{2,60}:?) (?=\d{1,2}[.)] \p{Lu})/u.exec(name)?.[1];
    return before !== undefined && isNameLike(before)
      ? { end: label.end + before.length, sure: true }
      : undefined;
  }
  if (label.kind !== 'decimal' || label.close !== '.' || !isSectionName(name)) return undefined;
  const capitals = /^((?:[\p{Lu}&/,-]{2,}:? )+)(?=\p{Lu}?\p{Ll}|A |To |[-•] )/u.exec(name)?.[0];
  if (capitals !== undefined && isCapitals(capitals)) {
    return { end: label.end + capitals.trimEnd().length, sure: true };
  }
  const colon = /^\p{Lu}[\p{L} ,&/-]{2,50}?:(?= \S)/u.exec(name)?.[0];
  return colon !== undefined && colon.split(' ').length <= 6
    ? { end: label.end + colon.length, sure: false }
    : undefined;
}

/** A line that is only `WARNING:`, or a warning that breaks off without an end, belongs to the paragraph after it. */
function mergeWarnings(entries: readonly ReaderEntry[]): ReaderEntry[] {
  const merged: ReaderEntry[] = [];
  for (const entry of entries) {
    const before = merged.at(-1);
    const alone =
      before !== undefined &&
      (before.given === 'text' || before.given === 'warning') &&
      (isWarningWord(before.words.text) || breaksOff(before.words.text)) &&
      !(entry.apart && breaksOff(before.words.text));
    if (
      alone &&
      (entry.given === 'text' || entry.given === 'warning') &&
      readLabel(entry.words.text) === undefined &&
      !isCapitals(entry.words.text)
    ) {
      merged[merged.length - 1] = {
        ...before,
        words: joinWords([before.words, entry.words], ' '),
        lines: before.lines + entry.lines,
      };
    } else {
      merged.push(entry);
    }
  }
  return merged;
}

/** A warning whose first line is in capitals reads as a line of its own, though its sentence goes on. */
function breaksOff(text: string): boolean {
  return isWarningStart(text) && !isWarningWord(text) && !/[.!?:;]["”')]*\s*$/u.test(text);
}

interface Typing {
  readonly levels: HeadingLevels;
  readonly title: FoundTitle;
}

function* typed(entries: readonly ReaderEntry[], { levels, title }: Typing): Generator<ReaderBlock> {
  let steps: OpenStep[] = [];
  let headingDepth = 0;
  for (const [index, entry] of entries.entries()) {
    const level = levels.get(index);
    const label = readLabel(entry.words.text);
    if (level !== undefined) {
      steps = [];
      headingDepth = label?.kind === 'decimal' ? label.numbers.length : 0;
      yield { kind: 'heading', level, words: entry.words };
      continue;
    }
    if (entry.given === 'table') {
      const header = entry.words.text
        .split('\n')
        .slice(0, entry.headerRows ?? 0)
        .join('\n');
      if (entry.words.text !== '')
        yield {
          kind: 'table',
          words: entry.words,
          ...(header !== '' && { headerLength: header.length }),
        };
      continue;
    }
    if (entry.words.text === '') continue;
    const words =
      label?.kind === 'bullet' && index >= title.after ? withPlainBullet(entry.words, label) : entry.words;
    const name = label === undefined ? entry.words.text : entry.words.text.slice(label.end);
    const isStep =
      entry.given === 'item' ||
      (entry.given === 'text' &&
        label !== undefined &&
        index >= title.after &&
        !isStray(label, [entries[index - 1], entries[index + 1]]));
    if (
      entry.given === 'warning' ||
      (isWarningStart(name) && !(isStep && /^note/i.test(name) && label?.kind !== 'bullet'))
    ) {
      if (!isStep) steps = [];
      yield { kind: 'warning', words };
    } else if (isStep) {
      steps = openSteps(steps, { entry, label, headingDepth });
      yield { kind: 'step', level: steps.length, words };
    } else {
      if (!((entry.indent ?? 0) > 0)) steps = [];
      yield { kind: 'paragraph', words };
    }
  }
}

/** `12 Mill Lane`: a number without a point that neither neighbour counts on from. */
function isStray(label: Label, around: readonly (ReaderEntry | undefined)[]): boolean {
  const bare =
    label.kind === 'decimal' &&
    label.numbers.length === 1 &&
    label.close === '' &&
    !/^(?:step|section)/i.test(label.text);
  const [before, after] = around.map((entry) => readLabel(entry?.words.text ?? ''));
  const counts =
    (before !== undefined && follows(label, before)) || (after !== undefined && follows(after, label));
  return bare && !counts;
}

interface OpenStep {
  /** Steps with one style are siblings. */
  readonly style: string;
  readonly indent: number;
  readonly given: number | undefined;
}

interface NextStep {
  readonly entry: ReaderEntry;
  readonly label: Label | undefined;
  readonly headingDepth: number;
}

/** The steps from the outermost down to this one. */
function openSteps(open: readonly OpenStep[], { entry, label, headingDepth }: NextStep): OpenStep[] {
  const style = styleOf(label);
  const indent = entry.indent ?? 0;
  if (entry.given === 'item') {
    const depth = entry.level ?? 1;
    const kept = open.slice(0, depth - 1);
    while (kept.length < depth - 1) kept.push({ style: '', indent: 0, given: kept.length + 1 });
    return [...kept, { style, indent, given: depth }];
  }
  if (label?.kind === 'decimal' && label.numbers.length > 1) {
    const depth = Math.max(1, label.numbers.length - (headingDepth > 0 ? headingDepth : 1));
    const kept = open.filter((step) => step.style.startsWith('decimal')).slice(0, depth - 1);
    return [...kept, { style, indent, given: undefined }];
  }
  const same = open.findIndex((step) => step.style === style && Math.abs(step.indent - indent) <= 1);
  if (same >= 0) return [...open.slice(0, same), { style, indent, given: undefined }];
  const sibling = open.findIndex((step) => step.style === style && indent <= step.indent);
  if (sibling >= 0) return [...open.slice(0, sibling), { style, indent, given: undefined }];
  // Indented less than what is open: it closes that; at the same column another style nests.
  const kept = open.filter((step) => step.indent <= indent);
  return [...kept, { style, indent, given: undefined }];
}

function styleOf(label: Label | undefined): string {
  if (label === undefined) return '';
  if (label.kind === 'bullet')
    return `bullet ${label.sign === '*' || label.sign === '-' ? '-' : (label.sign ?? '')}`;
  return `${label.kind} ${label.kind === 'decimal' ? label.numbers.length : ''}${label.close}`;
}

function withPlainBullet(words: Words, label: Label): Words {
  const rest = cutWords(words, label.end);
  const position = words.marks[0]?.position;
  if (position === undefined) return NO_WORDS;
  return joinWords([{ text: '-', marks: [{ at: 0, position }] }, rest], ' ');
}
