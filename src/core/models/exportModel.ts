/** A model on this machine → a folder to carry to another, whole and hashed, that `models import` takes. */

import { copyFile, lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ExitCode, ToolError } from '../errors.js';
import { hashFile } from './importModel.js';
import { checkModelSizes, type InstalledModel } from './modelFiles.js';

/**
 * Copies the files that the card lists, and the card. The folder appears whole or not at all.
 * Throws (exit 2) where it is there already, (exit 4) where a file of the model is missing or was changed.
 */
export async function exportModel(
  model: InstalledModel,
  { folder, signal, onFile }: { folder: string; signal: AbortSignal; onFile?: (done: number) => void },
): Promise<{ bytes: number }> {
  if ((await lstat(folder).catch(() => undefined)) !== undefined) {
    throw new ToolError(ExitCode.usage, `${folder} exists already`, { hint: 'name a new folder' });
  }
  await checkModelSizes(model);
  const { card } = model;
  const temporary = `${folder}.${process.pid}.part`;
  try {
    for (const [at, { path, sha256 }] of card.files.entries()) {
      signal.throwIfAborted();
      const to = join(temporary, ...path.split('/'));
      await mkdir(dirname(to), { recursive: true });
      await copyFile(join(model.folder, ...path.split('/')), to);
      if ((await hashFile(to)) !== sha256) {
        throw new ToolError(ExitCode.model, `${path} of ${card.id} was changed: its checksum is another`, {
          hint: `labsage models verify ${card.id}`,
        });
      }
      onFile?.(at + 1);
    }
    await writeFile(join(temporary, 'model.json'), `${JSON.stringify(card, null, 2)}\n`);
    await rename(temporary, folder);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return { bytes: card.files.reduce((sum, { bytes }) => sum + bytes, 0) };
}
