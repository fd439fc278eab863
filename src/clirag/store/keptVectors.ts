/**
 * A folder → the vectors kept in it, by the hash of what was embedded, a file for each embedder: a patient's chunks, or
 * the questions of a store. Written whole or not at all.
 */

import { access, constants } from 'node:fs/promises';
import { ToolError, systemCode } from '../../core/errors.js';
import { withFolderLock } from '../../core/store/folderLock.js';
import {
  publish,
  openPublication,
  readManifest,
  readPublished,
  type OpenFiles,
  type Publication,
  type PublishedFile,
} from '../../core/store/publication.js';
import { float32Codec } from '../../core/store/float32Codec.js';
import { encodeVectraFile, type VectorItem } from '../../core/store/vectorStore.js';
import { sha256Hex } from '../../core/text.js';
import type { EmbedderFingerprint } from '../../core/types.js';

const VECTORS_FORMAT = 1;

/** Manifest of a folder of vectors: for each embedder that was used, its vectors; different ones are never mixed. */
interface VectorsManifest extends Publication {
  readonly formatVersion: number;
  readonly kind: 'clirag-vectors';
  /** Fingerprint by role in `files`. */
  readonly embedders: Readonly<Record<string, EmbedderFingerprint>>;
}

/** Kept vectors by hash. A damaged file counts as none: it can be made again from the notes. */
export async function readVectors(
  folder: string,
  fingerprint: EmbedderFingerprint,
): Promise<Map<string, Float32Array>> {
  try {
    const opened = await openVectors(folder);
    if (opened === undefined) return new Map();
    try {
      const role = roleOf(fingerprint);
      if (opened.manifest.files[role] === undefined) return new Map();
      // A visit has some hundred vectors, which are compared one by one: the file is vectra's, its library is not loaded.
      const { items } = float32Codec.deserializeIndex(await opened.files.readAll(role));
      return new Map(items.map(({ id, vector }) => [id, vector as unknown as Float32Array]));
    } finally {
      await opened.files.close();
    }
  } catch (error) {
    if (error instanceof ToolError) return new Map();
    throw error;
  }
}

/** Adds to the folder's vectors, whole or not at all; returns why it could not. */
export async function keepVectors(
  folder: string,
  { made, fingerprint }: { made: ReadonlyMap<string, Float32Array>; fingerprint: EmbedderFingerprint },
): Promise<string | undefined> {
  try {
    await access(folder, constants.W_OK);
    await withFolderLock(folder, { name: 'vectors' }, async (assertHeld) => {
      // Another process may have kept some meanwhile.
      const all = new Map([...(await readVectors(folder, fingerprint)), ...made]);
      const manifest = await readVectorsManifest(folder).catch(() => undefined);
      const role = roleOf(fingerprint);
      const others = Object.entries(manifest?.files ?? {}).filter(([other]) => other !== role);
      const files: Record<string, { data: Buffer; extension: string }> = {};
      for (const [other, file] of others) {
        const data = await readIfIntact(folder, file);
        if (data !== undefined) files[other] = { data, extension: extensionOf(file) };
      }
      const items: VectorItem[] = [...all].map(([hash, vector]) => ({
        id: hash,
        vector,
        metadata: { hash, group: '' },
      }));
      files[role] = { data: encodeVectraFile(items), extension: '.f32' };
      await publish(folder, {
        files,
        assertHeld,
        rest: {
          formatVersion: VECTORS_FORMAT,
          kind: 'clirag-vectors',
          embedders: { ...manifest?.embedders, [role]: fingerprint },
        },
      });
    });
    return undefined;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOSPC') return 'the disk is full';
    if (code !== undefined) return `${folder} can't be written (${code})`;
    throw error;
  }
}

/** Vectors of another embedder that are damaged are given up: they, too, can be made again. */
async function readIfIntact(folder: string, file: PublishedFile): Promise<Buffer | undefined> {
  try {
    return await readPublished(folder, file);
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

function extensionOf({ name }: PublishedFile): string {
  return name.slice(name.lastIndexOf('.'));
}

/** Letters, as the names of published files have: `vectors` and sixteen that stand for the fingerprint. */
function roleOf(fingerprint: EmbedderFingerprint): string {
  const digits = sha256Hex(JSON.stringify(fingerprint)).slice(0, 16);
  return `vectors${[...digits].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 16))).join('')}`;
}

async function openVectors(
  folder: string,
): Promise<{ manifest: VectorsManifest; files: OpenFiles } | undefined> {
  if ((await readVectorsManifest(folder)) === undefined) return undefined;
  return openPublication(folder, {
    async readNow() {
      const manifest = await readVectorsManifest(folder);
      if (manifest === undefined) throw new Error(`the vectors in ${folder} are gone`);
      return manifest;
    },
  });
}

async function readVectorsManifest(folder: string): Promise<VectorsManifest | undefined> {
  const manifest = await readManifest(folder);
  return manifest?.['kind'] === 'clirag-vectors' && manifest['formatVersion'] === VECTORS_FORMAT
    ? (manifest as unknown as VectorsManifest)
    : undefined;
}

/** The embedders that a folder holds vectors of. */
export async function listEmbedders(folder: string): Promise<EmbedderFingerprint[]> {
  return Object.values((await readVectorsManifest(folder))?.embedders ?? {});
}
