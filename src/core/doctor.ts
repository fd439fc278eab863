/** The machine, the models, the folders, the endpoint → findings, each fault with the command that mends it. */

import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { resolvePaths } from './config.js';
import { ExitCode, ToolError, shellWord } from './errors.js';
import { checkModelSizes, listBrokenModels, listModels, type InstalledModel } from './models/modelFiles.js';
import { verifyModel, type ModelVerdict } from './models/verifyModel.js';
import { isLoopback } from './endpoint.js';
import { isLanguageModel, openLanguageModel } from './generator.js';
import { parseEndpoint } from './openAiClient.js';
import { formatBytes, type Io, type Output } from './output.js';
import { readSettings, settingFiles, type ProgramName } from './settings.js';
import { packageVersion } from './version.js';

export interface Finding {
  readonly area: string;
  /** `note`: nothing is wrong, but somebody may want to know. */
  readonly state: 'ok' | 'note' | 'fault';
  readonly says: string;
  /** The command, or what to do; of every fault. */
  readonly mend?: string;
}

/** Longest wait for the endpoint's list of models. */
const ENDPOINT_MS = 5_000;
const LEAST_NODE = [20, 19] as const;

/** What is the same for both programs: versions, settings, models with their reference vectors, endpoint, own folders. */
export async function examineMachine(
  program: ProgramName,
  { io, isFast }: { io: Io; isFast: boolean },
): Promise<Finding[]> {
  const paths = await resolvePaths(io.env);
  const { user, project } = await settingFiles(program, io);
  const settings = await readSettings(program, io);
  const findings = [examineVersions()];
  const set = Object.entries(settings).map(([name, { value, from }]) => `${name} ${value} (${from})`);
  findings.push({
    area: 'settings',
    state: 'ok',
    says: set.length === 0 ? `none in ${user} or ${project}` : set.join(', '),
  });
  findings.push(...(await examineModels({ io, isFast })));
  const generator = settings.generator?.value;
  if (typeof generator === 'string' && generator.startsWith('openai:'))
    findings.push(await examineEndpoint(generator, { program, signal: io.signal }));
  else if (typeof generator === 'string' && isLanguageModel(generator))
    findings.push(await examineModel(generator, { program, io }));
  for (const [area, folder] of [
    ['models folder', paths.models],
    ['state folder', paths.state],
  ] as const)
    findings.push(...(await examineFolder(folder, { area, needed: false })));
  return findings;
}

function examineVersions(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const says = `version ${packageVersion()}, Node ${process.versions.node}, ${process.platform}-${process.arch}`;
  const isOld = major < LEAST_NODE[0] || (major === LEAST_NODE[0] && minor < LEAST_NODE[1]);
  return isOld
    ? { area: 'program', state: 'fault', says, mend: `install Node ${LEAST_NODE.join('.')} or later` }
    : { area: 'program', state: 'ok', says };
}

/** `isFast`: sizes alone, no checksum and no vector. */
async function examineModels({ io, isFast }: { io: Io; isFast: boolean }): Promise<Finding[]> {
  const paths = await resolvePaths(io.env);
  const findings: Finding[] = [];
  for (const fault of await listBrokenModels(paths))
    findings.push({
      area: 'model',
      state: 'fault',
      says: fault,
      mend: 'delete that folder, and import the model again with: labsage models import FOLDER',
    });
  for (const model of await listModels(paths)) {
    io.signal.throwIfAborted();
    const { id, fault, cosine } = isFast ? await checkSizes(model) : await verifyModel(model, paths.state);
    const isOwn = model.folder.startsWith(paths.models);
    const bytes = formatBytes(model.card.files.reduce((sum, file) => sum + file.bytes, 0));
    if (fault !== null) {
      const mend = isOwn
        ? `labsage models import FOLDER --name ${id} --replace`
        : 'install the package again';
      findings.push({ area: 'model', state: 'fault', says: `${id}: ${fault}`, mend });
    } else if (isFast) findings.push({ area: 'model', state: 'ok', says: `${id}, ${bytes}: complete` });
    else if (model.card.kind === 'generator')
      findings.push({ area: 'model', state: 'ok', says: `${id}, ${bytes}: checksums right, and it writes` });
    else if (cosine === null)
      findings.push({
        area: 'model',
        state: 'note',
        says: `${id}, ${bytes}: checksums right; it has no reference vectors`,
      });
    else
      findings.push({
        area: 'model',
        state: 'ok',
        says: `${id}, ${bytes}: checksums right, least cosine to its reference ${cosine.toFixed(3)}`,
      });
  }
  if (!findings.some(({ state }) => state !== 'fault'))
    findings.push({
      area: 'model',
      state: 'fault',
      says: 'there is no model that works',
      mend: 'install the package again',
    });
  return findings;
}

async function checkSizes(model: InstalledModel): Promise<ModelVerdict> {
  const { id } = model.card;
  try {
    await checkModelSizes(model);
    return { id, fault: null, cosine: null };
  } catch (error) {
    if (error instanceof ToolError) return { id, fault: error.message, cosine: null };
    throw error;
  }
}

/** Asks for its list of models; another machine is not asked. */
async function examineEndpoint(
  name: string,
  { program, signal }: { program: ProgramName; signal: AbortSignal },
): Promise<Finding> {
  const area = 'generator';
  const unset = `start the server, or: ${program} config set generator extractive`;
  try {
    const { baseUrl, model } = parseEndpoint(name);
    if (!isLoopback(baseUrl))
      return { area, state: 'note', says: `${name} is another machine and was not asked` };
    const reply = await fetch(`${baseUrl.replace(/\/$/u, '')}/models`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(ENDPOINT_MS)]),
    });
    if (!reply.ok)
      return { area, state: 'fault', says: `${name} answered with status ${reply.status}`, mend: unset };
    const { data } = (await reply.json()) as { data?: readonly { id?: string }[] };
    const known = (data ?? []).flatMap(({ id }) => id ?? []);
    if (known.length > 0 && !known.includes(model))
      return {
        area,
        state: 'fault',
        says: `${baseUrl} has no model ${model}`,
        mend: `use one of: ${known.slice(0, 5).join(', ')}`,
      };
    return { area, state: 'ok', says: `${name} answers` };
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof ToolError ? error.message : `${name} does not answer`;
    return { area, state: 'fault', says: why, mend: unset };
  }
}

/** Asks an Ollama server, or the files of a model on this machine, for the window; another machine is not asked. */
async function examineModel(
  name: string,
  { program, io }: { program: ProgramName; io: Io },
): Promise<Finding> {
  const area = 'generator';
  const { env, cwd, signal } = io;
  try {
    const window = await openLanguageModel(name, { env, cwd, signal, timeoutMs: ENDPOINT_MS }).window?.();
    const tokens = window === undefined ? '' : `, ${window.tokens} tokens of prompt and reply`;
    return { area, state: 'ok', says: `${name} is there${tokens}` };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ToolError)) throw error;
    if (error.exitCode === ExitCode.usage) return { area, state: 'note', says: error.message };
    const mend = error.hint ?? `${program} config set generator extractive`;
    return { area, state: 'fault', says: error.message, mend };
  }
}

/** Whether the folder can be written and, where the system knows such modes, is nobody else's to read. */
export async function examineFolder(
  folder: string,
  { area, needed }: { area: string; needed: boolean },
): Promise<Finding[]> {
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) {
    if (needed)
      return [{ area, state: 'fault', says: `${folder} is not there`, mend: `make it, or name another` }];
    const parent = await nearestFolder(folder);
    return (await isWritable(parent))
      ? [{ area, state: 'ok', says: `${folder} is not there yet and can be made` }]
      : [
          {
            area,
            state: 'fault',
            says: `${folder} is not there and ${parent} cannot be written`,
            mend: `set LABSAGE_HOME to a folder that can be`,
          },
        ];
  }
  const findings: Finding[] = [];
  if (!(await isWritable(folder)))
    findings.push({
      area,
      state: needed ? 'note' : 'fault',
      says: `${folder} cannot be written${needed ? ': records go to the state folder' : ''}`,
      ...(needed ? {} : { mend: `chmod u+rwx ${shellWord(folder)}` }),
    });
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0)
    findings.push({
      area,
      state: 'fault',
      says: `others on this machine may open ${folder} (mode ${(found.mode & 0o777).toString(8)})`,
      mend: `chmod -R go= ${shellWord(folder)}`,
    });
  return findings.length > 0 ? findings : [{ area, state: 'ok', says: `${folder} is writable, and private` }];
}

async function nearestFolder(path: string): Promise<string> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if ((await stat(folder).catch(() => undefined)) !== undefined || dirname(folder) === folder)
      return folder;
  }
}

async function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
}

/** An error of opening something is a finding, with its own hint. */
export function findingOf(error: unknown, { area, mend }: { area: string; mend: string }): Finding {
  if (!(error instanceof ToolError)) throw error;
  return { area, state: 'fault', says: error.message, mend: error.hint ?? mend };
}

/** Exit 5 on any fault. */
export function reportFindings(
  findings: readonly Finding[],
  { output, json }: { output: Output; json: boolean },
): ExitCode {
  const faults = findings.filter(({ state }) => state === 'fault');
  if (json) output.printJson({ ok: faults.length === 0, findings });
  else {
    const { color } = output;
    const marks = { ok: color.green('ok   '), note: color.yellow('note '), fault: color.red('FAULT') };
    for (const { area, state, says, mend } of findings) {
      output.print(`${marks[state]}  ${area}: ${says}`);
      if (mend !== undefined) output.print(`         mend: ${mend}`);
    }
  }
  return faults.length === 0 ? ExitCode.done : ExitCode.shortfall;
}
