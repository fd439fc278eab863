/** The folder of a cohort: one file a visit, written once and whole, and a manifest line for each. */

import { appendFile, link, mkdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { ExitCode, ToolError, systemCode } from '../../core/errors.js';
import { parseObject, streamLines } from '../../core/lines.js';
import { createPrivateFolder } from '../../core/store/atomicFiles.js';
import { sha256Hex } from '../../core/text.js';
import { patientFolder } from '../store/storeLayout.js';
import type { Shard } from '../../core/shard.js';

/** What decides the files' contents: a folder has one, whatever the number of its jobs. */
export type CohortSettings = Readonly<Record<string, unknown>>;

/** A line of the manifest. */
export interface CohortEntry {
  /** From the cohort's folder, `/`-separated. */
  readonly file: string;
  readonly patient: string;
  readonly visit: string;
  readonly sha256: string;
  readonly [more: string]: unknown;
}

export interface CohortFolder {
  /** Where the file of a visit belongs. */
  fileOf(patient: string, visit: string): string;
  /** True if it is there, also where a killed run could not yet enter it. */
  has(entry: { patient: string; visit: string }): Promise<boolean>;
  /** Writes and enters it; what is there stays as it is. */
  add(
    text: string,
    entry: Omit<CohortEntry, 'file' | 'sha256'> & { patient: string; visit: string },
  ): Promise<void>;
}

const SETTINGS = 'settings.json';

/** Throws (exit 2) where the folder was begun with other settings. */
export async function openCohortFolder(
  folder: string,
  options: { settings: CohortSettings; shard?: Shard; extension: string },
): Promise<CohortFolder> {
  await createPrivateFolder(folder);
  await keepSettings(folder, options.settings);
  const { shard, extension } = options;
  const manifest = join(
    folder,
    shard === undefined ? 'manifest.jsonl' : `manifest-${shard.number}-of-${shard.count}.jsonl`,
  );
  const entered = await readEntered(manifest);
  const fileOf = (patient: string, visit: string): string =>
    `${basename(patientFolder('', patient))}/${visit}${extension}`;
  const enter = async (entry: CohortEntry): Promise<void> => {
    await appendFile(manifest, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
    entered.add(entry.file);
  };
  return {
    fileOf,
    async has({ patient, visit }) {
      const file = fileOf(patient, visit);
      const path = join(folder, file);
      if (!(await exists(path))) return false;
      if (!entered.has(file))
        await enter({ file, patient, visit, sha256: sha256Hex(await readFile(path)), enteredLater: true });
      return true;
    },
    async add(text, entry) {
      const file = fileOf(entry.patient, entry.visit);
      await writeOnce(join(folder, file), text);
      await enter({ ...entry, file, sha256: sha256Hex(text) });
    },
  };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Beside first, then under its name, unless something has that name already. */
async function writeOnce(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const beside = `${path}.${randomUUID()}.tmp`;
  await writeFile(beside, text, { mode: 0o600, flush: true });
  try {
    await link(beside, path);
  } catch (error) {
    const code = systemCode(error) ?? '';
    // A file system without links.
    if (['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'].includes(code) && !(await exists(path))) {
      await rename(beside, path);
      return;
    }
    if (code !== 'EEXIST') throw error;
  } finally {
    await unlink(beside).catch(() => undefined);
  }
}

async function readEntered(manifest: string): Promise<Set<string>> {
  const entered = new Set<string>();
  let isWhole = true;
  for await (const line of streamLines(manifest)) {
    isWhole = line.isWhole;
    const file = parseObject(line.text)?.['file'];
    if (typeof file === 'string') entered.add(file);
  }
  // A killed writer left half a line: the next begins a new one.
  if (!isWhole) await appendFile(manifest, '\n');
  return entered;
}

async function keepSettings(folder: string, settings: CohortSettings): Promise<void> {
  const path = join(folder, SETTINGS);
  const wanted = `${JSON.stringify(settings, null, 2)}\n`;
  // Of several jobs that begin at once, the first to link its file decides.
  await writeOnce(path, wanted);
  const kept = parseObject(await readFile(path, 'utf8')) ?? {};
  const same = parseObject(wanted) ?? {};
  const differing = [...new Set([...Object.keys(kept), ...Object.keys(same)])].filter(
    (name) => JSON.stringify(kept[name]) !== JSON.stringify(same[name]),
  );
  if (differing.length === 0) return;
  const told = differing.map((name) => `${name} was ${JSON.stringify(kept[name] ?? null)}`);
  throw new ToolError(ExitCode.usage, `${folder} was begun with other settings: ${told.join(', ')}`, {
    hint: 'give the same options as then, or name another folder with --out',
  });
}
