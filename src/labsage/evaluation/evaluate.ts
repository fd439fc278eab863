/** Questions + systems + generators (+ a judge) → every score, every answer and every time, as they were measured. */

import type { Generator } from '../../core/generator.js';
import type { LanguageModel } from '../../core/generator/chat.js';
import { loadTokenCounter, type CountTokens } from '../../core/tokenCounter.js';
import type { Document } from '../../core/types.js';
import type { IndexedDocument } from '../index/indexFormat.js';
import { fitWords } from './containment.js';
import { findStatements, groundTruthOf } from './groundTruth.js';
import type { EvaluatedSystem, Quoted } from './evaluatedSystems.js';
import { generate, printedQuotes, type Generated } from './generated.js';
import type { Judge } from './judge.js';
import {
  prepareQuestion,
  scoreAnswer,
  scoreContexts,
  scoreList,
  type PreparedQuestion,
  type Scores,
} from './questionScores.js';
import type { QuestionSet } from './questionSet.js';
import type { Question } from './questions.js';
import { createScoreSheet, type Measured, type ScoreSheet, type Series } from './scoreSheet.js';
import type { AskedCase } from './cases.js';
import { toCase } from './cases.js';
import type { RetrievedContext } from './systems.js';
import type { SystemName } from './systemNames.js';

/** The systems over one embedder, and what their ground truth is looked up in. */
export interface EvaluatedCorpus {
  readonly embedder: string;
  /** Without `none`, which retrieves nothing. */
  readonly systems: readonly EvaluatedSystem[];
  /** The same systems over an embedder that reuses no vector, in the same order: for times. */
  readonly timedSystems: readonly EvaluatedSystem[];
  /** By path. */
  readonly documents: ReadonlyMap<string, Document>;
  /** By path, cut into sections. */
  readonly indexed: ReadonlyMap<string, IndexedDocument>;
}

export interface EvaluationPlan {
  readonly questions: QuestionSet;
  readonly corpora: readonly EvaluatedCorpus[];
  /** Also ask language models without any context. */
  readonly withNone: boolean;
  readonly generators: readonly Generator[];
  readonly judge: Judge | undefined;
  /** Numbers of contexts, ascending. */
  readonly ks: readonly number[];
  /** Budgets of words, ascending. */
  readonly words: readonly number[];
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** What was measured, before any averaging. */
export interface Measurements {
  readonly series: readonly Series[];
  /** Of the first embedder and generator, at `answerK`. */
  readonly cases: readonly AskedCase[];
  /** The k at which answers of all systems are compared: 3 as in the paper where it is among `ks`. */
  readonly answerK: number;
  /** Replies that a generator failed to give, by its name. */
  readonly failedAnswers: Readonly<Record<string, number>>;
}

/** Paper 000: "Unless otherwise specified, the number of retrieved units is k = 3". */
const PAPER_K = 3;
/** Questions whose times are taken, one at a time. */
const TIMED_QUESTIONS = 10;

/** The name of the extractive generator in results. */
export const generatorName = (generator: Generator): string => generator?.name ?? 'extractive';

export async function evaluate(plan: EvaluationPlan): Promise<Measurements> {
  const { answerable, unanswerable, lists } = plan.questions;
  const sheet = createScoreSheet({
    answerable: answerable.length,
    unanswerable: unanswerable.length,
    lists: lists.length,
  });
  const state: EvaluationState = {
    plan,
    sheet,
    cases: [],
    answerK: plan.ks.includes(PAPER_K) ? PAPER_K : (plan.ks[0] ?? PAPER_K),
    failedAnswers: {},
    countTokens: await loadTokenCounter(),
    repliedModels: new Set(),
  };
  const perCorpus = answerable.length + unanswerable.length + lists.length + timedQuestions(plan).length;
  let done = 0;
  const step = (): void => {
    plan.signal?.throwIfAborted();
    plan.onProgress?.(done++, perCorpus * plan.corpora.length);
  };
  for (const corpus of plan.corpora) {
    for (const [at, question] of answerable.entries()) {
      step();
      await askAnswerable(question, { at, corpus, state });
    }
    for (const [at, question] of unanswerable.entries()) {
      step();
      await askUnanswerable(question, { at, corpus, state });
    }
    for (const [at, question] of lists.entries()) {
      step();
      await askForList(question, { at, corpus, state });
    }
    for (const [at, question] of timedQuestions(plan).entries()) {
      step();
      await timeQuestion(question, { at, corpus, state });
    }
  }
  const { cases, answerK, failedAnswers } = state;
  return { series: sheet.series(), cases, answerK, failedAnswers };
}

interface EvaluationState {
  readonly plan: EvaluationPlan;
  readonly sheet: ScoreSheet;
  readonly cases: AskedCase[];
  readonly answerK: number;
  readonly failedAnswers: Record<string, number>;
  readonly countTokens: CountTokens;
  /** Models that have replied at least once: a failing server is then a missing answer, not the end. */
  readonly repliedModels: Set<LanguageModel>;
}

interface Asking {
  /** Place among the questions of its group. */
  readonly at: number;
  readonly corpus: EvaluatedCorpus;
  readonly state: EvaluationState;
}

async function askAnswerable(question: Question, { at, corpus, state }: Asking): Promise<void> {
  const { plan, sheet, answerK } = state;
  const truth = groundTruthOf(question, corpus.documents);
  const prepared = prepareQuestion(question, truth, corpus.indexed);
  const add = (measured: Omit<Measured, 'embedder'>, scores: Scores): void =>
    sheet.add({ group: 'answerable', question: at }, { embedder: corpus.embedder, ...measured }, scores);
  for (const system of corpus.systems) {
    const { name } = system;
    const ranked = plan.words.length === 0 ? [] : await system.rank(question.question);
    for (const words of plan.words) {
      const found = findStatements(truth.statements, fitWords(ranked, words));
      add(
        { system: name, words },
        { 'context-recall': found.filter(Boolean).length / Math.max(1, found.length) },
      );
    }
    const allK = name === 'labsage';
    for (const k of plan.ks) {
      const isMain = k === answerK;
      const quoted = isMain || allK ? await system.quote(question.question, k) : undefined;
      const contexts = quoted?.contexts ?? (await system.read(question.question, k));
      add({ system: name, k }, scoreContexts(prepared, contexts, state));
      if (plan.judge !== undefined && (isMain || allK))
        add({ system: name, k }, await judgeContexts(prepared, contexts, plan.judge));
      if (quoted === undefined) continue;
      // As in the paper, other k are answered by the first generator only.
      const generators = isMain ? plan.generators : plan.generators.slice(0, 1);
      for (const generator of generators) {
        const generated = await generate(question.question, { quoted, generator, state });
        add(
          { system: name, generator: generatorName(generator), k },
          await scoreGenerated(prepared, generated, plan.judge),
        );
        if (isMain && isFirst(corpus, generator, state))
          state.cases.push(
            toCase({ group: 'answerable', question, truth }, { system: name, contexts, generated, quoted }),
          );
      }
    }
  }
  if (!plan.withNone || corpus !== plan.corpora[0]) return;
  for (const generator of plan.generators) {
    if (generator === undefined) continue;
    const generated = await generate(question.question, { quoted: undefined, generator, state });
    const measured = { system: 'none' as const, generator: generator.name, k: answerK };
    add(measured, await scoreGenerated(prepared, generated, plan.judge));
  }
}

function isFirst(corpus: EvaluatedCorpus, generator: Generator, { plan }: EvaluationState): boolean {
  return corpus === plan.corpora[0] && generator === plan.generators[0];
}

async function judgeContexts(
  { question }: PreparedQuestion,
  contexts: readonly RetrievedContext[],
  judge: Judge,
): Promise<Scores> {
  const texts = contexts.map(({ text }) => text);
  const asked = { question: question.question, answer: question.answer, contexts: texts };
  const [recall, precision, entities] = await Promise.all([
    judge.contextRecall(asked),
    judge.contextPrecision(asked),
    judge.entityRecall(asked),
  ]);
  return {
    'judged-context-recall': recall,
    'judged-context-precision': precision,
    'judged-entity-recall': entities,
  };
}

/** A missing reply of the generator has no score at all; it is counted. */
async function scoreGenerated(
  prepared: PreparedQuestion,
  generated: Generated | undefined,
  judge: Judge | undefined,
): Promise<Scores> {
  if (generated === undefined) return {};
  const { question } = prepared;
  const refused = generated.printed.answered ? 0 : 1;
  const accuracy =
    judge === undefined
      ? {}
      : {
          'answer-accuracy': await judge.answerAccuracy({
            question: question.question,
            reference: question.answer,
            answer: generated.plain,
          }),
        };
  return {
    ...scoreAnswer(prepared, generated.printed),
    [question.kind === 'typo' ? 'false-refusals-typo' : 'false-refusals']: refused,
    ...accuracy,
  };
}

async function askUnanswerable(question: Question, { at, corpus, state }: Asking): Promise<void> {
  const { plan, sheet, answerK } = state;
  const add = (system: SystemName, generator: Generator, generated: Generated | undefined): void => {
    if (generated === undefined) return;
    sheet.add(
      { group: 'unanswerable', question: at },
      { embedder: corpus.embedder, system, generator: generatorName(generator), k: answerK },
      { 'false-answers': generated.printed.answered ? 1 : 0 },
    );
  };
  for (const system of corpus.systems) {
    const quoted = await system.quote(question.question, answerK);
    for (const generator of plan.generators) {
      const generated = await generate(question.question, { quoted, generator, state });
      add(system.name, generator, generated);
      if (isFirst(corpus, generator, state)) {
        const { name, contexts } = { ...system, ...quoted };
        state.cases.push(
          toCase({ group: 'unanswerable', question }, { system: name, contexts, generated, quoted }),
        );
      }
    }
  }
  if (!plan.withNone || corpus !== plan.corpora[0]) return;
  for (const generator of plan.generators) {
    if (generator !== undefined)
      add('none', generator, await generate(question.question, { quoted: undefined, generator, state }));
  }
}

/** LabSage reads the whole index; the others name the documents of as many contexts as they are ever given here. */
async function askForList(question: Question, { at, corpus, state }: Asking): Promise<void> {
  const { plan, sheet, answerK } = state;
  for (const system of corpus.systems) {
    const k = system.name === 'labsage' ? answerK : (plan.ks.at(-1) ?? answerK);
    const quoted: Quoted = await system.quote(question.question, k);
    const measured = { embedder: corpus.embedder, system: system.name, k };
    const scores = scoreList(question.documents ?? [], quoted.listed);
    sheet.add({ group: 'lists', question: at }, measured, scores);
    if (isFirst(corpus, plan.generators[0], state)) {
      const { contexts } = quoted;
      const generated = printedQuotes(quoted);
      state.cases.push(
        toCase({ group: 'lists', question }, { system: system.name, contexts, generated, quoted }),
      );
    }
  }
}

/** The other metrics reuse vectors; times are taken apart, without, after one question that warms the model up. */
async function timeQuestion(question: Question, { at, corpus, state }: Asking): Promise<void> {
  for (const system of corpus.timedSystems) {
    if (at === 0) await system.quote(question.question, state.answerK);
    const startMs = performance.now();
    await system.search(question.question, state.answerK);
    const searchedMs = performance.now();
    await system.quote(question.question, state.answerK);
    const measured = { embedder: corpus.embedder, system: system.name, k: state.answerK };
    state.sheet.add({ group: 'answerable', question: at }, measured, {
      'retrieve-ms': searchedMs - startMs,
      'answer-ms': performance.now() - searchedMs,
    });
  }
}

function timedQuestions({ questions }: EvaluationPlan): readonly Question[] {
  const every = Math.max(1, Math.floor(questions.answerable.length / TIMED_QUESTIONS));
  return questions.answerable.filter((_, at) => at % every === 0).slice(0, TIMED_QUESTIONS);
}
