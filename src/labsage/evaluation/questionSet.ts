/** Question files, folders of them, a split, a list of ids, a sample size and a seed → the questions of one evaluation. */

import { readFile, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ExitCode, ToolError } from '../../core/errors.js';
import { seededRandom } from '../../core/metrics/random.js';
import { sha256Hex } from '../../core/text.js';
import { compareText, reasonOf } from '../documents/sopFiles.js';
import { parseQuestions, type Question, type QuestionSplit } from './questions.js';

export interface QuestionFile {
  /** As the user named it, or as it lies in the folder that the user named. */
  readonly path: string;
  readonly sha256: string;
  readonly questions: readonly Question[];
}

export interface QuestionSet {
  /** With evidence. */
  readonly answerable: readonly Question[];
  /** Without: a refusal is what is right. */
  readonly unanswerable: readonly Question[];
  /** With the complete list of documents. */
  readonly lists: readonly Question[];
}

export interface Selection {
  /** Questions that name a split must name this one. */
  readonly split?: QuestionSplit;
  /** Only these. */
  readonly ids?: ReadonlySet<string>;
  /** So many of the answerable questions, and the same share of the others, at random. */
  readonly sample?: number;
  /** Default 1. */
  readonly seed?: number;
}

/** A folder stands for all `.jsonl` files in it. Throws (exit 3) for what cannot be read, or an id in two files. */
export async function readQuestionFiles(names: readonly string[], cwd: string): Promise<QuestionFile[]> {
  const files: QuestionFile[] = [];
  const fileOf = new Map<string, string>();
  for (const name of (await Promise.all(names.map((path) => expandFolder(path, cwd)))).flat()) {
    const text = await readFile(resolve(cwd, name), 'utf8').catch((error: unknown) => {
      throw new ToolError(ExitCode.input, `questions ${name} cannot be read: ${reasonOf(error)}`, {
        cause: error,
      });
    });
    const questions = parseQuestions(text, { file: name });
    for (const { id } of questions) {
      const other = fileOf.get(id);
      if (other !== undefined && !id.startsWith('line-'))
        throw new ToolError(ExitCode.input, `question ${id} is in ${other} and in ${name}`);
      fileOf.set(id, name);
    }
    files.push({ path: name, sha256: sha256Hex(text), questions });
  }
  return files;
}

async function expandFolder(name: string, cwd: string): Promise<string[]> {
  const path = resolve(cwd, name);
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) return [name];
  const names = (await readdir(path)).filter((entry) => entry.endsWith('.jsonl')).sort(compareText);
  if (names.length === 0) throw new ToolError(ExitCode.input, `folder ${name} holds no .jsonl file`);
  return names.map((entry) => join(name, entry));
}

/** Keeps the order of the files. Throws (exit 3) where nothing is left, or an id of `ids` is in no file. */
export function selectQuestions(questions: readonly Question[], selection: Selection = {}): QuestionSet {
  const { split, ids, sample, seed = 1 } = selection;
  const known = new Set(questions.map(({ id }) => id));
  const unknown = [...(ids ?? [])].find((id) => !known.has(id));
  if (unknown !== undefined) throw new ToolError(ExitCode.input, `no question has the id ${unknown}`);
  const wanted = questions.filter(
    (question) =>
      (split === undefined || question.split === undefined || question.split === split) &&
      (ids === undefined || ids.has(question.id)),
  );
  const all: QuestionSet = {
    answerable: wanted.filter(({ evidence }) => evidence.length > 0),
    unanswerable: wanted.filter(
      ({ evidence, documents }) => evidence.length === 0 && documents === undefined,
    ),
    lists: wanted.filter(({ documents }) => documents !== undefined),
  };
  if (wanted.length === 0)
    throw new ToolError(ExitCode.input, 'no question is left to ask', {
      ...(split === undefined ? {} : { hint: `no question is of the split ${split}` }),
    });
  if (sample === undefined || sample >= all.answerable.length) return all;
  const share = sample / all.answerable.length;
  const take = (group: readonly Question[]): Question[] =>
    drawSample(group, { size: Math.ceil(share * group.length), seed });
  return {
    answerable: drawSample(all.answerable, { size: sample, seed }),
    unanswerable: take(all.unanswerable),
    lists: take(all.lists),
  };
}

/** Each set of that size is equally likely; the order is kept. */
function drawSample<Item>(items: readonly Item[], { size, seed }: { size: number; seed: number }): Item[] {
  const random = seededRandom(seed);
  const drawn = items
    .map((item, at) => ({ item, at, key: random() }))
    .sort((a, b) => a.key - b.key || a.at - b.at)
    .slice(0, size);
  return drawn.sort((a, b) => a.at - b.at).map(({ item }) => item);
}

/** A file with one id a line → the ids. */
export async function readIds(name: string, cwd: string): Promise<ReadonlySet<string>> {
  const text = await readFile(resolve(cwd, name), 'utf8').catch((error: unknown) => {
    throw new ToolError(ExitCode.input, `ids ${name} cannot be read: ${reasonOf(error)}`, { cause: error });
  });
  return new Set(text.split(/\s+/u).filter((id) => id !== ''));
}
