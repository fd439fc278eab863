/** A Markdown file's text in; its YAML front matter as pairs, and the text after it, out. */

import type { Boilerplate } from '../../../core/types.js';
import { collapseBlanks } from '../words.js';

export interface FrontMatter {
  readonly pairs: readonly (readonly [string, string])[];
  /** The text after it. */
  readonly rest: string;
  /** Lines that it takes up, fences included. */
  readonly lines: number;
  readonly boilerplate: readonly Boilerplate[];
}

/** Longest front matter, in lines. */
const FRONT_LINES = 400;

/** `---` on the first line, up to the next: `key: value` lines; lists and nested keys are kept as text only. */
export function readFrontMatter(text: string): FrontMatter {
  const lines = text.split('\n', FRONT_LINES);
  const end =
    lines[0]?.trimEnd() === '---'
      ? lines.findIndex((line, index) => index > 0 && /^(?:---|\.\.\.)\s*$/.test(line))
      : -1;
  const inside = lines.slice(1, Math.max(1, end));
  // A rule on the first line and another one further down fence no front matter.
  const first = inside.find((line) => line.trim() !== '' && !line.startsWith('#'));
  if (end < 1 || first === undefined || !/^[\w][\w .-]*:(?:\s|$)/.test(first)) {
    return { pairs: [], rest: text, lines: 0, boilerplate: [] };
  }
  return {
    pairs: inside.flatMap(pairOf),
    rest: text
      .split('\n')
      .slice(end + 1)
      .join('\n'),
    lines: end + 1,
    boilerplate: inside.flatMap((line, index) => {
      const words = collapseBlanks(line);
      return words === '' ? [] : [{ text: words, kind: 'running-head' as const, line: index + 2 }];
    }),
  };
}

function pairOf(line: string): [string, string][] {
  const match = /^(\w[\w .-]{0,60}?)\s*:\s*(\S.*)$/.exec(line);
  if (match === null) return [];
  const value = (match[2] ?? '').replace(/\s+#\s.*$/, '').trim();
  return [[match[1] ?? '', value.replace(/^(["'])(.*)\1$/, '$2')]];
}
