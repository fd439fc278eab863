/** Answers and notes → an append-only log in which every record holds the hash of the one before. */

import { createHash, randomUUID } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { withFolderLock } from './store/folderLock.js';
import { ExitCode, ToolError } from './errors.js';

/** What a command says of itself; the log adds id, times, operator and hashes. */
export interface AuditEntry {
  readonly command: string;
  /** Question or visit. */
  readonly subject: string;
  readonly units: readonly {
    readonly id: string;
    readonly sha256: string;
    readonly document?: string;
    readonly version?: string;
  }[];
  readonly model: { readonly embedder: string; readonly generator: string };
  /** With everything that a replay needs to ask the same again. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly output: Readonly<Record<string, unknown>>;
}

export interface AuditRecord extends AuditEntry {
  readonly id: string;
  readonly timeUtc: string;
  /** With the offset from UTC. */
  readonly timeLocal: string;
  readonly operator: string;
  readonly host: string;
  /** Hash of the record before; 64 zeros for the first. */
  readonly previousHash: string;
  /** sha256 of the record's JSON without this field. */
  readonly hash: string;
}

export const FIRST_HASH = '0'.repeat(64);

/** Each is a chain of its own: what was answered, and what was found when saved questions were asked again. */
export type LogName = 'audit' | 'revalidations';

export function auditLogPath(folder: string, log: LogName = 'audit'): string {
  return join(folder, `${log}.jsonl`);
}

/**
 * Appends one record, durably; a line that a killed writer left unfinished was never reported and is cut off.
 * Throws (exit 3) if the log's last line is damaged.
 */
export async function appendAudit(
  folder: string,
  entry: AuditEntry,
  { log = 'audit' }: { log?: LogName } = {},
): Promise<AuditRecord> {
  const path = auditLogPath(folder, log);
  return withFolderLock(folder, { name: 'audit' }, async () => {
    const file = await openLog(path);
    try {
      const { previous, end } = await readLastRecord(file, path);
      const now = new Date();
      const unsigned = {
        id: randomUUID(),
        timeUtc: now.toISOString(),
        timeLocal: localTime(now),
        operator: operatorName(),
        host: hostname(),
        ...entry,
        previousHash: previous?.hash ?? FIRST_HASH,
      };
      const record: AuditRecord = { ...unsigned, hash: hashRecord(unsigned) };
      try {
        await file.truncate(end);
        const line = Buffer.from(`${JSON.stringify(record)}\n`, 'utf8');
        for (let at = 0; at < line.length;) {
          at += (await file.write(line, at, line.length - at, end + at)).bytesWritten;
        }
        await file.sync();
      } catch (error) {
        // Half a record, as a full disk leaves it.
        await file.truncate(end).catch(() => undefined);
        throw error;
      }
      return record;
    } finally {
      await file.close();
    }
  });
}

/** For reading and writing anywhere: Windows cannot cut a file that is open for appending. */
async function openLog(path: string): Promise<FileHandle> {
  await (await open(path, 'a', 0o600)).close();
  return open(path, 'r+');
}

/** Characters of an id that tables show, and that commands take. */
const SHORT_ID = 8;

export function shortId(id: string): string {
  return id.slice(0, SHORT_ID);
}

export function hashRecord(unsigned: Omit<AuditRecord, 'hash'>): string {
  return createHash('sha256').update(JSON.stringify(unsigned)).digest('hex');
}

/** The last whole record, read backwards in blocks, and where the whole records end, in bytes. */
async function readLastRecord(
  file: FileHandle,
  path: string,
): Promise<{ previous: AuditRecord | undefined; end: number }> {
  const { size } = await file.stat();
  let tail = Buffer.alloc(0);
  let at = size;
  let end = -1;
  let start = -1;
  while (at > 0 && start === -1) {
    const length = Math.min(65_536, at);
    at -= length;
    const block = Buffer.alloc(length);
    await file.read(block, 0, length, at);
    tail = Buffer.concat([block, tail]);
    end = tail.lastIndexOf(10);
    start = end <= 0 ? -1 : tail.lastIndexOf(10, end - 1);
  }
  if (end === -1) return { previous: undefined, end: 0 };
  return { previous: parseLast(tail.toString('utf8', start + 1, end), path), end: at + end + 1 };
}

function parseLast(line: string, path: string): AuditRecord {
  let cause: unknown;
  try {
    const record = JSON.parse(line) as Partial<AuditRecord> | null;
    if (typeof record?.hash === 'string' && /^[0-9a-f]{64}$/u.test(record.hash)) return record as AuditRecord;
  } catch (error) {
    cause = error;
  }
  throw new ToolError(ExitCode.input, `the audit log ${path} is damaged at its end`, {
    hint: `keep it, move it out of ${dirname(path)}, and ask again: a new log begins`,
    ...(cause === undefined ? {} : { cause }),
  });
}

function localTime(now: Date): string {
  const offset = -now.getTimezoneOffset();
  const two = (value: number): string => Math.floor(Math.abs(value)).toString().padStart(2, '0');
  const shifted = new Date(now.getTime() + offset * 60_000).toISOString().slice(0, 19);
  return `${shifted}${offset < 0 ? '-' : '+'}${two(offset / 60)}:${two(Math.abs(offset) % 60)}`;
}

/** Who is logged in. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    // No entry in the user database, as in some containers.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
