/** A model on disk → what is wrong with its files or its vectors, if anything. */

import { join } from 'node:path';
import { createEmbedder } from '../embedder.js';
import { ToolError } from '../errors.js';
import { hashFile, tryGenerator } from './importModel.js';
import { checkModelSizes, isEmbedder, type InstalledModel } from './modelFiles.js';
import { checkReferenceVectors, writeReferenceMark } from './referenceVectors.js';

export interface ModelVerdict {
  readonly id: string;
  readonly fault: string | null;
  /** Least cosine to the reference vectors; null where there are none, or a fault was found before. */
  readonly cosine: number | null;
}

/** Hashes every file; compares an embedder's reference vectors, and marks it for this machine if it passes; has a generator write. */
export async function verifyModel(model: InstalledModel, stateFolder: string): Promise<ModelVerdict> {
  const { id, files } = model.card;
  try {
    await checkModelSizes(model);
    for (const { path, sha256 } of files) {
      if ((await hashFile(join(model.folder, path))) !== sha256)
        return { id, fault: `${path} was changed: its checksum is another`, cosine: null };
    }
    if (!isEmbedder(model)) {
      await tryGenerator(model);
      return { id, fault: null, cosine: null };
    }
    const embedder = await createEmbedder(model);
    try {
      const cosine = (await checkReferenceVectors(model, embedder)) ?? null;
      await writeReferenceMark(model, stateFolder);
      return { id, fault: null, cosine };
    } finally {
      await embedder.close();
    }
  } catch (error) {
    if (error instanceof ToolError) return { id, fault: error.message, cosine: null };
    throw error;
  }
}
