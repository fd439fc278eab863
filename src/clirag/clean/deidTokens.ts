/**
 * Text → edits that resolve MIMIC's de-identification tokens one by one: dates and ages keep their content, names,
 * places and numbers become a typed placeholder, and what stands between two tokens is never touched.
 */

import type { Edit } from './offsetMap.js';

/** Longest content of a token; MIMIC's own are below 60 characters. What is longer was never closed. */
const MAX_TOKEN = 90;
const MAX_TOKEN_BREAKS = 2;
/** Characters before and after a token that decide whether it stands for a value. */
const CONTEXT = 40;

const OPEN = '[**';
const CLOSE = '**]';

export function deidEdits(text: string): Edit[] {
  const edits: Edit[] = [];
  let at = 0;
  let open = -2;
  let close = -2;
  for (;;) {
    // Each is looked for anew only once it was passed.
    if (open !== -1 && open < at) open = text.indexOf(OPEN, at);
    if (close !== -1 && close < at) close = text.indexOf(CLOSE, at);
    // `[**]` is both at once.
    if (close !== -1 && (open === -1 || close < open)) {
      edits.push({ start: close, end: close + CLOSE.length, text: '' });
      at = close + CLOSE.length;
    } else if (open === -1) return edits;
    else {
      const token = readToken(text, open);
      const before = text.slice(Math.max(0, open - CONTEXT), open);
      const after = text.slice(token.end, token.end + CONTEXT);
      edits.push({
        start: open,
        end: token.end,
        text: fitBetween(resolveToken(token, { before, after }), { before, after }),
      });
      at = token.end;
    }
  }
}

interface Token {
  readonly end: number;
  /** Without marks and line breaks. */
  readonly content: string;
}

function readToken(text: string, open: number): Token {
  const start = open + OPEN.length;
  if (text.startsWith(']', start)) return { end: start + 1, content: '' };
  const limit = Math.min(text.length, start + MAX_TOKEN + CLOSE.length);
  const close = text.slice(start, limit).search(/\*\*\]/u);
  const nested = text.slice(start, limit).indexOf(OPEN);
  if (close !== -1 && (nested === -1 || close < nested)) {
    const content = text.slice(start, start + close);
    if (content.split('\n').length - 1 <= MAX_TOKEN_BREAKS && !holdsProse(content)) {
      return { end: start + close + CLOSE.length, content: tidy(content) };
    }
  }
  return (nested === -1 ? undefined : readNested(text, open)) ?? readUnclosed(text, start);
}

/** `[**Hospital [**Location 5**] 18**]`: balanced within the length limit, with only a name's words around the inner one. */
function readNested(text: string, open: number): Token | undefined {
  let depth = 0;
  const mark = /\[\*\*|\*\*\]/gu;
  mark.lastIndex = open;
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    depth += match[0] === OPEN ? 1 : -1;
    const end = match.index + match[0].length;
    if (end - open > 2 * MAX_TOKEN) return undefined;
    if (depth > 0) continue;
    const content = tidy(text.slice(open + OPEN.length, end - CLOSE.length).replace(/\[\*\*|\*\*\]/gu, ' '));
    return KIND_AT_START.test(content) && !/[.;?!]/u.test(content) ? { end, content } : undefined;
  }
  return undefined;
}

/** Words beyond the kind and its number: the mark that was found closes another token, or none. */
function holdsProse(content: string): boolean {
  const kind = KIND_AT_START.exec(content)?.[0];
  const rest = kind === undefined ? '' : content.slice(kind.length).replace(/\d+/gu, '');
  return (rest.match(/\p{L}{2,}/gu)?.length ?? 0) > 2;
}

/** Only the words that name the token's kind belong to it, and a number if half a mark closes it. */
function readUnclosed(text: string, start: number): Token {
  const rest = text.slice(start, start + MAX_TOKEN);
  const kind = KIND_AT_START.exec(rest)?.[0] ?? DATE_AT_START.exec(rest)?.[0] ?? '';
  const halfClose = /^\s*\d{0,6}\s*(?:\*{1,2}\]?|\])/u.exec(rest.slice(kind.length))?.[0] ?? '';
  return { end: start + kind.length + halfClose.length, content: tidy(kind) };
}

function tidy(content: string): string {
  return content.replace(/\s+/gu, ' ').trim();
}

/** MIMIC's kinds of tokens, as they begin a token; `\s` because a line break may stand between the words. */
const KIND_AT_START =
  /^\s*(?:(?:Known\s+(?:first|last)name|(?:Attending\s+)?(?:First|Last|Doctor\s+(?:First|Last))\s+Name\d*|Female\s+First\s+Name\d*|Male\s+First\s+Name\d*|Name\d*|Name\s*Initial|Initials?|Doctor\s+Name|Dictator\s+Info|Hospital\s?Ward\s?Name|Hospital\d*|Hospital\s+Unit\s+(?:Name|Number)|Ward\s+Name|Wardname|Location|Company|University(?:\/College)?|Country|State(?:\/Zipcode)?|Street\s+Address|Address|Apartment\s+Address|PO\s+Box|Zip\s?code|Telephone\/Fax|Pager\s+number|Beeper|E-?mail\s+address|URL|Web\s+Address|Numeric\s+Identifier|Medical\s+Record\s+Number|MD\s+Number|Job\s+Number|Clip\s+Number|Serial\s+Number|Unit\s+Number|Social\s+Security\s+Number|Identifier|Provider\s+Number|Account\s+Number|Age\s+over\s+\d+|Date\s+range|Date|Month\/Day\/Year|Month\/Day|Month\/Year|Day\/Month\/Year|Day\/Month|Month|Year|Holiday|CC\s+Contact\s+Info)\b)(?:\s*\([^()\n]{0,25}\))*/iu;
const DATE_AT_START = /^\s*\d{1,4}(?:-\d{1,4}){0,2}/u;

interface Surroundings {
  readonly before: string;
  readonly after: string;
}

function resolveToken({ content }: Token, around: Surroundings): string {
  if (content === '') return '';
  if (/^\d[\d\s/-]*$/u.test(content)) return resolveDate(content.replace(/\s/gu, ''), around);
  if (/^age\s+over\s+\d+/iu.test(content)) {
    return standsForValue(around) ? VALUE : `age over ${/\d+/u.exec(content)?.[0] ?? '90'}`;
  }
  return KINDS.find(({ pattern }) => pattern.test(content))?.placeholder ?? '[redacted]';
}

/** What a value becomes that the de-identifier took for a date or an age: its figures are shifted and mean nothing. */
const VALUE = '[value removed]';

/** Placeholders by what the token's content begins with; the first that fits counts. */
const KINDS: readonly { readonly pattern: RegExp; readonly placeholder: string }[] = [
  { pattern: /hospital|ward/iu, placeholder: '[hospital]' },
  { pattern: /telephone|fax|pager|beeper|contact/iu, placeholder: '[phone]' },
  { pattern: /e-?mail|url|web\s+address/iu, placeholder: '[address]' },
  { pattern: /location|country|state|street|address|apartment|po\s+box|zip/iu, placeholder: '[place]' },
  { pattern: /company|university/iu, placeholder: '[organisation]' },
  { pattern: /number|identifier|security/iu, placeholder: '[id]' },
  { pattern: /date|month|year|day|holiday/iu, placeholder: '[date]' },
  { pattern: /name|initial|dictator|doctor/iu, placeholder: '[name]' },
];

/** `2154-3-2` keeps its figures as an ISO date, `5-2` as month/day, a year stays; what cannot be a date is a lost value. */
function resolveDate(figures: string, around: Surroundings): string {
  const parts = figures.split(/[-/]/u).filter((part) => part !== '');
  const [first = '', second, third] = parts;
  if (third !== undefined && first.length === 4)
    return isDay(second, third) ? `${first}-${pad(second)}-${pad(third)}` : VALUE;
  if (third !== undefined)
    return third.length === 4 && isDay(first, second) ? `${third}-${pad(first)}-${pad(second)}` : VALUE;
  if (second === undefined) return first.length === 4 ? first : standsForValue(around) ? VALUE : '[date]';
  // Year and month, in either order.
  if (first.length === 4) return isDay(second, '1') ? `${first}-${pad(second)}` : VALUE;
  if (second.length === 4) return isDay(first, '1') ? `${second}-${pad(first)}` : VALUE;
  if (standsForValue(around)) return VALUE;
  return isDay(first, second) ? `${Number(first)}/${Number(second)}` : VALUE;
}

function isDay(month: string | undefined, day: string | undefined): boolean {
  const [m, d] = [Number(month), Number(day)];
  return m >= 1 && m <= 12 && d >= 1 && d <= 31;
}

function pad(part: string | undefined): string {
  return (part ?? '').padStart(2, '0');
}

/** A measured quantity right before the token … */
const VALUE_BEFORE =
  /(?:\b(?:s?bps?|b\/p|(?:systolic|diastolic)(?:\s+bp)?|map|pain(?:\s+(?:score|scale|level|is|was|rated|at))*|hr|heart\s+rate|pulse|rr|resp(?:iratory)?\s+rate|sats?|spo2|o2\s+sats?|tmax|temp(?:erature)?|t|strength|power|motor|grade|gcs|apgars?(?:\s+(?:of|were))?|score|scale|ciwa|rass|ef|lvef|fio2|peep|cvp|icp|wt|weight|bmi|glucose|fs|bg|wbc|hct|hgb|plt|inr|creat(?:inine)?|cr|bun|lactate|troponin|dose|rated|rates?\s+(?:it|pain)(?:\s+at)?|q|x|cuff|about|approx(?:imately)?)|\bpain\s+(?:\p{L}+\s+){1,2}(?:at|as|is|of)?|[<>=~@])[\s:=]*$/iu;
/** … or a unit or the second half of a quantity right after it. */
const VALUE_AFTER =
  /^\s*(?:%|\/\s*\d|(?:days?|hrs?|hours?|h|wks?|weeks?|months?|mos?|yrs?|years?|tab(?:let)?s?|caps?(?:ules?)?|puffs?|drops?|times|mg|mcg|gm?|ml|cc|l|liters?|mm|cm|mmhg|bpm|beats|units?|lbs?|pounds|kg|meq|systolic|sem|murmur|pitting|pain|out\s+of)\b|(?:in|at)\s+(?:intensity|severity))/iu;

function standsForValue({ before, after }: Surroundings): boolean {
  return VALUE_BEFORE.test(before) || VALUE_AFTER.test(after);
}

/** Where a token touched a word (`ofFirst`), a blank keeps the two apart. */
function fitBetween(text: string, { before, after }: Surroundings): string {
  if (text === '') return '';
  const left = /[\p{L}\p{N}]$/u.test(before) ? ' ' : '';
  const right = /^(?:[\p{L}\p{N}]|\[\*\*)/u.test(after) && !/^['’]?s\b/u.test(after) ? ' ' : '';
  return `${left}${text}${right}`;
}
