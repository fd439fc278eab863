/** A file → its lines as a stream. Only a line feed ends one: U+2028, which Node's readline splits at, may stand in a quote. */

import { createReadStream } from 'node:fs';
import { systemCode } from './errors.js';

export interface StreamedLine {
  /** Without its line feed. */
  readonly text: string;
  /** False for a last line that ends with the file. */
  readonly isWhole: boolean;
}

/** Holds one line in memory at a time. A file that isn't there has no lines. */
export async function* streamLines(path: string): AsyncGenerator<StreamedLine> {
  const pending: Buffer[] = [];
  const takeLine = (end: Buffer): string => {
    const text = Buffer.concat([...pending, end]).toString('utf8');
    pending.length = 0;
    return text;
  };
  try {
    for await (const chunk of createReadStream(path)) {
      let from = 0;
      const bytes = chunk as Buffer;
      for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, from)) {
        yield { text: takeLine(bytes.subarray(from, at)), isWhole: true };
        from = at + 1;
      }
      if (from < bytes.length) pending.push(bytes.subarray(from));
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return;
    throw error;
  }
  if (pending.length > 0) yield { text: takeLine(Buffer.alloc(0)), isWhole: false };
}
