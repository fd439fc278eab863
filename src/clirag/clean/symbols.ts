/** Text → edits that write Unicode symbols in ASCII, as bedside systems and models read them; letters are left alone. */

import type { Edit } from './offsetMap.js';

// prettier-ignore
const REPLACEMENTS: Readonly<Record<string, string>> = {
  '“': '"', '”': '"', '„': '"', '«': '"', '»': '"', '″': '"',
  '‘': "'", '’': "'", '‚': "'", '′': "'", '`': "'", '´': "'",
  '–': '-', '—': '-', '‒': '-', '‐': '-', '‑': '-', '−': '-', '―': '-',
  '→': '->', '⇒': '->', '➔': '->', '➜': '->', '←': '<-', '↔': '<->',
  '↑': 'increased', '⇑': 'increased', '↓': 'decreased', '⇓': 'decreased',
  '≥': '>=', '⩾': '>=', '≧': '>=', '≤': '<=', '⩽': '<=', '≦': '<=', '≠': '!=', '≈': '~', '≅': '~', '∼': '~',
  '±': '+/-', '×': 'x', '÷': '/', '⁄': '/', '∕': '/', '∞': 'infinity', 'Δ': 'delta', '∆': 'delta',
  'µ': 'u', 'μ': 'u', '°': ' deg ', 'º': ' deg ', '℃': ' deg C', '℉': ' deg F',
  '½': '1/2', '¼': '1/4', '¾': '3/4', '⅓': '1/3', '⅔': '2/3', '⅛': '1/8', '⅜': '3/8', '⅝': '5/8', '⅞': '7/8',
  '²': '2', '³': '3', '¹': '1', '⁴': '4', '⁵': '5', '⁶': '6', '⁹': '9', '⁻': '-',
  '₀': '0', '₁': '1', '₂': '2', '₃': '3', '₄': '4', '₅': '5', '₆': '6',
  'α': 'alpha', 'β': 'beta', 'γ': 'gamma', 'δ': 'delta', 'κ': 'kappa', 'λ': 'lambda',
  '✓': '(done)', '✔': '(done)', '☑': '(done)', '✅': '(done)', '☒': '(no)', '✗': '(no)', '✘': '(no)', '✕': '(no)', '☐': '(open)',
  '…': '...', '™': '', '®': '', '©': '', '†': '', '‡': '', '\uFFFD': '?', 'ﬁ': 'fi', 'ﬂ': 'fl',
  '\u00A0': ' ', '\u2000': ' ', '\u2001': ' ', '\u2002': ' ', '\u2003': ' ', '\u2004': ' ', '\u2005': ' ', '\u2006': ' ',
  '\u2007': ' ', '\u2008': ' ', '\u2009': ' ', '\u200A': ' ', '\u202F': ' ', '\u205F': ' ', '\u3000': ' ',
  '\u200B': '', '\u200C': '', '\u200D': '', '\u2060': '', '\uFEFF': '', '\u00AD': '', '\u200E': '', '\u200F': '',
  '\u2028': '\n', '\u2029': '\n',
};

const SYMBOL = new RegExp(`[${Object.keys(REPLACEMENTS).join('')}]`, 'gu');
const FRACTION = /[½¼¾⅓⅔⅛⅜⅝⅞]/u;
const SUPERSCRIPT = /[²³¹⁴⁵⁶⁹]/u;

export function symbolEdits(text: string): Edit[] {
  const edits: Edit[] = [];
  for (const { 0: symbol, index } of text.matchAll(SYMBOL)) {
    const before = text[index - 1] ?? '';
    const after = text[index + symbol.length] ?? '';
    edits.push({ start: index, end: index + symbol.length, text: replacementOf(symbol, { before, after }) });
  }
  return edits;
}

function replacementOf(symbol: string, { before, after }: { before: string; after: string }): string {
  const plain = REPLACEMENTS[symbol] ?? symbol;
  // 6½ is six and a half, not 61/2.
  if (FRACTION.test(symbol) && /\d/u.test(before)) return ` ${plain}`;
  // 10³ is a power; m² is a unit.
  if (SUPERSCRIPT.test(symbol) && /\d/u.test(before)) return `^${plain}`;
  if (plain === ' deg ') return `${/\s/u.test(before) ? '' : ' '}deg${/\p{L}|\d/u.test(after) ? ' ' : ''}`;
  if (plain === 'increased' || plain === 'decreased') {
    return `${/[\p{L}\p{N}]/u.test(before) ? ' ' : ''}${plain}${/[\p{L}\p{N}]/u.test(after) ? ' ' : ''}`;
  }
  return plain;
}
