/** A question + contexts + a language model → its answer as `ask` would have it written, or that it found none in them. */

import { readPromptRoom } from '../../core/generator/promptRoom.js';
import type { LanguageModel } from '../../core/generator/chat.js';
import { fitSections, isNoAnswer, nameSection, NO_ANSWER, readReply, REPLY_TOKENS } from '../sopPrompt.js';
import type { RetrievedContext } from './systems.js';

const SYSTEM_WITHOUT_CONTEXT = `You answer questions of clinical laboratory staff about their laboratory's procedures.
Write at most 120 words.
If you do not know, write only: ${NO_ANSWER}`;

export interface ModelAnswer {
  readonly text: string;
  readonly answered: boolean;
  readonly promptTokens?: number;
}

/** `contexts` undefined: the model is asked what it knows by itself. Throws (exit 4) as the model does. */
export async function askModel(
  question: string,
  contexts: readonly RetrievedContext[] | undefined,
  model: LanguageModel,
): Promise<ModelAnswer> {
  const { text: reply, promptTokens } = await model.complete(
    contexts === undefined
      ? { system: SYSTEM_WITHOUT_CONTEXT, user: `Question: ${question}`, maxTokens: REPLY_TOKENS }
      : fitSections(question, sectionsOf(contexts), await readPromptRoom(model, undefined)).prompt,
  );
  const text = readReply(reply);
  const answered = text !== '' && !isNoAnswer(text);
  return { text, answered, ...(promptTokens === undefined ? {} : { promptTokens }) };
}

function sectionsOf(contexts: readonly RetrievedContext[]): Parameters<typeof fitSections>[1] {
  return contexts.map(({ text, carried, ranked }, at) => ({
    key: `S${at + 1}`,
    name: nameSection(ranked.document, ranked.context),
    carried,
    text,
  }));
}
