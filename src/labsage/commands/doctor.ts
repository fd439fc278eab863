/** `labsage doctor`: versions, settings, models, index, endpoint, permissions; each fault with what mends it. */

import { stat } from 'node:fs/promises';
import { resolvePaths } from '../../core/config.js';
import { examineFolder, examineMachine, findingOf, reportFindings, type Finding } from '../../core/doctor.js';
import { shellWord, type ExitCode } from '../../core/errors.js';
import { findModel, fingerprintOf } from '../../core/models/modelFiles.js';
import type { Io } from '../../core/output.js';
import type { CommandContext } from '../../core/program.js';
import { openSopIndex } from '../sopIndex.js';
import { verifyIndex } from '../verifyIndex.js';
import { indexFolder } from './openSearch.js';

interface DoctorFlags {
  readonly index?: string;
  readonly fast?: boolean;
  readonly json?: boolean;
}

export async function doctorCommand(
  _args: readonly string[],
  flags: DoctorFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const findings = [
    ...(await examineMachine('labsage', { io, isFast: flags.fast === true })),
    ...(await examineIndex(flags, io)),
  ];
  return reportFindings(findings, { output, json: flags.json === true });
}

async function examineIndex(flags: DoctorFlags, io: Io): Promise<Finding[]> {
  const area = 'index';
  const folder = indexFolder(flags, io);
  const make = `labsage index FOLDER_WITH_SOPS --index ${shellWord(folder)}`;
  if (flags.index === undefined && (await stat(folder).catch(() => undefined)) === undefined)
    return [{ area, state: 'note', says: `there is none in ${folder} yet`, mend: make }];
  const findings: Finding[] = [];
  try {
    const index = await openSopIndex(folder);
    try {
      const { checks } = await verifyIndex(index);
      const failed = checks.filter(({ faults }) => faults.length > 0);
      for (const { name, faults } of failed)
        findings.push({
          area,
          state: 'fault',
          says: `not true: ${name} (${faults.length} faults)`,
          mend: make,
        });
      const { embedder } = index.manifest;
      if (failed.length === 0)
        findings.push({
          area,
          state: 'ok',
          says: `${index.documents.length} documents, made with ${embedder.id}; ${checks.length} checks passed`,
        });
      const model = await findModel(embedder.id, await resolvePaths(io.env));
      if (fingerprintOf(model).weightsSha256 !== embedder.weightsSha256)
        findings.push({
          area,
          state: 'fault',
          says: `it was made with other weights of ${embedder.id} than are here`,
          mend: make,
        });
    } finally {
      await index.close();
    }
  } catch (error) {
    findings.push(findingOf(error, { area, mend: make }));
  }
  if ((await stat(folder).catch(() => undefined)) !== undefined)
    findings.push(...(await examineFolder(folder, { area: 'index folder', needed: true })));
  return findings;
}
