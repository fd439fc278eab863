/** An audit log → its records as a stream, and what is wrong with its chain, line by line, at constant memory per record. */

import { FIRST_HASH, hashRecord, type AuditRecord } from './auditLog.js';
import { ExitCode, ToolError } from './errors.js';
import { streamLines } from './lines.js';

/** One line of a log; `record` is absent where the line is none. */
export interface AuditLine {
  /** 1-based. */
  readonly line: number;
  readonly text: string;
  /** False where the file ends inside the line. */
  readonly isWhole: boolean;
  readonly record?: AuditRecord;
}

export interface AuditFault {
  readonly line: number;
  readonly fault: string;
}

export interface AuditCheck {
  readonly records: number;
  readonly faults: readonly AuditFault[];
  /** Hash of the last record: recorded elsewhere, it reveals that the log was cut or rewritten. */
  readonly head: string;
  /** Where the given head stands, if one was given and it is there. */
  readonly headLine?: number;
}

/** Every line in order; an absent log has none. Blank lines are passed on: a log has none, so they are faults. */
export async function* readAuditLines(path: string): AsyncGenerator<AuditLine> {
  let line = 0;
  for await (const { text, isWhole } of streamLines(path)) {
    line++;
    const record = parseRecord(text);
    yield { line, text, isWhole, ...(record === undefined ? {} : { record }) };
  }
}

/** The records of a log in order. Throws (exit 3), naming the line, where one is damaged. */
export async function* readAuditRecords(path: string): AsyncGenerator<AuditRecord> {
  for await (const { line, record } of readAuditLines(path)) {
    if (record === undefined) {
      throw new ToolError(ExitCode.input, `line ${line} of ${path} is no audit record`, {
        hint: 'see all that is wrong with: labsage audit verify',
      });
    }
    yield record;
  }
}

/**
 * Proves that every record is as it was written and follows the one before. What no chain can show by itself, that records
 * at its end are gone or that all of it was written anew, is shown by `head`, a hash that was recorded elsewhere.
 */
export async function checkAuditLog(path: string, options: { head?: string } = {}): Promise<AuditCheck> {
  const faults: AuditFault[] = [];
  /** Hash of each record → its line: memory grows by one short entry a record. */
  const lineOf = new Map<string, number>();
  const breaks: { line: number; after: number; previousHash: string }[] = [];
  let head = FIRST_HASH;
  let last = 0;
  let lines = 0;
  for await (const { line, text, isWhole, record } of readAuditLines(path)) {
    lines = line;
    if (!isWhole) faults.push({ line, fault: 'is cut short: the writer was killed, or the file was cut' });
    if (record === undefined) {
      faults.push({ line, fault: 'is no audit record: it is damaged or was overwritten' });
      continue;
    }
    if (!isAsWritten(text, record))
      faults.push({ line, fault: 'was edited: its content does not fit its hash' });
    const earlier = lineOf.get(record.hash);
    if (earlier !== undefined) faults.push({ line, fault: `repeats line ${earlier}` });
    else if (record.previousHash !== head)
      breaks.push({ line, after: last, previousHash: record.previousHash });
    if (earlier === undefined) lineOf.set(record.hash, line);
    head = record.hash;
    last = line;
  }
  const damaged = new Set(faults.filter(({ fault }) => fault.startsWith('is no')).map(({ line }) => line));
  for (const broken of breaks) {
    // A damaged line in between is named already, and explains why the next does not follow the last good one.
    const isExplained = damaged.has(broken.line - 1) && !lineOf.has(broken.previousHash);
    if (!isExplained) faults.push({ line: broken.line, fault: describeBreak(broken, lineOf) });
  }
  const headLine = options.head === undefined ? undefined : lineOf.get(options.head.toLowerCase());
  if (options.head !== undefined && headLine === undefined) {
    faults.push({
      line: lines,
      fault: `the recorded head ${options.head.slice(0, 12)}… is not in the log: records at its end were cut off, or it was written anew`,
    });
  }
  return {
    records: lineOf.size,
    faults: faults.sort((a, b) => a.line - b.line),
    head,
    ...(headLine === undefined ? {} : { headLine }),
  };
}

/** A lone line edit changes the text; a clever one keeps the text's JSON but not its bytes. */
function isAsWritten(text: string, record: AuditRecord): boolean {
  const { hash, ...unsigned } = record;
  return JSON.stringify({ ...unsigned, hash }) === text && hashRecord(unsigned) === hash;
}

function describeBreak(
  { after, previousHash }: { after: number; previousHash: string },
  lineOf: ReadonlyMap<string, number>,
): string {
  if (previousHash === FIRST_HASH)
    return 'begins a new chain: what stands before it was put in front, or moved';
  const wanted = lineOf.get(previousHash);
  if (wanted !== undefined)
    return `follows line ${wanted}: the order was changed, or lines were put in between`;
  return after === 0
    ? 'is not the first record: records before it were deleted'
    : `does not follow line ${after}: a record between them was deleted or replaced`;
}

function parseRecord(text: string): AuditRecord | undefined {
  try {
    const value = JSON.parse(text) as Partial<AuditRecord> | null;
    return typeof value?.hash === 'string' && typeof value.previousHash === 'string'
      ? (value as AuditRecord)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whether there is a log with anything in it. */
export async function hasAuditLines(path: string): Promise<boolean> {
  for await (const line of readAuditLines(path)) return line.line > 0;
  return false;
}
