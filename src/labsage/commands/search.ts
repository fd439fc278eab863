/** `labsage search`: a text → ranked sections with their best words and scores. */

import { ExitCode, ToolError } from '../../core/errors.js';
import { timed } from '../../core/trace.js';
import { collapseBlanks, sliceSpan } from '../../core/text.js';
import type { CommandContext } from '../../core/program.js';
import { describeContext } from '../describe.js';
import { locate } from '../document.js';
import { describeRange } from '../renderAnswer.js';
import { retrieveContexts, unmatchedFilters } from '../retrieve.js';
import { openSearch, retrieveOptions, type SearchFlags } from './openSearch.js';

interface SearchCommandFlags extends SearchFlags {
  readonly explain?: boolean;
  readonly failEmpty?: boolean;
  readonly json?: boolean;
}

/** Sections shown unless -k says otherwise. */
const SEARCH_K = 10;

export async function searchCommand(
  args: readonly string[],
  flags: SearchCommandFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const text = args.join(' ').trim();
  if (text === '') {
    throw new ToolError(ExitCode.usage, 'no text was given', { hint: 'labsage search "hemolyzed specimen"' });
  }
  const search = await openSearch(flags, io);
  try {
    const { index, embedder } = search;
    const options = retrieveOptions(flags, index);
    unmatchedFilters(index.documents, options.filters ?? {}).forEach(output.warn);
    const found = await timed('retrieve', () =>
      retrieveContexts(text, { index, embedder }, { ...options, k: flags.k ?? SEARCH_K }),
    );
    for (const { document, context, score, rank, hits } of found) {
      const full = await index.readDocument(document.id);
      const best = index.unit(hits[0]?.unitId ?? '');
      const span = best?.unit.span ?? context.span;
      const location = locate(full, span);
      const { number, version } = document.control;
      const names = {
        title: document.title,
        ...(number === undefined ? {} : { number }),
        ...(version === undefined ? {} : { version }),
      };
      if (flags.json === true) {
        output.printJson({
          rank,
          score,
          unit: context.id,
          document: { id: document.id, path: document.path, ...names },
          headingPath: context.headingPath,
          location,
          text: sliceSpan(full.text, span),
          hits,
        });
        continue;
      }
      output.print(
        `${rank.toString().padStart(2)}  ${score.toFixed(3)}  ${output.color.cyan(describeContext(names, context.headingPath))}`,
      );
      output.print(`           ${clip(collapseBlanks(sliceSpan(full.text, span)), 160)}`);
      output.print(output.color.dim(`           ${describeRange(location, location)}  ${context.id}`));
      if (flags.explain === true) {
        for (const { score: part, parts, unitId } of hits.slice(0, 5)) {
          const sum = Object.entries(parts ?? {})
            .map(([name, value]) => `${name} ${value.toFixed(3)}`)
            .join(' + ');
          output.print(output.color.dim(`           ${part.toFixed(3)} = ${sum}  ${unitId}`));
        }
      }
    }
    if (found.length === 0 && flags.json !== true) output.note('Nothing found.');
    return flags.failEmpty === true && found.length === 0 ? ExitCode.shortfall : ExitCode.done;
  } finally {
    await search.close();
  }
}

function clip(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1)}…`;
}
