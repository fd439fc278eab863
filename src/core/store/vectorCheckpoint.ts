/** Vectors as they are computed → an append-only file, so that an interrupted run continues where it stopped. */

import { createHash } from 'node:crypto';
import { open, readFile, readdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../errors.js';

/** Bytes of a text's hash and of a record's checksum. */
const KEY_BYTES = 16;
const CHECK_BYTES = 4;

export interface VectorCheckpoint {
  /** Vectors of an earlier, interrupted run by text hash (32 hex digits). */
  readonly vectors: ReadonlyMap<string, Float32Array>;
  append(entries: readonly { readonly hash: string; readonly vector: Float32Array }[]): Promise<void>;
  close(): Promise<void>;
}

/** Opens or creates the checkpoint for one embedder; records cut short or damaged by a kill are ignored. */
export async function openVectorCheckpoint(
  folder: string,
  options: { key: string; dims: number },
): Promise<VectorCheckpoint> {
  const path = join(folder, `checkpoint-${options.key}.bin`);
  const recordBytes = KEY_BYTES + options.dims * 4 + CHECK_BYTES;
  const bytes = await readIfThere(path);
  const { vectors, validBytes } = parseRecords(bytes, { ...options, recordBytes });
  // Windows cannot cut a file that is open for appending.
  if (bytes.length > validBytes) await truncate(path, validBytes);
  const file = await open(path, 'a', 0o600);
  return {
    vectors,
    async append(entries) {
      const buffer = Buffer.alloc(entries.length * recordBytes);
      entries.forEach(({ hash, vector }, entry) => {
        const record = buffer.subarray(entry * recordBytes, (entry + 1) * recordBytes);
        record.write(hash, 0, 'hex');
        vector.forEach((value, dim) => record.writeFloatLE(value, KEY_BYTES + dim * 4));
        checksum(record).copy(record, recordBytes - CHECK_BYTES);
      });
      await file.appendFile(buffer);
    },
    close: () => file.close(),
  };
}

const CHECKPOINT_FILE = /^checkpoint-[0-9a-f]+\.bin$/u;

/** Removes the checkpoints of all embedders: what is published needs none. The caller holds the folder's lock. */
export async function removeCheckpoints(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (CHECKPOINT_FILE.test(name)) await rm(join(folder, name), { force: true });
  }
}

function parseRecords(
  data: Buffer,
  options: { dims: number; recordBytes: number },
): { vectors: Map<string, Float32Array>; validBytes: number } {
  const vectors = new Map<string, Float32Array>();
  let at = 0;
  for (; at + options.recordBytes <= data.length; at += options.recordBytes) {
    const record = data.subarray(at, at + options.recordBytes);
    if (!checksum(record).equals(record.subarray(options.recordBytes - CHECK_BYTES))) break;
    const vector = Float32Array.from({ length: options.dims }, (_, dim) =>
      record.readFloatLE(KEY_BYTES + dim * 4),
    );
    vectors.set(record.toString('hex', 0, KEY_BYTES), vector);
  }
  return { vectors, validBytes: at };
}

function checksum(record: Buffer): Buffer {
  return createHash('sha256')
    .update(record.subarray(0, record.length - CHECK_BYTES))
    .digest()
    .subarray(0, CHECK_BYTES);
}

async function readIfThere(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
