/** A source's text → what in it speaks to whoever writes from it, and not of its subject: no proof of anything. */

import { splitSentences } from '../text.js';
import type { Span } from '../types.js';

/** What nobody writes in a chart or a procedure: orders to a writer or a model, forged brackets, fences and turns of a conversation. */
const PLANTED: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}\b(?:instructions?|rules?|prompts?|guidelines|constraints|(?:all|everything|anything)\b[^.\n]{0,20}\b(?:above|before|previous|prior))\b/iu,
  /\b(?:you are|act as|pretend to be|you're)\b[^.\n]{0,20}\b(?:now\b|an? (?:AI|assistant|language model|chatbot|LLM)\b)/iu,
  /\b(?:new|updated|revised|following|real|actual) (?:instructions?|task|rules?|system prompt)\b\s*(?::|are\b|is\b)/iu,
  /\b(?:system (?:prompt|override)|developer (?:prompt|message|override|instructions?)|system (?:message|instructions?)\s*:)/iu,
  /^\W*(?:system|assistant|user|developer|human)\s*:/iu,
  /<\|[^|>\n]{1,30}\|>|<\/?s>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:system|assistant|user|instructions?|context|think)>/iu,
  /\b(?:AI|assistant|language model|LLM|chatbot|note[- ]?writer|summar(?:y|izer) (?:tool|bot)|whoever (?:writes|summar\w+))\b[^.\n]{0,40}\b(?:must|should|shall|please|do not|don't|never|always|write|output|state|cite|say|include|respond|answer|reply)\b/iu,
  /\b(?:write|output|respond|reply|print|repeat|answer|say|state|include|report|document|cite)\b[^.\n]{0,60}\b(?:in (?:the|your|this) (?:(?:progress|final|generated|SOAP) )?(?:note|summary|answer|reply|output|response)|(?:and|or) nothing else|only the (?:word|text|sentence)s?|as (?:the )?source|verbatim)\b/iu,
  /\b(?:when|while|before|after|if) (?:you (?:are )?)?(?:writing|generating|summari[sz]ing|drafting|composing|asked)\b[^.\n]{0,60}\b(?:note|summary|answer|reply|output)\b/iu,
  /\b(?:cite|citing|citation|source)\b[^.\n]{0,30}[[(［【]\s*S\d{1,4}\s*[\])］】]/iu,
  /[[［【]\s*[SP]\d{1,4}(?:\s*[,;|][^\]］】\n]{0,80})?\s*[\]］】]/u,
  /<<<+\s*CHART|CHART\s*>>>+|<<<+|>>>+/u,
  /\bend of (?:the )?(?:chart|context|sources?|document|data|patient (?:data|record))\b/iu,
  /^\W*(?:#{1,6}\s*)?(?:BEGIN|END)\s+(?:OF\s+)?(?:CHART|CONTEXT|PROMPT|INSTRUCTIONS?|SYSTEM|NOTE TEMPLATE)\b/u,
];

/** Characters that hide or turn text: zero-width, bidirectional controls, tags. */
const HIDDEN = /[\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\u{E0000}-\u{E007F}]/gu;

/** Whole sentences of the text, in order. */
export function findPlantedText(text: string): Span[] {
  return splitSentences(text).filter((span) => isPlanted(text.slice(span.start, span.end)));
}

export function isPlanted(sentence: string): boolean {
  const shown = sentence.normalize('NFKC').replace(HIDDEN, '');
  // A word with a hidden character inside is meant for no reader.
  const hides = /\p{L}[\u200B\u2060\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]+\p{L}/u.test(sentence);
  return hides || PLANTED.some((pattern) => pattern.test(sentence) || pattern.test(shown));
}

/** The text with planted sentences blanked out, of the same length. Those next to one in its line go with it. */
export function blankPlantedText(text: string): string {
  let blanked = text;
  for (const { start, end } of findPlantedText(text)) {
    const line = { start: text.lastIndexOf('\n', start - 1) + 1, end: text.indexOf('\n', end) };
    const until = line.end < 0 ? text.length : line.end;
    blanked = blankSpan(blanked, { start, end: until });
    if (isHeadOfOrder(text.slice(line.start, start)))
      blanked = blankSpan(blanked, { start: line.start, end: start });
  }
  return blanked;
}

/** What stands before an order in its line belongs to it where it is no sentence of its own. */
function isHeadOfOrder(before: string): boolean {
  return before.trim() !== '' && !/[.!?]\s*$/u.test(before);
}

export function blankSpan(text: string, { start, end }: Span): string {
  return text.slice(0, start) + text.slice(start, end).replace(/[^\n]/gu, ' ') + text.slice(end);
}
