/** Results of an evaluation → its tables on stdout, its gates on stderr; both `eval` commands print with it. */

import type { Output, TableOptions } from './output.js';

export interface ResultTable {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly note?: string;
}

export async function printResultTable(
  { title, head, rows, note }: ResultTable,
  output: Output,
  options?: TableOptions,
): Promise<void> {
  output.print(`\n${output.color.bold(title)}`);
  await output.table(head, rows, options);
  if (note !== undefined) output.print(output.color.dim(note));
}

/** True if a gate fell short. Those are warned of, and come last. */
export function reportGates<Result extends { readonly passed: boolean }>(
  gates: readonly Result[],
  { describe, output }: { describe: (gate: Result) => string; output: Output },
): boolean {
  const short = gates.filter(({ passed }) => !passed);
  for (const gate of gates) if (gate.passed) output.note(`ok: ${describe(gate)}`);
  for (const gate of short) output.warn(describe(gate));
  return short.length > 0;
}
