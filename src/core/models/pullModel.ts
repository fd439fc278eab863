/** A model's name on the hub → that model in the user's model folder: fetched, checked, imported. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createPrivateFolder } from '../store/atomicFiles.js';
import { slugify } from '../text.js';
import { openHub, type HubOptions } from './hubClient.js';
import { findHubModel } from './hubFiles.js';
import { checkFree, importModel, type ImportOptions, type ImportReport } from './importModel.js';
import type { Dtype } from './modelFiles.js';

export interface PullOptions extends ImportOptions, HubOptions {
  /** Branch, tag or commit; default main. */
  readonly revision?: string;
  /** Kind of weights; default q8 for embedders, q4 for generators, or the next there is. */
  readonly dtype?: Dtype;
  readonly onBytes?: (done: number, total: number) => void;
}

/**
 * What was fetched before an interrupt or a fault is kept beside the models and gone on with. Throws (exit 3) where the hub
 * cannot be reached or sends something else, and as `importModel` does.
 */
export async function pullModel(repo: string, options: PullOptions): Promise<ImportReport & { bytes: number }> {
  const { revision = 'main', dtype, onBytes } = options;
  const id = options.id ?? slugify(repo.split('/').at(-1) ?? repo);
  await checkFree(id, options);
  const client = await openHub(options);
  try {
    const model = await findHubModel(repo, { client, revision, ...(dtype === undefined ? {} : { dtype }) });
    const folder = join(options.models, `pulling-${slugify(repo)}-${model.commit.slice(0, 12)}`);
    await createPrivateFolder(folder);
    const total = model.files.reduce((sum, { bytes }) => sum + bytes, 0);
    let before = 0;
    for (const file of model.files) {
      const from = `${repo}/resolve/${model.commit}/${file.path.split('/').map(encodeURIComponent).join('/')}`;
      const done = before;
      await client.fetchFile(from, join(folder, ...file.path.split('/')), {
        file,
        onBytes: (bytes) => onBytes?.(done + bytes, total),
      });
      before += file.bytes;
    }
    const report = await importModel(folder, {
      ...options,
      id,
      origin: options.origin ?? `${repo} at ${model.commit}, from ${client.base}`,
      licence: options.licence ?? model.licence ?? 'not stated',
    });
    await rm(folder, { recursive: true, force: true });
    return { ...report, bytes: total };
  } finally {
    await client.close();
  }
}
