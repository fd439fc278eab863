/** Notes in any order → one append-only file a shard, so that the rows of a patient that lie far apart come together. */

import { appendFileSync, readFileSync } from 'node:fs';
import { readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../core/errors.js';
import { createPrivateFolder } from '../../core/store/atomicFiles.js';
import type { NoteHead } from '../notes.js';
import { decodeRecords, headLine, type DecodedRecord } from '../store/patientNotes.js';
import { SHARDS, shardOf } from '../store/storeLayout.js';

/** Memory that waits for each of the 256 files; 32 MB in all. */
const BUFFER_BYTES = 128 * 1024;

/** A note, or word that a note that may be stored already was erroneous. */
export type SpillHead = NoteHead | { readonly erroneous: string; readonly patientId: string };

export interface Spill {
  append(head: SpillHead, text: Buffer): void;
  /** Writes what waits; returns the length of every file that is not empty. */
  flush(): Readonly<Record<string, number>>;
}

interface Waiting {
  readonly buffer: Buffer;
  used: number;
}

/** `lengths`: of an interrupted run; what was written after them is cut off. */
export async function openSpill(
  folder: string,
  lengths: Readonly<Record<string, number>> = {},
): Promise<Spill> {
  await createPrivateFolder(folder);
  for (const name of await readdir(folder)) {
    const shard = /^([0-9a-f]{2})\.spill$/u.exec(name)?.[1];
    if (shard === undefined) continue;
    if (lengths[shard] === undefined) await rm(join(folder, name), { force: true });
    else await truncate(join(folder, name), lengths[shard]);
  }
  const written: Record<string, number> = { ...lengths };
  const waiting = new Map<string, Waiting>();
  const shardOfPatient = new Map<string, string>();
  // Synchronous: a write of this size into the system's cache takes less time than waiting for it in turn.
  const write = (shard: string, data: Buffer): void => {
    appendFileSync(spillPath(folder, shard), data, { mode: 0o600 });
    written[shard] = (written[shard] ?? 0) + data.length;
  };
  const writeOut = (shard: string, wait: Waiting): void => {
    if (wait.used > 0) write(shard, wait.buffer.subarray(0, wait.used));
    wait.used = 0;
  };
  return {
    append(head, text) {
      let shard = shardOfPatient.get(head.patientId);
      if (shard === undefined) {
        shard = shardOf(head.patientId);
        shardOfPatient.set(head.patientId, shard);
      }
      let wait = waiting.get(shard);
      if (wait === undefined) {
        wait = { buffer: Buffer.allocUnsafe(BUFFER_BYTES), used: 0 };
        waiting.set(shard, wait);
      }
      const line = headLine(head, text);
      // A UTF-16 code unit is three bytes of UTF-8 at most.
      const most = 3 * line.length + text.length + 1;
      if (wait.used + most > BUFFER_BYTES) writeOut(shard, wait);
      if (most > BUFFER_BYTES) {
        write(shard, Buffer.concat([Buffer.from(line, 'utf8'), text, LINE_FEED]));
        return;
      }
      wait.used += wait.buffer.write(line, wait.used, 'utf8');
      wait.used += text.copy(wait.buffer, wait.used);
      wait.buffer[wait.used++] = 0x0a;
    },
    flush() {
      for (const [shard, wait] of waiting) writeOut(shard, wait);
      return { ...written };
    },
  };
}

const LINE_FEED = Buffer.from('\n');

/** Shards that notes were spilled for. */
export async function spilledShards(folder: string): Promise<string[]> {
  const names = new Set(await readdir(folder));
  return SHARDS.filter((shard) => names.has(`${shard}.spill`));
}

export function readSpill(folder: string, shard: string): DecodedRecord<SpillHead>[] {
  return decodeRecords<SpillHead>(readFileSync(spillPath(folder, shard)));
}

/** Whether the files are still at least as long as the checkpoint says: after a power cut they may not be. */
export async function holdsLengths(
  folder: string,
  lengths: Readonly<Record<string, number>>,
): Promise<boolean> {
  for (const [shard, bytes] of Object.entries(lengths)) {
    try {
      if ((await stat(spillPath(folder, shard))).size < bytes) return false;
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return false;
      throw error;
    }
  }
  return true;
}

function spillPath(folder: string, shard: string): string {
  return join(folder, `${shard}.spill`);
}
