/** Physical lines in (undefined: a blank one); entries with hard-wrapped lines joined out. */

import { isKnownKey } from './controlKeys.js';
import { follows, readLabel, type Label } from './labels.js';
import { looksLikeHeadingLine } from './headings.js';
import type { ReaderEntry, SourceLine } from './readerEntries.js';
import { isCapitals, isSignOff, isWarningStart, isWarningWord } from './sectionNames.js';
import { ruledTable } from './tableEntry.js';
import { findTable, isRule } from './textTables.js';
import { endsInsideWord, joinWrapped } from './words.js';

export interface JoinOptions {
  /** Columns at which the file's lines are wrapped; undefined where its lines are whole paragraphs. */
  readonly width: number | undefined;
  /** The lines know from their layout which of them end early (`starts` of the next one): columns are not counted. */
  readonly measured?: boolean;
  /** The format itself marks where paragraphs end: only labels, keys and warnings part its lines. */
  readonly together?: boolean;
}

interface Open {
  readonly lines: SourceLine[];
  readonly label: Label | undefined;
  readonly apart: boolean;
}

/** A cut-off word of a wrapped line fills this share of the width that proportional type leaves uneven. */
const UNEVEN_SHARE = 0.16;

export function joinLines(lines: readonly (SourceLine | undefined)[], options: JoinOptions): ReaderEntry[] {
  const entries: ReaderEntry[] = [];
  const seen: Label[] = [];
  let open: Open | undefined;
  let apart = true;
  const flush = (underlined?: '=' | '-'): void => {
    if (open !== undefined) entries.push(entryOf(open, underlined));
    open = undefined;
  };
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index];
    if (line === undefined) {
      flush();
      apart = true;
      continue;
    }
    if (line.cells !== undefined) {
      flush();
      const rows = ruledRows(lines, index);
      entries.push(ruledTable(rows));
      index += rows.length - 1;
      apart = true;
      continue;
    }
    if (options.together !== true) {
      if (isRule(line.text) && !/^[|+]/.test(line.text)) {
        flush(underlineOf(open, line, lines[index + 1]));
        apart = true;
        continue;
      }
      const table = mayStartTable(line) ? findTable(lines, index) : undefined;
      if (table !== undefined) {
        flush();
        entries.push(table.entry);
        index += table.lines - 1;
        apart = true;
        continue;
      }
    }
    const label = startLabel(line.text, { seen, ended: open === undefined || hasEnded(open) });
    if (open !== undefined && goesOn(open, line, { ...options, label, seen })) {
      open.lines.push(line);
      continue;
    }
    flush();
    open = { lines: [line], label, apart };
    if (label !== undefined) remember(seen, label);
    apart = false;
  }
  flush();
  return entries;
}

/** The rows of one ruled table: as many cells in each. */
function ruledRows(lines: readonly (SourceLine | undefined)[], from: number): SourceLine[] {
  const rows: SourceLine[] = [];
  for (const line of lines.slice(from)) {
    if (line?.cells === undefined || line.cells.length !== (rows[0] ?? line).cells?.length) break;
    rows.push(line);
  }
  return rows;
}

/** The width at which most long lines of a file end; undefined if its lines are not wrapped. */
export function wrapWidth(lines: readonly (SourceLine | undefined)[]): number | undefined {
  const lengths = lines
    .flatMap((line) => (line === undefined || isRule(line.text) ? [] : [line.indent + line.text.length]))
    .sort((a, b) => a - b);
  if (lengths.length === 0) return undefined;
  const width = lengths[Math.min(lengths.length - 1, Math.floor(lengths.length * 0.97))] ?? 0;
  return width > 140 ? undefined : Math.max(width, 30);
}

function hasEnded(open: Open): boolean {
  return /[.!?:;]["”’)]*$/.test(open.lines.at(-1)?.text ?? '');
}

/** A bare number (`3 hours of collection.`) is a label before capitals, or where it counts on after a whole sentence. */
function startLabel(
  text: string,
  { seen, ended }: { seen: readonly Label[]; ended: boolean },
): Label | undefined {
  const label = readLabel(text);
  const bare =
    label?.kind === 'decimal' && label.close === '' && label.numbers.length === 1 && /^\d/.test(label.text);
  if (!bare || isCapitals(text.slice(label.end))) return label;
  const counts =
    label.numbers[0] === 1 || seen.some((earlier) => earlier.close === '' && follows(label, earlier));
  return counts && ended ? label : undefined;
}

function mayStartTable(line: SourceLine): boolean {
  return /[|\u2502+\t]| {2}/u.test(line.text);
}

function underlineOf(
  open: Open | undefined,
  rule: SourceLine,
  next: SourceLine | undefined,
): '=' | '-' | undefined {
  const only = open?.lines.length === 1 ? open.lines[0] : undefined;
  const sign = /^(=+|-+|~+|_+)$/.exec(rule.text.trim())?.[0][0];
  if (only === undefined || sign === undefined || readLabel(only.text)?.kind === 'bullet') return undefined;
  const length = only.text.length;
  const alike =
    rule.text.trim().length >= length * 0.5 && rule.text.trim().length <= Math.max(length * 2, length + 8);
  if (!alike || length > 100 || /[.;,]$/.test(only.text) || (isSignOff(only.text) && next === undefined))
    return undefined;
  return sign === '=' ? '=' : '-';
}

function entryOf(open: Open, underlined?: '=' | '-'): ReaderEntry {
  const first = open.lines[0];
  return {
    words: joinWrapped(open.lines),
    given: 'text',
    apart: open.apart,
    lines: open.lines.length,
    indent: first?.indent ?? 0,
    ...(open.lines.every((line) => line.bold === true) && { bold: true }),
    ...(first?.size !== undefined && { size: first.size }),
    ...(underlined && { underlined }),
  };
}

interface Going extends JoinOptions {
  readonly label: Label | undefined;
  readonly seen: readonly Label[];
}

/** Whether `line` is a further line of what is open. */
function goesOn(open: Open, line: SourceLine, { width, measured, together, label, seen }: Going): boolean {
  const before = open.lines.at(-1);
  const first = open.lines[0];
  if (before === undefined || first === undefined) return false;
  if (line.starts !== undefined) return !line.starts;
  const cut = endsInsideWord(before.text, line.text);
  const ended = /[.!?:;]["”’)]*$/.test(before.text);
  const room =
    width === undefined || together === true
      ? 0
      : width - (before.indent + before.text.length) - 1 - firstWordLength(line.text);
  const short = measured !== true && width !== undefined && room > width * UNEVEN_SHARE;
  if (width === undefined && together !== true)
    return !ended && !short && /^\p{Ll}/u.test(line.text) && label === undefined;
  if (label !== undefined) {
    if (AWAITS_NUMBER.test(before.text) && !short) return true;
    if (label.kind === 'bullet')
      return /\d$/.test(before.text) && /^\d/.test(line.text.slice(label.end)) && !ended;
    return (
      !ended &&
      !short &&
      !isCapitals(line.text.slice(label.end)) &&
      !seen.some((earlier) => follows(label, earlier)) &&
      !startsCount(label)
    );
  }
  if (isWarningWord(before.text)) return open.lines.length === 1 && !isCapitals(line.text);
  if (isWarningStart(line.text)) return false;
  const look = open.lines.length === 1 ? looksLikeHeadingLine(before.text) : undefined;
  if (look === 'capitals' || (look === undefined && isCapitals(before.text) && open.lines.length < 3)) {
    const unfinished = /(?:,|&|\b(?:AND|OR|OF|FOR|IN|THE|TO|WITH))$/.test(before.text);
    return (
      isCapitals(line.text) &&
      !isSectionStart(line.text) &&
      (unfinished || (!short && before.text.length > 40))
    );
  }
  if (look === 'colon') return false;
  if (look === 'numbered' && short && !/^\p{Ll}/u.test(line.text)) return false;
  if (cut) return true;
  if (isKeyLine(line.text) && (isKeyLine(first.text) || ended || isKnownKey(line.text))) return false;
  if (ended && together !== true && CLOSING_SENTENCE.test(line.text)) return false;
  if (together === true) return true;
  if (looksLikeHeadingLine(line.text) === 'capitals' && (ended || short)) return false;
  if (looksLikeHeadingLine(line.text) === 'colon' && (ended || short)) return false;
  if (/^[\p{Ll}]/u.test(line.text) && !ended) return true;
  // A sentence that starts farther left than the bullet before it is no longer that item.
  if (measured === true && open.label !== undefined && ended && line.indent < first.indent) return false;
  const hanging = open.lines.length > 1 ? (open.lines[1]?.indent ?? 0) : undefined;
  if (
    open.label !== undefined &&
    hanging !== undefined &&
    hanging > first.indent &&
    line.indent < hanging - 1
  )
    return false;
  if (
    open.label !== undefined &&
    line.indent >= first.indent + Math.min(open.label.end, 2) &&
    line.indent > first.indent
  )
    return true;
  if (open.label === undefined && line.indent > first.indent + 3 && short) return false;
  return !short;
}

/** A line that ends so goes on with a number: `described in section` / `3.3. They …`. */
const AWAITS_NUMBER =
  /\b(?:sections?|steps?|tables?|figures?|see|least|most|than|within|about|by|to|of|in|at|and|or|from|for|is|are|the|a)$/i;

/** What says good-bye after the last item of a list that has no blank line behind it. */
const CLOSING_SENTENCE =
  /^(?:by (?:following|adhering)|this (?:sop|protocol|procedure|document|standard operating))\b/i;

/** A label that opens a count of its own: `1.`, `a.`, `4.1`; a wrapped `2.5 mL` or `8000 RCF` does not. */
function startsCount(label: Label): boolean {
  if (label.kind !== 'decimal') return label.numbers[0] === 1;
  return label.numbers.at(-1) === 1 && (label.close !== '' || label.numbers.length > 1);
}

function remember(seen: Label[], label: Label): void {
  if (label.kind === 'bullet') return;
  seen.push(label);
  if (seen.length > 40) seen.shift();
}

function firstWordLength(text: string): number {
  const blank = text.indexOf(' ');
  return blank < 0 ? text.length : blank;
}

function isSectionStart(text: string): boolean {
  return readLabel(text) !== undefined;
}

/** `Storage: 2-8 °C`, `SOP No.: HEM-012`. */
export function isKeyLine(text: string): boolean {
  const match = /^\p{Lu}[\p{L}\p{N} /.#()-]{0,40}?:\s+\S/u.exec(text.slice(0, 60));
  return match !== null && match[0].split(/\s+/).length <= 7;
}
