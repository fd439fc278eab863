/** A judge model and prompts → judgements read from its JSON replies; what it fails to say is asked again, then counted. */

import { ToolError } from './errors.js';
import type { ChatReply, LanguageModel } from './generator/chat.js';
import { RATING_ATTEMPTS } from './metrics/ragas.js';

/** Judgements asked for and those that failed after all attempts, since the judge was opened. */
export interface JudgeCounts {
  readonly asked: number;
  readonly failed: number;
}

/** Attempts at a reply that can be read, as many as ragas makes. */
const ATTEMPTS = RATING_ATTEMPTS;
const JUDGEMENT_TOKENS = 2048;
const NO_REPLY: ChatReply = { text: '', complete: false };

export interface Judging {
  /** `read` gives undefined for a reply that is no judgement. */
  readonly ask: <Judgement>(
    prompt: string,
    read: (reply: unknown) => Judgement | undefined,
  ) => Promise<Judgement | undefined>;
  readonly counts: () => JudgeCounts;
}

/**
 * One judgement is asked for once: the same prompt (a section that two systems retrieved) is not paid for twice. A reply
 * that cannot be read is asked for again, then counted as failed; so is a failing server, but one that never replied ends
 * the evaluation with its error.
 */
export function openJudging(model: LanguageModel): Judging {
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
  return {
    ask<Judgement>(
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

/** A field of a reply that is an object. */
export function fieldOf(reply: unknown, name: string): unknown {
  return typeof reply === 'object' && reply !== null ? (reply as Record<string, unknown>)[name] : undefined;
}
