/** A folder in; how many files it holds and how large they are together, in bytes, out. */

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

export async function walkFiles(folder: string): Promise<{ files: number; bytes: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  let [files, bytes] = [0, 0];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    files += 1;
    bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return { files, bytes };
}
