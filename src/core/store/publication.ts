/** Named buffers + a manifest → a folder that readers see in its old or its new state, whole, at every instant. */

import { readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitCode, ToolError, systemCode } from '../errors.js';
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

const MANIFEST = 'manifest.json';
const DATA_FILE = /^[a-z]+-[0-9a-f]{16}\.[a-z0-9]+$/u;

/** Writes what is new, then the manifest, then removes what nothing names. The caller holds the folder's lock. */
export async function publish<Rest extends object>(
  folder: string,
  content: { files: Readonly<Record<string, { data: Buffer; extension: string }>>; rest: Rest },
): Promise<Rest & Publication> {
  await createPrivateFolder(folder);
  const present = new Set(await readdir(folder));
  const files: Record<string, PublishedFile> = {};
  for (const [role, { data, extension }] of Object.entries(content.files)) {
    const sha256 = await sha256Async(data);
    const name = `${role}-${sha256.slice(0, 16)}${extension}`;
    files[role] = { name, bytes: data.length, sha256 };
    if (!present.has(name)) await writeFileAtomic(join(folder, name), data);
  }
  const manifest = { ...content.rest, files };
  await writeFileAtomic(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`);
  const named = new Set(Object.values(files).map(({ name }) => name));
  for (const name of await readdir(folder)) {
    if ((DATA_FILE.test(name) && !named.has(name)) || isTemporaryName(name)) {
      await rm(join(folder, name), { force: true });
    }
  }
  return manifest;
}

/** The manifest's JSON, or undefined where the folder has none. Throws (exit 3) when it is no JSON object. */
export async function readManifest(folder: string): Promise<Readonly<Record<string, unknown>> | undefined> {
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
    throw damaged(join(folder, MANIFEST), 'it is no JSON', error);
  }
  if (typeof manifest !== 'object' || manifest === null || Array.isArray(manifest)) {
    throw damaged(join(folder, MANIFEST), 'it is no JSON object');
  }
  return manifest as Readonly<Record<string, unknown>>;
}

/** Reads a file of a publication and checks length and hash. Throws (exit 3) when it is damaged; ENOENT passes through. */
export async function readPublished(folder: string, file: PublishedFile): Promise<Buffer> {
  const path = join(folder, file.name);
  const data = await readFile(path);
  if (data.length !== file.bytes) throw damaged(path, `it has ${data.length} bytes instead of ${file.bytes}`);
  if ((await sha256Async(data)) !== file.sha256) throw damaged(path, 'its checksum is another');
  return data;
}

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

function damaged(path: string, why: string, cause?: unknown): ToolError {
  return new ToolError(ExitCode.input, `index file ${path} is damaged: ${why}`, {
    hint: 'delete the index folder and run labsage index again; the documents themselves are not touched',
    ...(cause === undefined ? {} : { cause }),
  });
}

/** In a thread of its own (unlike `createHash`), so that a model can load meanwhile. */
async function sha256Async(data: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', data)).toString('hex');
}
