/** A zip archive → the text of each of its files, by name. */

import { text } from 'node:stream/consumers';
import { openPromise } from 'yauzl';

export async function zipEntries(path: string): Promise<Record<string, string>> {
  const zip = await openPromise(path, { autoClose: false, lazyEntries: true });
  const texts: Record<string, string> = {};
  for await (const entry of zip.eachEntry())
    texts[entry.fileName] = await text(await zip.openReadStreamPromise(entry));
  zip.close();
  return texts;
}
