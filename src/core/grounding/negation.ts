/** A sentence's words → for each, whether it is denied, hedged, of the past or of a relative (after NegEx and ConText). */

import { PREDICATES, PREPOSITIONS, SCOPE_ENDS, TRIGGERS, type TriggerKind } from './negationTriggers.js';
import { deniedWord } from './words.js';
import type { Span } from '../types.js';

/** `maybe`: the grammar leaves open whether it is denied (the subject of "is not", the tail after a preposition). */
export interface Polarity {
  readonly denied: 'no' | 'yes' | 'maybe';
  /** Denied only until or unless something else: "do not report until …". */
  readonly isGated: boolean;
  readonly isUnsure: boolean;
  readonly isPast: boolean;
  readonly isFamily: boolean;
}

export const AFFIRMED: Polarity = {
  denied: 'no',
  isGated: false,
  isUnsure: false,
  isPast: false,
  isFamily: false,
};

interface Trigger extends Span {
  readonly kind: TriggerKind;
  readonly text: string;
}

interface Marks {
  /** Strong denials; two make an affirmation. */
  denials: number;
  isMaybe: boolean;
  isGated: boolean;
  isUnsure: boolean;
  isPast: boolean;
  isFamily: boolean;
}

const PATTERNS = (Object.keys(TRIGGERS) as TriggerKind[]).map(
  (kind) =>
    [
      kind,
      new RegExp(
        String.raw`(?<![\p{L}\p{N}])(?:${[...TRIGGERS[kind]].sort((a, b) => b.length - a.length).join('|')})(?![\p{L}\p{N}])`,
        'giu',
      ),
    ] as const,
);
const AFTER_PATTERN = new RegExp(
  String.raw`(?:^|(?<=[\p{L}\p{N})]))\s*(?:${[...TRIGGERS.after].sort((a, b) => b.length - a.length).join('|')})(?![\p{L}\p{N}])`,
  'giu',
);

/** Words of scope at most, before and after. */
const WORDS_AFTER = 14;
const WORDS_BEFORE = 5;
const LIST_ITEM_WORDS = 4;
const PAST_WORDS = 6;

/** `words`: every word of the sentence in order (function words too), quantities left out; spans into `text`. */
export function readPolarities(text: string, words: readonly Span[]): Polarity[] {
  const marks: Marks[] = words.map(() => ({
    denials: 0,
    isMaybe: false,
    isGated: false,
    isUnsure: false,
    isPast: false,
    isFamily: false,
  }));
  const plain = text.replace(/[‘’]/gu, "'");
  const triggers = findTriggers(plain);
  for (const trigger of triggers) {
    const others = triggers.filter((other) => other !== trigger);
    if (trigger.kind === 'noun') markNounScope(plain, { words, marks, trigger, others });
    else if (trigger.kind === 'verb') markVerbScope(plain, { words, marks, trigger });
    else if (trigger.kind === 'after' || trigger.kind === 'pastAfter')
      markBefore(plain, { words, marks, trigger });
    else if (trigger.kind !== 'pseudo') markModifier(plain, { words, marks, trigger });
  }
  // "did not need …" denies what follows; what its own word says is open.
  for (const { kind, start, end } of triggers) {
    if (kind !== 'noun' && kind !== 'verb') continue;
    words.forEach((word, i) => {
      const mark = marks[i];
      if (mark !== undefined && word.start > start && word.end <= end) mark.isMaybe = true;
    });
  }
  return marks.map((mark, i) => {
    const lower = plain.slice(words[i]?.start, words[i]?.end).toLowerCase();
    const denials = mark.denials + (deniedWord(lower) === undefined ? 0 : 1);
    return {
      denied: denials % 2 === 1 ? 'yes' : mark.isMaybe || denials > 0 ? 'maybe' : 'no',
      isGated: mark.isGated,
      isUnsure: mark.isUnsure,
      isPast: mark.isPast,
      isFamily: mark.isFamily,
    };
  });
}

/** Longest first; a pseudo-trigger or hedge hides what overlaps it. */
function findTriggers(text: string): Trigger[] {
  const all: Trigger[] = [];
  for (const [kind, pattern] of PATTERNS) {
    const found = text.matchAll(kind === 'after' ? AFTER_PATTERN : pattern);
    for (const match of found) {
      const lead = /^\s*/u.exec(match[0])?.[0].length ?? 0;
      const start = match.index + lead;
      if (match[0].trim() !== '')
        all.push({ kind, start, end: match.index + match[0].length, text: match[0].trim().toLowerCase() });
    }
  }
  all.sort((a, b) => b.end - b.start - (a.end - a.start) || (a.kind === 'pseudo' ? -1 : 1));
  const kept: Trigger[] = [];
  for (const trigger of all) {
    if (kept.some((other) => trigger.start < other.end && other.start < trigger.end)) continue;
    // "negative for" stands before what it denies.
    if (trigger.kind === 'after' && /^\s*for\b/iu.test(text.slice(trigger.end))) continue;
    // "negative cultures" denies what follows.
    const isBeforeNoun =
      trigger.text === 'negative' &&
      /^\s+(?!(?:on|at|by|in|and|or|but|to|since|from|with|until|as|so|x)(?![\p{L}]))\p{L}/iu.test(
        text.slice(trigger.end),
      );
    kept.push(isBeforeNoun ? { ...trigger, kind: 'noun' } : trigger);
  }
  kept.sort((a, b) => a.start - b.start);
  // "never denies", "not without": two denials in a row are none.
  const isCancelled = (one: Trigger | undefined, two: Trigger | undefined): boolean =>
    one?.kind === 'verb' &&
    two?.kind === 'noun' &&
    /^\s*(?:been\s|be\s)?$/u.test(text.slice(one.end, two.start));
  return kept.filter(
    (trigger, i) => !isCancelled(trigger, kept[i + 1]) && !isCancelled(kept[i - 1], trigger),
  );
}

interface Scope {
  readonly words: readonly Span[];
  readonly marks: Marks[];
  readonly trigger: Trigger;
}

function markNounScope(
  text: string,
  { words, marks, trigger, others }: Scope & { others: readonly Trigger[] },
): void {
  // "15 minutes with LISS, 30 without": what is denied stands before.
  if (trigger.text === 'without' && /^\s*(?:[.,;)]|$)/u.test(text.slice(trigger.end))) {
    for (const mark of marks) mark.isMaybe = true;
    return;
  }
  const isGated = GATE.test(text.slice(trigger.end).replace(CLAUSE_TAIL, ''));
  let isResting = false;
  let taken = 0;
  for (let i = firstAfter(words, trigger.end); i < words.length && taken < WORDS_AFTER; i++, taken++) {
    const word = words[i];
    const mark = marks[i];
    if (word === undefined || mark === undefined) break;
    const gap = text.slice(words[i - 1]?.end ?? trigger.end, word.start);
    const lower = text.slice(word.start, word.end).toLowerCase();
    const from = Math.max(trigger.end, words[i - 1]?.end ?? 0);
    if (taken > 0 && /[;.!?:]|\s[-–—]\s/u.test(text.slice(from, word.start))) break;
    if (others.some((other) => other.kind === 'noun' && other.start <= word.start && word.start < other.end))
      break;
    // "no organisms are seen, stain …": after a predicate only "or" goes on with the list.
    const isSaid =
      isResting && PREDICATES.has(text.slice(words[i - 1]?.start, words[i - 1]?.end).toLowerCase());
    if (taken > 0 && gap.includes(',') && (isSaid || !continuesList(text, { words, at: i }))) break;
    if (taken > 0 && (gap.includes(',') || /^(?:or|nor|and)$/u.test(lower))) {
      if (/^(?:and)$/u.test(lower) && !continuesList(text, { words, at: i + 1 })) break;
      isResting = false;
    }
    if (SCOPE_ENDS.has(lower)) break;
    if (taken > 0 && (PREPOSITIONS.has(lower) || PREDICATES.has(lower))) isResting = true;
    if (isResting) mark.isMaybe = true;
    else if (isGated) mark.isGated = true;
    else if (isModifier(text, { words, at: i })) mark.isMaybe = true;
    else mark.denials++;
  }
}

/** "no pleural effusion" denies the effusion: a word directly before another of its phrase may be true of something else. */
function isModifier(text: string, { words, at }: { words: readonly Span[]; at: number }): boolean {
  const word = words[at];
  const next = words[at + 1];
  if (word === undefined || next === undefined || !/^[\s-]+$/u.test(text.slice(word.end, next.start)))
    return false;
  const lower = text.slice(next.start, next.end).toLowerCase();
  return (
    !/^(?:of|or|nor|and)$/u.test(lower) &&
    !SCOPE_ENDS.has(lower) &&
    !PREPOSITIONS.has(lower) &&
    !PREDICATES.has(lower)
  );
}

/** An item goes on with the list unless it is long or a statement of its own. */
function continuesList(text: string, { words, at }: { words: readonly Span[]; at: number }): boolean {
  const item: string[] = [];
  for (let i = at; i < words.length && item.length <= LIST_ITEM_WORDS; i++) {
    const word = words[i];
    if (word === undefined) break;
    if (i > at && /[,;.:]/u.test(text.slice(words[i - 1]?.end ?? 0, word.start))) break;
    const lower = text.slice(word.start, word.end).toLowerCase();
    if (i > at && /^(?:or|nor|and)$/u.test(lower)) break;
    // What a preposition adds to the item does not count.
    if (PREPOSITIONS.has(lower) && item.length > 0) break;
    item.push(lower);
  }
  const afterItem = words[at + item.length];
  const hasNumber = /\d|\u0001/u.test(
    text.slice(words[at]?.start ?? 0, afterItem?.start ?? text.length).split(/[,;.]/u)[0] ?? '',
  );
  if (item[0] === 'or' || item[0] === 'nor') return true;
  if (/^(?:but|no|not|denies|without|then|with)$/u.test(item[0] ?? '')) return false;
  return (
    item.length <= LIST_ITEM_WORDS &&
    !hasNumber &&
    !item.some((word) => PREDICATES.has(word) || SCOPE_ENDS.has(word))
  );
}

/** "until", "unless" …: what is denied only for so long. */
const GATE =
  /(?<![\p{L}]|(?<![\p{L}])(?:or|and|nor) )(?:until|till|unless|before|prior to|without|except|if)(?![\p{L}])/iu;
const CLAUSE_TAIL = /[;.!?](?:\s|$)[\s\S]*$/u;
const AUXILIARIES = new Set(
  'need needs be been being have has had to yet any a an the ever is are was were it its this that these those patient specimen so very too currently'.split(
    ' ',
  ),
);

function markVerbScope(text: string, { words, marks, trigger }: Scope): void {
  const rest = text.slice(trigger.end).replace(CLAUSE_TAIL, '');
  const isGated = GATE.test(rest) && !/^[^,;.]*,\s*(?:but|and)\b/iu.test(rest);
  let isHead = true;
  let taken = 0;
  for (let i = firstAfter(words, trigger.end); i < words.length && taken < WORDS_AFTER; i++, taken++) {
    const word = words[i];
    const mark = marks[i];
    if (word === undefined || mark === undefined) break;
    const gap = text.slice(Math.max(trigger.end, words[i - 1]?.end ?? 0), word.start);
    const lower = text.slice(word.start, word.end).toLowerCase();
    if (/[;.!?:]|\s[-–—]\s/u.test(gap) || SCOPE_ENDS.has(lower)) break;
    if (/^(?:or|nor)$/u.test(lower)) {
      isHead = true;
      continue;
    }
    if (gap.includes(',')) {
      if (!/^[^.;]*,?\s(?:or|nor)\s/iu.test(text.slice(word.start))) break;
      isHead = true;
    }
    if (AUXILIARIES.has(lower) || (isHead && PREPOSITIONS.has(lower))) continue;
    if (!isHead) {
      mark.isMaybe = true;
      continue;
    }
    // "cannot be the second reviewer" denies the noun, not what stands before it.
    const isNominal = /(?<![\p{L}])(?:an?|the)(?![\p{L}])/iu.test(text.slice(trigger.end, word.start));
    if (isGated) mark.isGated = true;
    else if (isNominal && isModifier(text, { words, at: i })) mark.isMaybe = true;
    else mark.denials++;
    isHead = false;
  }
  // The subject: "fasting is not required".
  for (
    let i = firstAfter(words, trigger.start) - 1, back = 0;
    i >= 0 && back < WORDS_BEFORE + 3;
    i--, back++
  ) {
    const word = words[i];
    const mark = marks[i];
    if (
      word === undefined ||
      mark === undefined ||
      SCOPE_ENDS.has(text.slice(word.start, word.end).toLowerCase()) ||
      /[;.!?:,]/u.test(text.slice(word.end, words[i + 1]?.start ?? trigger.start))
    )
      break;
    mark.isMaybe = true;
  }
}

function markBefore(text: string, { words, marks, trigger }: Scope): void {
  let taken = 0;
  const last = firstAfter(words, trigger.start) - 1;
  // "Below 30 makes it unlikely": what "it" stands for is denied too.
  if (/^(?:it|this|that|they|these|them)$/iu.test(text.slice(words[last]?.start, words[last]?.end)))
    for (const mark of marks.slice(0, Math.max(last, 0))) mark.isMaybe = true;
  for (let i = firstAfter(words, trigger.start) - 1; i >= 0 && taken < WORDS_BEFORE; i--, taken++) {
    const word = words[i];
    const mark = marks[i];
    if (word === undefined || mark === undefined) break;
    const gap = text.slice(word.end, Math.min(words[i + 1]?.start ?? trigger.start, trigger.start));
    const lower = text.slice(word.start, word.end).toLowerCase();
    if (/[;.!?,]/u.test(gap) || SCOPE_ENDS.has(lower) || (PREDICATES.has(lower) && taken > 0)) break;
    if (trigger.kind === 'pastAfter') {
      mark.isPast = true;
      continue;
    }
    mark.denials++;
  }
}

function markModifier(text: string, { words, marks, trigger }: Scope): void {
  const limit = trigger.kind === 'past' ? PAST_WORDS : WORDS_AFTER;
  let taken = 0;
  for (let i = firstAfter(words, trigger.end); i < words.length && taken < limit; i++, taken++) {
    const word = words[i];
    const mark = marks[i];
    if (word === undefined || mark === undefined) break;
    const gap = text.slice(Math.max(trigger.end, words[i - 1]?.end ?? 0), word.start);
    const lower = text.slice(word.start, word.end).toLowerCase();
    const isList = trigger.kind === 'family' || /^(?:history of|h\/o|hx of)$/u.test(trigger.text);
    if ((taken > 0 && /[;.!?)]/u.test(gap)) || SCOPE_ENDS.has(lower)) break;
    if (gap.includes(',') && !(isList && continuesList(text, { words, at: i }))) break;
    if (taken > 0 && PREDICATES.has(lower) && trigger.kind !== 'unsure') break;
    if (trigger.kind === 'unsure') mark.isUnsure = true;
    else if (trigger.kind === 'past') mark.isPast = true;
    else mark.isFamily = true;
  }
}

/** Index of the first word that starts at or after `at`. */
function firstAfter(words: readonly Span[], at: number): number {
  const index = words.findIndex(({ start }) => start >= at);
  return index === -1 ? words.length : index;
}
