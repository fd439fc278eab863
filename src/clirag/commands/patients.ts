/** `clirag patients`: the store's list of patients, without opening a chart. */

import { ExitCode } from '../../core/errors.js';
import type { CommandContext } from '../../core/program.js';
import { openStore, type StoreFlags } from './openStore.js';

interface PatientsFlags extends StoreFlags {
  readonly json?: boolean;
}

export async function patientsCommand(
  _args: readonly string[],
  flags: PatientsFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const patients = await (await openStore(flags, io)).patients();
  if (flags.json === true) for (const patient of patients) output.printJson(patient);
  else {
    await output.table(
      ['patient', 'notes', 'visits', 'admissions', 'first', 'last', 'note types'],
      patients.map(({ id, notes, dates, admissions, first, last, types }) => [
        id,
        notes.toString(),
        dates.toString(),
        admissions.length.toString(),
        first,
        last,
        describeTypes(types),
      ]),
    );
    output.note(`${patients.length} patients, ${patients.reduce((sum, { notes }) => sum + notes, 0)} notes`);
  }
  return ExitCode.done;
}

/** `nursing 12, radiology 3`, the most frequent first. */
export function describeTypes(types: Readonly<Record<string, number | undefined>>): string {
  return Object.entries(types)
    .sort(([a, m], [b, n]) => (n ?? 0) - (m ?? 0) || (a < b ? -1 : 1))
    .map(([type, count]) => `${type} ${count ?? 0}`)
    .join(', ');
}
