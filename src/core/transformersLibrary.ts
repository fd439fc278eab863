/** A model's folder → transformers.js, told to read that folder and to fetch nothing, and what it calls the model there. */

import { basename, dirname } from 'node:path';

export async function openTransformers(
  folder: string,
): Promise<{ library: typeof import('@huggingface/transformers'); name: string }> {
  const library = await import('@huggingface/transformers');
  library.env.allowRemoteModels = false;
  library.env.allowLocalModels = true;
  library.env.useFSCache = false;
  library.env.localModelPath = dirname(folder);
  return { library, name: basename(folder) };
}
