/** `--store` and `--allow-remote` → where vectors are kept and how that server is reached. */

import { Option, type Command } from 'commander';
import type { Io } from './output.js';
import type { ChromaOptions } from './store/chromaClient.js';
import { parseStore, type ServerPlace } from './store/storeName.js';

export interface StoreAccessFlags {
  /** `chroma:URL/COLLECTION` or `file`. */
  readonly store?: string;
  readonly allowRemote?: boolean;
}

/** The token is read from the environment only, so that no command line, log or record holds it. */
export function storeAccess(
  { allowRemote }: StoreAccessFlags,
  { env, signal }: Pick<Io, 'env' | 'signal'>,
): ChromaOptions {
  return { signal, allowRemote: allowRemote === true, token: env['LABSAGE_STORE_TOKEN'] };
}

/** Undefined where none was named; `server` is undefined for `file`. Throws (exit 2) for a name of another form. */
export function namedStore({ store }: StoreAccessFlags): { server: ServerPlace | undefined } | undefined {
  return store === undefined ? undefined : { server: parseStore(store) };
}

/** `allowRemote: false` for a command that has an `--allow-remote` of its own, which then counts for both. */
export function withStoreOptions(command: Command, options: { allowRemote?: boolean } = {}): Command {
  command.addOption(
    new Option(
      '--store <place>',
      'where vectors are kept: file, or chroma:URL/COLLECTION (default: where the index has them)',
    ),
  );
  if (options.allowRemote !== false)
    command.option('--allow-remote', 'send vectors (no text) to a store on another machine');
  return command;
}
