/** A PDF file's bytes in; nothing out, or the error that one of its streams inflates beyond reason. */

import { ExitCode, ToolError } from '../../../core/errors.js';
import { canGrow, decodeBounded } from './pdfFilters.js';

const MEGABYTE = 1024 * 1024;
/** A page's drawing commands, a font, an object stream. */
const STREAM_LIMIT_BYTES = 64 * MEGABYTE;
/** A colour scan of one page at 600 dots per inch has 100 MB. */
const IMAGE_LIMIT_BYTES = 256 * MEGABYTE;
/** All streams that are no images. */
const STREAMS_LIMIT_BYTES = 512 * MEGABYTE;
/** A stream's dictionary is looked for in so many bytes before it. */
const DICTIONARY_BYTES = 2048;

/**
 * The PDF library decodes without bounds; here each compressed stream is decoded once, counted and thrown away.
 * @throws ToolError (input)
 */
export function checkPdfStreams(bytes: Uint8Array, { path }: { path: string }): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let left = STREAMS_LIMIT_BYTES;
  for (let at = file.indexOf('stream'); at !== -1; at = file.indexOf('stream', at + 6)) {
    if (file.subarray(at - 3, at).toString('latin1') === 'end') continue;
    const before = file.subarray(Math.max(0, at - DICTIONARY_BYTES), at).toString('latin1');
    const dictionary = withFilter(before.slice(Math.max(before.lastIndexOf(' obj'), 0)), file);
    if (!canGrow(dictionary)) continue;
    const isImage = /\/Subtype\s*\/Image/.test(dictionary);
    const limit = isImage ? IMAGE_LIMIT_BYTES : Math.min(STREAM_LIMIT_BYTES, left);
    const start = at + 6 + (file[at + 6] === 13 ? 1 : 0) + 1;
    const decoded = decodeBounded(file.subarray(start, endOf(file, { start, dictionary })), {
      dictionary,
      limit,
    });
    if (decoded === undefined)
      throw new ToolError(
        ExitCode.input,
        `${path}: inflates to more than ${limit / MEGABYTE} MB in one part and was not read`,
        { hint: 'open it and print it to PDF again' },
      );
    if (!isImage) left -= decoded.length;
  }
}

/** A filter that is another object (`/Filter 12 0 R`) is put in its place; one that is not found is taken for the common one. */
function withFilter(dictionary: string, file: Buffer): string {
  return dictionary.replace(/(\/F(?:ilter)?)\s+(\d+\s+\d+)\s+R\b/g, (_, key: string, id: string) => {
    const head = `${id.replace(/\s+/, ' ')} obj`;
    let at = file.indexOf(head);
    while (at > 0 && /\d/.test(String.fromCharCode(file[at - 1] ?? 32))) at = file.indexOf(head, at + 1);
    const value = at === -1 ? '' : file.subarray(at + head.length, at + head.length + 200).toString('latin1');
    return `${key} ${/^\s*(\[[^\]]*\]|\/[\w#]+)/.exec(value)?.[1] ?? '/FlateDecode'}`;
  });
}

/** Where the stream's bytes end at the latest: a stated length may be a lie, and so may the end mark. */
function endOf(file: Buffer, { start, dictionary }: { start: number; dictionary: string }): number {
  const stated = /\/Length\s+(\d+)(?!\s+\d+\s+R)/.exec(dictionary)?.[1];
  const marked = file.indexOf('endstream', start);
  return stated === undefined || marked === -1 ? file.length : Math.max(marked, start + Number(stated));
}
