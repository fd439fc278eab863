/** A bare onnxruntime-node loop: texts tokenised beforehand, one at a time, mean of the last hidden state. */

import { join } from 'node:path';
import { AutoTokenizer, env, type Tensor as HubTensor } from '@huggingface/transformers';
import { InferenceSession, Tensor } from 'onnxruntime-node';

export interface BareLoop {
  readonly tokens: number;
  /** Embeds all texts once; returns the milliseconds that the loop took. */
  run(): Promise<number>;
  release(): Promise<void>;
}

export async function bareLoop(modelFolder: string, texts: readonly string[]): Promise<BareLoop> {
  env.allowRemoteModels = false;
  env.localModelPath = join(modelFolder, '..');
  const tokenizer = await AutoTokenizer.from_pretrained(modelFolder.split(/[\\/]/u).at(-1) ?? '');
  const session = await InferenceSession.create(join(modelFolder, 'onnx', 'model_quantized.onnx'));
  const inputs = texts.map((text) => {
    const encoded = tokenizer([text]) as Record<string, HubTensor>;
    const feeds: Record<string, Tensor> = {};
    for (const name of session.inputNames) {
      const tensor = encoded[name];
      const ids = encoded['input_ids'];
      if (ids === undefined) throw new Error('the tokenizer gave no input_ids');
      const data = (tensor?.data ?? new BigInt64Array(ids.size)) as BigInt64Array;
      feeds[name] = new Tensor('int64', data, ids.dims);
    }
    return feeds;
  });
  const tokens = inputs.reduce((sum, feeds) => sum + (feeds['input_ids']?.dims[1] ?? 0), 0);
  return {
    tokens,
    async run() {
      const startMs = performance.now();
      for (const feeds of inputs) {
        const output = await session.run(feeds);
        meanRow(output['last_hidden_state']);
      }
      return performance.now() - startMs;
    },
    release: () => session.release(),
  };
}

function meanRow(states: Tensor | undefined): Float32Array {
  const [, tokens = 0, dims = 0] = states?.dims ?? [];
  const data = states?.data as Float32Array;
  const mean = new Float32Array(dims);
  for (let at = 0; at < tokens * dims; at++) mean[at % dims]! += data[at]! / tokens;
  return mean;
}
