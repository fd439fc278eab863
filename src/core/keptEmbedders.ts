/** Work that opens and closes embedders again and again → each model loaded once, kept until all the work is done. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { ExitCode, ToolError } from './errors.js';
import type { Embedder } from './types.js';

export interface KeptEmbedders {
  /** The embedder of that key, loaded at the first call; closing it does nothing. One that failed is loaded anew. */
  share(key: string, load: () => Promise<Embedder>): Promise<Embedder>;
  /** Closes them all. */
  close(): Promise<void>;
}

const keeping = new AsyncLocalStorage<KeptEmbedders>();

export function keepEmbedders(): KeptEmbedders {
  const kept = new Map<string, Promise<Embedder>>();
  return {
    async share(key, load) {
      const loading = kept.get(key) ?? load();
      kept.set(key, loading);
      const drop = (): void => {
        if (kept.get(key) === loading) kept.delete(key);
      };
      const embedder = await loading.catch((error: unknown) => {
        drop();
        throw error;
      });
      return {
        fingerprint: embedder.fingerprint,
        embed: (texts, role) =>
          embedder.embed(texts, role).catch(async (error: unknown) => {
            if (error instanceof ToolError && error.exitCode === ExitCode.model) {
              drop();
              await embedder.close();
            }
            throw error;
          }),
        close: () => Promise.resolve(),
      };
    },
    async close() {
      const open = await Promise.allSettled(kept.values());
      kept.clear();
      await Promise.all(open.map(async (one) => one.status === 'fulfilled' && (await one.value.close())));
    },
  };
}

/** Embedders that `work` opens are those of `kept`. */
export function withKeptEmbedders<Result>(kept: KeptEmbedders, work: () => Promise<Result>): Promise<Result> {
  return keeping.run(kept, work);
}

/** A new one where nothing is kept. */
export function sharedEmbedder(key: string, load: () => Promise<Embedder>): Promise<Embedder> {
  return keeping.getStore()?.share(key, load) ?? load();
}
