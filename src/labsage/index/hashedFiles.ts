/** SOP files → the same with their bytes' hashes, and those that can't be read. */

import { sha256Hex } from '../../core/text.js';
import { readSopFile, skipReason, type Skipped, type SopFile } from '../documents/sopFiles.js';

/** A file with its bytes' hash. */
export interface HashedFile extends SopFile {
  readonly sha256: string;
}

export async function hashFiles(
  files: readonly SopFile[],
  options: { skipped: Skipped[]; signal?: AbortSignal | undefined },
): Promise<HashedFile[]> {
  const hashed: HashedFile[] = [];
  for (const file of files) {
    options.signal?.throwIfAborted();
    await readSopFile(file.file).then(
      (bytes) => hashed.push({ ...file, sha256: sha256Hex(bytes) }),
      skipInto(options.skipped, file.path),
    );
  }
  return hashed;
}

/** Errors of one file do not stop the others. */
function skipInto(skipped: Skipped[], path: string): (error: unknown) => void {
  return (error) => void skipped.push({ path, reason: skipReason(path, error) });
}
