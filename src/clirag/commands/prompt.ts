/** `clirag prompt`: a visit → the exact prompt for any model, on stdout. */

import { ExitCode } from '../../core/errors.js';
import type { CommandContext } from '../../core/program.js';
import { orderSources } from '../prompt.js';
import { toSource } from '../note/provenance.js';
import { writePrompt } from '../soapNote.js';
import { withVisit, type VisitFlags } from './visitOptions.js';

export async function promptCommand(
  _args: readonly string[],
  flags: VisitFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const { output } = context;
  const { prompt, omitted, retrieval, prior } = await withVisit(flags, context, ({ chart, visit, options }) =>
    writePrompt(chart, visit, options),
  );
  if (retrieval.retrieved.length === 0)
    output.warn(`visit ${retrieval.visit.id} has no evidence by ${retrieval.evidence.asOf}`);
  if (omitted.sent < omitted.intended)
    output.warn(
      `${omitted.intended - omitted.sent} of ${omitted.intended} tokens do not fit and are left out`,
    );
  if (flags.json === true) {
    const sources = orderSources(retrieval.retrieved.map(({ chunk }) => chunk)).map(toSource);
    output.printJson({
      visitId: retrieval.visit.id,
      asOf: retrieval.evidence.asOf,
      prompt,
      omitted,
      sources,
      ...(prior === undefined ? {} : { prior: { visitId: prior.visitId, from: prior.from } }),
    });
  } else output.io.stdout.write(prompt);
  return ExitCode.done;
}
