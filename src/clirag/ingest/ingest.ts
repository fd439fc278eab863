/**
 * A file of notes → the store, partitioned by patient, at constant memory: rows are spilled to 256 files by patient as they
 * are read, then each of these is sorted into the patients' own files. Interrupted, it goes on where it stopped.
 */

import { createReadStream } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ExitCode, ToolError, systemCode } from '../../core/errors.js';
import { createPrivateFolder, writeFileAtomic } from '../../core/store/atomicFiles.js';
import { withFolderLock, type AssertHeld } from '../../core/store/folderLock.js';
import { publish } from '../../core/store/publication.js';
import { sha256Hex } from '../../core/text.js';
import { compareIds } from '../store/compareIds.js';
import { checkIsStoreFolder, readPatientEntries, readStoreManifest } from '../chartStore.js';
import { flushFiles } from './flushFiles.js';
import { openSource, type SourceStart } from './noteSources.js';
import { createNoteCounter, createNoteReader, type NoteCounts } from '../notes.js';
import { NOTES_FILE, readIfThere } from '../store/patientNotes.js';
import type { ShardResult } from './publishShard.js';
import { publishShards } from './shardPool.js';
import { holdsLengths, openSpill, spilledShards, type Spill } from './spill.js';
import {
  INGEST_FOLDER,
  STORE_FORMAT,
  patientFolder,
  type PatientEntry,
  type StoreManifest,
} from '../store/storeLayout.js';

/** Bytes of the source between two checkpoints. */
const CHECKPOINT_BYTES = 64 * 1024 * 1024;
/** Of a source's beginning: tells it from another file of the same name and size. */
const HEAD_BYTES = 64 * 1024;

export interface IngestOptions {
  /** A path, or `-` for stdin. */
  readonly source: string;
  readonly stdin: NodeJS.ReadableStream;
  readonly signal: AbortSignal;
  /** Bytes of the source, then shards. `total` is unknown for stdin. */
  readonly onProgress?: (phase: 'read' | 'write', done: number, total: number | undefined) => void;
  readonly onNote?: (line: string) => void;
}

export interface IngestResult {
  readonly file: string;
  readonly counts: NoteCounts;
  /** Patients that the file has notes of, and notes that were new or other than in the store. */
  readonly patients: number;
  readonly changed: number;
  readonly repeated: number;
  readonly store: Pick<StoreManifest, 'patients' | 'notes'>;
  /** The row at which an interrupted run was taken up again. */
  readonly continuedAt?: number;
}

/** Written when reading reached a certain byte, and when it reached the end. */
interface Checkpoint {
  readonly source: SourceIdentity;
  readonly isComplete: boolean;
  readonly at: SourceStart;
  readonly counts: NoteCounts;
  readonly lengths: Readonly<Record<string, number>>;
}

interface SourceIdentity {
  readonly file: string;
  readonly bytes: number;
  readonly headSha256: string;
}

/** Throws (exit 3) for a file that can't be read to its end; nothing of it is then in the store. */
export async function ingestNotes(store: string, options: IngestOptions): Promise<IngestResult> {
  await checkIsStoreFolder(store);
  return withFolderLock(
    store,
    { name: 'ingest', onWait: () => options.onNote?.(`waiting for another process that writes to ${store}`) },
    async (assertHeld) => {
      const work = join(store, INGEST_FOLDER);
      const before = await takeUp(work, options);
      const checkpoint =
        before?.isComplete === true ? before : await readSource(work, { ...options, before });
      const results = await writeShards(store, work, options);
      const { manifest, patients } = await publishStore(store, { work, checkpoint, results, assertHeld });
      return {
        file: checkpoint.source.file,
        counts: checkpoint.counts,
        patients,
        changed: results.reduce((sum, { changed }) => sum + changed, 0),
        repeated: results.reduce((sum, { repeated }) => sum + repeated, 0),
        store: { patients: manifest.patients, notes: manifest.notes },
        ...(before === undefined ? {} : { continuedAt: before.at.row }),
      };
    },
  );
}

/** The checkpoint of an interrupted run of the same file; what another file's run left is given up. */
async function takeUp(work: string, options: IngestOptions): Promise<Checkpoint | undefined> {
  const checkpoint = await readCheckpoint(work);
  if (checkpoint !== undefined && options.source !== '-') {
    const now = await identify(options.source);
    const isSame = JSON.stringify(now) === JSON.stringify(checkpoint.source);
    if (isSame && (await holdsLengths(work, checkpoint.lengths))) return checkpoint;
    options.onNote?.(
      `an interrupted index run of ${checkpoint.source.file} is given up; index that file again`,
    );
  }
  await rm(work, { recursive: true, force: true });
  return undefined;
}

async function readCheckpoint(work: string): Promise<Checkpoint | undefined> {
  try {
    return JSON.parse(await readFile(join(work, 'checkpoint.json'), 'utf8')) as Checkpoint;
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function identify(path: string): Promise<SourceIdentity> {
  try {
    const { size } = await stat(path);
    const chunks: Buffer[] = [];
    for await (const chunk of createReadStream(path, { end: HEAD_BYTES - 1 })) chunks.push(chunk as Buffer);
    return { file: basename(path), bytes: size, headSha256: sha256Hex(Buffer.concat(chunks)) };
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    throw new ToolError(ExitCode.input, `there is no file ${path}`, {
      hint: 'check the name and the folder',
      cause: error,
    });
  }
}

/** Every row of the source into the spill, with checkpoints on the way and at the end. */
async function readSource(
  work: string,
  options: IngestOptions & { before: Checkpoint | undefined },
): Promise<Checkpoint> {
  const { before } = options;
  const source = await openSource(options.source, {
    stdin: options.stdin,
    ...(before === undefined ? {} : { from: before.at }),
  });
  const identity =
    options.source === '-' ? { file: source.file, bytes: 0, headSha256: '' } : await identify(options.source);
  const spill = await openSpill(work, before?.lengths);
  const counter = createNoteCounter(before?.counts);
  const readNote = createNoteReader();
  let at: SourceStart = before?.at ?? { row: 0, byte: 0 };
  let checkpointAt = at.byte + CHECKPOINT_BYTES;
  const save = (isComplete: boolean): Promise<Checkpoint> =>
    saveCheckpoint(work, spill, { source: identity, isComplete, at, counts: counter.counts() });
  try {
    for await (const rows of source.rows) {
      options.signal.throwIfAborted();
      for (const row of rows) {
        const read = readNote(row);
        counter.add(row, read);
        if ('note' in read) spill.append(read.note, read.text);
        else if (read.erroneous !== undefined) {
          spill.append({ erroneous: read.erroneous.id, patientId: read.erroneous.patientId }, NO_TEXT);
        }
      }
      const last = rows.at(-1);
      if (last !== undefined) at = { row: last.row + 1, byte: last.endByte, ...headerOf(source.header()) };
      options.onProgress?.('read', source.bytesRead(), source.bytes);
      if (at.byte >= checkpointAt) {
        checkpointAt = at.byte + CHECKPOINT_BYTES;
        await save(false);
      }
    }
  } catch (error) {
    // What was read so far need not be read again; after a fault of the file itself it must be.
    if (options.signal.aborted && at.row > 0) await save(false);
    else if (error instanceof ToolError) await rm(work, { recursive: true, force: true });
    throw error;
  }
  return save(true);
}

const NO_TEXT = Buffer.alloc(0);

function headerOf(header: readonly string[] | undefined): Pick<SourceStart, 'header'> {
  return header === undefined ? {} : { header };
}

async function saveCheckpoint(
  work: string,
  spill: Spill,
  state: Omit<Checkpoint, 'lengths'>,
): Promise<Checkpoint> {
  const checkpoint: Checkpoint = { ...state, lengths: spill.flush() };
  await createPrivateFolder(work);
  await writeFileAtomic(join(work, 'checkpoint.json'), JSON.stringify(checkpoint));
  return checkpoint;
}

/**
 * Shard by shard; spills and results stay until all is flushed, so that neither a kill nor a power cut loses or counts
 * anything twice.
 */
async function writeShards(store: string, work: string, options: IngestOptions): Promise<ShardResult[]> {
  const shards = await spilledShards(work);
  const results = new Map<string, ShardResult>();
  for (const shard of shards) {
    const result = await readResult(work, shard);
    if (result !== undefined && (await isIntact(store, result))) results.set(shard, result);
  }
  await publishShards(
    shards.filter((shard) => !results.has(shard)),
    {
      store,
      work,
      signal: options.signal,
      async onDone(shard, result) {
        await writeFile(resultPath(work, shard), JSON.stringify(result), { mode: 0o600 });
        results.set(shard, result);
        options.onProgress?.('write', results.size, shards.length);
      },
    },
  );
  await flushFiles(
    store,
    [...results.values()].flatMap(({ entries }) => entries.map(([id]) => notesPath(store, id))),
  );
  return [...results.values()];
}

function resultPath(work: string, shard: string): string {
  return join(work, `${shard}.result.json`);
}

async function readResult(work: string, shard: string): Promise<ShardResult | undefined> {
  const data = await readIfThere(resultPath(work, shard));
  try {
    return data === undefined ? undefined : (JSON.parse(data.toString('utf8')) as ShardResult);
  } catch {
    // The process was killed while it wrote it.
    return undefined;
  }
}

/** Whether every file that the result names is there, as long as it was written. */
async function isIntact(store: string, { entries }: ShardResult): Promise<boolean> {
  for (const [id, entry] of entries) {
    if (entry === undefined) continue;
    const stats = await stat(notesPath(store, id)).catch(() => undefined);
    if (stats?.size !== entry.bytes) return false;
  }
  return true;
}

function notesPath(store: string, patientId: string): string {
  return join(patientFolder(store, patientId), NOTES_FILE);
}

/** The list of patients with what changed, published as a whole; then the ingest's own files go. */
async function publishStore(
  store: string,
  state: {
    work: string;
    checkpoint: Checkpoint;
    results: readonly ShardResult[];
    assertHeld: AssertHeld;
  },
): Promise<{ manifest: StoreManifest; patients: number }> {
  const former = await readStoreManifest(store);
  const entries = new Map<string, PatientEntry>();
  for (const entry of former === undefined ? [] : await readPatientEntries(store))
    entries.set(entry.id, entry);
  let patients = 0;
  for (const [id, entry] of state.results.flatMap((result) => result.entries)) {
    if (entry === undefined) entries.delete(id);
    else {
      entries.set(id, entry);
      patients++;
    }
  }
  const sorted = [...entries.values()].sort((a, b) => compareIds(a.id, b.id));
  const admissions = sorted
    .flatMap(({ id, admissions: own }) => own.map((admission) => `${admission}\t${id}\n`))
    .sort();
  const { file } = state.checkpoint.source;
  const { rows, notes } = state.checkpoint.counts;
  const manifest = await publish(store, {
    assertHeld: state.assertHeld,
    files: {
      patients: {
        data: Buffer.from(sorted.map((entry) => `${JSON.stringify(entry)}\n`).join(''), 'utf8'),
        extension: '.jsonl',
      },
      admissions: { data: Buffer.from(admissions.join(''), 'utf8'), extension: '.tsv' },
    },
    rest: {
      formatVersion: STORE_FORMAT,
      kind: 'clirag' as const,
      patients: sorted.length,
      notes: sorted.reduce((sum, entry) => sum + entry.notes, 0),
      sources: [...(former?.sources ?? []).filter((source) => source.file !== file), { file, rows, notes }],
    },
  });
  await rm(state.work, { recursive: true, force: true });
  return { manifest, patients };
}
