/** `clirag prompt`: a visit → the exact prompt for any model, on stdout; or those of a cohort in a folder. */

import { ExitCode, ToolError } from '../../core/errors.js';
import type { CommandContext } from '../../core/program.js';
import { orderSources } from '../prompt.js';
import { toSource } from '../note/provenance.js';
import { writePrompt, type VisitPrompt } from '../soapNote.js';
import { cohortCommand, type CohortFlags } from './cohort.js';
import { withVisit } from './visitOptions.js';

export interface PromptFlags extends CohortFlags {
  readonly json?: boolean;
}

export async function promptCommand(
  _args: readonly string[],
  flags: PromptFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const { output } = context;
  if (flags.patients !== undefined || flags.shard !== undefined || flags.allVisits === true)
    return promptCohort(flags, context);
  if (flags.out !== undefined || flags.visit === undefined)
    throw new ToolError(ExitCode.usage, 'name one visit, or --patients with --all-visits and --out', {
      hint: 'clirag prompt --patient ID --visit V > prompt.txt',
    });
  const prompt = await withVisit(flags, context, ({ chart, visit, options }) =>
    writePrompt(chart, visit, options),
  );
  warnOfGaps(prompt, output);
  if (flags.json === true) output.printJson(promptRecord(prompt));
  else output.io.stdout.write(prompt.prompt);
  return ExitCode.done;
}

/** One file a visit: the prompt alone, or with --json what led to it. */
async function promptCohort(flags: PromptFlags, context: CommandContext): Promise<ExitCode> {
  const asJson = flags.json === true;
  return cohortCommand(flags, context, {
    extension: asJson ? '.json' : '.txt',
    settings: { command: 'prompt', json: asJson },
    async write({ chart, visit, options }) {
      const written = await writePrompt(chart, visit, options);
      const { omitted, retrieval, prior } = written;
      return {
        text: asJson ? `${JSON.stringify(promptRecord(written))}\n` : written.prompt,
        entry: {
          'as-of': retrieval.evidence.asOf,
          sources: retrieval.retrieved.length,
          omitted,
          priorFrom: prior?.from ?? null,
        },
        fallsShort: warnOfGaps(written, context.output),
      };
    },
  });
}

/** True where the prompt is not all of what was found. */
function warnOfGaps({ retrieval, omitted }: VisitPrompt, output: CommandContext['output']): boolean {
  if (retrieval.retrieved.length === 0)
    output.warn(`visit ${retrieval.visit.id} has no evidence by ${retrieval.evidence.asOf}`);
  const isCut = omitted.sent < omitted.intended;
  if (isCut)
    output.warn(
      `${omitted.intended - omitted.sent} of ${omitted.intended} tokens do not fit and are left out`,
    );
  return isCut;
}

function promptRecord({ prompt, omitted, retrieval, prior }: VisitPrompt): Record<string, unknown> {
  return {
    visitId: retrieval.visit.id,
    asOf: retrieval.evidence.asOf,
    prompt,
    omitted,
    sources: orderSources(retrieval.retrieved.map(({ chunk }) => chunk)).map(toSource),
    ...(prior === undefined ? {} : { prior: { visitId: prior.visitId, from: prior.from } }),
  };
}
