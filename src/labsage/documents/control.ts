/** The places of a document where it speaks of itself in; its control data, and notes on what was left out, out. */

import type { DocumentControl, DocumentStatus } from '../../core/types.js';
import { CONTROL_KEYS, type ControlField } from './controlKeys.js';
import { dateOrder, readDate, type DateOrder } from './dates.js';
import type { ControlHints, ReaderEntry } from './readerEntries.js';
import { collapseBlanks } from './words.js';

export interface ControlPlaces {
  readonly hints: ControlHints;
  /** Entries before the first section. */
  readonly head: readonly ReaderEntry[];
  /** All entries after that. */
  readonly body: readonly ReaderEntry[];
}

export interface FoundControl {
  readonly control: DocumentControl;
  readonly title?: string;
  readonly notes: readonly string[];
}

type Draft = { -readonly [Field in keyof DocumentControl]?: DocumentControl[Field] } & {
  title?: string;
};

interface Reading {
  readonly draft: Draft;
  readonly notes: Set<string>;
  readonly order: DateOrder;
}

/** Entries of the body that are read for a document-control section: the last ones, where such sections stand. */
const TAIL_ENTRIES = 60;

export function findControl({ hints, head, body }: ControlPlaces): FoundControl {
  const tail = body.slice(-TAIL_ENTRIES);
  const reading: Reading = {
    draft: {},
    notes: new Set(),
    order: dateOrder([...hints.running, ...[...head, ...body].map((entry) => entry.words.text)].join('\n')),
  };
  for (const [key, value] of hints.pairs) readField(reading, key.replaceAll(/[_-]+/g, ' '), value);
  for (const entry of head) readEntry(reading, entry);
  for (const line of hints.running) readLine(reading, line);
  // `Title:` under a signature is the signer's.
  const documentTitle = reading.draft.title;
  for (const entry of tail)
    if (entry.given === 'table' ? isKeyedTable(entry) : entry.words.text.length < 200)
      readEntry(reading, entry, true);
  if (documentTitle === undefined) delete reading.draft.title;
  readBareNumbers(reading, { running: hints.running, head });
  for (const entry of [...head, ...body]) readRevisions(reading, entry);
  if (reading.draft.status === undefined) {
    const status = statedStatus([
      ...hints.running,
      ...head.filter((entry) => entry.given !== 'table').map((entry) => entry.words.text),
    ]);
    if (status !== undefined) reading.draft.status = status;
  }
  const { title, ...stated } = reading.draft;
  const control: DocumentControl = { ...stated, status: stated.status ?? 'current' };
  return { control, ...(title !== undefined && { title }), notes: [...reading.notes] };
}

function readEntry(reading: Reading, entry: ReaderEntry, careful = false): void {
  if (entry.given !== 'table' || entry.cells === undefined) {
    if (!careful || /^[^:]{0,40}:/.test(entry.words.text)) readLine(reading, entry.words.text, careful);
    return;
  }
  for (const row of entry.cells) readRow(reading, row);
  readColumns(reading, entry.cells);
}

/** `HEM-012  Platelet Count  v3.1  Page 1 of 3`: number and version without their keys, in running heads and the title. */
function readBareNumbers(
  { draft }: Reading,
  { running, head }: { running: readonly string[]; head: readonly ReaderEntry[] },
): void {
  const lines = [
    ...running,
    ...head
      .filter((entry) => entry.given !== 'table')
      .slice(0, 3)
      .map((entry) => entry.words.text),
  ];
  const numbers = new Set(
    lines
      .flatMap((line) => line.split(FIELD_GAP))
      .flatMap((field) => /^\W*([A-Z]{2,6}(?:-[A-Z]{1,4})?-\d{2,5})(?![\w-])/.exec(field)?.[1] ?? []),
  );
  const versions = new Set(
    running.flatMap(
      (line) => /(?<![\w.])[vV]\.?\s?(\d{1,3}(?:\.\d{1,3}){0,2})(?![\w.])/.exec(line)?.[1] ?? [],
    ),
  );
  const [number] = numbers;
  const [version] = versions;
  if (draft.number === undefined && number !== undefined && numbers.size === 1) draft.number = number;
  if (draft.version === undefined && version !== undefined && versions.size === 1) draft.version = version;
}

/** Cells as `key | value | key | value`, or a cell that holds both. */
function readRow(reading: Reading, row: readonly string[]): void {
  for (let index = 0; index < row.length; index += 1) {
    const cell = row[index] ?? '';
    const value = row[index + 1];
    if (/[:#]\s*\S/.test(cell) && readLine(reading, cell)) continue;
    if (value === undefined || value === '' || fieldOf(cell) === undefined) continue;
    if (fieldOf(value) !== undefined && !/\d/.test(value)) return;
    readField(reading, cell, value);
    const date = row.slice(index + 2).find((other) => readDate(other, reading.order) !== undefined);
    if (fieldOf(cell) === 'approvedBy' && date !== undefined) readField(reading, 'approval date', date);
    index += 1;
  }
}

/** A header row of keys over a row of values. */
function readColumns(reading: Reading, rows: readonly (readonly string[])[]): void {
  const keys = rows[0] ?? [];
  const values = rows[1] ?? [];
  const fields = keys.map((key) => fieldOf(key));
  if (rows.length === 2 && fields.filter((field) => field !== undefined).length >= 2) {
    fields.forEach((field, index) => {
      if (field !== undefined) readField(reading, keys[index] ?? '', values[index] ?? '');
    });
  }
}

function isKeyedTable(entry: ReaderEntry): boolean {
  const rows = entry.cells ?? [];
  return (
    rows.length > 0 && rows.filter((row) => fieldOf(row[0] ?? '') !== undefined).length >= rows.length / 2
  );
}

const ANY_KEY = new RegExp(
  `(?<![\\p{L}\\d-])(?:${CONTROL_KEYS.map(([, key], index) => `(?<k${index}>${key})`).join('|')})(?=\\s*(?:[:#=]|\\.:)|\\s+\\S)`,
  'giu',
);
/** A key that stands in a cell of its own needs nothing behind it. */
const FIELD_PATTERNS = CONTROL_KEYS.map(
  ([field, key]) =>
    [field, new RegExp(`^(?:${key.replaceAll(/\(\?=(?:[^()[\]]|\[[^\]]*\])*\)/g, '')})$`, 'i')] as const,
);

/** Longest line that is searched for keys, in characters. */
const LINE_CHARS = 600;

/** Reads every `Key: value` of a line, and `Rev. 3`, `Effective 14 March 2026` without a colon. Tells whether it found any. */
function readLine(reading: Reading, line: string, careful = false): boolean {
  const text = line.slice(0, LINE_CHARS);
  let superseding = false;
  const keys = [...text.matchAll(ANY_KEY)].filter((match) => {
    const after = text.slice(match.index + match[0].length);
    const field = fieldOfMatch(match);
    const opens = match.index === 0 || /[|;,·•()–—\t]\s*$|\s{2,}$|[-]\s$/.test(text.slice(0, match.index));
    const colon = /^\s*(?:[:=]|\.:|#\s)/.test(after);
    // `Supersedes: HEM-2 version 3.1` speaks of another version.
    if (superseding && !colon) return false;
    superseding = field === 'supersedes';
    if (colon) return true;
    if (careful || field === undefined) return false;
    if (field === 'version') return /^\s*(?:#\s*)?[vV]?\d[\w.]*/.test(after);
    if (field === 'effective' || field === 'approval')
      return readDate(after.slice(0, 30), reading.order) !== undefined;
    if (field === 'review' || field === 'supersedes') return opens && /^\s+(?:\S*\d)/.test(after);
    if (field === 'number') return /^\s*#?\s*[A-Z]{0,6}[-.\s]?\d/.test(after) && opens;
    if (field === 'approvedBy') return opens;
    return false;
  });
  keys.forEach((match, index) => {
    const start = match.index + match[0].length;
    const end = keys[index + 1]?.index ?? text.length;
    const value = text.slice(start, end).replace(/^\s*(?:\.?[:=#]+)?\s*/, '');
    readField(reading, match[0], value);
  });
  return keys.length > 0;
}

function fieldOfMatch(match: RegExpMatchArray): ControlField | undefined {
  const index = CONTROL_KEYS.findIndex((_, position) => match.groups?.[`k${position}`] !== undefined);
  return CONTROL_KEYS[index]?.[0];
}

function fieldOf(key: string): ControlField | undefined {
  const bare = collapseBlanks(key)
    .replace(/\s*[:.]*$/, '')
    .replace(/\s*\([^)]*\)$/, '');
  if (bare.length > 60) return undefined;
  if (/^date$/i.test(bare)) return undefined;
  return (FIELD_PATTERNS.find(([, pattern]) => pattern.test(bare)) ??
    FIELD_PATTERNS.find(([, pattern]) => pattern.test(`${bare}.`)))?.[0];
}

/** Keeps the first statement of each field: places are read in the order of trust. */
function readField({ draft, notes, order }: Reading, key: string, given: string): void {
  const field = fieldOf(key) ?? fieldOf(key.replace(/\s*#$/, ' no'));
  const value = firstValue(given.replace(/^[\s:=]+/, ''));
  if (field === undefined || field === 'other' || value === '' || isPlaceholder(value)) return;
  switch (field) {
    case 'effective':
    case 'review':
    case 'approval': {
      const date = readDate(value, order);
      if (date === undefined) {
        if (/\d{4}/.test(value) && draft[field] === undefined)
          notes.add(`${field} date "${value.slice(0, 40)}" is not a full date and was left out`);
      } else if ('iso' in date) {
        draft[field] ??= date.iso;
        if (field === 'approval') approver(draft, value.slice(date.end));
      } else if (draft[field] === undefined) {
        notes.add(`${field} date "${date.ambiguous}" may be day or month first and was left out`);
      }
      return;
    }
    case 'approvedBy': {
      const date = readDate(value, order);
      if (date !== undefined && 'iso' in date) draft.approval ??= date.iso;
      const name = value
        .replace(/(?:(?:^|[\s,;(])(?:on|date)\b.*|[,;(]?\s*\d.*)$/i, '')
        .replace(/\s*\([^)]*$/, '')
        .replace(/\s*[|_,;(-]+\s*$/, '')
        .trim();
      if (/\p{L}{2}/u.test(name) && name.length <= 80 && !/^\W*name\b|[[\]]|_{3}/i.test(name))
        draft.approvedBy ??= name;
      const late = /\bdate\s*:?\s*(\S.*)$/i.exec(given);
      const lateDate = late === null ? undefined : readDate(late[1] ?? '', order);
      if (lateDate !== undefined && 'iso' in lateDate) draft.approval ??= lateDate.iso;
      return;
    }
    case 'number': {
      const number = /^[#\s]*([A-Za-z0-9][\w./-]*(?: ?[-–] ?\w+)?(?: \d+)?)/
        .exec(value)?.[1]
        ?.replace(/[.,;]$/, '');
      if (number !== undefined && /\d/.test(number) && number.length <= 40) draft.number ??= number;
      return;
    }
    case 'version': {
      const version = /^(?:(?:version|rev(?:ision)?\.?|v\.?)\s*)?(\d+(?:\.\d+){0,3}[A-Za-z]?|[A-Z])\b/i.exec(
        value,
      )?.[1];
      if (version !== undefined) draft.version ??= version;
      return;
    }
    case 'status': {
      const status = statusOf(value);
      if (status !== undefined) draft.status ??= status;
      return;
    }
    case 'supersedes':
      if (!/^(?:n\/?a|none|new|nil|-|not applicable|initial)\b/i.test(value) && value.length <= 120)
        draft.supersedes ??= value.replace(/[.;,]$/, '');
      return;
    case 'owner':
    case 'title':
      if (value.length <= 200) draft[field] ??= value.replace(/[;,]$/, '');
      return;
  }
}

function approver(draft: Draft, rest: string): void {
  const name = /^\s*(?:,\s*)?by\s+(\p{Lu}[\p{L}.,' -]{2,60})/u.exec(rest)?.[1];
  if (name !== undefined) draft.approvedBy ??= name.trim().replace(/[.,]$/, '');
}

/** What parts the fields of a line. */
const FIELD_GAP = /\s{2,}|\s*[|\t]\s*/;

/** Up to the blanks or the bar that part fields. */
function firstValue(text: string): string {
  const part = text.trim().split(FIELD_GAP, 1)[0] ?? '';
  return collapseBlanks(part)
    .replace(/(?<=\S)\s+page\s*:?\s*\d{1,4}(?:\s*(?:of|\/)\s*\d{1,4})?$/i, '')
    .replace(/[\s;,–—(·•-]+$/, '')
    .replace(/^[*_]+|[*_]+$/g, '');
}

function isPlaceholder(value: string): boolean {
  return /^(?:[_\s.-]+|\[.*\]|<.*>|x{2,}|tbd|n\/a|dd[/-].*|mm[/-].*|yyyy.*)$/i.test(value);
}

function statusOf(value: string): DocumentStatus | undefined {
  if (/\bsuperseded\b|\bobsolete\b|\breplaced by\b/i.test(value)) return 'superseded';
  if (/\bwithdrawn\b|\bretired\b|\barchived\b|\binactive\b/i.test(value)) return 'withdrawn';
  if (/\bdraft\b|\bunder review\b|\bnot (?:yet )?(?:approved|effective)\b|\bpending\b/i.test(value))
    return 'draft';
  return /\b(?:current|active|approved|effective|in force|released|final)\b/i.test(value)
    ? 'current'
    : undefined;
}

/** A mark on the page: SUPERSEDED in capitals on a line that says little else, or a sentence on this document. */
function statedStatus(lines: readonly string[]): DocumentStatus | undefined {
  for (const line of lines) {
    const text = collapseBlanks(line.slice(0, LINE_CHARS));
    const mark = /(?<![\p{L}-])(SUPERSEDED|OBSOLETE|WITHDRAWN|RETIRED|DRAFT)(?![\p{L}])/u.exec(text);
    if (mark !== null && (text.length <= 120 || mark.index < 40)) return statusOf(mark[0]);
    const sentence =
      /\bthis (?:document|sop|procedure|version|revision|policy) (?:is|was|has been)(?: a| an| now)? (superseded|obsolete|withdrawn|retired|draft)\b/i.exec(
        text,
      ) ??
      /^\W*(superseded|withdrawn|obsolete|draft)\b(?=\W*$| by | on | version| document| copy| - | – )/i.exec(
        text,
      );
    if (sentence !== null) return statusOf(sentence[1] ?? '');
  }
  return undefined;
}

/** A revision table gives what no other place does: its highest version and that row's date. */
function readRevisions({ draft, order }: Reading, entry: ReaderEntry): void {
  if (draft.version !== undefined || entry.cells === undefined || entry.cells.length < 2) return;
  const header = entry.cells[0] ?? [];
  const versionAt = header.findIndex((cell) =>
    /^(?:version|revision|rev\.?|ver\.?|issue)(?: ?(?:no\.?|number|#))?$/i.test(cell),
  );
  const dateAt = header.findIndex((cell) => /date|effective/i.test(cell));
  if (versionAt < 0 || (dateAt < 0 && !header.some((cell) => /change|description|reason/i.test(cell))))
    return;
  let best: { version: string; row: readonly string[] } | undefined;
  for (const row of entry.cells.slice(1)) {
    const version = /^v?(\d+(?:\.\d+)*)/i.exec(row[versionAt] ?? '')?.[1];
    if (version !== undefined && (best === undefined || compareVersions(version, best.version) > 0))
      best = { version, row };
  }
  if (best === undefined) return;
  draft.version = best.version;
  const date = dateAt < 0 ? undefined : readDate(best.row[dateAt] ?? '', order);
  if (date !== undefined && 'iso' in date && /effective/i.test(header[dateAt] ?? ''))
    draft.effective ??= date.iso;
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)];
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
