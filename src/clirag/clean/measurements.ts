/**
 * Text → edits that write vital signs and laboratory values as `key: value`: pairs in a row, a name over its value, and
 * the two-row diagram of a basic metabolic panel.
 */

import { ANY_CASE_LABELS, EXACT_LABELS } from '../headers/measurementLabels.js';
import type { Edit } from './offsetMap.js';

const VALUE = String.raw`[<>~]?=?\s?[+-]?\d+(?:[.,]\d+)?(?:\s?[/-]\s?\d+(?:\.\d+)?)*`;
/** A unit, a range in brackets and a flag after the value belong to the pair. */
const AFTER_VALUE = String.raw`(?:\s?(?:%|deg [CF]\b|[CF]\b|mmHg|mm\s?Hg|bpm|/min|insp/min|mg/dL|g/dL|mEq/L|mmol/L|mL/h(?:r)?|cc/h(?:r)?|mL|cc|L|kg|lbs?|cm|ug/L|ng/mL|pg/mL|U/L|IU/L|K/uL|[HL]\b|\*))?(?:\s?\([^()\n]{1,24}\))?`;
const AFTER_LABEL = String.raw`[ \t]*[:=]?[ \t]*`;

const PAIR_EXACT = new RegExp(
  String.raw`(?<![\p{L}\p{N}/+-])(${EXACT_LABELS})(${AFTER_LABEL})(?=${VALUE}(?![\p{L}]{2,}|\d))`,
  'gu',
);
const PAIR_ANY = new RegExp(
  String.raw`(?<![\p{L}\p{N}/+-])(${ANY_CASE_LABELS})(${AFTER_LABEL})(?=${VALUE}(?![\p{L}]{3,}|\d))`,
  'giu',
);
const WHOLE_VALUE = new RegExp(`${VALUE}${AFTER_VALUE}`, 'iuy');
const EXACT_LABEL_LINE = new RegExp(`^[ \\t]*(?:${EXACT_LABELS})[ \\t]*:?[ \\t]*$`, 'u');
const ANY_LABEL_LINE = new RegExp(`^[ \\t]*(?:${ANY_CASE_LABELS})[ \\t]*:?[ \\t]*$`, 'iu');
const VALUE_LINE = new RegExp(String.raw`^[ \t]*${VALUE}${AFTER_VALUE}[ \t]*$`, 'iu');

/** Of a line's characters that pairs must make up for it to be a row of values. */
const ROW_SHARE = 0.4;

interface Pair {
  readonly label: string;
  readonly start: number;
  readonly labelEnd: number;
  readonly valueStart: number;
  readonly end: number;
}

export function measurementEdits(text: string): Edit[] {
  const edits: Edit[] = [];
  const lines = text.split('\n');
  let start = 0;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const next = lines[at + 1];
    const panel = next === undefined ? undefined : metabolicPanel(line, next);
    if (panel !== undefined && next !== undefined) {
      edits.push({ start, end: start + line.length, text: panel.top });
      edits.push({
        start: start + line.length + 1,
        end: start + line.length + 1 + next.length,
        text: panel.bottom,
      });
      start += line.length + 1 + next.length + 1;
      at++;
      continue;
    }
    for (const edit of rowEdits(line, start)) edits.push(edit);
    // A name alone on its line, over its value.
    if (
      next !== undefined &&
      VALUE_LINE.test(next) &&
      (EXACT_LABEL_LINE.test(line) || ANY_LABEL_LINE.test(line))
    ) {
      const from = start + line.trimEnd().replace(/\s*:$/u, '').length;
      const to = start + line.length + 1 + (next.length - next.trimStart().length);
      edits.push({ start: from, end: to, text: ': ' });
    }
    start += line.length + 1;
  }
  return edits;
}

/** Colons between names and values, commas in the gaps between pairs. */
function rowEdits(line: string, offset: number): Edit[] {
  // Tables keep their columns.
  if (!/\d/u.test(line) || (line.match(/\|/gu)?.length ?? 0) >= 2) return [];
  const pairs = findPairs(line);
  const first = pairs[0];
  if (first === undefined) return [];
  // Without what this step itself puts in, so that a second run finds the same.
  const covered = pairs.reduce((sum, pair) => sum + solid(line.slice(pair.start, pair.end)), 0);
  const startsLine = line.slice(0, first.start).trim() === '';
  if (!startsLine && covered < ROW_SHARE * solid(line)) return [];
  const edits: Edit[] = [];
  pairs.forEach((pair, at) => {
    edits.push({ start: offset + pair.labelEnd, end: offset + pair.valueStart, text: ': ' });
    const next = pairs[at + 1];
    if (next === undefined) return;
    const between = line.slice(pair.end, next.start);
    // Nothing but blanks between two pairs, or a gap of columns before the second.
    const gap = /^[ \t]+$/u.exec(between)?.[0] ?? /(?<=[\p{L}\p{N})])[ \t]{2,}$/u.exec(between)?.[0];
    if (gap !== undefined)
      edits.push({ start: offset + next.start - gap.length, end: offset + next.start, text: ', ' });
  });
  return edits;
}

/** Characters that are no blank, colon, comma or equals sign. */
function solid(text: string): number {
  return text.replace(/[\s:,=]+/gu, '').length;
}

function findPairs(line: string): Pair[] {
  const pairs: Pair[] = [];
  for (const pattern of [PAIR_EXACT, PAIR_ANY]) {
    for (const match of line.matchAll(pattern)) {
      const [whole, label = ''] = match;
      const valueStart = match.index + whole.length;
      WHOLE_VALUE.lastIndex = valueStart;
      const value = WHOLE_VALUE.exec(line);
      // `PT 2 times a week` is no prothrombin time.
      if (value === null || (label === 'PT' && !/\./u.test(value[0]))) continue;
      // `once K < 5.0` is a condition.
      if (/^[<>]=?\s/u.test(value[0]) && !/[:=]/u.test(match[2] ?? '')) continue;
      // Without colon or equals sign, more blanks than a gap mean two columns.
      if (/^[ \t]{5,}$/u.test(match[2] ?? '')) continue;
      pairs.push({
        label,
        start: match.index,
        labelEnd: match.index + label.length,
        valueStart,
        end: valueStart + value[0].length,
      });
    }
  }
  pairs.sort((a, b) => a.start - b.start || b.end - a.end);
  let end = 0;
  return pairs.filter((pair) => {
    if (pair.start < end) return false;
    end = pair.end;
    return true;
  });
}

/** Sodium | chloride | urea over potassium | bicarbonate | creatinine, glucose at the end of either row. */
const PANEL_TOP =
  /^[ \t]*\|?[ \t]*(\d{3})[ \t]*\|[ \t]*(\d{2,3})[ \t]*\|[ \t]*(\d{1,3})[ \t]*(?:\|[ \t]*)?(?:[/<\\][ \t]*(\d{2,4})?)?[ \t]*(.*)$/u;
const PANEL_BOTTOM =
  /^[ \t]*\|?[ \t]*(\d{1,2}(?:\.\d{1,2})?)[ \t]*\|[ \t]*(\d{1,2})[ \t]*\|[ \t]*(\d{1,2}(?:\.\d{1,2})?)[ \t]*(?:\|[ \t]*)?(?:[<\\/][ \t]*|(?:glu(?:cose)?|gluc)[ \t]*:?[ \t]*)?(?:(?<=[<\\/][ \t]*|glu(?:c|cose)?[ \t]*:?[ \t]*)(\d{2,4}))?[ \t]*(.*)$/iu;

function metabolicPanel(top: string, bottom: string): { top: string; bottom: string } | undefined {
  const upper = PANEL_TOP.exec(top);
  const lower = PANEL_BOTTOM.exec(bottom);
  if (upper === null || lower === null) return undefined;
  const [, na = '', cl = '', bun = '', glucoseAbove, restAbove = ''] = upper;
  const [, k = '', hco3 = '', cr = '', glucoseBelow, restBelow = ''] = lower;
  const isPlausible =
    within(na, 100, 185) &&
    within(cl, 60, 150) &&
    within(bun, 1, 250) &&
    within(k, 1, 10) &&
    within(hco3, 2, 60) &&
    within(cr, 0.1, 25);
  if (!isPlausible) return undefined;
  const glucose = (value: string | undefined): string[] => (value === undefined ? [] : [`glucose: ${value}`]);
  const tail = (rest: string): string => (rest.trim() === '' ? '' : `, ${rest.trim()}`);
  return {
    top: [`Na: ${na}`, `Cl: ${cl}`, `BUN: ${bun}`, ...glucose(glucoseAbove)].join(', ') + tail(restAbove),
    bottom: [`K: ${k}`, `HCO3: ${hco3}`, `Cr: ${cr}`, ...glucose(glucoseBelow)].join(', ') + tail(restBelow),
  };
}

function within(figure: string, low: number, high: number): boolean {
  return Number(figure) >= low && Number(figure) <= high;
}
