/** Text → words split as Python's `str.split()` does, which the reference implementations of BLEU rely on. */

/**
 * Python's white space: unlike `\s` it has U+001C-U+001F and U+0085, and lacks U+FEFF.
 * Written as escapes because most of these are invisible.
 */
const PYTHON_SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const WORD = new RegExp(`[^${PYTHON_SPACE}]+`, 'gu');
const TRAILING = new RegExp(`(?<![${PYTHON_SPACE}])[${PYTHON_SPACE}]+$`, 'u');

export function splitWhitespace(text: string): string[] {
  return text.match(WORD) ?? [];
}

export function trimTrailing(text: string): string {
  return text.replace(TRAILING, '');
}

/** Words of the candidate per word of the reference, in [0, ∞); undefined where the reference has no word. */
export function lengthRatio(reference: string, candidate: string): number | undefined {
  const words = splitWhitespace(reference).length;
  return words === 0 ? undefined : splitWhitespace(candidate).length / words;
}
