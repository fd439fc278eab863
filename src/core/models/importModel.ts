/** A folder with a model of either kind → the user's model folder: copied, hashed, tried; an embedder with reference vectors. */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { createEmbedder } from '../embedder.js';
import { createLocalModel } from '../generator/localModel.js';
import { ExitCode, ToolError } from '../errors.js';
import { slugify } from '../text.js';
import { createPrivateFolder } from '../store/atomicFiles.js';
import { draftGeneratorCard, isGeneratorFolder } from './generatorFiles.js';
import { draftCard, readModelCard, type CardOptions } from './modelCard.js';
import { isEmbedder, type CommonCard, type GeneratorCard, type InstalledModel, type ModelCard, type ModelFiles } from './modelFiles.js';
import { REFERENCE_FILE, checkReferenceVectors, type Reference } from './referenceVectors.js';

/** What a generator is made to write to show that it can. */
const TRIED_TOKENS = 4;

export interface ImportOptions extends Partial<CardOptions> {
  /** The user's model folder. */
  readonly models: string;
  /** Take the place of a model of that name. */
  readonly replace?: boolean;
}

export interface ImportReport {
  readonly model: InstalledModel;
  readonly card: 'read' | 'made';
  /** `made`: on this machine, with the model as it computes here; they show whether another machine computes the same. `none`: a generator, which has been made to write. */
  readonly reference: 'read' | 'made' | 'none';
}

/** Sentences of a laboratory, a question among them; what they say does not matter, that they always are the same does. */
const REFERENCE_TEXTS = {
  passage: [
    'Mix the tube by ten slow inversions before the cap is opened.',
    'Repeat the control once; a second failure stops patient testing.',
    'The reportable range is 0.5 to 12.0 mmol/L, undiluted.',
    'Calibration is verified every six months and after a lamp change.',
  ],
  query: ['how long can the sample wait?', 'Which control failed, and what do I do next?'],
} as const;

/** Throws (exit 3) for a damaged or incomplete folder or a name that is taken, (exit 4) for a model that does not compute. */
export async function importModel(folder: string, options: ImportOptions): Promise<ImportReport> {
  const source = resolve(folder);
  const given = await readModelCard(source);
  const id = options.id ?? given?.id ?? slugify(basename(source));
  const target = join(options.models, id);
  await checkFree(id, options);
  const draft = given === undefined ? await makeDraft(source, { ...options, id }) : givenDraft(given, { source, id });
  const temporary = join(options.models, `importing-${id}-${process.pid}`);
  await createPrivateFolder(options.models);
  try {
    const files = await copyFiles(draft.sources, temporary);
    if (given !== undefined) checkGiven(given, files);
    const tried = await tryModel({ card: { ...draft.card, files }, folder: temporary } as InstalledModel);
    await writeFile(join(temporary, 'model.json'), `${JSON.stringify(tried.card, null, 2)}\n`);
    if (options.replace === true) await rm(target, { recursive: true, force: true });
    await rename(temporary, target);
    return {
      model: { card: tried.card, folder: target } as InstalledModel,
      card: given === undefined ? 'made' : 'read',
      reference: tried.reference,
    };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Throws (exit 3) for a name that is taken and not to be replaced. */
export async function checkFree(id: string, { models, replace }: Pick<ImportOptions, 'models' | 'replace'>): Promise<void> {
  if (replace === true || (await stat(join(models, id)).catch(() => undefined)) === undefined) return;
  throw new ToolError(ExitCode.input, `there is a model ${id} in ${models}`, {
    hint: 'add --replace, or choose another name with --name',
  });
}

/** A card without hashes, and where each of its files is now. */
interface Draft {
  readonly card: Omit<ModelCard, 'files'> | Omit<GeneratorCard, 'files'>;
  readonly sources: ReadonlyMap<string, string>;
}

/** What has a chat template writes, unless it is said how its token vectors become one. */
async function makeDraft(source: string, options: CardOptions): Promise<Draft> {
  return options.pooling === undefined && (await isGeneratorFolder(source))
    ? draftGeneratorCard(source, options)
    : draftCard(source, options);
}

function givenDraft(
  { files, ...card }: ModelCard | GeneratorCard,
  { source, id }: { source: string; id: string },
): Draft {
  return { card: { ...card, id }, sources: new Map(files.map(({ path }) => [path, join(source, ...path.split('/'))])) };
}

async function copyFiles(sources: Draft['sources'], folder: string): Promise<CommonCard['files']> {
  const files: CommonCard['files'][number][] = [];
  for (const [path, from] of sources) {
    const to = join(folder, ...path.split('/'));
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await copyFile(from, to).catch((error: unknown) => {
      throw new ToolError(ExitCode.input, `${from} cannot be copied`, { cause: error });
    });
    const { size } = await stat(to);
    files.push({ path, bytes: size, sha256: await hashFile(to) });
  }
  return files;
}

/** Also for weights that memory would not hold twice. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(path)) hash.update(part as Buffer);
  return hash.digest('hex');
}

function checkGiven(card: CommonCard, copied: CommonCard['files']): void {
  const damaged = card.files.find(({ path, sha256 }) => copied.find((file) => file.path === path)?.sha256 !== sha256);
  if (damaged !== undefined) {
    throw new ToolError(ExitCode.input, `${damaged.path} is not what its model.json says: damaged or cut on the way`, {
      hint: 'carry the folder over again',
    });
  }
}

interface Tried {
  readonly card: InstalledModel['card'];
  readonly reference: ImportReport['reference'];
}

async function tryModel(model: InstalledModel): Promise<Tried> {
  if (isEmbedder(model)) return tryEmbedder(model);
  await tryGenerator(model);
  return { card: model.card, reference: 'none' };
}

/** Throws (exit 4) for a model that writes nothing. */
export async function tryGenerator({ card, folder }: InstalledModel): Promise<void> {
  const model = createLocalModel(folder);
  try {
    const { completionTokens = 0 } = await model.complete({ user: 'Say one word.', maxTokens: TRIED_TOKENS });
    if (completionTokens === 0) throw new ToolError(ExitCode.model, `model ${card.id} writes nothing`);
  } finally {
    await model.close?.();
  }
}

/** Reads the reference vectors that came along, or makes them. */
async function tryEmbedder(model: ModelFiles): Promise<Tried> {
  const embedder = await createEmbedder(model);
  try {
    if ((await checkReferenceVectors(model, embedder)) !== undefined) return { card: model.card, reference: 'read' };
    const vectors: Reference['vectors'][number][] = [];
    for (const role of ['passage', 'query'] as const) {
      const texts = REFERENCE_TEXTS[role];
      const made = await embedder.embed(texts, role);
      texts.forEach((text, at) => vectors.push({ text, role, vector: [...(made[at] ?? [])].map(sixDigits) }));
    }
    if (vectors.some(({ vector }) => !vector.every(Number.isFinite)))
      throw new ToolError(ExitCode.model, `model ${model.card.id} computes vectors that are no numbers`);
    const text = `${JSON.stringify({ model: model.card.id, origin: 'made at import, by the imported weights themselves', vectors })}\n`;
    await writeFile(join(model.folder, REFERENCE_FILE), text);
    const file = {
      path: REFERENCE_FILE,
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
    };
    return { card: { ...model.card, files: [...model.card.files, file] }, reference: 'made' };
  } finally {
    await embedder.close();
  }
}

function sixDigits(value: number): number {
  return Number(value.toFixed(6));
}
