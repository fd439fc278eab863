/** The bytes of a PDF stream under one filter in; its decoded bytes out, or nothing where they are more than a limit. */

import { constants, inflateSync } from 'node:zlib';

import { systemCode } from '../../../core/errors.js';

type Decode = (data: Uint8Array, options: { limit: number; dictionary: string }) => Uint8Array | undefined;

/** Filters of text and drawing, by their long and short names (PDF 32000-1, table 6); those of images are none. */
const FILTERS: Readonly<Record<string, Decode>> = {
  FlateDecode: inflate,
  Fl: inflate,
  LZWDecode: lzw,
  LZW: lzw,
  RunLengthDecode: runLength,
  RL: runLength,
  ASCIIHexDecode: hex,
  AHx: hex,
  ASCII85Decode: ascii85,
  A85: ascii85,
};

/**
 * Undoes the filters that a stream's dictionary names, in its order.
 * @returns undefined beyond the limit, in any of them; what cannot be decoded is the PDF library's to refuse.
 */
export function decodeBounded(
  data: Uint8Array,
  options: { limit: number; dictionary: string },
): Uint8Array | undefined {
  let decoded: Uint8Array | undefined = data;
  for (const name of filterNames(options.dictionary)) {
    const decode = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
    decoded = decode === undefined ? decoded : decode(decoded, options);
    if (decoded === undefined) return undefined;
  }
  return decoded;
}

/** Whether the dictionary names a filter whose output can be much larger than its input. */
export function canGrow(dictionary: string): boolean {
  return filterNames(dictionary).some((name) => /^(?:Fl|LZW|R)/.test(name));
}

/** `/Filter /A` or `/Filter [/A /B]`, `/F` for short; characters may be written as `#41`. */
function filterNames(dictionary: string): string[] {
  const plain = dictionary.replace(/#([0-9A-Fa-f]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  const value = /\/F\s*(\[[^\]]*\]|\/\w+)/.exec(plain) ?? /\/Filter\s*(\[[^\]]*\]|\/\w+)/.exec(plain);
  return value?.[1]?.match(/\w+/g) ?? [];
}

function inflate(data: Uint8Array, { limit }: { limit: number }): Uint8Array | undefined {
  try {
    return inflateSync(data, { maxOutputLength: limit, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    return systemCode(error) === 'ERR_BUFFER_TOO_LARGE' ? undefined : new Uint8Array();
  }
}

/** Bytes that are added one piece after the other. */
function collect(limit: number): { add(piece: Uint8Array): boolean; bytes(): Uint8Array } {
  let held = new Uint8Array(65_536);
  let size = 0;
  return {
    /** False beyond the limit. */
    add(piece) {
      if (size + piece.length > limit) return false;
      if (size + piece.length > held.length) {
        const larger = new Uint8Array(2 * held.length + piece.length);
        larger.set(held);
        held = larger;
      }
      held.set(piece, size);
      size += piece.length;
      return true;
    },
    bytes: () => held.subarray(0, size),
  };
}

/** 7.4.5: a length below 128 copies as many bytes and one, one above repeats the next byte; 128 ends. */
function runLength(data: Uint8Array, { limit }: { limit: number }): Uint8Array | undefined {
  const out = collect(limit);
  for (let at = 0; at < data.length;) {
    const length = data[at] ?? 128;
    if (length === 128) break;
    const isCopy = length < 128;
    const piece = isCopy
      ? data.subarray(at + 1, at + 2 + length)
      : new Uint8Array(257 - length).fill(data[at + 1] ?? 0);
    if (!out.add(piece)) return undefined;
    at += isCopy ? length + 2 : 2;
  }
  return out.bytes();
}

const LZW_CLEAR = 256;
const LZW_END = 257;
const LZW_FIRST = 258;
const LZW_CODES = 4096;

/** 7.4.4: codes of 9 to 12 bits, each for the bytes of an earlier code and one more. */
function lzw(
  data: Uint8Array,
  { limit, dictionary }: { limit: number; dictionary: string },
): Uint8Array | undefined {
  const early = /\/EarlyChange\s+0/.test(dictionary) ? 0 : 1;
  const out = collect(limit);
  let table: Uint8Array[] = [];
  let previous: Uint8Array | undefined;
  let [bits, held, width] = [0, 0, 9];
  for (const byte of data) {
    held = (held << 8) | byte;
    bits += 8;
    if (bits < width) continue;
    bits -= width;
    const code = held >>> bits;
    held &= (1 << bits) - 1;
    if (code === LZW_END) break;
    if (code === LZW_CLEAR) {
      [table, previous, width] = [[], undefined, 9];
      continue;
    }
    const known = code < LZW_CLEAR ? Uint8Array.of(code) : table[code - LZW_FIRST];
    const piece = known ?? (previous === undefined ? undefined : withByte(previous, previous[0]));
    if (piece === undefined) break;
    if (!out.add(piece)) return undefined;
    if (previous !== undefined && table.length < LZW_CODES - LZW_FIRST)
      table.push(withByte(previous, piece[0]));
    previous = piece;
    const next = LZW_FIRST + table.length + early;
    width = next >= 2048 ? 12 : next >= 1024 ? 11 : next >= 512 ? 10 : 9;
  }
  return out.bytes();
}

function withByte(bytes: Uint8Array, last = 0): Uint8Array {
  const longer = new Uint8Array(bytes.length + 1);
  longer.set(bytes);
  longer[bytes.length] = last;
  return longer;
}

function hex(data: Uint8Array): Uint8Array {
  const digits = upTo(data, '>').replace(/[^0-9A-Fa-f]/g, '');
  return Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex');
}

/** 7.4.3: five characters for four bytes, `z` for four zeros. */
function ascii85(data: Uint8Array, { limit }: { limit: number }): Uint8Array | undefined {
  const out = collect(limit);
  let group: number[] = [];
  const end = (): boolean => {
    const kept = group.length - 1;
    while (group.length < 5) group.push(84);
    const value = group.reduce((sum, digit) => sum * 85 + digit, 0) % 2 ** 32;
    group = [];
    return out.add(Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value).subarray(0, kept));
  };
  for (const byte of data) {
    if (byte === TILDE) break;
    if (byte === ZEROS && group.length === 0) group = [0, 0, 0, 0, 0];
    else if (byte >= 33 && byte <= 117) group.push(byte - 33);
    if (group.length === 5 && !end()) return undefined;
  }
  return group.length < 2 || end() ? out.bytes() : undefined;
}

const TILDE = 126;
const ZEROS = 122;

function upTo(data: Uint8Array, mark: string): string {
  const text = Buffer.from(data.buffer, data.byteOffset, data.length).toString('latin1');
  const end = text.indexOf(mark);
  return end === -1 ? text : text.slice(0, end);
}
