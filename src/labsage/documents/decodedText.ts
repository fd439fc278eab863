/** The bytes of a text file in; its text with `\n` line ends, and the encoding that was told, out. */

import iconv from 'iconv-lite';

import { ExitCode, ToolError } from '../../core/errors.js';

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

export interface DecodedText {
  readonly text: string;
  readonly encoding: TextEncoding;
  readonly notes: readonly string[];
}

/** Bytes looked at to tell an encoding without a mark. */
const SAMPLE_BYTES = 4096;
/** Share of control characters from which on a file is no text. */
const BINARY_SHARE = 0.02;

/**
 * A byte order mark decides, then NUL bytes in every other place (UTF-16), then valid UTF-8, then windows-1252.
 * @throws ToolError (input) for bytes that are no text.
 */
export function decodeText(bytes: Uint8Array, options: { path: string }): DecodedText {
  const encoding = tellEncoding(bytes);
  if (encoding === undefined) throw notText(options.path);
  // Node's own TextDecoder takes windows-1252 for Latin-1 and loses its dashes and bullets.
  const raw =
    encoding === 'windows-1252'
      ? iconv.decode(Buffer.from(bytes), encoding)
      : new TextDecoder(encoding).decode(bytes);
  const text = raw.replace(/\r\n?|\u0085|\u2028|\u2029/g, '\n');
  const sample = text.slice(0, 100_000);

  const controls = sample.match(/[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/g)?.length ?? 0;
  if (controls > sample.length * BINARY_SHARE) throw notText(options.path);
  const notes = encoding === 'windows-1252' ? ['the file is not UTF-8; it was read as windows-1252'] : [];
  return { text, encoding, notes };
}

function tellEncoding(bytes: Uint8Array): TextEncoding | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  let even = 0;
  let odd = 0;
  sample.forEach((byte, index) => {
    if (byte !== 0) return;
    if (index % 2 === 0) even += 1;
    else odd += 1;
  });
  if (even + odd > 0) {
    const half = sample.length / 2;
    if (odd > half * 0.5 && even < half * 0.05) return 'utf-16le';
    if (even > half * 0.5 && odd < half * 0.05) return 'utf-16be';
    if (even + odd > sample.length * BINARY_SHARE) return undefined;
  }
  return isUtf8(bytes) ? 'utf-8' : 'windows-1252';
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function notText(path: string): ToolError {
  return new ToolError(ExitCode.input, `${path}: not a text file (binary content under a text file's name)`, {
    hint: 'save it as text, Markdown, HTML, DOCX or PDF under the matching file name',
  });
}
