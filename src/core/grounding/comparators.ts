/** The words around a number → its comparator, and which comparators say the same. */

/**
 * `=` exactly; `<` `≤` `>` `≥` limits; `≲` a limit that many writers leave out (up to, within, maximum);
 * `≳` likewise (minimum, after); `≈` about; `±` either way.
 */
export type Comparator = '=' | '<' | '≤' | '>' | '≥' | '≲' | '≳' | '≈' | '±';

const MORE =
  'more|greater|higher|larger|bigger|longer|older|later|heavier|warmer|hotter|wider|thicker|faster|taller|deeper|farther|further|stronger';
const LESS =
  'less|lower|fewer|smaller|shorter|younger|earlier|sooner|lighter|colder|cooler|narrower|thinner|slower|shallower|closer|weaker';

/** Words before a number, the longest reading first; `(?:…)$` is added. */
const BEFORE: readonly (readonly [string, Comparator])[] = [
  [
    String.raw`<\s?=|=\s?<|≤|⩽|(?:${LESS}) than or equal to|equal to or (?:${LESS}) than|(?:at|equal to) or (?:below|under|less than)|does not exceed`,
    '≤',
  ],
  [
    String.raw`>\s?=|=\s?>|≥|⩾|(?:${MORE}) than or equal to|equal to or (?:${MORE}) than|(?:at|equal to) or (?:above|over|more than)`,
    '≥',
  ],
  [String.raw`<(?!-)`, '<'],
  [String.raw`(?<![-=–—])>`, '>'],
  [String.raw`±|\+\s?\/\s?-|plus or minus`, '±'],
  [String.raw`~|≈|about|approximately|approx\.?|around|roughly|circa|ca\.|nearly|almost|close to`, '≈'],
  [
    String.raw`(?:no|not|never|nor|neither) (?:${MORE}|over|above|exceed(?:ing)?|beyond)(?: than)?|at (?:the )?(?:very )?most`,
    '≤',
  ],
  [
    String.raw`(?:no|not|never|nor|neither) (?:${LESS}|under|below)(?: than)?|at (?:the )?(?:very )?least|at a minimum(?: of)?`,
    '≥',
  ],
  [String.raw`(?:${LESS}) than|below|under(?:neath)?|beneath|short of`, '<'],
  [
    String.raw`(?:${MORE}) than|above|over|exceed(?:s|ed|ing)?|surpass(?:es|ed|ing)?|in excess of|beyond|past`,
    '>',
  ],
  [
    String.raw`(?<!(?:go|goes|went|gone|increased?|titrated?|came|comes?|moved?|rose|rises?)\s)up to(?: and including)?|within|inside(?: of)?|maximum(?: of)?|max\.?(?: of)?|as (?:much|many|long|late) as|limited to|capped at`,
    '≲',
  ],
  [String.raw`minimum(?: of)?|min\. of|starting (?:at|from)|after|as (?:little|few|early) as`, '≳'],
];
const BEFORE_PATTERNS = BEFORE.map(
  ([words, comparator]) =>
    [new RegExp(String.raw`(?:^|(?<![\p{L}\p{N}]))(?:${words})\s*$`, 'iu'), comparator] as const,
);

/** "minimum volume 0.5 mL", "maximum storage time is 4 h". */
const LABELLED =
  /(?<![\p{L}])(minimum|min\.|maximum|max\.?)\s+(?:[\p{L}-]+\s+){0,3}(?:is\s+|of\s+|:\s*|=\s*)?$/iu;
const FILLER =
  /(?:\s(?:the|a|an|of|a value of|a total of|the (?:\p{L}+\s){1,3}(?:of|at)|only|exactly|age|mark of)|\s?=)\s*$/iu;
/** A negated limit is the opposite one: "must not be above 8" is ≤ 8. */
const NEGATED =
  /(?<![\p{L}])(?:not|never|cannot|n['’]t)(?:\s+(?:be|been|go|goes|fall|falls|drop|drops|rise|rises|get|become|remain|stand|left|stored|kept|let|it|to|ever|for|add|up|amount|total|last|take|come|sum|reach|extend|continue|weigh|measure)){0,4}\s*$/iu;
const COMPLEMENTS: Readonly<Record<Comparator, Comparator>> = {
  '<': '≥',
  '≥': '<',
  '>': '≤',
  '≤': '>',
  '≲': '>',
  '≳': '<',
  '=': '=',
  '≈': '≈',
  '±': '±',
};

const AFTER: readonly (readonly [RegExp, Comparator])[] = [
  [/^\s*(?:either way|in either direction|on either side)(?![\p{L}])/iu, '±'],
  [
    new RegExp(
      String.raw`^\s*,?\s*(?:or|and) (?:${MORE}|above|over|beyond|better|up|upwards?)(?![\p{L}])(?!\s+(?:than|[.\d]))`,
      'iu',
    ),
    '≥',
  ],
  [
    new RegExp(String.raw`^\s*,?\s*(?:or|and) (?:${LESS}|below|under)(?![\p{L}])(?!\s+(?:than|[.\d]))`, 'iu'),
    '≤',
  ],
  [/^\s*,?\s*at (?:the )?most(?![\p{L}])/iu, '≤'],
  [/^\s*,?\s*at (?:the )?least(?![\p{L}])/iu, '≥'],
  [/^\s*\(?(?:maximum|max)(?![\p{L}]|\s*(?:of\s)?[.\d])\)?/iu, '≲'],
  [/^\s*\(?minimum(?![\p{L}]|\s*(?:of\s)?[.\d])\)?/iu, '≳'],
];

/** "over 30 minutes" is a duration, "over 30 minutes old" a limit. */
const AGE_BEFORE = /(?:age|aged|is|are|if|takes?|lasts?|delay(?:ed)?|been|was|for|stood|wait(?:ed)?)\s*$/iu;
const AGE_AFTER = /^\s*(?:old|ago|late|after|of age|have)(?![\p{L}])/iu;

export interface FoundComparator {
  readonly comparator: Comparator;
  /** Characters that belong to the comparator before the number, and after what follows it. */
  readonly before: number;
  readonly after: number;
}

/** `before`: the clause up to the number; `after`: what follows number and unit; `isTime`: the unit is one of time. */
export function readComparator(before: string, options: { after: string; isTime: boolean }): FoundComparator {
  for (const [pattern, comparator] of AFTER) {
    const match = pattern.exec(options.after);
    if (match !== null) return { comparator, before: 0, after: match[0].length };
  }
  const filler = FILLER.exec(before)?.[0].length ?? 0;
  for (const cut of filler === 0 ? [0] : [0, filler]) {
    const head = cut === 0 ? before : before.slice(0, -cut);
    for (const [pattern, comparator] of BEFORE_PATTERNS) {
      const match = pattern.exec(head);
      if (match === null) continue;
      const rest = head.slice(0, match.index);
      if (
        /^\s*over\s*$/iu.test(match[0]) &&
        options.isTime &&
        !AGE_BEFORE.test(rest) &&
        !AGE_AFTER.test(options.after)
      ) {
        return { comparator: '=', before: cut + match[0].length, after: 0 };
      }
      if (comparator === '≳' && !options.isTime && /after/iu.test(match[0])) continue;
      // "within the past three weeks"
      if (/^past/iu.test(match[0].trim()) && /(?<![\p{L}])(?:the|in|over|this)\s*$/iu.test(rest)) continue;
      if (/^after/iu.test(match[0].trim()) && /expir\p{L}*\s*$/iu.test(rest))
        return { comparator: '≲', before: cut + match[0].length, after: 0 };
      const negated = /^[<>=≤≥]/u.test(match[0].trim()) ? null : NEGATED.exec(rest);
      const length = cut + match[0].length;
      if (negated !== null && !/^(?:no|not)\b/iu.test(match[0].trim())) {
        return { comparator: COMPLEMENTS[comparator], before: length + negated[0].length, after: 0 };
      }
      return { comparator, before: length, after: 0 };
    }
  }
  const labelled = LABELLED.exec(before);
  if (labelled !== null)
    return { comparator: /^min/iu.test(labelled[1] ?? '') ? '≳' : '≲', before: 0, after: 0 };
  return { comparator: '=', before: 0, after: 0 };
}

const SAME = new Set(
  ['≲≤', '≳≥', '=≲', '=≳', '=≈', '≈≲', '≈≳', '≲±', '±≤', '=±', '≳>', '≲<'].flatMap((pair) => [
    pair,
    [...pair].reverse().join(''),
  ]),
);

export function saysSameLimit(a: Comparator, b: Comparator): boolean {
  return a === b || SAME.has(a + b);
}

/** Reject below 5 and accept from 5 on: one limit told from its two sides. */
export function isComplement(a: Comparator, b: Comparator): boolean {
  const limits = a + b;
  return COMPLEMENTS[a] === b || COMPLEMENTS[b] === a || limits === '≳≤' || limits === '≤≳';
}
