/** Development questions → the features of answered ones and of unanswerable ones, and the logistic weights that tell them apart (what is refused). */

import type { Embedder } from '../src/core/types.js';
import { answerQuestion } from '../src/labsage/answer.js';
import { ANSWERABLE_WEIGHTS, type AnswerFeatures } from '../src/labsage/evidence/answerable.js';
import { localDate } from '../src/labsage/documents/documentControl.js';
import { readQuestions, type Question } from '../src/labsage/evaluation/questions.js';
import { benchCorpora, openBenchEmbedder, withIndex, type BenchCorpus } from './retrieval.js';

type Group = 'answerable' | 'unanswerable' | 'near miss' | 'document left out';

interface Row {
  readonly features: AnswerFeatures;
  readonly group: Group;
  /** Questions of one fold are judged by weights that were fitted without them. */
  readonly fold: number;
}

/** What a question of each group counts; one that is unanswerable only by leaving its document out counts little. */
const GROUP_WEIGHTS: Readonly<Record<Group, number>> = {
  answerable: 1,
  unanswerable: 2,
  'near miss': 2,
  'document left out': 0.3,
};
const GROUPS = Object.keys(GROUP_WEIGHTS) as Group[];
/** Of the questions with one document, every third is asked without it too. */
const LEFT_OUT_EVERY = 3;
const RIDGE = 0.002;
const STEPS = 4000;
const FOLDS = 5;
const LIMITS = [0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6];

const NAMES = Object.keys(ANSWERABLE_WEIGHTS) as (keyof AnswerFeatures)[];

/** `args`: the models, by commas (one set of weights serves all), and a file of near misses made by hand. */
export async function benchAnswerable(args: readonly string[]): Promise<void> {
  const corpus = (await benchCorpora()).find(({ name }) => name === 'own-dev');
  if (corpus === undefined) throw new Error('no development questions');
  const nearMisses = args[1] === undefined ? [] : await readQuestions(args[1]);
  const rows: Row[] = [];
  for (const name of (args[0] ?? 'mpnet,minilm').split(',')) {
    const embedder = await openBenchEmbedder(name);
    rows.push(...(await rowsOf(corpus, { embedder, nearMisses })));
    await embedder.close();
  }
  const all = fitLogistic(rows);
  console.log(
    `bias ${all.bias.toFixed(2)}  ${NAMES.map((name) => `${name}: ${all[name].toFixed(2)}`).join(', ')}`,
  );
  const folds = Array.from({ length: FOLDS }, (_, fold) =>
    fitLogistic(rows.filter((row) => row.fold !== fold)),
  );
  const unseen = rows.map((row) => scoreOf(row.features, folds[row.fold] ?? all));
  for (const limit of LIMITS) {
    const shares = GROUPS.map((group) => {
      const of = unseen.filter((_, at) => rows[at]?.group === group);
      return `${group} ${(of.filter((confidence) => confidence < limit).length / of.length).toFixed(3)}`;
    });
    console.log(`unseen, refused below ${limit}: ${shares.join(', ')}`);
  }
}

async function rowsOf(
  corpus: BenchCorpus,
  { embedder, nearMisses }: { embedder: Embedder; nearMisses: readonly Question[] },
): Promise<Row[]> {
  const today = localDate(new Date());
  return withIndex(corpus, { embedder, preset: 'labsage' }, async (index) => {
    const rows: Row[] = [];
    const add = async (
      { question, id, evidence }: Question,
      group: Group,
      without: readonly string[] = [],
    ): Promise<void> => {
      const documents = index.documents.filter(({ path }) => !without.includes(path)).map((one) => one.id);
      const filters = without.length === 0 ? {} : { filters: { documents } };
      const { judgement } = await answerQuestion(question, { index, embedder }, { today, ...filters });
      rows.push({ group, features: judgement.features, fold: foldOf(evidence[0]?.document ?? id) });
    };
    const none = await readQuestions('queries/sops/unanswerable.jsonl');
    for (const question of none) if (question.split === 'dev') await add(question, 'unanswerable');
    for (const question of nearMisses) await add(question, 'near miss');
    for (const [at, question] of corpus.questions.entries()) {
      await add(question, 'answerable');
      const documents = [...new Set(question.evidence.map(({ document }) => document))];
      if (at % LEFT_OUT_EVERY === 0 && documents.length === 1)
        await add(question, 'document left out', documents);
    }
    return rows;
  });
}

export function foldOf(name: string): number {
  return Array.from(name).reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % FOLDS;
}

type Weights = AnswerFeatures & { readonly bias: number };

function scoreOf(features: AnswerFeatures, weights: Weights): number {
  const logit = NAMES.reduce((sum, name) => sum + weights[name] * features[name], weights.bias);
  return 1 / (1 + Math.exp(-logit));
}

/** Weighted logistic regression by gradient descent with a small ridge; no weight changes the sign that it has now. */
function fitLogistic(rows: readonly Row[]): Weights {
  const zero = (): Record<keyof AnswerFeatures | 'bias', number> =>
    Object.fromEntries(['bias', ...NAMES].map((name) => [name, 0])) as Record<
      keyof AnswerFeatures | 'bias',
      number
    >;
  const weights = zero();
  const total = rows.reduce((sum, { group }) => sum + GROUP_WEIGHTS[group], 0);
  for (let step = 0; step < STEPS; step++) {
    const gradient = zero();
    for (const { features, group } of rows) {
      const error = GROUP_WEIGHTS[group] * ((group === 'answerable' ? 1 : 0) - scoreOf(features, weights));
      gradient.bias += error;
      for (const name of NAMES) gradient[name] += error * features[name];
    }
    weights.bias += (2 * gradient.bias) / total;
    for (const name of NAMES) {
      const moved = weights[name] + (2 * gradient[name]) / total - 2 * RIDGE * weights[name];
      weights[name] = moved * ANSWERABLE_WEIGHTS[name] < 0 ? 0 : moved;
    }
  }
  return weights;
}
