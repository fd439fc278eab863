/** A patient's id → the folder that holds that patient's chart and nothing else; and what lies in a store's own files. */

import { join } from 'node:path';
import { sha256Hex } from '../../core/text.js';
import type { Publication } from '../../core/store/publication.js';
import type { NoteType } from '../../core/types.js';

export const STORE_FORMAT = 1;

/** Manifest of a store: published as a whole when an ingest is complete. */
export interface StoreManifest extends Publication {
  readonly formatVersion: number;
  readonly kind: 'clirag';
  readonly patients: number;
  readonly notes: number;
  /** Files that were read in, oldest first. */
  readonly sources: readonly { readonly file: string; readonly rows: number; readonly notes: number }[];
}

/** A line of the store's `patients` file. */
export interface PatientEntry {
  readonly id: string;
  readonly notes: number;
  /** Different charted dates. */
  readonly dates: number;
  readonly first: string;
  readonly last: string;
  readonly types: Readonly<Partial<Record<NoteType, number>>>;
  readonly admissions: readonly string[];
  /** Of the notes file. */
  readonly bytes: number;
}

/** Where an ingest under way keeps its state; gone when it is complete. */
export const INGEST_FOLDER = 'ingest';

export const SHARDS: readonly string[] = Array.from({ length: 256 }, (_, shard) =>
  shard.toString(16).padStart(2, '0'),
);

/** 256 folders of folders: 46,000 patients make 180 entries in each. */
export function shardOf(patientId: string): string {
  return sha256Hex(patientId).slice(0, 2);
}

export function patientFolder(store: string, patientId: string): string {
  return join(store, 'p', shardOf(patientId), folderName(patientId));
}

/** Names that Windows reserves, in lower case. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/u;

/** The id itself where it is a plain name on every file system (case does not count), else what is left of it and its hash. */
function folderName(patientId: string): string {
  if (/^[a-z0-9][a-z0-9_-]{0,63}$/u.test(patientId) && !RESERVED.test(patientId)) return patientId;
  const plain = patientId
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, '-')
    .slice(0, 32);
  return `${plain}~${sha256Hex(patientId).slice(0, 16)}`;
}
