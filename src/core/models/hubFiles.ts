/** A model's name on the hub, or a mirror of it → which of its files are needed, with sizes and checksums, at one commit. */

import { posix } from 'node:path';
import { z } from 'zod';
import { ExitCode, ToolError } from '../errors.js';
import type { HubClient } from './hubClient.js';
import { DTYPE_OF_FILE, type Dtype } from './modelFiles.js';

export interface HubFile {
  readonly path: string;
  readonly bytes: number;
  /** Of the content where it is kept as a large file, else of it as a git blob (`blob SIZE\0` before it). */
  readonly hash: { readonly kind: 'sha256' | 'git-sha1'; readonly hex: string };
}

export interface HubModel {
  readonly repo: string;
  readonly commit: string;
  readonly licence: string | undefined;
  readonly files: readonly HubFile[];
}

const REPO = /^[\w.-]+\/[\w.-]+$/u;
/** Besides the weights; what is not there is not needed. */
const SMALL_FILES = [
  'config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'generation_config.json',
  'chat_template.jinja',
  'chat_template.json',
  'sentence_bert_config.json',
  '1_Pooling/config.json',
];
/** Small and sound on a processor first. */
const EMBEDDER_DTYPES: readonly Dtype[] = ['q8', 'int8', 'uint8', 'fp32', 'fp16', 'q4'];
const GENERATOR_DTYPES: readonly Dtype[] = ['q4', 'q8', 'int8', 'uint8', 'q4f16', 'fp16', 'fp32'];

const infoSchema = z.object({
  sha: z.string().regex(/^[0-9a-f]{7,64}$/u),
  cardData: z.object({ license: z.unknown() }).nullish(),
});
const treeSchema = z.array(
  z.object({
    type: z.string(),
    path: z.string(),
    size: z.int().nonnegative().optional(),
    oid: z.string(),
    lfs: z.object({ oid: z.string(), size: z.int().nonnegative() }).nullish(),
  }),
);

/** Throws (exit 2) for a name of another form, (exit 3) for a model that is not there or cannot be used. */
export async function findHubModel(
  repo: string,
  { client, revision, dtype }: { client: HubClient; revision: string; dtype?: Dtype },
): Promise<HubModel> {
  if (!REPO.test(repo) || repo.split('/').some((part) => /^\.+$/u.test(part)))
    throw new ToolError(ExitCode.usage, `"${repo}" is no name of a model on the hub`, {
      hint: 'write it as OWNER/MODEL',
    });
  const info = infoSchema.safeParse(await client.readJson(`api/models/${repo}/revision/${encodeURIComponent(revision)}`));
  if (!info.success) throw noHub(client);
  const { sha: commit, cardData } = info.data;
  const entries = treeSchema.safeParse(await client.readList(`api/models/${repo}/tree/${commit}?recursive=true`));
  if (!entries.success) throw noHub(client);
  const all = entries.data
    .filter(({ type }) => type === 'file')
    .map(({ path, size, oid, lfs }): HubFile => ({
      path,
      bytes: lfs?.size ?? size ?? 0,
      hash: lfs === null || lfs === undefined ? { kind: 'git-sha1', hex: oid } : { kind: 'sha256', hex: lfs.oid.replace(/^sha256:/u, '') },
    }));
  const weights = chooseWeights(all, { repo, ...(dtype === undefined ? {} : { dtype }) });
  const files = all.filter(({ path }) => SMALL_FILES.includes(path) || weights.includes(path));
  const licence = typeof cardData?.license === 'string' ? cardData.license : undefined;
  return { repo, commit, licence, files };
}

function chooseWeights(
  files: readonly HubFile[],
  { repo, dtype }: { repo: string; dtype?: Dtype },
): string[] {
  const paths = files.map(({ path }) => path);
  const known = paths.filter(
    (path) => posix.dirname(path) === 'onnx' && Object.hasOwn(DTYPE_OF_FILE, posix.basename(path)),
  );
  const dtypeOf = (path: string): Dtype => DTYPE_OF_FILE[posix.basename(path)] ?? 'fp32';
  const there = known.map(dtypeOf).join(', ');
  if (known.length === 0)
    throw new ToolError(ExitCode.input, `${repo} has no ONNX weights in onnx/`, {
      hint: 'look for the same model from another owner, exported for transformers.js',
    });
  const isEmbedder = paths.some((path) => path === '1_Pooling/config.json' || path === 'sentence_bert_config.json');
  const writes = !isEmbedder && paths.includes('generation_config.json');
  const wanted = dtype === undefined ? (writes ? GENERATOR_DTYPES : EMBEDDER_DTYPES) : [dtype];
  const chosen = wanted.map((one) => known.find((path) => dtypeOf(path) === one)).find((path) => path !== undefined);
  if (chosen === undefined)
    throw new ToolError(ExitCode.input, `${repo} has no weights of the kind ${wanted.join(', ')}`, {
      hint: `it has: ${there}`,
    });
  return paths.filter((path) => path === chosen || path.startsWith(`${chosen}_data`));
}

function noHub({ base }: HubClient): ToolError {
  return new ToolError(ExitCode.input, `${base} does not answer as the hub does`, {
    hint: 'name a mirror of the hub with --mirror or HF_ENDPOINT',
  });
}
