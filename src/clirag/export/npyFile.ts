/** Vectors, one after the other → a `.npy` file (format 1.0) of float32 rows, whose length is written when it is known. */

import { open, type FileHandle } from 'node:fs/promises';

const MAGIC = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]);
/** With room for any number of rows: a multiple of 64, as numpy aligns it. */
const HEADER_BYTES = 128;

export interface NpyWriter {
  /** Throws for a vector of another length than the first. */
  add(vectors: readonly Float32Array[]): Promise<void>;
  /** Writes the shape and closes; the file is no .npy before. */
  finish(): Promise<{ readonly rows: number; readonly dims: number }>;
  /** Closes what is not finished. */
  abandon(): Promise<void>;
}

export async function createNpy(path: string, { dims }: { dims: number }): Promise<NpyWriter> {
  const file: FileHandle = await open(path, 'w', 0o600);
  let rows = 0;
  let at = HEADER_BYTES;
  return {
    async add(vectors) {
      const bytes = Buffer.alloc(vectors.length * dims * 4);
      for (const [row, vector] of vectors.entries()) {
        if (vector.length !== dims) throw new Error(`a vector has ${vector.length} numbers, not ${dims}`);
        vector.forEach((value, column) => bytes.writeFloatLE(value, (row * dims + column) * 4));
      }
      await file.write(bytes, 0, bytes.length, at);
      at += bytes.length;
      rows += vectors.length;
    },
    async finish() {
      await file.write(headerOf(rows, dims), 0, HEADER_BYTES, 0);
      await file.sync();
      await file.close();
      return { rows, dims };
    },
    abandon: () => file.close(),
  };
}

function headerOf(rows: number, dims: number): Buffer {
  const shape = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${dims}), }`;
  const header = Buffer.alloc(HEADER_BYTES, ' ');
  MAGIC.copy(header);
  header.writeUInt16LE(HEADER_BYTES - MAGIC.length - 2, MAGIC.length);
  header.write(shape, MAGIC.length + 2, 'latin1');
  header.write('\n', HEADER_BYTES - 1, 'latin1');
  return header;
}
