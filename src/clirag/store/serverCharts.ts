/** A store's folder + `--store` → the server where its vectors are, one patient at a time; and where the store says they are. */

import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitCode, ToolError, systemCode } from '../../core/errors.js';
import { createPrivateFolder, writeFileAtomic } from '../../core/store/atomicFiles.js';
import type { ChromaOptions } from '../../core/store/chromaClient.js';
import { openServerVectors, vectorKey, type ServerVectors } from '../../core/store/serverVectors.js';
import { parseStore, type ServerPlace } from '../../core/store/storeName.js';
import type { EmbedderFingerprint } from '../../core/types.js';

/** Vectors on a server, by the hash of what was embedded; each call is about one patient and sees no other. */
export interface ServerCharts {
  /** Throws (exit 3) where the server gives a record of another patient. */
  read(patientId: string, hashes: readonly string[]): Promise<Map<string, Float32Array>>;
  missing(patientId: string, hashes: readonly string[]): Promise<string[]>;
  write(patientId: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
}

/** Opens no connection before the first call. */
export function openServerCharts(
  place: ServerPlace,
  options: ChromaOptions & { fingerprint: EmbedderFingerprint },
): ServerCharts {
  let opened: Promise<ServerVectors> | undefined;
  const connect = (): Promise<ServerVectors> =>
    (opened ??= openServerVectors(place, { ...options, groupField: 'patient', create: true }));
  const byKey = (patientId: string, hashes: readonly string[]): Map<string, string> =>
    new Map(hashes.map((hash) => [vectorKey(patientId, hash), hash]));
  const hashesOf = (keys: Iterable<string>, known: ReadonlyMap<string, string>): string[] =>
    [...keys].map((key) => known.get(key) ?? '');
  return {
    async read(patientId, hashes) {
      const known = byKey(patientId, hashes);
      const found = await (await connect()).read([...known.keys()], { group: patientId });
      return new Map([...found].map(([key, vector]) => [known.get(key) ?? '', vector]));
    },
    async missing(patientId, hashes) {
      const known = byKey(patientId, hashes);
      return hashesOf(await (await connect()).missing([...known.keys()]), known);
    },
    async write(patientId, vectors) {
      await (
        await connect()
      ).write(
        [...vectors].map(([hash, vector]) => ({
          key: vectorKey(patientId, hash),
          group: patientId,
          vector,
        })),
      );
    },
  };
}

/** Written by `clirag index --embed --store`, so that every other command need not be told. */
function placePath(folder: string): string {
  return join(folder, 'vectors.json');
}

/** Where the store's vectors are; undefined for the patients' folders. Throws (exit 3) where the file is damaged. */
export async function recordedPlace(folder: string): Promise<ServerPlace | undefined> {
  try {
    const { store } = JSON.parse(await readFile(placePath(folder), 'utf8')) as { store?: unknown };
    return parseStore(String(store));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
    if (!(error instanceof SyntaxError) && !(error instanceof ToolError)) throw error;
    throw new ToolError(ExitCode.input, `${placePath(folder)} names no store`, {
      hint: 'delete the file, or run clirag index --embed with --store',
      cause: error,
    });
  }
}

export async function recordPlace(folder: string, place: ServerPlace | undefined): Promise<void> {
  if (place === undefined) return rm(placePath(folder), { force: true });
  await createPrivateFolder(folder);
  await writeFileAtomic(placePath(folder), `${JSON.stringify({ store: place.name })}\n`);
}
