/** A line's words in; its leading label (`5.2`, `a.`, `IV.`, `•`) and the words after it out. */

export interface Label {
  readonly kind: 'decimal' | 'upper' | 'lower' | 'roman' | 'bullet';
  /** Decimal: its numbers. Letters and Roman numerals: their value. Bullets: empty. */
  readonly numbers: readonly number[];
  /** As it stands, punctuation included. */
  readonly text: string;
  /** Offset at which the words after the label start. */
  readonly end: number;
  /** What closes it: '.', ')' or nothing. `(a)` counts as ')'. */
  readonly close: '' | '.' | ')' | ':';
  /** The bullet's sign. */
  readonly sign?: string;
}

const BULLET = /^([•◦▪▫●○■□➢➤‣∙·*–—+\uf0b7\uf0a7-]|o(?= {2,}\S))\s+(?=\S)/u;
const DECIMAL = /^(?:(?:section|step)\s+)?\(?(\d{1,3}(?:\.\d{1,3}){0,5})([.):]?)\s+(?=\S)/iu;
const CLOSED_DECIMAL = /^(\d{1,2}(?:\.\d{1,2}){0,5})([.)])(?=\p{Lu}\p{L})/u;
/** `E.2 Not suitable`: sections that are lettered, subsections that are numbered. */
const LETTERED_DECIMAL = /^([A-Z])((?:\.\d{1,2}){1,4})\.?\s+(?=[\p{Lu}"“])/u;
const LETTER = /^\(?([A-Za-z])([.)])\s+(?=\S)/u;
const ROMAN = /^\(?([IVX]{1,6}|[ivx]{2,6})([.)])\s+(?=\S)/u;

/**
 * `A`-`Z`, `a`-`z` and Roman numerals overlap: a single `I`, `V` or `X` is told as `upper` here, and
 * `romanValue` says what else it may be; who knows the labels before it decides.
 */
export function readLabel(text: string): Label | undefined {
  const head = text.slice(0, 40);
  const bullet = BULLET.exec(head);
  if (bullet !== null) {
    return {
      kind: 'bullet',
      numbers: [],
      text: bullet[1] ?? '',
      end: bullet[0].length,
      close: '',
      sign: bullet[1] ?? '',
    };
  }
  const decimal = DECIMAL.exec(head) ?? CLOSED_DECIMAL.exec(head);
  if (decimal !== null) {
    const digits = decimal[1] ?? '';
    const numbers = digits.split('.').map(Number);
    const padded = digits.split('.').some((part) => part.length > 1 && part.startsWith('0'));
    const zero =
      numbers.slice(1).includes(0) && !(numbers.length === 2 && numbers[1] === 0 && (numbers[0] ?? 0) > 0);
    // `2.5 corresponds to`, `3.0 % for WBC`, `4.0  2025-06-02`: a number without a point is a label before a name only.
    const named =
      decimal[2] !== undefined && decimal[2] !== ''
        ? true
        : /^["“'‘¿]?(?:\p{Lu}|p[HCO])/u.test(head.slice(decimal[0].length));
    if (!padded && !zero && named && numbers[0] !== 0) {
      return {
        kind: 'decimal',
        numbers,
        text: decimal[0].trim(),
        end: decimal[0].length,
        close: closing(decimal[2]),
      };
    }
    return undefined;
  }
  const lettered = LETTERED_DECIMAL.exec(head);
  if (lettered !== null) {
    const numbers = (lettered[2] ?? '').slice(1).split('.').map(Number);
    const first = (lettered[1] ?? 'A').charCodeAt(0) - 64;
    return {
      kind: 'decimal',
      numbers: [first, ...numbers],
      text: lettered[0].trim(),
      end: lettered[0].length,
      close: '',
    };
  }
  const letter = LETTER.exec(head);
  if (letter !== null) {
    const sign = letter[1] ?? '';
    const upper = sign >= 'A' && sign <= 'Z';
    const value = sign.toLowerCase().charCodeAt(0) - 96;
    return {
      kind: upper ? 'upper' : 'lower',
      numbers: [value],
      text: letter[0].trim(),
      end: letter[0].length,
      close: closing(letter[2]),
    };
  }
  const roman = ROMAN.exec(head);
  const value = romanValue(roman?.[1] ?? '');
  if (roman !== null && value !== undefined) {
    const lower = (roman[1] ?? '') === (roman[1] ?? '').toLowerCase();
    return {
      kind: lower ? 'lower' : 'roman',
      numbers: [value],
      text: roman[0].trim(),
      end: roman[0].length,
      close: closing(roman[2]),
    };
  }
  return undefined;
}

/** 1 to 39, the numerals that documents number with; undefined for what is none. */
export function romanValue(numeral: string): number | undefined {
  const match = /^(x{0,3})(ix|iv|v?i{0,3})$/i.exec(numeral);
  if (match === null || numeral === '') return undefined;
  const ones = ['', 'i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix'].indexOf(
    (match[2] ?? '').toLowerCase(),
  );
  return (match[1] ?? '').length * 10 + ones;
}

/** Whether `label` may follow `before` in a count: the next number, a first child, or a parent's next. */
export function follows(label: Label, before: Label): boolean {
  if (label.kind !== before.kind) return false;
  const depth = label.numbers.length;
  if (depth > before.numbers.length + 1) return false;
  if (depth === before.numbers.length + 1) {
    return (
      label.numbers.at(-1) === 1 && before.numbers.every((number, index) => label.numbers[index] === number)
    );
  }
  const parentSame = label.numbers.slice(0, -1).every((number, index) => before.numbers[index] === number);
  const step = (label.numbers.at(-1) ?? 0) - (before.numbers[depth - 1] ?? 0);
  return parentSame && step === 1;
}

function closing(sign: string | undefined): Label['close'] {
  return sign === '.' || sign === ')' || sign === ':' ? sign : '';
}
