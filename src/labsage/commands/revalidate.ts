/** `labsage revalidate`: a file of questions → each asked again, what came out recorded beside the index. */

import { resolve } from 'node:path';
import { ExitCode } from '../../core/errors.js';
import { DEFAULT_INTERVAL, addInterval, type Interval } from '../documents/calendar.js';
import type { CommandContext } from '../../core/program.js';
import { describeSummary, revalidate } from '../records/revalidation.js';
import { readSavedQuestions } from '../records/savedQuestions.js';
import { openSearch, retrieveOptions, type SearchFlags } from './openSearch.js';

interface RevalidateFlags extends SearchFlags {
  readonly every?: Interval;
  readonly failChanged?: boolean;
  readonly json?: boolean;
}

export async function revalidateCommand(
  args: readonly string[],
  flags: RevalidateFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const name = args[0] ?? '';
  const saved = await readSavedQuestions(resolve(io.cwd, name), name);
  const search = await openSearch(flags, io);
  const asking = output.progress('Asking question', saved.questions.length);
  try {
    const { index, embedder } = search;
    const every = flags.every ?? DEFAULT_INTERVAL;
    const done = await revalidate(
      saved,
      { index, embedder },
      {
        name,
        every,
        retrieve: retrieveOptions(flags, index),
        signal: io.signal,
        onProgress: (count) => asking.update(count),
      },
    );
    const { record, summary, results, previous } = done;
    const due = addInterval(record.timeLocal.slice(0, 10), every);
    if (flags.json === true) {
      output.printJson({
        id: record.id,
        time: record.timeUtc,
        operator: record.operator,
        summary,
        due,
        results,
      });
    } else {
      const noted = results.filter(({ same, evidenceFound }) => same === false || evidenceFound === false);
      for (const { id, question, same, evidenceFound } of noted) {
        const notes = [
          ...(same === false ? ['answered differently'] : []),
          ...(evidenceFound === false ? ['not as the file states'] : []),
        ];
        output.print(`${output.color.yellow(notes.join(', '))}  ${id}  ${question}`);
      }
      output.print(
        `${describeSummary(summary)}${previous === undefined ? '' : ` (${previous.timeLocal.slice(0, 10)})`}.`,
      );
      output.print(`Recorded as ${record.id} by ${record.operator}; next due ${due}.`);
    }
    return flags.failChanged === true && summary.same < summary.compared ? ExitCode.shortfall : ExitCode.done;
  } finally {
    asking.stop();
    await search.close();
  }
}
