/** A PDF file's bytes in; nothing out, or the error that one of its streams inflates beyond reason. */

import { constants, inflateSync } from 'node:zlib';

import { ExitCode, systemCode, ToolError } from '../../../core/errors.js';

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
 * The PDF library inflates without bounds; here each deflated stream is inflated once, counted and thrown away.
 * @throws ToolError (input)
 */
export function checkPdfStreams(bytes: Uint8Array, { path }: { path: string }): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let left = STREAMS_LIMIT_BYTES;
  for (let at = file.indexOf('stream'); at !== -1; at = file.indexOf('stream', at + 6)) {
    if (file.subarray(at - 3, at).toString('latin1') === 'end') continue;
    const before = file.subarray(Math.max(0, at - DICTIONARY_BYTES), at).toString('latin1');
    const dictionary = before.slice(Math.max(before.lastIndexOf(' obj'), 0));
    const layers = dictionary.match(/\/(?:FlateDecode|Fl)(?![A-Za-z])/g)?.length ?? 0;
    if (layers === 0) continue;
    const isImage = /\/Subtype\s*\/Image/.test(dictionary);
    const limit = isImage ? IMAGE_LIMIT_BYTES : Math.min(STREAM_LIMIT_BYTES, left);
    const start = at + 6 + (file[at + 6] === 13 ? 1 : 0) + 1;
    const size = inflatedBytes(file.subarray(start), { layers, limit });
    if (size === undefined)
      throw new ToolError(
        ExitCode.input,
        `${path}: inflates to more than ${limit / MEGABYTE} MB in one part and was not read`,
        { hint: 'open it and print it to PDF again' },
      );
    if (!isImage) left -= size;
  }
}

/** Undefined beyond the limit; what cannot be inflated has no bytes, and is the PDF library's to refuse. */
function inflatedBytes(
  deflated: Buffer,
  { layers, limit }: { layers: number; limit: number },
): number | undefined {
  let data = deflated;
  for (let layer = 0; layer < layers; layer += 1) {
    try {
      data = inflateSync(data, { maxOutputLength: limit, finishFlush: constants.Z_SYNC_FLUSH });
    } catch (error) {
      return systemCode(error) === 'ERR_BUFFER_TOO_LARGE' ? undefined : 0;
    }
  }
  return data.length;
}
