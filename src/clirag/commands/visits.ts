/** `clirag visits`: a patient's visits with their notes, and how many of these are evidence by the end of the visit. */

import { ExitCode } from '../../core/errors.js';
import type { Note } from '../../core/types.js';
import type { CommandContext } from '../../core/program.js';
import { listAdmissions, listVisits, selectEvidence } from '../visits.js';
import { openStore, type StoreFlags } from './openStore.js';
import { describeTypes } from './patients.js';

interface VisitsFlags extends StoreFlags {
  readonly patient: string;
  readonly admissions?: boolean;
  readonly json?: boolean;
}

export async function visitsCommand(
  _args: readonly string[],
  flags: VisitsFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const { notes } = await (await openStore(flags, io)).openPatient(flags.patient);
  const noteOf = new Map(notes.map((note) => [note.id, note]));
  const visits = flags.admissions === true ? listAdmissions(notes) : listVisits(notes);
  const listed = visits.map((visit) => {
    const own = visit.noteIds.flatMap((id) => noteOf.get(id) ?? []);
    const evidence = selectEvidence(notes, visit);
    return { visit, types: countTypes(own), evidence };
  });
  if (flags.json === true) {
    for (const { visit, types, evidence } of listed) {
      const { asOf, excluded } = evidence;
      output.printJson({ ...visit, types, asOf, evidence: evidence.notes.map(({ id }) => id), excluded });
    }
  } else {
    await output.table(
      ['visit', flags.admissions === true ? 'dates' : 'date', 'admission', 'notes', 'evidence', 'note types'],
      listed.map(({ visit, types, evidence }) => [
        `#${visit.ordinal}`,
        visit.lastDate === visit.date ? visit.date : `${visit.date} to ${visit.lastDate}`,
        visit.admissionId ?? '',
        visit.noteIds.length.toString(),
        evidence.notes.length.toString(),
        describeTypes(types),
      ]),
    );
  }
  return ExitCode.done;
}

function countTypes(notes: readonly Note[]): Record<string, number> {
  const types: Record<string, number> = {};
  for (const { type } of notes) types[type] = (types[type] ?? 0) + 1;
  return types;
}
