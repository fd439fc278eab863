/** Command-line options → an opened index and the embedder that it was made with, loading side by side. */

import { resolve } from 'node:path';
import { DEFAULT_SOP_INDEX, resolvePaths } from '../../core/config.js';
import { createEmbedder } from '../../core/embedder.js';
import { findModel, fingerprintOf } from '../../core/models/modelFiles.js';
import { proveModel } from '../../core/models/provenEmbedder.js';
import type { Io } from '../../core/output.js';
import { namedStore, storeAccess, type StoreAccessFlags } from '../../core/storeAccess.js';
import { tell, timed } from '../../core/trace.js';
import type { Embedder } from '../../core/types.js';
import { localDate } from '../documents/documentControl.js';
import type { Filters, Mode, RetrieveOptions } from '../retrieve.js';
import { openSopIndex, readSopManifest, type OpenOptions, type SopIndex } from '../sopIndex.js';

export interface SearchFlags extends StoreAccessFlags {
  readonly index?: string;
  readonly embedder?: string;
  /** Sessions of the model side by side. */
  readonly threads?: number;
  readonly k?: number;
  readonly mode?: Mode;
  readonly preset?: 'labsage' | 'paper';
  readonly document?: readonly string[];
  readonly folder?: readonly string[];
  readonly section?: readonly string[];
}

export function indexFolder(flags: { readonly index?: string }, io: Io): string {
  return resolve(io.cwd, flags.index ?? io.env['LABSAGE_INDEX'] ?? DEFAULT_SOP_INDEX);
}

/** Where the index's vectors are on a server: that it moved, and how it is reached. */
function serverOptions(flags: StoreAccessFlags, io: Io): Pick<OpenOptions, 'server'> {
  return { server: { ...storeAccess(flags, io), place: namedStore(flags)?.server } };
}

export interface OpenSearch {
  readonly index: SopIndex;
  /** Absent in keyword mode, which needs no model. */
  readonly embedder: Embedder | undefined;
  close(): Promise<void>;
}

/** The model loads in its thread while the index is read here. */
export async function openSearch(flags: SearchFlags, io: Io): Promise<OpenSearch> {
  const folder = indexFolder(flags, io);
  const needsModel = flags.mode !== 'keyword';
  const manifest = needsModel ? await readSopManifest(folder) : undefined;
  if (manifest === undefined) return withoutModel(await readIndex(folder, serverOptions(flags, io)));
  const paths = await resolvePaths(io.env);
  const model = await findModel(flags.embedder ?? manifest.embedder.id, paths);
  const embedder = await createEmbedder(model, { threads: flags.threads });
  let index: SopIndex | undefined;
  const close = async (): Promise<void> => {
    await Promise.all([embedder.close(), index?.close()]);
  };
  try {
    index = await readIndex(folder, {
      ...serverOptions(flags, io),
      embedder: fingerprintOf(model),
    });
    await proveModel(model, { embedder, stateFolder: paths.state });
    return { index, embedder, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function readIndex(folder: string, options?: Parameters<typeof openSopIndex>[1]): Promise<SopIndex> {
  const index = await timed('read index', () => openSopIndex(folder, options));
  const { embedder, chunking } = index.manifest;
  tell(`index ${folder}: ${index.documents.length} documents, ${embedder.id}, preset ${chunking.preset}`);
  return index;
}

function withoutModel(index: SopIndex): OpenSearch {
  return { index, embedder: undefined, close: () => index.close() };
}

/** Opens the index for `work` alone. */
export async function withIndex<Result>(
  flags: StoreAccessFlags & { readonly index?: string },
  io: Io,
  work: (index: SopIndex) => Promise<Result>,
): Promise<Result> {
  const index = await readIndex(indexFolder(flags, io), serverOptions(flags, io));
  try {
    return await work(index);
  } finally {
    await index.close();
  }
}

export function retrieveOptions(flags: SearchFlags, index: SopIndex): RetrieveOptions {
  const filters: Filters = {
    ...(flags.document === undefined ? {} : { documents: flags.document }),
    ...(flags.folder === undefined ? {} : { folders: flags.folder }),
    ...(flags.section === undefined ? {} : { sections: flags.section }),
  };
  return {
    preset: flags.preset ?? index.manifest.chunking.preset,
    filters,
    today: localDate(new Date()),
    ...(flags.k === undefined ? {} : { k: flags.k }),
    ...(flags.mode === undefined ? {} : { mode: flags.mode }),
  };
}
