/** `labsage status`: what an index holds, document by document, and what is overdue. */

import { ExitCode } from '../../core/errors.js';
import { formatBytes } from '../../core/output.js';
import type { CommandContext } from '../cli.js';
import { describeStatus, localDate } from '../documentControl.js';
import { describeFingerprint } from '../sopIndex.js';
import { withIndex } from './openSearch.js';

interface StatusFlags {
  readonly index?: string;
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
  const documents = index.documents.map(({ id, path, title, control, contexts, units }) => ({
    id,
    path,
    title,
    control,
    state: describeStatus(control, today),
    contextUnits: contexts.length,
    searchUnits: units.length,
  }));
  if (flags.json === true) {
    output.printJson({
      index: index.folder,
      embedder: manifest.embedder,
      chunking: manifest.chunking,
      bytes,
      documents,
    });
    return ExitCode.done;
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
  return ExitCode.done;
}
