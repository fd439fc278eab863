/** `clirag check`: notes from anywhere → each statement compared with the chart, on stdout or as a page. */

import { resolve } from 'node:path';
import { ExitCode, ToolError } from '../../core/errors.js';
import type { CommandContext } from '../../core/program.js';
import { timed } from '../../core/trace.js';
import { writeFileAtomic } from '../../core/store/atomicFiles.js';
import { checkNoteText, readNoteTexts, type CheckedFile } from '../check/checkedNotes.js';
import { checkLines, checkRecord, describeCounts, renderCheckPage, titleOf } from '../check/renderCheck.js';
import type { PatientChart } from '../chartStore.js';
import { openChart, openStore, type StoreFlags } from './openStore.js';

export interface CheckFlags extends StoreFlags {
  readonly visit?: string;
  readonly asOf?: string;
  readonly withProgressNotes?: boolean;
  readonly map?: string;
  readonly html?: string;
  readonly faults?: boolean;
  readonly strict?: boolean;
  readonly json?: boolean;
}

export async function checkCommand(
  args: readonly string[],
  flags: CheckFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const [path = '-'] = args;
  const notes = await readNoteTexts(path, {
    cwd: io.cwd,
    stdin: io.stdin,
    ...(flags.map === undefined ? {} : { map: flags.map }),
  });
  const store = await openStore(flags, io);
  let last: { readonly key: string; readonly chart: PatientChart } | undefined;
  const progress = output.progress('Checking note', notes.length);
  const files: CheckedFile[] = [];
  try {
    for (const [at, note] of notes.entries()) {
      io.signal.throwIfAborted();
      progress.update(at, notes.length);
      files.push(
        await timed('check', () =>
          checkNoteText(note, {
            ...flags,
            // Notes of one patient mostly follow each other.
            openChart: async (named) => {
              const key = named.patient ?? `/${named.visit ?? ''}`;
              if (last?.key !== key) last = { key, chart: await openChart(store, named) };
              return last.chart;
            },
          }),
        ),
      );
    }
  } finally {
    progress.stop();
  }
  if (files.every(({ checked }) => checked.claims.length === 0))
    throw new ToolError(ExitCode.input, `${path} states nothing that could be checked`, {
      hint: 'give a note as Markdown or plain text',
    });
  if (flags.html !== undefined) await writeFileAtomic(resolve(io.cwd, flags.html), renderCheckPage(files));
  if (flags.json === true) for (const file of files) output.printJson(checkRecord(file));
  else printFiles(files, { output, onlyFaults: flags.faults === true });
  const falls = files.some(({ checked }) => checked.counts.supported < checked.claims.length);
  return flags.strict === true && falls ? ExitCode.shortfall : ExitCode.done;
}

const LABEL_WIDTH = 14;

function printFiles(
  files: readonly CheckedFile[],
  { output, onlyFaults }: { output: CommandContext['output']; onlyFaults: boolean },
): void {
  const { color, print } = output;
  for (const file of files) {
    print(color.bold(titleOf(file)));
    for (const { verdict, label, text, details } of checkLines(file)) {
      if (onlyFaults && verdict === 'supported') continue;
      const paint = verdict === 'supported' ? color.green : verdict === 'stale' ? color.yellow : color.red;
      print(`${paint(label.padEnd(LABEL_WIDTH))}${text}`);
      for (const line of details) print(color.dim(`${' '.repeat(LABEL_WIDTH)}${line}`));
    }
    print(`${describeCounts([file])}.`);
    print();
  }
  if (files.length > 1) print(`${files.length} notes, ${describeCounts(files)}.`);
}
