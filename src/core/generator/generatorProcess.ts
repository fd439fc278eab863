/** A process of its own: a conversation in, its continuation out word by word; transformers.js writes it, always the likeliest token (greedy). */

import type { PreTrainedModel, PreTrainedTokenizer, Tensor, TextStreamer } from '@huggingface/transformers';
import type { GeneratorFolder } from '../models/generatorFiles.js';
import { openTransformers } from '../transformersLibrary.js';
import type { ChatMessage } from './chat.js';

export interface WriteRequest {
  readonly id: number;
  readonly messages: ChatMessage[];
  readonly maxTokens: number;
}

/** Pieces come first, then exactly one of `done`, `tooLong`, `error`. */
export interface WriteReply {
  readonly id: number;
  readonly piece?: string;
  readonly done?: {
    readonly text: string;
    readonly promptTokens: number;
    readonly completionTokens: number;
    /** False where it stopped at the limit. */
    readonly complete: boolean;
  };
  readonly tooLong?: { readonly promptTokens: number };
  readonly error?: string;
}

interface LoadedModel {
  readonly tokenizer: PreTrainedTokenizer;
  readonly model: PreTrainedModel;
  readonly stops: number[];
  readonly TextStreamer: typeof TextStreamer;
}

const options = JSON.parse(process.argv[2] ?? '{}') as GeneratorFolder;
const loading = load();
// The first request reports a failure to load; without this line Node would end the process before.
loading.catch(() => undefined);

process.on('message', (request: WriteRequest) => {
  void write(request).then(tell);
});

/** The parent may be gone: then nobody waits for it. */
function tell(reply: WriteReply): void {
  if (process.connected) process.send?.(reply);
}

async function load(): Promise<LoadedModel> {
  const { library, name } = await openTransformers(options.folder);
  const { AutoModelForCausalLM, AutoTokenizer, TextStreamer } = library;
  const [tokenizer, model] = await Promise.all([
    AutoTokenizer.from_pretrained(name),
    AutoModelForCausalLM.from_pretrained(name, {
      dtype: options.dtype,
      ...(options.dataFiles === 0 ? {} : { use_external_data_format: options.dataFiles }),
    }),
  ]);
  return { tokenizer, model, stops: stopTokens(model, tokenizer), TextStreamer };
}

/** What the model's own files say ends a reply, and the token that ends a turn in its template. */
function stopTokens(model: PreTrainedModel, tokenizer: PreTrainedTokenizer): number[] {
  const { generation_config: stated, config } = model as unknown as {
    generation_config?: { eos_token_id?: number | number[] | null };
    config: { eos_token_id?: number | number[] | null };
  };
  const { eos_token_id: own } = tokenizer as unknown as { eos_token_id?: number | null };
  return [...new Set([stated?.eos_token_id, config.eos_token_id, own].flat())].filter(
    (id) => typeof id === 'number',
  );
}

async function write({ id, messages, maxTokens }: WriteRequest): Promise<WriteReply> {
  try {
    const { tokenizer, model, stops, TextStreamer } = await loading;
    const inputs = tokenizer.apply_chat_template(messages, {
      add_generation_prompt: true,
      return_dict: true,
      chat_template: options.chatTemplate,
    }) as { input_ids: Tensor; attention_mask: Tensor };
    const promptTokens = inputs.input_ids.dims[1] ?? 0;
    if (promptTokens + maxTokens > options.contextTokens) return { id, tooLong: { promptTokens } };
    const streamer = new TextStreamer(tokenizer, {
      skip_prompt: true,
      skip_special_tokens: true,
      callback_function: (piece: string) => tell({ id, piece }),
    });
    const generated = (await model.generate({
      ...inputs,
      max_new_tokens: maxTokens,
      do_sample: false,
      eos_token_id: stops,
      streamer,
    })) as Tensor;
    const [tokens = []] = generated.tolist() as (number | bigint)[][];
    const written = tokens.slice(promptTokens).map(Number);
    const complete = stops.includes(written.at(-1) ?? NaN);
    const text = tokenizer.decode(written, { skip_special_tokens: true });
    return { id, done: { text, promptTokens, completionTokens: written.length, complete } };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}
