/** The least that any search with this model costs: Node's start, importing transformers.js, loading the model, reading the index. */

import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const [modelFolder = '', indexFolder = ''] = process.argv.slice(2);
const { AutoModel, AutoTokenizer, env } = await import('@huggingface/transformers');
env.allowRemoteModels = false;
env.useFSCache = false;
env.localModelPath = dirname(modelFolder);
await AutoTokenizer.from_pretrained(basename(modelFolder));
await AutoModel.from_pretrained(basename(modelFolder), { dtype: 'q8' });
for (const name of readdirSync(indexFolder)) {
  if (name.endsWith('.f32')) readFileSync(join(indexFolder, name));
}
