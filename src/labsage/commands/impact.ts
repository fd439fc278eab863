/** `labsage impact`: an old and a new state of SOPs → what differs, and which saved questions are answered differently. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DEFAULT_EMBEDDER, resolvePaths } from '../../core/config.js';
import { createEmbedder } from '../../core/embedder.js';
import { ExitCode, ToolError } from '../../core/errors.js';
import { findModel, fingerprintOf } from '../../core/models/modelFiles.js';
import { packageVersion } from '../../core/version.js';
import { findLog } from '../records/auditRecords.js';
import { vectorStores } from '../buildIndex.js';
import type { CommandContext } from '../../core/program.js';
import { localDate } from '../documents/documentControl.js';
import { writeGitFiles } from '../documents/gitFiles.js';
import { findImpact, type Impact } from '../impact/impact.js';
import { impactRecord, renderImpact } from '../impact/renderImpact.js';
import { auditedQuestions, readSavedQuestions, type SavedQuestion } from '../records/savedQuestions.js';
import { listSopFiles, type SopFiles } from '../documents/sopFiles.js';
import { openSopIndex, readSopManifest, sameFingerprint, type SopIndex } from '../sopIndex.js';
import { chunkingOf } from '../units.js';
import { proveModel } from '../../core/models/provenEmbedder.js';
import { indexFolder } from './openSearch.js';

interface ImpactFlags {
  readonly index?: string;
  readonly base?: string;
  readonly questions?: string;
  readonly audit?: boolean;
  readonly embedder?: string;
  readonly k?: number;
  readonly threads?: number;
  readonly failChanged?: boolean;
  readonly json?: boolean;
}

const PLAIN_COLUMNS = 120;

export async function impactCommand(
  args: readonly string[],
  flags: ImpactFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const { io, output } = context;
  const [first, second] = args;
  const isWhole =
    flags.base === undefined ? second !== undefined : first !== undefined && second === undefined;
  if (first === undefined || !isWhole) {
    throw new ToolError(ExitCode.usage, 'name an old and a new file or folder, or a new one with --base', {
      hint: 'labsage impact OLD NEW, or: labsage impact --base main sops',
    });
  }
  const questions = await questionsOf(flags, context);
  const temporary = flags.base === undefined ? undefined : await mkdtemp(join(tmpdir(), 'labsage-base-'));
  try {
    if (flags.base !== undefined && temporary !== undefined) {
      const { skipped } = await writeGitFiles(flags.base, first, {
        cwd: io.cwd,
        target: temporary,
        signal: io.signal,
      });
      for (const { path, reason } of skipped) output.warn(`skipped ${path} of ${flags.base}: ${reason}`);
    }
    const old = await listSopFiles([temporary ?? first], io.cwd);
    const current = await listSopFiles([second ?? first], io.cwd);
    const impact = await withModel({ old, current, questions }, flags, context);
    return report(impact, { flags, skipped: [...old.skipped, ...current.skipped] }, context);
  } finally {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
  }
}

async function questionsOf(flags: ImpactFlags, { io }: CommandContext): Promise<readonly SavedQuestion[]> {
  const fromFile =
    flags.questions === undefined
      ? []
      : (await readSavedQuestions(resolve(io.cwd, flags.questions), flags.questions)).questions;
  if (flags.audit !== true) return fromFile;
  const { state } = await resolvePaths(io.env);
  const { path } = await findLog([indexFolder(flags, io), state], 'audit');
  const known = new Set(fromFile.map(({ question }) => question));
  return [...fromFile, ...(await auditedQuestions(path)).filter(({ question }) => !known.has(question))];
}

async function withModel(
  sides: { old: SopFiles; current: SopFiles; questions: readonly SavedQuestion[] },
  flags: ImpactFlags,
  { io, output }: CommandContext,
): Promise<Impact> {
  const folder = indexFolder(flags, io);
  const manifest = sides.questions.length === 0 ? undefined : await readSopManifest(folder);
  const paths = await resolvePaths(io.env);
  const model = await findModel(flags.embedder ?? manifest?.embedder.id ?? DEFAULT_EMBEDDER, paths);
  const fingerprint = fingerprintOf(model);
  const reusable: SopIndex | undefined =
    manifest !== undefined && sameFingerprint(manifest.embedder, fingerprint)
      ? await openSopIndex(folder)
      : undefined;
  const embedding = output.progress('Embedding unit');
  const asking = output.progress('Asking question');
  try {
    return await findImpact(
      { old: sides.old.files, current: sides.current.files },
      {
        chunking: chunkingOf('labsage', packageVersion()),
        fingerprint,
        openEmbedder: async () => {
          const embedder = await createEmbedder(model, { threads: flags.threads });
          await proveModel(model, { embedder, stateFolder: paths.state });
          return embedder;
        },
        questions: sides.questions,
        retrieve: { today: localDate(new Date()), ...(flags.k === undefined ? {} : { k: flags.k }) },
        ...(reusable === undefined ? {} : { reuse: vectorStores(reusable) }),
        signal: io.signal,
        onProgress: (stage, done, total) => (stage === 'embedding' ? embedding : asking).update(done, total),
      },
    );
  } finally {
    await reusable?.close();
    embedding.stop();
    asking.stop();
  }
}

function report(
  impact: Impact,
  { flags, skipped }: { flags: ImpactFlags; skipped: Impact['skipped'] },
  { io, output }: CommandContext,
): ExitCode {
  for (const { path, reason } of [...skipped, ...impact.skipped]) output.warn(`skipped ${path}: ${reason}`);
  for (const { after, sameVersion } of impact.documents)
    if (sameVersion !== undefined)
      output.warn(`${after?.path ?? ''}: the text changed, but its version is still ${sameVersion}`);
  if (flags.json === true) output.printJson(impactRecord(impact));
  else {
    const columns = io.stdout.columns ?? PLAIN_COLUMNS;
    renderImpact(impact, { color: output.color, columns }).forEach((line) => output.print(line));
  }
  const isAsked = impact.answers.length > 0;
  const isChanged = isAsked
    ? impact.answers.some(({ kind }) => kind !== 'same')
    : impact.documents.length > 0;
  return flags.failChanged === true && isChanged ? ExitCode.shortfall : ExitCode.done;
}
