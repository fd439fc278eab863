/** `clirag doctor`: versions, settings, models, store, endpoint, permissions; each fault with what mends it. */

import { stat } from 'node:fs/promises';
import { examineFolder, examineMachine, findingOf, reportFindings, type Finding } from '../../core/doctor.js';
import { ToolError, shellWord, type ExitCode } from '../../core/errors.js';
import type { CommandContext } from '../../core/program.js';
import { openStore, storeFolder, type StoreFlags } from './openStore.js';

interface DoctorFlags extends StoreFlags {
  readonly fast?: boolean;
  readonly json?: boolean;
}

/** Charts that are read where the store has more; they are taken evenly from the whole list. */
const READ_CHARTS = 500;

export async function doctorCommand(
  _args: readonly string[],
  flags: DoctorFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const findings = [
    ...(await examineMachine('clirag', { io: context.io, isFast: flags.fast === true })),
    ...(await examineStore(flags, context)),
  ];
  return reportFindings(findings, { output: context.output, json: flags.json === true });
}

async function examineStore(flags: DoctorFlags, { io, output }: CommandContext): Promise<Finding[]> {
  const area = 'store';
  const folder = storeFolder(flags, io);
  const make = `clirag index NOTEEVENTS.csv --index ${shellWord(folder)}`;
  const isThere = (await stat(folder).catch(() => undefined)) !== undefined;
  if (flags.index === undefined && !isThere)
    return [{ area, state: 'note', says: `there is none in ${folder} yet`, mend: make }];
  const findings: Finding[] = [];
  const progress = output.progress('Reading chart');
  try {
    const store = await openStore(flags, io);
    const patients = await store.patients();
    const step = Math.max(1, patients.length / READ_CHARTS);
    const read = patients.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
    let faults = 0;
    for (const [at, { id, notes }] of read.entries()) {
      io.signal.throwIfAborted();
      progress.update(at, read.length);
      try {
        const chart = await store.openPatient(id);
        if (chart.notes.length === notes) continue;
        throw new ToolError(3, `patient ${id} has ${chart.notes.length} notes, the list says ${notes}`);
      } catch (error) {
        faults++;
        findings.push(findingOf(error, { area, mend: `delete ${folder}, then: ${make}` }));
      }
    }
    if (faults === 0)
      findings.push({
        area,
        state: 'ok',
        says: `${patients.length} patients, ${store.manifest.notes} notes; ${read.length} charts read and whole`,
      });
  } catch (error) {
    findings.push(findingOf(error, { area, mend: make }));
  } finally {
    progress.stop();
  }
  if (isThere) findings.push(...(await examineFolder(folder, { area: 'store folder', needed: true })));
  return findings;
}
