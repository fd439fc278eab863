/** vectra's `IndexCodec` in binary: vectors lie as float32 in one piece and are handed out as views on it. */

import type { IndexCodec, IndexData } from 'vectra';

/** Layout: magic (4), dims (4), items (4), header bytes (4), header JSON padded to 4, then items × dims float32, little endian. */
const MAGIC = 0x3146534c;
const FIXED_BYTES = 16;

interface Header {
  readonly version: number;
  readonly ids: readonly string[];
  readonly metadata: readonly IndexData['items'][number]['metadata'][];
}

/** Vectors are unit vectors: their norm is 1 and is not stored. */
export const float32Codec: IndexCodec = {
  extension: '.f32',
  serializeIndex({ version, items }) {
    const dims = items[0]?.vector.length ?? 0;
    const header: Header = {
      version,
      ids: items.map(({ id }) => id),
      metadata: items.map(({ metadata }) => metadata),
    };
    const json = Buffer.from(JSON.stringify(header), 'utf8');
    const headerBytes = Math.ceil(json.length / 4) * 4;
    const buffer = Buffer.alloc(FIXED_BYTES + headerBytes + items.length * dims * 4, ' ');
    buffer.writeUInt32LE(MAGIC, 0);
    buffer.writeUInt32LE(dims, 4);
    buffer.writeUInt32LE(items.length, 8);
    buffer.writeUInt32LE(headerBytes, 12);
    json.copy(buffer, FIXED_BYTES);
    const vectors = new DataView(buffer.buffer, buffer.byteOffset + FIXED_BYTES + headerBytes);
    items.forEach(({ id, vector }, item) => {
      if (vector.length !== dims) throw new Error(`vector of ${id} has ${vector.length} values, not ${dims}`);
      for (let dim = 0; dim < dims; dim++)
        vectors.setFloat32((item * dims + dim) * 4, vector[dim] ?? NaN, true);
    });
    return buffer;
  },
  deserializeIndex(buffer) {
    const { version, ids, metadata, vectors, dims } = readFloat32File(buffer);
    return {
      version,
      metadata_config: {},
      items: ids.map((id, item) => ({
        id,
        metadata: metadata[item] ?? {},
        // vectra only reads `length` and elements, which a Float32Array has too.
        vector: vectors.subarray(item * dims, (item + 1) * dims) as unknown as number[],
        norm: 1,
      })),
    };
  },
  serializeCatalog: (catalog) => Buffer.from(JSON.stringify(catalog)),
  deserializeCatalog: (buffer) =>
    JSON.parse(buffer.toString('utf8')) as ReturnType<IndexCodec['deserializeCatalog']>,
  serializeMetadata: (metadata) => Buffer.from(JSON.stringify(metadata)),
  deserializeMetadata: (buffer) =>
    JSON.parse(buffer.toString('utf8')) as ReturnType<IndexCodec['deserializeMetadata']>,
};

/** A file of this codec as it lies: `vectors` has `ids.length` × `dims` values, row by row, and shares the buffer's memory. */
export function readFloat32File(
  buffer: Buffer,
): Header & { readonly dims: number; readonly vectors: Float32Array } {
  if (buffer.length < FIXED_BYTES || buffer.readUInt32LE(0) !== MAGIC)
    throw new Error('not a float32 index file');
  const dims = buffer.readUInt32LE(4);
  const count = buffer.readUInt32LE(8);
  const headerBytes = buffer.readUInt32LE(12);
  const vectorsAt = FIXED_BYTES + headerBytes;
  if (buffer.length !== vectorsAt + count * dims * 4)
    throw new Error('float32 index file of another length than it states');
  const header = JSON.parse(buffer.toString('utf8', FIXED_BYTES, vectorsAt)) as Header;
  return { ...header, dims, vectors: float32View(buffer.subarray(vectorsAt)) };
}

const LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

/** No copy where the bytes are aligned and the processor little endian, which is nearly always. */
function float32View(bytes: Buffer): Float32Array {
  if (LITTLE_ENDIAN && bytes.byteOffset % 4 === 0) {
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => view.getFloat32(at * 4, true));
}
