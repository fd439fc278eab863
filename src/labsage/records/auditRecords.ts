/** Where a log is, which record is meant, and a record as a person, a spreadsheet and a program read it. */

import { auditLogPath, shortId, type AuditRecord, type LogName } from '../../core/auditLog.js';
import { readAuditRecords, hasAuditLines } from '../../core/auditTrail.js';
import { formatCsvRow } from '../../core/csv.js';
import { ExitCode, ToolError } from '../../core/errors.js';

export interface FoundLog {
  readonly folder: string;
  readonly path: string;
}

/** The log in the first of the folders that has one. Throws (exit 3) where none has. */
export async function findLog(folders: readonly string[], log: LogName): Promise<FoundLog> {
  for (const folder of folders) {
    const path = auditLogPath(folder, log);
    if (await hasAuditLines(path)) return { folder, path };
  }
  throw new ToolError(ExitCode.input, `there is no ${log} log in ${folders[0] ?? ''}`, {
    hint:
      log === 'audit'
        ? 'every answer is recorded: ask with labsage ask "QUESTION", or name the index with --index'
        : 'record one with: labsage revalidate QUESTIONS',
  });
}

/** By id or its beginning. Throws (exit 3) if there is none, (exit 2) if there are several. */
export async function findRecord(path: string, id: string): Promise<AuditRecord> {
  let found: AuditRecord | undefined;
  for await (const record of readAuditRecords(path)) {
    if (!record.id.startsWith(id.toLowerCase())) continue;
    if (found !== undefined && found.id !== record.id) {
      throw new ToolError(ExitCode.usage, `several records begin with ${id}`, {
        hint: 'give more of the id: labsage audit list --json shows it whole',
      });
    }
    found = record;
  }
  if (found === undefined) {
    throw new ToolError(ExitCode.input, `the audit log has no record ${id}`, {
      hint: 'list them with: labsage audit list',
    });
  }
  return found;
}

export const RECORD_COLUMNS = ['time', 'id', 'operator', 'command', 'answered', 'question'] as const;

export function recordRow(record: AuditRecord): string[] {
  const { timeLocal, id, operator, command, subject } = record;
  return [timeLocal, shortId(id), operator, command, answeredWord(record), subject];
}

function answeredWord({ output }: AuditRecord): string {
  const { answered } = output;
  return typeof answered === 'boolean' ? (answered ? 'yes' : 'no') : '';
}

/** All that a record says, a line or paragraph each. */
export function recordLines(record: AuditRecord): string[] {
  const { output, settings, model, units } = record;
  const text = output['text'];
  return [
    `id         ${record.id}`,
    `time       ${record.timeUtc} (local ${record.timeLocal})`,
    `operator   ${record.operator} on ${record.host}`,
    `command    ${record.command}`,
    `question   ${record.subject}`,
    `model      embedder ${model.embedder}, generator ${model.generator}`,
    `settings   ${JSON.stringify(settings)}`,
    ...units.map(
      ({ id, sha256, document, version }) =>
        `section    ${id}  ${document ?? ''}${version === undefined ? '' : ` version ${version}`}  sha256 ${sha256}`,
    ),
    ...Object.entries(output)
      .filter(([name]) => name !== 'text' && name !== 'results')
      .map(
        ([name, value]) => `${name.padEnd(10)} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
      ),
    `previous   ${record.previousHash}`,
    `hash       ${record.hash}`,
    ...(typeof text === 'string' ? ['', text] : []),
  ];
}

export const EXPORT_COLUMNS = [
  'time_utc',
  'time_local',
  'operator',
  'host',
  'id',
  'command',
  'question',
  'answered',
  'confidence',
  'answer',
  'warnings',
  'documents',
  'sections',
  'embedder',
  'generator',
  'settings',
  'omitted',
  'previous_hash',
  'hash',
] as const;

export function exportRow(record: AuditRecord): string {
  const { output, units, model } = record;
  const text = (value: unknown): string =>
    value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const documents = units.map(({ document = '', version }) =>
    version === undefined ? document : `${document} (version ${version})`,
  );
  return formatCsvRow([
    record.timeUtc,
    record.timeLocal,
    record.operator,
    record.host,
    record.id,
    record.command,
    record.subject,
    answeredWord(record),
    text(output['confidence']),
    text(output['text']),
    Array.isArray(output['warnings']) ? output['warnings'].join(' ') : '',
    [...new Set(documents)].join('; '),
    units.map(({ id, sha256 }) => `${id} ${sha256}`).join('; '),
    model.embedder,
    model.generator,
    text(record.settings),
    text(output['omitted']),
    record.previousHash,
    record.hash,
  ]);
}
