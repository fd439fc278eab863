/** `labsage chunk`: SOP files → their context and search units, as a table or as `UnitRecord` lines. */

import { ExitCode, ToolError } from '../../core/errors.js';
import { packageVersion } from '../../core/version.js';
import type { CommandContext } from '../../core/program.js';
import { cutEach } from '../cutFiles.js';
import type { Preset } from '../index/indexFormat.js';
import { listSopFiles } from '../documents/sopFiles.js';
import { chunkingOf, unitRecords } from '../units.js';

interface ChunkFlags {
  readonly preset?: Preset;
  readonly json?: boolean;
  readonly strict?: boolean;
}

export async function chunkCommand(
  args: readonly string[],
  flags: ChunkFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const { files, skipped } = await listSopFiles(args, io.cwd);
  const chunking = chunkingOf(flags.preset ?? 'labsage', packageVersion());
  const failed = [...skipped];
  const rows: string[][] = [];
  for await (const cut of cutEach(files, { chunking, signal: io.signal })) {
    if ('reason' in cut) {
      failed.push(cut);
      continue;
    }
    if (flags.json === true) for (const record of unitRecords(cut)) output.printJson(record);
    for (const context of cut.contexts) {
      const units = cut.units.filter(({ contextId }) => contextId === context.id);
      rows.push([
        context.id,
        context.tokens.toString(),
        units.length.toString(),
        context.headingPath.join(' › '),
      ]);
    }
  }
  for (const { path, reason } of failed) output.warn(`skipped ${path}: ${reason}`);
  if (rows.length === 0) {
    throw new ToolError(
      ExitCode.input,
      failed.length > 0
        ? 'no SOP could be read'
        : files.length > 0
          ? `${files.length === 1 ? (files[0]?.path ?? '') : 'no file'} holds ${files.length === 1 ? 'no' : 'any'} text`
          : 'found no SOP (.md .txt .html .docx .pdf)',
      { hint: 'name a folder or file with SOPs' },
    );
  }
  if (flags.json !== true) await output.table(['context unit', 'tokens', 'search units', 'headings'], rows);
  return flags.strict === true && failed.length > 0 ? ExitCode.shortfall : ExitCode.done;
}
