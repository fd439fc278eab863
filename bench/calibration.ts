/** Answered questions → how often an answer of each confidence is right, and the logistic weights that make confidence say so. */

import {
  brierScore,
  expectedCalibrationError,
  reliabilityBins,
  type Prediction,
} from '../src/core/metrics/calibration.js';
import { answerQuestion } from '../src/labsage/answer.js';
import {
  confidenceOf,
  REVIEW_CONFIDENCE,
  type ConfidenceFeatures,
} from '../src/labsage/evidence/confidence.js';
import { localDate } from '../src/labsage/documents/documentControl.js';
import { evidenceRecall } from '../src/labsage/evaluation/containment.js';
import { readQuestions, type Question } from '../src/labsage/evaluation/questions.js';
import { foldOf } from './answerable.js';
import { benchCorpora, openBenchEmbedder, withIndex } from './retrieval.js';

interface Row {
  readonly split: 'dev' | 'test';
  readonly signals: ConfidenceFeatures;
  /** The quotes hold all of the ground truth. */
  readonly correct: boolean;
  readonly fold: number;
}

const RIDGE = 0.2;
const STEPS = 30;
const NAMES = ['fit', 'nearest', 'lead', 'held', 'parts'] as const;

/** `args`: the models, by commas; one set of weights serves all. Weights are fitted on development questions alone. */
export async function benchCalibration(args: readonly string[]): Promise<void> {
  const rows: Row[] = [];
  for (const name of (args[0] ?? 'mpnet,minilm').split(',')) rows.push(...(await answeredRows(name)));
  const dev = rows.filter(({ split }) => split === 'dev');
  const weights = fitWeights(dev);
  console.log(`fitted on ${dev.length} answers: ${describeWeights(weights)}`);
  const unseen = dev.map((row) => {
    const without = fitWeights(dev.filter(({ fold }) => fold !== row.fold));
    return { confidence: estimate(row.signals, without), correct: row.correct };
  });
  printReliability('dev, fitted without the document', unseen);
  for (const split of ['dev', 'test'] as const) {
    const own = rows.filter((row) => row.split === split);
    printReliability(
      `${split}, as the program says`,
      own.map(({ signals, correct }) => ({ confidence: confidenceOf(signals), correct })),
    );
  }
}

async function answeredRows(model: string): Promise<Row[]> {
  const embedder = await openBenchEmbedder(model);
  const today = localDate(new Date());
  const none = await readQuestions('queries/sops/unanswerable.jsonl');
  const rows: Row[] = [];
  for (const corpus of await benchCorpora()) {
    if (corpus.name !== 'own-dev' && corpus.name !== 'own-test') continue;
    const split = corpus.name === 'own-dev' ? 'dev' : 'test';
    await withIndex(corpus, { embedder, preset: 'labsage' }, async (index) => {
      const add = async (question: Question): Promise<void> => {
        const { answer, signals } = await answerQuestion(question.question, { index, embedder }, { today });
        if (!answer.answered) return;
        const quoted = answer.citations.map(({ document, quotes }) => ({
          document: document.path,
          text: quotes.map(({ text }) => text).join('\n'),
        }));
        const correct = question.evidence.length > 0 && evidenceRecall(question, quoted) === 1;
        const fold = foldOf(question.evidence[0]?.document ?? question.id);
        rows.push({ split, signals, correct, fold });
      };
      for (const question of corpus.questions) await add(question);
      for (const question of none) if (question.split === split) await add(question);
    });
  }
  await embedder.close();
  return rows;
}

function printReliability(name: string, predictions: readonly Prediction[]): void {
  const two = (value: number | undefined): string => (value ?? NaN).toFixed(2);
  const flagged = predictions.filter(({ confidence }) => confidence < REVIEW_CONFIDENCE);
  const right = (of: readonly Prediction[]): string =>
    `${of.filter(({ correct }) => correct).length} of ${of.length} right`;
  console.log(
    `\n${name}: ${right(predictions)}; flagged for review ${right(flagged)}, others ${right(predictions.filter((one) => !flagged.includes(one)))}; expected calibration error ${expectedCalibrationError(predictions)?.toFixed(3) ?? ''}, Brier score ${brierScore(predictions)?.toFixed(3) ?? ''}, a right one above a wrong one ${rankShare(predictions).toFixed(3)}`,
  );
  for (const { low, high, count, meanConfidence, accuracy } of reliabilityBins(predictions))
    if (count > 0)
      console.log(
        `  ${low.toFixed(1)}-${high.toFixed(1)}  ${count.toString().padStart(4)} answers  said ${two(meanConfidence)}  right ${two(accuracy)}`,
      );
}

/** Share of the pairs of a right and a wrong answer in which the right one is the more confident (area under the ROC curve). */
function rankShare(predictions: readonly Prediction[]): number {
  const right = predictions.filter(({ correct }) => correct);
  const wrong = predictions.filter(({ correct }) => !correct);
  const wins = right.flatMap((one) =>
    wrong.map((other): number =>
      one.confidence === other.confidence ? 0.5 : one.confidence > other.confidence ? 1 : 0,
    ),
  );
  return wins.reduce((sum, win) => sum + win, 0) / wins.length;
}

/** Bias first, then in the order of `NAMES`. */
type Weights = readonly number[];

function describeWeights([bias = 0, ...others]: Weights): string {
  return `bias ${bias.toFixed(2)}, ${NAMES.map((name, at) => `${name} ${others[at]?.toFixed(2) ?? ''}`).join(', ')}`;
}

function inputsOf(signals: ConfidenceFeatures): number[] {
  return [1, ...NAMES.map((name) => signals[name])];
}

function estimate(signals: ConfidenceFeatures, weights: Weights): number {
  const logit = inputsOf(signals).reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0);
  return 1 / (1 + Math.exp(-logit));
}

/** Logistic regression with a small ridge by Newton's method. */
function fitWeights(rows: readonly Row[]): Weights {
  const size = NAMES.length + 1;
  let weights: number[] = Array.from({ length: size }, () => 0);
  for (let step = 0; step < STEPS; step++) {
    const system = Array.from({ length: size }, (_, at) =>
      Array.from({ length: size + 1 }, (_unused, column) => {
        if (at === 0) return 0;
        return column === at ? RIDGE : column === size ? -RIDGE * (weights[at] ?? 0) : 0;
      }),
    );
    for (const { signals, correct } of rows) {
      const inputs = inputsOf(signals);
      const p = estimate(signals, weights);
      inputs.forEach((a, at) => {
        const equation = system[at];
        if (equation === undefined) return;
        inputs.forEach((b, column) => (equation[column] = (equation[column] ?? 0) + p * (1 - p) * a * b));
        equation[size] = (equation[size] ?? 0) + a * ((correct ? 1 : 0) - p);
      });
    }
    const moves = solve(system);
    weights = weights.map((weight, at) => weight + (moves[at] ?? 0));
  }
  return weights;
}

/** Rows of a positive definite system, the right side last: Gauss-Jordan without pivoting. */
function solve(system: readonly number[][]): number[] {
  const rows = system.map((row) => [...row]);
  rows.forEach((pivot, at) => {
    const by = pivot[at] ?? 1;
    pivot.forEach((value, column) => (pivot[column] = value / by));
    rows.forEach((row, other) => {
      const factor = row[at] ?? 0;
      if (other !== at) row.forEach((value, column) => (row[column] = value - factor * (pivot[column] ?? 0)));
    });
  });
  return rows.map((row) => row.at(-1) ?? 0);
}
