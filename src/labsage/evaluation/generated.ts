/** What a system quotes + a generator → what is printed for a question, or nothing where the generator failed. */

import type { Generator } from '../../core/generator.js';
import type { LanguageModel } from '../../core/generator/chat.js';
import { ToolError } from '../../core/errors.js';
import type { Quoted } from './evaluatedSystems.js';
import { askModel } from './modelAnswer.js';
import type { PrintedAnswer } from './questionScores.js';

/** An answer in the forms that metrics, judges and reports need. */
export interface Generated {
  readonly printed: PrintedAnswer;
  /** Without marks: what a judge sees. */
  readonly plain: string;
  /** As a user sees it. */
  readonly shown: string;
}

/** What is kept of an evaluation's models from one question to the next. */
export interface ModelState {
  readonly failedAnswers: Record<string, number>;
  readonly repliedModels: Set<LanguageModel>;
}

/**
 * A system that refuses is not overruled by a model. `quoted` undefined asks the model without contexts. Undefined where a
 * model that had replied before gives no reply now, counted in the state; throws (exit 4) where it never replied.
 */
export async function generate(
  question: string,
  { quoted, generator, state }: { quoted: Quoted | undefined; generator: Generator; state: ModelState },
): Promise<Generated | undefined> {
  if (quoted !== undefined && (generator === undefined || !quoted.answered)) return printedQuotes(quoted);
  if (generator === undefined) throw new Error('without contexts there is nothing to quote');
  try {
    const { text, answered } = await askModel(question, quoted?.contexts, generator);
    state.repliedModels.add(generator);
    const texts = [{ document: '', text }];
    return { printed: { texts, answered, isModelText: true }, plain: text, shown: text };
  } catch (error) {
    if (!(error instanceof ToolError) || !state.repliedModels.has(generator)) throw error;
    state.failedAnswers[generator.name] = (state.failedAnswers[generator.name] ?? 0) + 1;
    return undefined;
  }
}

export function printedQuotes({ quotes, text, answered }: Quoted): Generated {
  const plain = answered ? quotes.map((quote) => quote.text).join('\n') : text;
  return { printed: { texts: quotes, answered, isModelText: false }, plain, shown: text };
}
