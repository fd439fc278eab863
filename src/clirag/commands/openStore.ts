/** Command-line options → the store's folder, and a patient's chart in it. */

import { resolve } from 'node:path';
import { ExitCode, ToolError } from '../../core/errors.js';
import type { Io } from '../../core/output.js';
import { namedStore, storeAccess, type StoreAccessFlags } from '../../core/storeAccess.js';
import type { EmbedderFingerprint } from '../../core/types.js';
import { tell, timed } from '../../core/trace.js';
import { openChartStore, type ChartStore, type PatientChart } from '../chartStore.js';
import { openServerCharts, recordedPlace, type ServerCharts } from '../store/serverCharts.js';
import { ambiguous, parseVisitReference } from '../visits.js';

export interface StoreFlags extends StoreAccessFlags {
  readonly index?: string;
  readonly patient?: string;
}

const DEFAULT_STORE = '.clirag';

export function storeFolder(flags: StoreFlags, io: Io): string {
  return resolve(io.cwd, flags.index ?? io.env['CLIRAG_INDEX'] ?? DEFAULT_STORE);
}

/** The server that was named, or where the store says that its vectors are; undefined for the patients' folders. */
export async function openServer(
  flags: StoreFlags,
  { io, fingerprint }: { io: Io; fingerprint: EmbedderFingerprint },
): Promise<ServerCharts | undefined> {
  const named = namedStore(flags);
  const place = named === undefined ? await recordedPlace(storeFolder(flags, io)) : named.server;
  return place && openServerCharts(place, { ...storeAccess(flags, io), fingerprint });
}

export function openStore(flags: StoreFlags, io: Io): Promise<ChartStore> {
  const folder = storeFolder(flags, io);
  tell(`store ${folder}`);
  return timed('open store', () => openChartStore(folder));
}

/**
 * The chart of `--patient`, or of the patient whose admission the visit names.
 * Throws: a date or number without a patient, an admission of two patients (exit 2), an unknown one (exit 3).
 */
export async function openChart(
  store: ChartStore,
  options: { patient?: string; visit?: string },
): Promise<PatientChart> {
  const open = (id: string): Promise<PatientChart> => timed('read chart', () => store.openPatient(id));
  if (options.patient !== undefined) return open(options.patient);
  const reference = options.visit === undefined ? undefined : parseVisitReference(options.visit);
  if (reference?.kind !== 'admission') {
    throw new ToolError(ExitCode.usage, 'no patient named', {
      hint: 'add --patient ID; only an admission id names its patient by itself',
    });
  }
  const [patientId, ...others] = await store.patientsOfAdmission(reference.admissionId);
  if (patientId === undefined) {
    throw new ToolError(ExitCode.input, `there is no admission ${reference.admissionId} in the store`, {
      hint: 'list the admissions of a patient with: clirag visits --admissions --patient ID',
    });
  }
  if (others.length > 0) {
    throw ambiguous(
      reference.admissionId,
      [patientId, ...others].map((id) => `--patient ${id}`),
    );
  }
  return open(patientId);
}
