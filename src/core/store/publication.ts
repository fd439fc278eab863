/** Named buffers + a manifest → a folder that readers see in its old or its new state, whole, at every instant. */

import { close, fstat, open, read, type Stats } from 'node:fs';
import { readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ExitCode, ToolError, systemCode } from '../errors.js';
import { sha256Hex } from '../text.js';
import { createPrivateFolder, isTemporaryName, writeFileAtomic } from './atomicFiles.js';

/** A file of a publication; its name contains its hash, so a name never changes its content. */
export interface PublishedFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Publication {
  readonly files: Readonly<Record<string, PublishedFile>>;
}

/** Something in a folder is not what its writer wrote. Whoever has the sources can write it anew. */
export class DamagedError extends ToolError {
  constructor(path: string, why: string, options: { mend?: string | undefined; cause?: unknown } = {}) {
    const { mend = MEND_HINT, ...rest } = options;
    super(ExitCode.input, `index file ${path} is damaged: ${why}`, { hint: mend, ...rest });
    this.name = 'DamagedError';
  }
}

const MEND_HINT =
  'run the index command again: it writes the folder anew from its sources, which are not touched';

/** `mend`: the hint of a `DamagedError`, where another one is better. */
export interface ReadOptions {
  readonly mend?: string | undefined;
}

const MANIFEST = 'manifest.json';
const DATA_FILE = /^[a-z]+-[0-9a-f]{16}\.[a-z0-9]+$/u;

/**
 * Writes what is new, then the manifest, then removes what nothing names. The caller holds the folder's lock.
 * @param content.assertHeld throws if the lock was lost meanwhile; asked right before the manifest is replaced.
 */
export async function publish<Rest extends object>(
  folder: string,
  content: {
    files: Readonly<Record<string, { data: Buffer; extension: string }>>;
    rest: Rest;
    assertHeld?: () => Promise<void>;
  },
): Promise<Rest & Publication> {
  await createPrivateFolder(folder);
  const present = new Set(await readdir(folder));
  const files: Record<string, PublishedFile> = {};
  for (const [role, { data, extension }] of Object.entries(content.files)) {
    const sha256 = await sha256Async(data);
    const name = `${role}-${sha256.slice(0, 16)}${extension}`;
    files[role] = { name, bytes: data.length, sha256 };
    // A file of that name may have been damaged since it was written.
    if (!present.has(name) || !(await holds(join(folder, name), sha256))) {
      await writeFileAtomic(join(folder, name), data);
    }
  }
  const manifest = { ...content.rest, files };
  await content.assertHeld?.();
  const sealed = { ...manifest, [SEAL]: sealOf(manifest) };
  await writeFileAtomic(join(folder, MANIFEST), `${JSON.stringify(sealed, null, 1)}\n`);
  const named = new Set(Object.values(files).map(({ name }) => name));
  for (const name of await readdir(folder)) {
    if ((DATA_FILE.test(name) && !named.has(name)) || isTemporaryName(name)) {
      await rm(join(folder, name), { force: true });
    }
  }
  return manifest;
}

/** The manifest's own checksum, over its JSON without this field and without blanks. */
const SEAL = 'sha256';

function sealOf(manifest: object): string {
  return sha256Hex(JSON.stringify(manifest));
}

async function holds(path: string, sha256: string): Promise<boolean> {
  return (await sha256Async(await readFile(path))) === sha256;
}

/** The manifest, or undefined where the folder has none. Throws (exit 3) when it is not as it was written. */
export async function readManifest(
  folder: string,
  options: ReadOptions = {},
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { mend } = options;
  let text: string;
  try {
    text = await readFile(join(folder, MANIFEST), 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch (error) {
    throw new DamagedError(join(folder, MANIFEST), 'it is no JSON', { mend, cause: error });
  }
  if (typeof manifest !== 'object' || manifest === null || Array.isArray(manifest)) {
    throw new DamagedError(join(folder, MANIFEST), 'it is no JSON object', { mend });
  }
  const { [SEAL]: seal, ...content } = manifest as Record<string, unknown>;
  if (seal !== sealOf(content)) {
    throw new DamagedError(join(folder, MANIFEST), 'its checksum is another', { mend });
  }
  return content;
}

/** Reads a file of a publication and checks length and hash. Throws (exit 3) when it is damaged; ENOENT passes through. */
export async function readPublished(folder: string, file: PublishedFile): Promise<Buffer> {
  return checked(join(folder, file.name), { data: await readFile(join(folder, file.name)), file });
}

async function checked(
  path: string,
  { data, file, mend }: ReadOptions & { data: Buffer; file: PublishedFile },
): Promise<Buffer> {
  if (data.length !== file.bytes) {
    throw new DamagedError(path, `it has ${data.length} bytes instead of ${file.bytes}`, { mend });
  }
  if ((await sha256Async(data)) !== file.sha256) {
    throw new DamagedError(path, 'its checksum is another', { mend });
  }
  return data;
}

/** The files of one publication, open: they stay readable, as they were, also when a writer publishes anew meanwhile. */
export interface OpenFiles {
  /** The whole file, checked; `allocate` makes its buffer. Throws (exit 3) when it is damaged or the publication has no such file. */
  readAll(role: string, allocate?: (bytes: number) => Buffer): Promise<Buffer>;
  /** A part of the file, unchecked but for its length. */
  readPart(role: string, part: { at: number; bytes: number }): Promise<Buffer>;
  pathOf(role: string): string;
  close(): Promise<void>;
}

/** Opens all files that a manifest names; reads the manifest again where a writer replaced them in between. */
export async function openPublication<Manifest extends Publication>(
  folder: string,
  options: ReadOptions & { readNow: () => Promise<Manifest> },
): Promise<{ manifest: Manifest; files: OpenFiles }> {
  for (let attempt = 1; ; attempt++) {
    const manifest = await options.readNow();
    try {
      return { manifest, files: await openFiles(folder, { ...options, named: manifest.files }) };
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
      const path = (error as NodeJS.ErrnoException).path ?? folder;
      if (attempt === OPEN_ATTEMPTS) {
        throw new DamagedError(path, 'it is not there', { mend: options.mend, cause: error });
      }
      await sleep(OPEN_WAIT_MS);
    }
  }
}

const OPEN_ATTEMPTS = 5;
const OPEN_WAIT_MS = 20;

// Plain descriptors, not `FileHandle`s: those warn on stderr where a program ends or forgets them unclosed.
const openFile = promisify(open);
const closeFile = promisify(close);
const statFile = promisify<number, Stats>(fstat);

async function openFiles(
  folder: string,
  { named, mend }: { named: Publication['files']; mend?: string | undefined },
): Promise<OpenFiles> {
  const descriptors = new Map<string, number>();
  const closeAll = async (): Promise<void> => {
    const open = [...descriptors.values()];
    descriptors.clear();
    await Promise.all(open.map((descriptor) => closeFile(descriptor)));
  };
  try {
    for (const [role, { name }] of Object.entries(named)) {
      descriptors.set(role, await openFile(join(folder, name), 'r'));
    }
  } catch (error) {
    await closeAll();
    throw error;
  }
  const find = (role: string): { file: PublishedFile; descriptor: number; path: string } => {
    const file = named[role];
    const descriptor = descriptors.get(role);
    if (file === undefined || descriptor === undefined) {
      throw new DamagedError(join(folder, MANIFEST), `it names no file of ${role}`, { mend });
    }
    return { file, descriptor, path: join(folder, file.name) };
  };
  return {
    pathOf: (role) => find(role).path,
    async readAll(role, allocate) {
      const { file, descriptor, path } = find(role);
      const { size } = await statFile(descriptor);
      return checked(path, {
        data: await readBytes(descriptor, { at: 0, bytes: size, allocate }),
        file,
        mend,
      });
    },
    async readPart(role, part) {
      const { descriptor, path } = find(role);
      const data = await readBytes(descriptor, part);
      if (data.length !== part.bytes) throw new DamagedError(path, 'it ends too early', { mend });
      return data;
    },
    close: closeAll,
  };
}

/** Shorter than asked for where the file ends before. */
async function readBytes(
  descriptor: number,
  {
    at,
    bytes,
    allocate = (size) => Buffer.allocUnsafeSlow(size),
  }: { at: number; bytes: number; allocate?: ((bytes: number) => Buffer) | undefined },
): Promise<Buffer> {
  const data = allocate(bytes);
  let filled = 0;
  while (filled < bytes) {
    const got = await new Promise<number>((resolve, reject) => {
      read(descriptor, data, filled, Math.min(bytes - filled, READ_BYTES), at + filled, (error, count) =>
        error === null ? resolve(count) : reject(error),
      );
    });
    if (got === 0) break;
    filled += got;
  }
  return data.subarray(0, filled);
}

/** Below the 2 GB that one system call takes. */
const READ_BYTES = 1 << 30;

/** Reads `open(manifest)` again where a writer replaced the files between reading the manifest and opening them. */
export async function readConsistently<Result>(open: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await open();
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || attempt === 5) throw error;
    }
  }
}

/** In a thread of its own (unlike `createHash`), so that a model can load meanwhile. */
async function sha256Async(data: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', data)).toString('hex');
}
