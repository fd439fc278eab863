/** A store's folder → its manifest, the list of its patients, and one patient's chart at a time (design.md, Notes). */

import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitCode, ToolError, systemCode } from '../core/errors.js';
import { openPublication, readManifest } from '../core/store/publication.js';
import type { Note } from '../core/types.js';
import { nearestIds } from './store/nearestIds.js';
import { readPatientNotes } from './store/patientNotes.js';
import {
  INGEST_FOLDER,
  STORE_FORMAT,
  patientFolder,
  type PatientEntry,
  type StoreManifest,
} from './store/storeLayout.js';

export interface ChartStore {
  readonly folder: string;
  readonly manifest: StoreManifest;
  /** Every patient, ids in order of size. Reads the store's list, no chart. */
  patients(): Promise<readonly PatientEntry[]>;
  /** Patients that have notes of the admission; more than one only where ids are not unique. */
  patientsOfAdmission(admissionId: string): Promise<readonly string[]>;
  /** Opens that patient's folder and no other. Throws (exit 3), suggesting the nearest ids, where there is none. */
  openPatient(patientId: string): Promise<PatientChart>;
}

export interface PatientChart {
  readonly patientId: string;
  /** The patient's own folder: notes, vectors, audit log. */
  readonly folder: string;
  /** By date and time. */
  readonly notes: readonly Note[];
}

const DAMAGED_HINT =
  'delete the store and run clirag index again; the files that it was made from are not touched';

/** Throws (exit 3) where there is no store, an ingest was not finished, or the format is another. */
export async function openChartStore(folder: string): Promise<ChartStore> {
  const manifest = await readStoreManifest(folder);
  if (manifest === undefined) {
    if (await isUnfinished(folder)) {
      throw new ToolError(
        ExitCode.input,
        `the store in ${folder} is not complete: an index run was interrupted`,
        {
          hint: 'run the same clirag index command again: it goes on where it stopped',
        },
      );
    }
    throw noStore(folder);
  }
  const patients = (): Promise<readonly PatientEntry[]> => readPatientEntries(folder);
  return {
    folder,
    manifest,
    patients,
    patientsOfAdmission: (admissionId) => readPatientsOfAdmission(folder, admissionId),
    async openPatient(patientId) {
      const own = patientFolder(folder, patientId);
      const chart = await readPatientNotes(own);
      if (chart === undefined) throw unknownPatient(patientId, await patients());
      if (chart.patientId !== patientId)
        throw new ToolError(ExitCode.input, `${own} holds another patient's chart`, { hint: DAMAGED_HINT });
      return { patientId, folder: own, notes: chart.notes };
    },
  };
}

export async function readStoreManifest(folder: string): Promise<StoreManifest | undefined> {
  const manifest = await readManifest(folder, { mend: DAMAGED_HINT });
  if (manifest === undefined) return undefined;
  if (manifest['kind'] !== 'clirag') {
    throw new ToolError(ExitCode.input, `${folder} holds no chart store but something else`, {
      hint: 'name the chart store with --index',
    });
  }
  if (manifest['formatVersion'] !== STORE_FORMAT) {
    throw new ToolError(
      ExitCode.input,
      `the store in ${folder} has format ${String(manifest['formatVersion'])}, this program reads format ${STORE_FORMAT}`,
      { hint: 'make it anew in another folder with: clirag index FILE --index NEW_FOLDER' },
    );
  }
  return manifest as unknown as StoreManifest;
}

export async function readPatientEntries(folder: string): Promise<PatientEntry[]> {
  const lines = await readStoreFile(folder, 'patients');
  return lines.map((line) => JSON.parse(line) as PatientEntry);
}

async function readPatientsOfAdmission(folder: string, admissionId: string): Promise<string[]> {
  const prefix = `${admissionId}\t`;
  return (await readStoreFile(folder, 'admissions'))
    .filter((line) => line.startsWith(prefix))
    .map((line) => line.slice(prefix.length));
}

async function readStoreFile(folder: string, role: 'patients' | 'admissions'): Promise<string[]> {
  const { files } = await openPublication(folder, {
    mend: DAMAGED_HINT,
    async readNow() {
      const manifest = await readStoreManifest(folder);
      if (manifest === undefined) throw noStore(folder);
      return manifest;
    },
  });
  try {
    const lines = (await files.readAll(role)).toString('utf8').split('\n');
    return lines.filter((line) => line !== '');
  } finally {
    await files.close();
  }
}

function noStore(folder: string): ToolError {
  return new ToolError(ExitCode.input, `there is no chart store in ${folder}`, {
    hint: 'make one with: clirag index NOTEEVENTS.csv, or name another with --index',
  });
}

async function isUnfinished(folder: string): Promise<boolean> {
  return access(join(folder, INGEST_FOLDER)).then(
    () => true,
    () => false,
  );
}

/** Whether the folder may become a store: it is empty, is one, or is not there. */
export async function checkIsStoreFolder(folder: string): Promise<void> {
  if ((await readStoreManifest(folder)) !== undefined || (await isUnfinished(folder))) return;
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    if (systemCode(error) !== 'ENOTDIR') throw error;
    throw new ToolError(ExitCode.input, `${folder} is a file`, {
      hint: 'name a folder with --index',
      cause: error,
    });
  }
  if (names.every((name) => name.startsWith('.') || /\.(?:lock|owner)\b/u.test(name))) return;
  throw new ToolError(ExitCode.input, `${folder} holds other files and is no chart store`, {
    hint: 'name an empty or a new folder with --index',
  });
}

function unknownPatient(patientId: string, patients: readonly PatientEntry[]): ToolError {
  const near = nearestIds(
    patientId,
    patients.map(({ id }) => id),
  );
  return new ToolError(ExitCode.input, `there is no patient ${patientId} in the store`, {
    hint:
      near.length === 0
        ? 'list the patients with: clirag patients'
        : `the nearest ids are ${near.join(', ')}; list all with: clirag patients`,
  });
}
