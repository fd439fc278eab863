/** Development questions → the features of answered ones and of unanswerable ones, and the logistic weights that tell them apart. */

import { answerQuestion } from '../src/labsage/answer.js';
import type { AnswerFeatures } from '../src/labsage/answerable.js';
import { localDate } from '../src/labsage/documentControl.js';
import { readQuestions } from '../src/labsage/evaluation/questions.js';
import { benchCorpora, openBenchEmbedder, withIndex } from './retrieval.js';

interface Row {
  readonly features: AnswerFeatures;
  readonly answerable: boolean;
  /** Counts less where the negative is only made by leaving the document out. */
  readonly weight: number;
}

const NAMES: readonly (keyof AnswerFeatures)[] = [
  'unit',
  'piece',
  'section',
  'words',
  'document',
  'focus',
  'names',
  'short',
];

export async function benchConfidence(args: readonly string[]): Promise<void> {
  const embedder = await openBenchEmbedder(args[0] ?? 'mpnet');
  const corpus = (await benchCorpora()).find(({ name }) => name === 'own-dev');
  if (corpus === undefined) throw new Error('no development questions');
  const today = localDate(new Date());
  await withIndex(corpus, { embedder, preset: 'labsage' }, async (index) => {
    const rows: Row[] = [];
    const add = async (
      question: string,
      row: Omit<Row, 'features'>,
      without: readonly string[] = [],
    ): Promise<void> => {
      const documents = index.documents.filter(({ path }) => !without.includes(path)).map(({ id }) => id);
      const filters = without.length === 0 ? {} : { filters: { documents } };
      const { judgement } = await answerQuestion(question, { index, embedder }, { today, ...filters });
      rows.push({ ...row, features: judgement.features });
    };
    const none = (await readQuestions('queries/sops/unanswerable.jsonl')).filter(
      ({ split }) => split === 'dev',
    );
    for (const { question } of none) await add(question, { answerable: false, weight: 4 });
    for (const { question, evidence, kind } of corpus.questions) {
      await add(question, { answerable: true, weight: 1 });
      if (kind === 'multi-document') continue;
      await add(
        question,
        { answerable: false, weight: 0.25 },
        evidence.map(({ document }) => document),
      );
    }
    const weights = fitLogistic(rows);
    console.log(
      `bias ${weights.bias.toFixed(2)}  ${NAMES.map((name) => `${name}: ${weights[name].toFixed(2)}`).join(', ')}`,
    );
    const scoreOf = ({ features }: Row): number => 1 / (1 + Math.exp(-logit(weights, features)));
    for (const limit of [0.2, 0.3, 0.35, 0.4, 0.5, 0.6]) {
      const share = (of: readonly Row[]): string =>
        (of.filter((row) => scoreOf(row) < limit).length / of.length).toFixed(3);
      console.log(
        `refuse below ${limit}: answerable ${share(rows.filter((row) => row.answerable))}, unanswerable ${share(rows.filter((row) => row.weight === 4))}, document left out ${share(rows.filter((row) => row.weight === 0.25))}`,
      );
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
  const weights: Record<keyof AnswerFeatures | 'bias', number> = {
    bias: 0,
    unit: 0,
    piece: 0,
    section: 0,
    words: 0,
    document: 0,
    focus: 0,
    names: 0,
    short: 0,
  };
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  for (let step = 0; step < 20_000; step++) {
    const gradient = {
      bias: 0,
      unit: 0,
      piece: 0,
      section: 0,
      words: 0,
      document: 0,
      focus: 0,
      names: 0,
      short: 0,
    };
    for (const { features, answerable, weight } of rows) {
      const error = weight * ((answerable ? 1 : 0) - 1 / (1 + Math.exp(-logit(weights, features))));
      gradient.bias += error;
      for (const name of NAMES) gradient[name] += error * features[name];
    }
    weights.bias += (2 * gradient.bias) / total;
    for (const name of NAMES) weights[name] += (2 * gradient[name]) / total - 0.0005 * weights[name];
  }
  return weights;
}
