/** `labsage index`: paths or unit records → the index, and a line that says what changed. */

import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { DEFAULT_EMBEDDER, resolvePaths } from '../../core/config.js';
import { createEmbedder } from '../../core/embedder.js';
import { ExitCode, ToolError, systemCode } from '../../core/errors.js';
import { findModel, fingerprintOf } from '../../core/models/modelFiles.js';
import type { Output } from '../../core/output.js';
import type { Shard } from '../../core/shard.js';
import { namedStore, storeAccess, type StoreAccessFlags } from '../../core/storeAccess.js';
import { readSettings as readUserSettings } from '../../core/settings.js';
import { writeFileAtomic } from '../../core/store/atomicFiles.js';
import { DamagedError } from '../../core/store/publication.js';
import { parseStore, type ServerPlace } from '../../core/store/storeName.js';
import { tell } from '../../core/trace.js';
import { packageVersion } from '../../core/version.js';
import { checkReferenceVectors, writeReferenceMark } from '../../core/models/referenceVectors.js';
import {
  buildSopIndex,
  buildSopIndexFromUnits,
  sourcesPath,
  type BuildOptions,
  type BuildReport,
} from '../buildIndex.js';
import { compareWithIndex } from '../compareIndex.js';
import type { CommandContext } from '../../core/program.js';
import type { Manifest, Preset } from '../index/indexFormat.js';
import { readSopManifest } from '../sopIndex.js';
import { listSopFiles } from '../documents/sopFiles.js';
import { chunkingOf } from '../units.js';
import { indexFolder } from './openSearch.js';

/** For a new index; one that is there keeps its embedder. */
async function embedderSetting(io: CommandContext['io']): Promise<string | undefined> {
  const value = (await readUserSettings('labsage', io)).embedder?.value;
  return value === undefined ? undefined : String(value);
}

interface IndexFlags extends StoreAccessFlags {
  readonly index?: string;
  readonly check?: boolean;
  readonly preset?: Preset;
  readonly embedder?: string;
  readonly threads?: number;
  readonly shard?: Shard;
  readonly strict?: boolean;
  readonly json?: boolean;
}

export async function indexCommand(
  args: readonly string[],
  flags: IndexFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const folder = indexFolder(flags, io);
  const paths = await resolvePaths(io.env);
  const manifest = await readSettings(folder);
  const model = await findModel(
    flags.embedder ?? manifest?.embedder.id ?? (await embedderSetting(io)) ?? DEFAULT_EMBEDDER,
    paths,
  );
  const chunking = chunkingOf(flags.preset ?? manifest?.chunking.preset ?? 'labsage', packageVersion());
  const store = storeOf(flags, manifest);
  if (flags.shard !== undefined && store === undefined) {
    throw new ToolError(ExitCode.usage, '--shard needs a store on a server', {
      hint: 'add --store chroma:URL/COLLECTION: files have one writer at a time',
    });
  }
  const settings = {
    folder,
    chunking,
    fingerprint: fingerprintOf(model),
    store,
    access: storeAccess(flags, io),
    shard: flags.shard,
  };

  if (args.includes('-')) {
    if (args.length > 1 || flags.check === true) {
      throw new ToolError(ExitCode.usage, '- stands alone: it reads unit records from stdin', {
        hint: 'labsage chunk FILES --json | labsage index -',
      });
    }
    const { readUnitRecords } = await import('../unitRecords.js');
    const cut = await readUnitRecords(io.stdin, { signal: io.signal });
    return report(
      await withProgress(output, settings, (options) => buildSopIndexFromUnits(cut, options)),
      flags,
      { output, folder },
    );
  }
  const roots = args.length > 0 ? args : await rememberedRoots(folder);
  const found = await listSopFiles(roots, io.cwd);
  if (flags.check === true)
    return checkStale(found.files, { settings: { ...settings, signal: io.signal }, flags, output });
  const built = await withProgress(output, settings, (options) => buildSopIndex(found.files, options));
  await rememberRoots(
    folder,
    roots.map((root) => resolve(io.cwd, root)),
  );
  return report({ ...built, skipped: [...found.skipped, ...built.skipped] }, flags, { output, folder });

  async function withProgress(
    to: Output,
    base: typeof settings,
    build: (options: BuildOptions) => Promise<BuildReport>,
  ): Promise<BuildReport> {
    const reading = to.progress('Reading SOP');
    const embedding = to.progress('Embedding unit');
    try {
      return await build({
        ...base,
        signal: io.signal,
        onWait: () => to.note('Another labsage index is writing here; waiting for it.'),
        onProgress: (stage, done, total) => (stage === 'reading' ? reading : embedding).update(done, total),
        async openEmbedder() {
          const embedder = await createEmbedder(model, { threads: flags.threads });
          await checkReferenceVectors(model, embedder);
          await writeReferenceMark(model, paths.state);
          return embedder;
        },
      });
    } finally {
      reading.stop();
      embedding.stop();
    }
  }
}

/** The index stays where it is unless told to move. */
function storeOf(flags: IndexFlags, manifest: Manifest | undefined): ServerPlace | undefined {
  const named = namedStore(flags);
  if (named !== undefined) return named.server;
  return manifest?.store === undefined ? undefined : parseStore(manifest.store);
}

/** What the index there was made with, as defaults; a damaged one is made anew and has none. */
async function readSettings(folder: string): Promise<Manifest | undefined> {
  try {
    return await readSopManifest(folder);
  } catch (error) {
    if (error instanceof DamagedError) return undefined;
    throw error;
  }
}

function report(
  built: BuildReport,
  flags: IndexFlags,
  { output, folder }: { output: Output; folder: string },
): ExitCode {
  if (built.damage !== undefined) output.warn(`${built.damage}; the index was made anew`);
  if (built.leftBehind !== undefined) output.warn(`the old vectors are still there: ${built.leftBehind}`);
  for (const { path, reason } of built.skipped) output.warn(`skipped ${path}: ${reason}`);
  for (const path of built.added) tell(`added ${path}`);
  for (const path of built.updated) tell(`changed ${path}`);
  for (const path of built.removed) tell(`removed ${path}`);
  if (flags.json === true) output.printJson({ index: folder, ...built });
  else {
    const { documents, contextUnits, searchUnits, added, updated, removed, skipped, embedded } = built;
    const changes = flags.shard
      ? `part ${flags.shard.number} of ${flags.shard.count} is in the store, ${embedded} texts embedded; run labsage index without --shard once all parts are`
      : built.changed
        ? `${added.length} added, ${updated.length} changed, ${removed.length} removed, ${embedded} texts embedded`
        : 'nothing changed';
    output.print(
      `${documents} ${documents === 1 ? 'SOP' : 'SOPs'}, ${contextUnits} sections, ${searchUnits} search units: ${changes}${skipped.length === 0 ? '' : `, ${skipped.length} skipped`}.`,
    );
  }
  return flags.strict === true && built.skipped.length > 0 ? ExitCode.shortfall : ExitCode.done;
}

async function checkStale(
  files: Awaited<ReturnType<typeof listSopFiles>>['files'],
  state: {
    settings: Pick<BuildOptions, 'folder' | 'chunking' | 'fingerprint' | 'signal'>;
    flags: IndexFlags;
    output: Output;
  },
): Promise<ExitCode> {
  const { settings, flags, output } = state;
  const {
    added,
    updated,
    removed,
    skipped,
    settings: otherSettings,
  } = await compareWithIndex(files, settings);
  const stale = added.length + updated.length + removed.length > 0 || otherSettings;
  if (flags.json === true) output.printJson({ stale, added, updated, removed, skipped, otherSettings });
  else {
    for (const path of added) output.print(`new      ${path}`);
    for (const path of updated) output.print(`changed  ${path}`);
    for (const path of removed) output.print(`gone     ${path}`);
    if (otherSettings) output.print('the index was made by another version or with other settings');
    output.print(stale ? 'The index is stale: run labsage index.' : 'The index is up to date.');
  }
  for (const { path, reason } of skipped) output.warn(`skipped ${path}: ${reason}`);
  return stale || (flags.strict === true && skipped.length > 0) ? ExitCode.shortfall : ExitCode.done;
}

/** Relative to the index folder, so that both can move together. */
async function rememberRoots(folder: string, roots: readonly string[]): Promise<void> {
  const text = `${JSON.stringify({ roots: roots.map((root) => relative(folder, root)) })}\n`;
  const before = await readFile(sourcesPath(folder), 'utf8').catch(() => undefined);
  if (before !== text) await writeFileAtomic(sourcesPath(folder), text);
}

async function rememberedRoots(folder: string): Promise<string[]> {
  let roots: unknown;
  try {
    ({ roots } = JSON.parse(await readFile(sourcesPath(folder), 'utf8')) as { roots?: unknown });
  } catch (error) {
    const code = systemCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR' && !(error instanceof SyntaxError)) throw error;
  }
  if (Array.isArray(roots) && roots.length > 0) return roots.map((root) => resolve(folder, String(root)));
  throw new ToolError(ExitCode.usage, 'no folder or file named', {
    hint: 'run: labsage index FOLDER_WITH_SOPS',
  });
}
