/** Question, ground truth, contexts and answer + a judge model → the four RAGAS metrics; what the judge fails to say is counted. */

import type { LanguageModel } from '../../core/generator.js';
import type { ChatReply } from '../../core/openAiClient.js';
import {
  RATING_ATTEMPTS,
  answerAccuracy,
  contextEntityRecall,
  contextPrecision,
  contextRecall,
  readRating,
  readVerdict,
  type AccuracyRating,
  type JudgeVerdict,
} from '../../core/metrics/ragas.js';
import { ToolError } from '../../core/errors.js';
import {
  ACCURACY_PROMPTS,
  entityPrompt,
  recallPrompt,
  usefulnessPrompt,
  type AccuracyTexts,
} from './judgePrompts.js';

/** Judgements asked for and those that failed after all attempts, since the judge was opened. */
export interface JudgeCounts {
  readonly asked: number;
  readonly failed: number;
}

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

/** Attempts at a reply that can be read, as many as ragas makes. */
const ATTEMPTS = RATING_ATTEMPTS;
const JUDGEMENT_TOKENS = 2048;
const NO_REPLY: ChatReply = { text: '', complete: false };

/**
 * One judgement is asked for once: the same prompt (a section that two systems retrieved) is not paid for twice. A reply
 * that cannot be read is asked for again, then counted as failed; so is a failing server, but one that never replied ends
 * the evaluation with its error.
 */
export function openJudge(model: LanguageModel): Judge {
  const known = new Map<string, Promise<unknown>>();
  let asked = 0;
  let failed = 0;
  let hasReplied = false;

  const replying: LanguageModel = {
    name: model.name,
    async complete(prompt) {
      try {
        const reply = await model.complete(prompt);
        hasReplied = true;
        return reply;
      } catch (error) {
        if (error instanceof ToolError && hasReplied) return NO_REPLY;
        throw error;
      }
    },
  };

  function ask<Judgement>(
    prompt: string,
    read: (reply: unknown) => Judgement | undefined,
  ): Promise<Judgement | undefined> {
    const before = known.get(prompt);
    if (before !== undefined) return before as Promise<Judgement | undefined>;
    asked++;
    const judgement = askUntilRead(replying, prompt, read).then((found) => {
      if (found === undefined) failed++;
      return found;
    });
    known.set(prompt, judgement);
    return judgement;
  }

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
    counts: () => ({ asked, failed }),
  };
}

async function askUntilRead<Judgement>(
  model: LanguageModel,
  prompt: string,
  read: (reply: unknown) => Judgement | undefined,
): Promise<Judgement | undefined> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const reply = await model.complete({ user: prompt, maxTokens: JUDGEMENT_TOKENS, seed: attempt });
    // The client has made its own attempts.
    if (reply === NO_REPLY) return undefined;
    const judgement = reply.complete ? read(parseJsonReply(reply.text)) : undefined;
    if (judgement !== undefined) return judgement;
  }
  return undefined;
}

/** The JSON value in a reply, alone, in a fenced block or after some words. */
export function parseJsonReply(text: string): unknown {
  const fenced = /```(?:json)?\s*([\s\S]*?)```/u.exec(text)?.[1];
  const from = text.search(/[{[]/u);
  const to = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  for (const candidate of [text, fenced, from < 0 ? undefined : text.slice(from, to + 1)]) {
    if (candidate === undefined) continue;
    try {
      return JSON.parse(candidate) as unknown;
    } catch {
      continue;
    }
  }
  return undefined;
}

function field(reply: unknown, name: string): unknown {
  return typeof reply === 'object' && reply !== null ? (reply as Record<string, unknown>)[name] : undefined;
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
