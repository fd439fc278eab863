/** `file`, or `chroma:URL/COLLECTION` → where vectors are kept. */

import { ExitCode, ToolError } from '../errors.js';

export interface ServerPlace {
  /** Base address without a trailing slash. */
  readonly url: string;
  readonly collection: string;
  /** As it is written into manifests: `chroma:URL/COLLECTION`. */
  readonly name: string;
}

/** Chroma's rule, less what is put behind the name (`collectionName`). */
const COLLECTION = /^[a-zA-Z0-9][a-zA-Z0-9._-]{1,398}[a-zA-Z0-9]$/u;

/** Undefined for `file`. Throws (exit 2) for a name of another form, or one with a password in it. */
export function parseStore(text: string): ServerPlace | undefined {
  const given = text.trim();
  if (given === 'file') return undefined;
  const [, address = '', collection = ''] = /^chroma:(.+)\/([^/?#]+)$/u.exec(given) ?? [];
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/u.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new ToolError(ExitCode.usage, `"${given.replace(/\/\/[^/@]*@/u, '//…@')}" names no store`, {
      hint: 'write it as chroma:http://127.0.0.1:8000/COLLECTION, or file',
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new ToolError(ExitCode.usage, 'a store is named without user and password', {
      hint: 'put its token into the environment variable LABSAGE_STORE_TOKEN',
    });
  }
  if (!COLLECTION.test(collection)) {
    throw new ToolError(ExitCode.usage, `"${collection}" can't be the name of a collection`, {
      hint: 'use 3 letters or more, of a-z, A-Z, 0-9, dot, underscore and hyphen',
    });
  }
  const base = `${url.origin}${url.pathname.replace(/\/+$/u, '')}`;
  return { url: base, collection, name: `chroma:${base}/${collection}` };
}
