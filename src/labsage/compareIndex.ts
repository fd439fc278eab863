/** SOP files + an index → which documents an index run would change; no model is loaded. */

import type { BuildOptions } from './buildIndex.js';
import { cutSopFiles } from './cutFiles.js';
import type { Skipped, SopFile } from './documents/sopFiles.js';
import { hashFiles } from './index/hashedFiles.js';
import { hasSameSettings, readSopManifest } from './sopIndex.js';

/** Which documents `files` would change, by path; reads and hashes, loads no model. */
export async function compareWithIndex(
  files: readonly SopFile[],
  options: Pick<BuildOptions, 'folder' | 'chunking' | 'fingerprint' | 'signal'>,
): Promise<IndexComparison> {
  const manifest = await readSopManifest(options.folder);
  const skipped: Skipped[] = [];
  const hashed = await hashFiles(files, { skipped, signal: options.signal });
  const before = new Map((manifest?.documents ?? []).map(({ path, sha256 }) => [path, sha256]));
  const now = new Map(hashed.map(({ path, sha256 }) => [path, sha256]));
  const added = hashed.filter(({ path }) => !before.has(path));
  const readable = await cutSopFiles(added, options);
  skipped.push(...readable.skipped);
  const isSkipped = new Set(skipped.map(({ path }) => path));
  return {
    added: added.map(({ path }) => path).filter((path) => !isSkipped.has(path)),
    updated: [...now]
      .filter(([path, sha256]) => before.has(path) && before.get(path) !== sha256)
      .map(([path]) => path),
    removed: [...before.keys()].filter((path) => !now.has(path)),
    skipped,
    settings: manifest !== undefined && !hasSameSettings(manifest, options),
  };
}

/** Paths. */
export interface IndexComparison {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly removed: readonly string[];
  /** New files that no index could take. */
  readonly skipped: readonly Skipped[];
  /** True if the index was made with other settings. */
  readonly settings: boolean;
}
