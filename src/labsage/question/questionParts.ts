/** A question → the sentence that asks, and the things asked in it. */

import { sliceSpan, splitSentences } from '../../core/text.js';

export interface QuestionParts {
  /** The question proper: in a story, its last sentence. */
  readonly asking: string;
  /** Two or more where more than one thing is asked, else empty. */
  readonly parts: readonly string[];
}

/** A shorter last sentence (`What next?`) asks about the one before. */
const MIN_ASKING_WORDS = 4;
/** A part of fewer words says too little to be looked for. */
const MIN_PART_WORDS = 3;

/** Where another thing is asked: after a question mark, a semicolon or a dash, or at `and`, `or`, a comma before an asking word. */
const BREAK =
  /[?;]\s+|\s[-–—]\s+|(?:,\s*(?:and|or|but)?|\s(?:and|but|or))\s+(?=(?:what|which|who|whom|whose|when|where|why|how|can|could|do|does|did|is|are|must|may|should|will|would|has|have|from|at|above|below|in|to|with|for|after|before|if|until|by)\b)/iu;

export function splitQuestion(question: string): QuestionParts {
  const sentences = splitSentences(question).map((span) => sliceSpan(question, span));
  const tail: string[] = [];
  while (sentences.length > 0 && wordsIn(tail.join(' ')) < MIN_ASKING_WORDS)
    tail.unshift(sentences.pop() ?? '');
  const asking = tail.join(' ');
  const parts = (sentences.length <= 1 ? question : asking)
    .split(BREAK)
    .map((part) => part.trim())
    .filter((part) => wordsIn(part) >= MIN_PART_WORDS);
  return { asking, parts: parts.length > 1 ? parts : [] };
}

function wordsIn(text: string): number {
  return text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
}
