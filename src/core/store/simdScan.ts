/**
 * A query and a matrix of unit vectors → the float32 cosine of every row, four numbers at a time (WebAssembly SIMD, which
 * every Node 20 has). Sums are rounded, so whoever needs exact scores takes these as a first look and computes the best
 * rows again.
 */

/** How far a score may be off: float32 sums of some hundred products below 1. */
export const SCAN_ERROR = 1e-5;
/** Numbers that one step takes: rows of another length than a multiple can't be scanned. */
const STEP = 16;
const PAGE_BYTES = 65_536;

/** Node's types leave it out. */
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer };
    readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
    readonly Instance: new (
      module: object,
      imports: object,
    ) => { readonly exports: Readonly<Record<string, unknown>> };
  };
};

/** All in bytes: where the query is, the first row, the rows' end, how long one is, where the scores go. */
type Scan = (...places: [query: number, row: number, end: number, rowBytes: number, scores: number]) => void;

/** What scans the memory that a buffer is on. */
const scans = new WeakMap<ArrayBufferLike, Scan>();
let compiled: object | undefined;

/** A buffer whose rows can be scanned where they lie, with room behind it; a plain one where there is no such memory. */
export function allocateRows(bytes: number): Buffer {
  try {
    // A row has 64 bytes or more, and gets a score of 4.
    const pages = Math.ceil((bytes * (1 + 1 / STEP)) / PAGE_BYTES) + 2;
    const memory = new WebAssembly.Memory({ initial: pages });
    compiled ??= new WebAssembly.Module(moduleBytes());
    const { exports } = new WebAssembly.Instance(compiled, { host: { memory } });
    scans.set(memory.buffer, exports['scan'] as Scan);
    return Buffer.from(memory.buffer, 0, bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return Buffer.allocUnsafeSlow(bytes);
  }
}

const LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

/** `vectors`: rows as long as the query, one after the other. Undefined where they can't be scanned. */
export function scanRows(query: Float32Array, vectors: Float32Array): Float32Array | undefined {
  const scan = scans.get(vectors.buffer);
  if (scan === undefined || query.length % STEP !== 0 || vectors.length === 0 || !LITTLE_ENDIAN)
    return undefined;
  const start = vectors.byteOffset;
  const end = start + vectors.byteLength;
  const queryAt = Math.ceil(end / PAGE_BYTES) * PAGE_BYTES;
  const scoresAt = queryAt + query.byteLength;
  const count = vectors.length / query.length;
  if (scoresAt + count * 4 > vectors.buffer.byteLength) return undefined;
  new Float32Array(vectors.buffer, queryAt, query.length).set(query);
  scan(queryAt, start, end, query.byteLength, scoresAt);
  return new Float32Array(vectors.buffer, scoresAt, count);
}

/**
 * The module, put together here rather than kept as opaque bytes. In words:
 *   do { a = b = c = d = 0; at = 0
 *        do { each of a, b, c, d += query[at…] × row[at…], four numbers each; at += 64 } while (at < rowBytes)
 *        *scores = the sum of all lanes; scores += 4; row += rowBytes } while (row < end)
 */
function moduleBytes(): Uint8Array<ArrayBuffer> {
  const [query, row, end, rowBytes, scores, at, a, b, c, d] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
  const sums = [a, b, c, d];
  const get = (local: number): number[] => [0x20, local];
  const set = (local: number): number[] => [0x21, local];
  const tee = (local: number): number[] => [0x22, local];
  const simd = (...code: number[]): number[] => [0xfd, ...code];
  const [loop, end_, add, isBelow, again] = [[0x03, 0x40], 0x0b, 0x6a, 0x49, [0x0d, 0]] as const;
  const [vectorAdd, vectorMultiply, floatAdd] = [simd(0xe4, 1), simd(0xe6, 1), 0x92];
  const load = (base: number, offset: number): number[] => [
    ...get(base),
    ...get(at),
    add,
    ...simd(0x00, 2, offset),
  ];
  const body = [
    ...loop,
    ...sums.flatMap((sum) => [...simd(0x0c, ...new Array<number>(16).fill(0)), ...set(sum)]),
    ...[0x41, 0, ...set(at)],
    ...loop,
    ...sums.flatMap((sum, lane) => [
      ...get(sum),
      ...load(query, lane * 16),
      ...load(row, lane * 16),
      ...vectorMultiply,
      ...vectorAdd,
      ...set(sum),
    ]),
    ...[...get(at), 0x41, 0xc0, 0, add, ...tee(at), ...get(rowBytes), isBelow, ...again, end_],
    ...get(scores),
    ...[...get(a), ...get(b), ...vectorAdd, ...get(c), ...get(d), ...vectorAdd, ...vectorAdd, ...set(a)],
    ...[0, 1, 2, 3].flatMap((lane) => [...get(a), ...simd(0x1f, lane), ...(lane === 0 ? [] : [floatAdd])]),
    ...[0x38, 2, 0],
    ...[...get(scores), 0x41, 4, add, ...set(scores)],
    ...[...get(row), ...get(rowBytes), add, ...tee(row), ...get(end), isBelow, ...again, end_],
  ];
  const section = (id: number, content: readonly number[]): number[] => [
    id,
    ...unsigned(content.length),
    ...content,
  ];
  const name = (text: string): number[] => [text.length, ...Buffer.from(text)];
  const [i32, v128] = [0x7f, 0x7b];
  // Locals: `at`, and the four sums.
  const code = [2, 1, i32, 4, v128, ...body, end_];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 5, i32, i32, i32, i32, i32, 0]),
    ...section(2, [1, ...name('host'), ...name('memory'), 2, 0, 0]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name('scan'), 0, 0]),
    ...section(10, [1, ...unsigned(code.length), ...code]),
  ]);
}

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
}
