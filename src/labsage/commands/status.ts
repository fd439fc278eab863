/** `labsage status`: what an index holds, document by document, and what is overdue. */

import { auditLogPath } from '../../core/auditLog.js';
import { hasAuditLines } from '../../core/auditTrail.js';
import { resolvePaths } from '../../core/config.js';
import { ExitCode, ToolError } from '../../core/errors.js';
import { formatBytes } from '../../core/output.js';
import type { CommandContext } from '../../core/program.js';
import type { Interval } from '../documents/calendar.js';
import { hasStatus } from '../lists/controlFilters.js';
import { describeStatus, localDate, sharedNumbers } from '../documents/documentControl.js';
import type { IndexedDocument } from '../index/indexFormat.js';
import { manifestHash } from '../index/keptManifest.js';
import { describeSummary, revalidationStatus, type RevalidationStatus } from '../records/revalidation.js';
import { isOpen, readReviews } from '../records/reviews.js';
import { describeFingerprint } from '../sopIndex.js';
import { indexFolder, withIndex } from './openSearch.js';

interface StatusFlags {
  readonly index?: string;
  readonly every?: Interval;
  readonly failOverdue?: boolean;
  readonly json?: boolean;
}

export async function statusCommand(
  _args: readonly string[],
  flags: StatusFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const index = await withIndex(flags, io, (opened) => Promise.resolve(opened));
  const today = localDate(new Date());
  const { manifest } = index;
  const bytes = Object.values(manifest.files).reduce((sum, file) => sum + file.bytes, 0);
  const { every } = flags;
  const revalidation = await revalidationStatus(index.folder, {
    today,
    index: manifestHash(manifest),
    ...(every === undefined ? {} : { every }),
  });
  const waiting = await countOpen(flags, { io, output });
  const isOverdue = ({ control }: IndexedDocument): boolean => hasStatus(control, 'overdue', today);
  const ordered = [...index.documents.filter(isOverdue), ...index.documents.filter((one) => !isOverdue(one))];
  const overdue = index.documents.filter(isOverdue).length;
  const documents = ordered.map(({ id, path, title, control, contexts, units }) => ({
    id,
    path,
    title,
    control,
    state: describeStatus(control, today),
    contextUnits: contexts.length,
    searchUnits: units.length,
  }));
  const shared = sharedNumbers(index.documents, today);
  if (flags.json === true) {
    output.printJson({
      index: index.folder,
      embedder: manifest.embedder,
      chunking: manifest.chunking,
      bytes,
      overdue,
      openReviews: waiting,
      revalidation,
      sharedNumbers: shared,
      documents,
    });
    return failsOverdue(flags, overdue, revalidation) ? ExitCode.shortfall : ExitCode.done;
  }
  await output.table(
    ['number', 'version', 'title', 'status', 'review by', 'sections', 'units', 'path'],
    documents.map(({ control, title, state, contextUnits, searchUnits, path }) => [
      control.number ?? '',
      control.version ?? '',
      title,
      state,
      control.review ?? '',
      contextUnits.toString(),
      searchUnits.toString(),
      path,
    ]),
  );
  const units = documents.reduce((sum, { searchUnits }) => sum + searchUnits, 0);
  output.print(
    `${documents.length} documents, ${units} search units, ${formatBytes(bytes)}, embedded with ${describeFingerprint(manifest.embedder)}, preset ${manifest.chunking.preset}.`,
  );
  if (overdue > 0)
    output.print(
      output.color.yellow(
        `${overdue} ${overdue === 1 ? 'document is' : 'documents are'} overdue for review.`,
      ),
    );
  for (const { number, documents: files } of shared) {
    const named = files.map(({ path, version }) => (version === undefined ? path : `${path} (${version})`));
    output.print(
      output.color.yellow(`${number} is in force in ${files.length} files: ${named.join(', ')}. Keep one.`),
    );
  }
  if (waiting !== null && waiting > 0)
    output.print(
      output.color.yellow(
        `${waiting} ${waiting === 1 ? 'answer waits' : 'answers wait'} for a review: labsage review list`,
      ),
    );
  output.print(describeRevalidation(revalidation));
  return failsOverdue(flags, overdue, revalidation) ? ExitCode.shortfall : ExitCode.done;
}

/** 0 without a log; null where the log is damaged, which a status says and does not fail for. */
async function countOpen(flags: StatusFlags, context: CommandContext): Promise<number | null> {
  const { state } = await resolvePaths(context.io.env);
  for (const folder of [indexFolder(flags, context.io), state]) {
    const path = auditLogPath(folder);
    try {
      if (await hasAuditLines(path)) return (await readReviews(path)).filter(isOpen).length;
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      context.output.warn(error.message);
      return null;
    }
  }
  return 0;
}

/** A laboratory that never revalidated is not behind: it is told, not failed. */
function failsOverdue(flags: StatusFlags, documents: number, revalidation: RevalidationStatus): boolean {
  return flags.failOverdue === true && (documents > 0 || revalidation.overdue);
}

function describeRevalidation({ last, due, overdue, every }: RevalidationStatus): string {
  if (last === undefined) return `Never revalidated: labsage revalidate QUESTIONS (every ${every}).`;
  const since = last.sameIndex ? '' : ' The index has changed since.';
  return `Revalidated ${last.date} by ${last.operator} with ${last.questions}: ${describeSummary(last.summary)}. Next ${overdue ? 'was ' : ''}due ${due ?? ''} (every ${every}).${since}`;
}
