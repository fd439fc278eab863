/** `labsage show`: a unit or document → its words as the index holds them. */

import { ExitCode, ToolError } from '../../core/errors.js';
import { sliceSpan } from '../../core/text.js';
import type { CommandContext } from '../../core/program.js';
import { locate } from '../document.js';
import { describeStatus, localDate } from '../documents/documentControl.js';
import type { IndexedDocument } from '../index/indexFormat.js';
import { describeRange } from '../renderAnswer.js';
import type { SopIndex } from '../sopIndex.js';
import { editDistance } from '../question/questionTerms.js';
import { withIndex } from './openSearch.js';

interface ShowFlags {
  readonly index?: string;
  readonly json?: boolean;
}

export async function showCommand(
  args: readonly string[],
  flags: ShowFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const { found, document } = await withIndex(flags, io, async (index) => {
    const name = args[0] ?? '';
    const match = findUnit(index, name) ?? findDocument(index, name);
    if (match === undefined) throw notFound(index, name);
    return { found: match, document: await index.readDocument(match.document.id) };
  });
  const span = found.span ?? { start: 0, end: document.text.length };
  const location = locate(document, span);
  if (flags.json === true) {
    const { id, path, title, control, boilerplate, notes } = document;
    output.printJson({
      document: { id, path, title, control, boilerplate, notes },
      unit: found.unit ?? null,
      location,
      text: sliceSpan(document.text, span),
    });
  } else {
    output.print(
      output.color.cyan(`${document.title} (${describeStatus(document.control, localDate(new Date()))})`),
    );
    output.print(output.color.dim(describeRange(location, location)));
    output.print();
    output.print(sliceSpan(document.text, span));
  }
  return ExitCode.done;
}

interface Found {
  readonly document: IndexedDocument;
  readonly span?: { start: number; end: number };
  readonly unit?: unknown;
}

function findUnit(index: SopIndex, id: string): Found | undefined {
  for (const document of index.documents) {
    const unit =
      document.contexts.find((context) => context.id === id) ??
      document.units.find((search) => search.id === id);
    if (unit !== undefined) return { document, span: unit.span, unit };
  }
  return undefined;
}

/** By id, path, file name or number; the version in force before others of the same number. */
function findDocument(index: SopIndex, name: string): Found | undefined {
  const wanted = name.replaceAll('\\', '/').replace(/^\.\//u, '').toLowerCase();
  const matches = index.documents.filter(({ id, path, control }) =>
    [id, path, path.split('/').at(-1), control.number].some((known) => known?.toLowerCase() === wanted),
  );
  const document = matches.find(({ control }) => control.status === 'current') ?? matches[0];
  return document === undefined ? undefined : { document };
}

/** Edits up to which a name is taken for a slip of another one. */
function longestSlip(name: string): number {
  return Math.max(1, Math.floor(name.length / 3));
}

function notFound(index: SopIndex, name: string): ToolError {
  const names = index.documents.flatMap(({ id, control }) => [
    id,
    ...(control.number === undefined ? [] : [control.number]),
  ]);
  const nearest = names
    .map((known) => ({ known, distance: editDistance(name.toLowerCase(), known.toLowerCase(), 12) }))
    .sort((a, b) => a.distance - b.distance)[0];
  return new ToolError(ExitCode.input, `the index has no unit or document named ${name}`, {
    hint:
      nearest !== undefined && nearest.distance <= longestSlip(name)
        ? `did you mean ${nearest.known}? List the documents with: labsage status`
        : 'list the documents with: labsage status',
  });
}
