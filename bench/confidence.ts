/** Development questions → the features of answered ones and of unanswerable ones, and the logistic weights that tell them apart. */

import { answerQuestion } from '../src/labsage/answer.js';
import { CONFIDENCE_WEIGHTS, type AnswerFeatures } from '../src/labsage/evidence/answerable.js';
import { localDate } from '../src/labsage/documents/documentControl.js';
import { readQuestions } from '../src/labsage/evaluation/questions.js';
import { benchCorpora, openBenchEmbedder, withIndex } from './retrieval.js';

type Group = 'answerable' | 'unanswerable' | 'near miss' | 'document left out';

interface Row {
  readonly features: AnswerFeatures;
  readonly group: Group;
}

/** What a question of each group counts; one that is unanswerable only by leaving its document out counts little. */
const GROUP_WEIGHTS: Readonly<Record<Group, number>> = {
  answerable: 1,
  unanswerable: 2,
  'near miss': 2,
  'document left out': 0.1,
};
const RIDGE = 0.002;

const NAMES = Object.keys(CONFIDENCE_WEIGHTS) as (keyof AnswerFeatures)[];

export async function benchConfidence(args: readonly string[]): Promise<void> {
  const embedder = await openBenchEmbedder(args[0] ?? 'mpnet');
  const corpus = (await benchCorpora()).find(({ name }) => name === 'own-dev');
  if (corpus === undefined) throw new Error('no development questions');
  const today = localDate(new Date());
  await withIndex(corpus, { embedder, preset: 'labsage' }, async (index) => {
    const rows: Row[] = [];
    const add = async (question: string, group: Group, without: readonly string[] = []): Promise<void> => {
      const documents = index.documents.filter(({ path }) => !without.includes(path)).map(({ id }) => id);
      const filters = without.length === 0 ? {} : { filters: { documents } };
      const { judgement } = await answerQuestion(question, { index, embedder }, { today, ...filters });
      rows.push({ group, features: judgement.features });
    };
    const none = (await readQuestions('queries/sops/unanswerable.jsonl')).filter(
      ({ split }) => split === 'dev',
    );
    for (const { question } of none) await add(question, 'unanswerable');
    // Near misses made by hand, as JSONL, where a file is given.
    const nearMisses = args[1] === undefined ? [] : await readQuestions(args[1]);
    for (const { question } of nearMisses) await add(question, 'near miss');
    for (const { question, evidence, kind } of corpus.questions) {
      await add(question, 'answerable');
      if (kind === 'multi-document' || kind === 'multi-section') continue;
      await add(
        question,
        'document left out',
        evidence.map(({ document }) => document),
      );
    }
    const weights = fitLogistic(rows);
    console.log(
      `bias ${weights.bias.toFixed(2)}  ${NAMES.map((name) => `${name}: ${weights[name].toFixed(2)}`).join(', ')}`,
    );
    const scoreOf = ({ features }: Row): number => 1 / (1 + Math.exp(-logit(weights, features)));
    for (const limit of [0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6]) {
      const shares = (Object.keys(GROUP_WEIGHTS) as Group[]).map((group) => {
        const of = rows.filter((row) => row.group === group);
        return `${group} ${(of.filter((row) => scoreOf(row) < limit).length / of.length).toFixed(3)}`;
      });
      console.log(`refuse below ${limit}: ${shares.join(', ')}`);
    }
  });
  await embedder.close();
}

type Weights = AnswerFeatures & { readonly bias: number };

function logit(weights: Weights, features: AnswerFeatures): number {
  return NAMES.reduce((sum, name) => sum + weights[name] * features[name], weights.bias);
}

/** Weighted logistic regression by gradient descent with a small ridge. */
function fitLogistic(rows: readonly Row[]): Weights {
  const zero = (): Record<keyof AnswerFeatures | 'bias', number> =>
    Object.fromEntries(['bias', ...NAMES].map((name) => [name, 0])) as Record<
      keyof AnswerFeatures | 'bias',
      number
    >;
  const weights = zero();
  const total = rows.reduce((sum, { group }) => sum + GROUP_WEIGHTS[group], 0);
  for (let step = 0; step < 20_000; step++) {
    const gradient = zero();
    for (const { features, group } of rows) {
      const error =
        GROUP_WEIGHTS[group] *
        ((group === 'answerable' ? 1 : 0) - 1 / (1 + Math.exp(-logit(weights, features))));
      gradient.bias += error;
      for (const name of NAMES) gradient[name] += error * features[name];
    }
    weights.bias += (2 * gradient.bias) / total;
    for (const name of NAMES) weights[name] += (2 * gradient[name]) / total - 2 * RIDGE * weights[name];
  }
  return weights;
}
