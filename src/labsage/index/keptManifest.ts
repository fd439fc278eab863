/** An index's manifest → a copy beside the audit log under its hash: what an answer was given from can be told later. */

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createPrivateFolder, writeFileAtomic } from '../../core/store/atomicFiles.js';
import { systemCode } from '../../core/errors.js';
import { sha256Hex } from '../../core/text.js';
import type { Manifest } from './indexFormat.js';

const FOLDER = 'audit-manifests';

/** The same corpus, program and settings have the same hash on every machine. */
export function manifestHash(manifest: Manifest): string {
  return sha256Hex(JSON.stringify(manifest));
}

/** Written once for each state of the index; `folder` is the audit log's. */
export async function keepManifest(folder: string, manifest: Manifest): Promise<void> {
  const path = pathOf(folder, manifestHash(manifest));
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  await createPrivateFolder(join(folder, FOLDER));
  await writeFileAtomic(path, JSON.stringify(manifest));
}

/** The manifest of that hash, if a copy is there and is what its hash says. */
export async function readKeptManifest(folder: string, hash: string): Promise<Manifest | undefined> {
  if (!/^[0-9a-f]{64}$/u.test(hash)) return undefined;
  try {
    const text = await readFile(pathOf(folder, hash), 'utf8');
    return sha256Hex(text) === hash ? (JSON.parse(text) as Manifest) : undefined;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function pathOf(folder: string, hash: string): string {
  return join(folder, FOLDER, `${hash}.json`);
}
