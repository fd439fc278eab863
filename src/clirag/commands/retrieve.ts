/** `clirag retrieve`: a visit → for each question its chunks with the parts of their scores, and the contribution log. */

import { ExitCode } from '../../core/errors.js';
import type { Chunk } from '../../core/types.js';
import type { CommandContext } from '../../core/program.js';
import type { StageHits } from '../retrieval/globalRetrieval.js';
import { retrieveVisit } from '../retrieveVisit.js';
import { withVisit, type VisitFlags } from './visitOptions.js';

const SHOWN_CHARACTERS = 60;

export async function retrieveCommand(
  _args: readonly string[],
  flags: VisitFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const { output } = context;
  const found = await withVisit(flags, context, ({ chart, visit, options }) =>
    retrieveVisit(chart, visit, options),
  );
  if (found.notKept !== undefined) output.warn(`the vectors were not kept: ${found.notKept}`);
  const chunkOf = new Map(found.notes.flatMap(({ chunks }) => chunks).map((chunk) => [chunk.id, chunk]));
  const stages = [
    ['global', found.global],
    ['local', found.local],
  ] as const;
  if (flags.json === true) {
    for (const [stage, { questions, contributions }] of stages) {
      for (const { hits, ...question } of questions)
        output.printJson({
          stage,
          ...question,
          hits: hits.map((hit) => ({ ...hit, ...placeOf(chunkOf.get(hit.unitId)) })),
        });
      output.printJson({ stage, contributions });
    }
    return ExitCode.done;
  }
  if (found.retrieved.length === 0)
    output.warn(`visit ${found.visit.id} has no evidence by ${found.evidence.asOf}`);
  for (const [stage, hits] of stages) await printStage(stage, hits, { chunkOf, context });
  return ExitCode.done;
}

async function printStage(
  stage: string,
  { questions, contributions }: StageHits,
  { chunkOf, context: { output } }: { chunkOf: ReadonlyMap<string, Chunk>; context: CommandContext },
): Promise<void> {
  if (questions.length === 0) return;
  for (const { question, soap, hits, dropped } of questions) {
    output.print(output.color.bold(`${stage} ${soap}: ${question}`));
    await output.table(
      ['score', 'cosine', 'BM25', 'symptoms', 'note', 'type', 'section', 'text'],
      hits.map(({ unitId, score, parts }) => {
        const chunk = chunkOf.get(unitId);
        const text = (chunk?.text ?? '').replace(/\s+/gu, ' ').slice(0, SHOWN_CHARACTERS);
        const figures = [score, parts?.['dense'] ?? 0, parts?.['keyword'] ?? 0, parts?.['symptoms'] ?? 0];
        return [
          ...figures.map((figure) => figure.toFixed(2)),
          chunk?.noteId ?? '',
          chunk?.type ?? '',
          `${chunk?.header ?? ''} ${chunk?.ordinal ?? ''}`,
          text,
        ];
      }),
    );
    if (dropped.length > 0) output.print(`  ${dropped.length} near-duplicates dropped`);
  }
  output.print(output.color.bold(`${stage} contributions`));
  await output.table(
    ['type', 'hits', 'sections'],
    contributions.map(({ type, hits, sections }) => [
      type,
      hits.toString(),
      Object.entries(sections)
        .map(([section, count]) => `${section} ${count}`)
        .join(', '),
    ]),
  );
}

function placeOf(chunk: Chunk | undefined): object {
  if (chunk === undefined) return {};
  const { noteId, type, header, ordinal, date, time, rawSpan, text } = chunk;
  return { noteId, type, header, ordinal, date, ...(time === undefined ? {} : { time }), rawSpan, text };
}
