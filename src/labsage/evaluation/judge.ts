/** Question, ground truth, contexts and answer + a judge model → the four RAGAS metrics; what the judge fails to say is counted. */

import type { LanguageModel } from '../../core/generator/chat.js';
import {
  answerAccuracy,
  contextEntityRecall,
  contextPrecision,
  contextRecall,
  readRating,
  readVerdict,
  type AccuracyRating,
  type JudgeVerdict,
} from '../../core/metrics/ragas.js';
import { fieldOf as field, openJudging, type JudgeCounts } from '../../core/judging.js';
import {
  ACCURACY_PROMPTS,
  entityPrompt,
  recallPrompt,
  usefulnessPrompt,
  type AccuracyTexts,
} from './judgePrompts.js';

/** Every score is undefined where the judge gave nothing to score. */
export interface Judge {
  readonly name: string;
  contextRecall(asked: {
    question: string;
    answer: string;
    contexts: readonly string[];
  }): Promise<number | undefined>;
  contextPrecision(asked: {
    question: string;
    answer: string;
    contexts: readonly string[];
  }): Promise<number | undefined>;
  entityRecall(asked: { answer: string; contexts: readonly string[] }): Promise<number | undefined>;
  /** Paper 000, Answer Accuracy. */
  answerAccuracy(texts: AccuracyTexts): Promise<number | undefined>;
  counts(): JudgeCounts;
}

export function openJudge(model: LanguageModel): Judge {
  const { ask, counts } = openJudging(model);
  return {
    name: model.name,
    async contextRecall({ question, answer, contexts }) {
      const verdicts = await ask(
        recallPrompt({ question, answer, context: contexts.join('\n\n') }),
        readStatements,
      );
      return verdicts === undefined ? undefined : contextRecall(verdicts).score;
    },
    async contextPrecision({ question, answer, contexts }) {
      const verdicts = await Promise.all(
        contexts.map((context) => ask(usefulnessPrompt({ question, answer, context }), readUsefulness)),
      );
      return contexts.length === 0 ? 0 : contextPrecision(verdicts).score;
    },
    async entityRecall({ answer, contexts }) {
      const [wanted, found] = await Promise.all([
        ask(entityPrompt(answer), readEntities),
        ask(entityPrompt(contexts.join('\n\n')), readEntities),
      ]);
      return contextEntityRecall(wanted, found);
    },
    async answerAccuracy(texts) {
      const [first, second] = await Promise.all(
        ACCURACY_PROMPTS.map((promptOf) => ask(promptOf(texts), readAccuracy)),
      );
      return answerAccuracy(first, second).score;
    },
    counts,
  };
}

/** No statement at all is no judgement: ragas gives NaN for it. */
function readStatements(reply: unknown): JudgeVerdict[] | undefined {
  const statements = field(reply, 'statements');
  if (!Array.isArray(statements) || statements.length === 0) return undefined;
  const verdicts = statements.map((statement) => readVerdict(field(statement, 'attributed')));
  return verdicts.every((verdict) => verdict === undefined) ? undefined : verdicts;
}

function readUsefulness(reply: unknown): JudgeVerdict {
  return readVerdict(field(reply, 'useful'));
}

function readEntities(reply: unknown): string[] | undefined {
  const entities = field(reply, 'entities');
  return Array.isArray(entities) && entities.every((entity) => typeof entity === 'string')
    ? entities
    : undefined;
}

function readAccuracy(reply: unknown): AccuracyRating | undefined {
  return readRating(field(reply, 'rating'));
}
