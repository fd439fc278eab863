/** Text → edits that take out what a user interface left in a note: HTML entities, tags, scripts and event handlers. */

import type { Edit } from './offsetMap.js';

// prettier-ignore
const NAMED_ENTITIES: Readonly<Record<string, string>> = {
  nbsp: ' ', amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", deg: ' deg ', plusmn: '+/-', ge: '>=', le: '<=',
  micro: 'u', frac12: '1/2', frac14: '1/4', ndash: '-', mdash: '-', rarr: '->', larr: '<-', uarr: 'increased',
  darr: 'decreased', lsquo: "'", rsquo: "'", ldquo: '"', rdquo: '"', bull: '•', middot: '•', hellip: '...',
  times: 'x', copy: '', reg: '', trade: '', shy: '', ensp: ' ', emsp: ' ', thinsp: ' ', zwnj: '',
};

/** `&amp;nbsp;` was escaped twice and means the same. */
const ENTITY = /&(?:amp;)*(?:([a-z]{2,8}\d{0,2})|#(\d{1,6})|#x([0-9a-f]{1,5}));/giu;

export function entityEdits(text: string): Edit[] {
  return [...text.matchAll(ENTITY)].flatMap((match) => {
    const replacement = decodeEntity(match);
    return replacement === undefined
      ? []
      : [{ start: match.index, end: match.index + match[0].length, text: replacement }];
  });
}

function decodeEntity([, name, decimal, hex]: RegExpMatchArray): string | undefined {
  if (name !== undefined) return NAMED_ENTITIES[name.toLowerCase()];
  const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex ?? '', 16);
  if (code === 160 || code < 32 || (code >= 127 && code < 160))
    return code === 10 || code === 13 ? '\n' : ' ';
  if (code === 176) return ' deg ';
  if (code === 181 || code === 956) return 'u';
  // A half of a surrogate pair, a mark of the de-identifier: nothing that a later step would have to see.
  return code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : ' ';
}

const TAG_NAMES =
  'a|abbr|b|big|blockquote|body|br|button|center|code|col|colgroup|dd|div|dl|dt|em|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|label|li|link|main|meta|nav|noscript|o:p|ol|option|p|pre|s|script|section|select|small|span|strike|strong|style|sub|sup|table|tbody|td|textarea|tfoot|th|thead|title|tr|tt|u|ul';
/** Whole scripts, style sheets and comments; then single tags; then what event handlers leave without their tag. */
const MARKUP = new RegExp(
  [
    String.raw`<(script|style)\b[^<>]{0,300}>[\s\S]{0,4000}?<\/\1\s*>`,
    String.raw`<!--[\s\S]{0,2000}?-->`,
    String.raw`<!doctype[^<>]{0,200}>`,
    String.raw`<\/?(?:${TAG_NAMES})(?:\s[^<>]{0,300}|\/)?\s{0,3}\/?>`,
    String.raw`\bon(?:click|change|load|blur|focus|submit|mouse\w{2,5}|key\w{2,5}|dblclick|select)\s*=\s*(?:"[^"\n]{0,300}"|'[^'\n]{0,300}'|[\w.]+\([^()\n]{0,200}\))`,
    String.raw`\b(?:href|src|class|style)\s*=\s*(?:"[^"\n]{0,300}"|'[^'\n]{0,300}')\s?>?`,
    String.raw`\bjavascript:\s*(?:[\w.$]+(?:\([^()\n]{0,200}\))?)?;?`,
    String.raw`\b(?:window|document|self|parent|top)\.[\w.]{1,60}(?:\([^()\n]{0,200}\)|\s*=\s*[^;\n]{0,200})(?:\.[\w.]{1,40}(?:\([^()\n]{0,100}\))?)*;?`,
    String.raw`\b[a-z][A-Za-z]{2,40}\(\);`,
    String.raw`\b__doPostBack\([^()\n]{0,200}\);?`,
    String.raw`\breturn\s+(?:true|false|[\w.$]{1,60}\([^()\n]{0,200}\));`,
    String.raw`\bfunction\s*\w{0,60}\([^()\n]{0,100}\)\s*\{[^{}]{0,1000}\}`,
    String.raw`\bvar\s+\w{1,40}\s*=\s*[^;\n]{0,200};`,
  ].join('|'),
  'giu',
);
const BREAKING_TAG = /^<\/?(?:br|p|div|li|ul|ol|tr|h[1-6]|table|hr|dd|dt)\b/iu;
const CELL_TAG = /^<\/?t[dh]\b/iu;

/** Most notes hold nothing of all this. */
const HINTS = [
  '<',
  'javascript:',
  '();',
  '__dopostback',
  'function',
  'document.',
  'window.',
  'self.',
  'parent.',
  'top.',
].concat([
  'return ',
  'var ',
  'href',
  'src',
  'class',
  'style',
  'onclick',
  'onload',
  'onchange',
  'onmouse',
  'onkey',
  'onblur',
  'onfocus',
  'onsubmit',
  'ondblclick',
  'onselect',
]);

export function markupEdits(text: string): Edit[] {
  const lower = text.toLowerCase();
  if (!HINTS.some((hint) => lower.includes(hint))) return [];
  return [...text.matchAll(MARKUP)].map(({ 0: markup, index }) => ({
    start: index,
    end: index + markup.length,
    text: standIn(markup, { before: text[index - 1] ?? '\n', after: text[index + markup.length] ?? '\n' }),
  }));
}

/** A break where the tag breaks the line, else a blank where two words would grow together. */
function standIn(markup: string, { before, after }: { before: string; after: string }): string {
  if (BREAKING_TAG.test(markup)) return before === '\n' || after === '\n' ? '' : '\n';
  const joins = /\S/u.test(before) && /[\p{L}\p{N}]/u.test(after);
  return joins && (CELL_TAG.test(markup) || /[\p{L}\p{N}]/u.test(before)) ? ' ' : '';
}
