/** The user's file, the project's file and the environment → the settings of a program, each with where it came from. */

import { readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { resolvePaths } from './config.js';
import { ExitCode, ToolError, systemCode } from './errors.js';
import type { Io } from './output.js';
import { createPrivateFolder, writeFileAtomic } from './store/atomicFiles.js';

export type ProgramName = 'labsage' | 'clirag';

/** What can be set. A number is whole and above 0. */
export const SETTINGS = {
  index: { kind: 'path', says: 'folder of the index or store' },
  embedder: { kind: 'text', says: 'embedding model' },
  k: { kind: 'number', says: 'sections to read' },
  store: { kind: 'text', says: 'where vectors are kept: file, or chroma:URL/COLLECTION' },
  generator: { kind: 'text', says: 'what writes the text: extractive, or a model' },
  threads: { kind: 'number', says: 'sessions of the model side by side' },
} as const;
export type SettingName = keyof typeof SETTINGS;

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

export interface Setting {
  readonly value: string | number;
  /** Path of the file, or `$VARIABLE`. */
  readonly from: string;
}
export type Settings = Readonly<Partial<Record<SettingName, Setting>>>;

type Place = Pick<Io, 'env' | 'cwd'>;

export interface SettingFiles {
  readonly user: string;
  /** The nearest one from the working folder upwards, or where one would be made. */
  readonly project: string;
}

/** `labsage.json` in the user's configuration folder, `.labsage.json` in the project. */
export async function settingFiles(program: ProgramName, { env, cwd }: Place): Promise<SettingFiles> {
  const { config } = await resolvePaths(env);
  const name = `.${program}.json`;
  for (let folder = cwd; ; folder = dirname(folder)) {
    const project = join(folder, name);
    if ((await readText(project)) !== undefined) return { user: join(config, `${program}.json`), project };
    if (dirname(folder) === folder)
      return { user: join(config, `${program}.json`), project: join(cwd, name) };
  }
}

/** The environment before the project before the user. Throws (exit 3) where a file is damaged, (exit 2) where a variable is. */
export async function readSettings(program: ProgramName, place: Place): Promise<Settings> {
  const { user, project } = await settingFiles(program, place);
  return {
    ...(await readSettingFile(user)),
    ...(await readSettingFile(project)),
    ...readVariables(program, place),
  };
}

function readVariables(program: ProgramName, { env, cwd }: Place): Settings {
  const found: Partial<Record<SettingName, Setting>> = {};
  for (const name of SETTING_NAMES) {
    const variable = `${program}_${name}`.toUpperCase();
    const text = env[variable];
    if (text === undefined || text === '') continue;
    const value = parseSetting(name, text);
    if (value === undefined) throw new ToolError(ExitCode.usage, `$${variable} is ${wrong(name)}`);
    found[name] = {
      value: SETTINGS[name].kind === 'path' ? resolve(cwd, text) : value,
      from: `$${variable}`,
    };
  }
  return found;
}

/** A path in a file counts from the file's folder. */
async function readSettingFile(path: string): Promise<Settings> {
  const text = await readText(path);
  if (text === undefined) return {};
  const damaged = (why: string): ToolError =>
    new ToolError(ExitCode.input, `settings ${path}: ${why}`, {
      hint: 'mend the file in an editor, or delete it',
    });
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    throw damaged('it is no JSON');
  }
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw damaged('it is no JSON object');
  const found: Partial<Record<SettingName, Setting>> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (!isSettingName(name)) throw damaged(`there is no setting ${name}, only ${SETTING_NAMES.join(', ')}`);
    const parsed = parseSetting(name, value);
    if (parsed === undefined) throw damaged(`${name} is ${wrong(name)}`);
    const isPath = SETTINGS[name].kind === 'path';
    found[name] = { value: isPath ? resolve(dirname(path), String(parsed)) : parsed, from: path };
  }
  return found;
}

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

function parseSetting(name: SettingName, value: unknown): string | number | undefined {
  if (SETTINGS[name].kind === 'number') {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : undefined;
  }
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function wrong(name: SettingName): string {
  return SETTINGS[name].kind === 'number' ? 'no whole number above 0' : 'no text';
}

/** Writes one setting, or takes it out where `value` is undefined. The file goes with its last setting. */
export async function writeSetting(
  file: string,
  { name, value, cwd }: { name: SettingName; value: string | undefined; cwd: string },
): Promise<void> {
  await readSettingFile(file);
  const { [name]: _before, ...others } = JSON.parse((await readText(file)) ?? '{}') as Record<
    string,
    unknown
  >;
  let fields: Readonly<Record<string, unknown>> = others;
  if (value !== undefined) {
    const parsed = parseSetting(name, value);
    if (parsed === undefined) throw new ToolError(ExitCode.usage, `${name} "${value}" is ${wrong(name)}`);
    fields = { ...others, [name]: SETTINGS[name].kind === 'path' ? resolve(cwd, value) : parsed };
  }
  if (Object.keys(fields).length === 0) return rm(file, { force: true });
  const folder = dirname(file);
  if (folder !== cwd) await createPrivateFolder(folder);
  await writeFileAtomic(file, `${JSON.stringify(fields, null, 2)}\n`);
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}
