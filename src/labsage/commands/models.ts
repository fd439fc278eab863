/** `labsage models pull|import|export|list|verify`: models of the package and of the user, for embedding and for writing. */

import { resolve } from 'node:path';
import { resolvePaths } from '../../core/config.js';
import { ExitCode, shellWord } from '../../core/errors.js';
import type { CardOptions } from '../../core/models/modelCard.js';
import { exportModel } from '../../core/models/exportModel.js';
import { importModel, type ImportOptions, type ImportReport } from '../../core/models/importModel.js';
import { findInstalled, isEmbedder, listModels, type InstalledModel } from '../../core/models/modelFiles.js';
import { pullModel, type PullOptions } from '../../core/models/pullModel.js';
import { writeReferenceMark } from '../../core/models/referenceVectors.js';
import { verifyModel, type ModelVerdict } from '../../core/models/verifyModel.js';
import { formatBytes, type Output } from '../../core/output.js';
import type { CommandContext } from '../../core/program.js';

interface ModelFlags {
  readonly json?: boolean;
}

export interface ImportFlags extends ModelFlags, Omit<CardOptions, 'id'> {
  readonly name?: string;
  readonly replace?: boolean;
}

export async function importCommand(
  [folder = '']: readonly string[],
  { name, json, ...stated }: ImportFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const { models, state } = await resolvePaths(io.env);
  const options: ImportOptions = { ...stated, models, ...(name === undefined ? {} : { id: name }) };
  const imported = await importModel(resolve(io.cwd, folder), options);
  await reportImported(imported, { state, output, json: json === true });
  return ExitCode.done;
}

export interface PullFlags extends ImportFlags, Pick<PullOptions, 'revision' | 'dtype' | 'mirror'> {}

export async function pullCommand(
  [repo = '']: readonly string[],
  { name, json, ...stated }: PullFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const { models, state } = await resolvePaths(io.env);
  const progress = output.progress('Fetching MB');
  let pulled: Awaited<ReturnType<typeof pullModel>>;
  try {
    pulled = await pullModel(repo, {
      ...stated,
      models,
      env: io.env,
      signal: io.signal,
      ...(name === undefined ? {} : { id: name }),
      onBytes: (done, total) => progress.update(Math.round(done / 1e6), Math.round(total / 1e6)),
    });
  } finally {
    progress.stop();
  }
  await reportImported(pulled, { state, output, json: json === true });
  return ExitCode.done;
}

async function reportImported(
  { model, card, reference }: ImportReport,
  { state, output, json }: { state: string; output: Output; json: boolean },
): Promise<void> {
  if (isEmbedder(model)) await writeReferenceMark(model, state);
  if (json) output.printJson({ ...describeModel(model), card, reference });
  else if (!isEmbedder(model)) {
    const { id, contextTokens } = model.card;
    output.print(`${id}: a language model, ${contextTokens} tokens of prompt and reply; in ${model.folder}.`);
    output.print(`Use it with: labsage ask QUESTION --generator transformers:${id}`);
  } else {
    const { id, dims, pooling, maxTokens, queryWeights } = model.card;
    const encoders = queryWeights === undefined ? '' : ', one encoder for questions and one for passages';
    output.print(
      `${id}: ${dims} dimensions, ${pooling} pooling, ${maxTokens} tokens${encoders}; in ${model.folder}.`,
    );
    if (reference === 'made')
      output.print(
        'It came without reference vectors. They were made here: they show whether another machine computes as this one does, not that this one computes right.',
      );
    output.print(`Use it with: labsage index FOLDER_WITH_SOPS --embedder ${id}`);
  }
}

export async function listCommand(
  _args: readonly string[],
  { json }: ModelFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const paths = await resolvePaths(io.env);
  const models = await listModels(paths);
  if (json === true) output.printJson(models.map(describeModel));
  else {
    await output.table(
      ['model', 'for', 'dimensions', 'pooling', 'tokens', 'encoders', 'size', 'licence', 'from'],
      models.map(({ card, folder }) => [
        card.alias === undefined ? card.id : `${card.alias} (${card.id})`,
        ...(card.kind === 'embedder'
          ? [
              '--embedder',
              String(card.dims),
              card.pooling,
              String(card.maxTokens),
              card.queryWeights === undefined ? '1' : '2',
            ]
          : ['--generator', '-', '-', String(card.contextTokens), '-']),
        formatBytes(card.files.reduce((sum, { bytes }) => sum + bytes, 0)),
        card.licence,
        folder.startsWith(paths.models) ? 'imported' : 'package',
      ]),
    );
  }
  return ExitCode.done;
}

export async function exportCommand(
  [name = '', folder = '']: readonly string[],
  { json }: ModelFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const model = await findInstalled(name, await resolvePaths(io.env));
  const target = resolve(io.cwd, folder);
  const progress = output.progress('Copying file', model.card.files.length);
  let bytes: number;
  try {
    ({ bytes } = await exportModel(model, {
      folder: target,
      signal: io.signal,
      onFile: (done) => progress.update(done),
    }));
  } finally {
    progress.stop();
  }
  if (json === true) output.printJson({ id: model.card.id, folder: target, bytes });
  else {
    output.print(`${model.card.id}: ${formatBytes(bytes)} in ${target}.`);
    output.print(`On the other machine: labsage models import ${shellWord(folder)}`);
  }
  return ExitCode.done;
}

/** Hashes every file and compares the reference vectors; all models, or those that are named. */
export async function verifyModelsCommand(
  names: readonly string[],
  { json }: ModelFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const paths = await resolvePaths(io.env);
  const models =
    names.length === 0
      ? await listModels(paths)
      : await Promise.all(names.map((name) => findInstalled(name, paths)));
  const results: ModelVerdict[] = [];
  for (const model of models) {
    io.signal.throwIfAborted();
    const result = await verifyModel(model, paths.state);
    results.push(result);
    if (json === true) continue;
    const least =
      result.cosine === null
        ? 'no reference vectors'
        : `least cosine to its reference ${result.cosine.toFixed(3)}`;
    const shown = isEmbedder(model) ? least : 'it writes';
    output.print(
      result.fault === null ? `ok      ${result.id} (${shown})` : `FAILED  ${result.id}: ${result.fault}`,
    );
  }
  if (json === true) output.printJson(results);
  return results.every(({ fault }) => fault === null) ? ExitCode.done : ExitCode.shortfall;
}

function describeModel({ card, folder }: InstalledModel): object {
  const { files, ...stated } = card;
  return { ...stated, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), folder };
}
