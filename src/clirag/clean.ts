/** A note's raw text → clean text and the map back to the raw one, by a cascade of small named steps (paper 001, 2.2). */

import { bulletEdits } from './clean/bullets.js';
import { controlEdits } from './clean/controls.js';
import { deidEdits } from './clean/deidTokens.js';
import { headerEdits } from './clean/headerCase.js';
import { layoutEdits } from './clean/layout.js';
import { lineEdits } from './clean/lines.js';
import { entityEdits, markupEdits } from './clean/markup.js';
import { measurementEdits } from './clean/measurements.js';
import {
  IDENTITY,
  applyEdits,
  composeMaps,
  invertMap,
  spanBefore,
  type Edit,
  type OffsetMap,
} from './clean/offsetMap.js';
import { pageHeaderEdits } from './clean/pageHeaders.js';
import { symbolEdits } from './clean/symbols.js';
import { trimSpan } from '../core/text.js';
import type { Span } from '../core/types.js';
import { findHeaders, type FoundHeader } from './headers/headerLines.js';

export interface CleanStep {
  readonly name: string;
  /** For `--explain`. */
  readonly does: string;
  readonly edits: (text: string) => Edit[];
}

/** Before the layout is evened out, because layout tells headers. */
const HEADERS = 'headers';

/** In the order in which they run; each sees what the one before left. */
export const CLEAN_STEPS: readonly CleanStep[] = [
  { name: 'entities', does: 'HTML entities as characters', edits: entityEdits },
  { name: 'controls', does: 'control characters out, line breaks alike', edits: controlEdits },
  { name: 'pages', does: 'page headers and rules out', edits: pageHeaderEdits },
  { name: 'lines', does: 'wrapped lines joined', edits: lineEdits },
  { name: 'symbols', does: 'Unicode symbols in ASCII', edits: symbolEdits },
  { name: 'deid', does: 'de-identification tokens resolved', edits: deidEdits },
  { name: 'markup', does: 'HTML tags, scripts and event handlers out', edits: markupEdits },
  { name: 'bullets', does: 'bullets and numbers alike', edits: bulletEdits },
  { name: HEADERS, does: 'headers in title case with a colon', edits: headerEdits },
  { name: 'measurements', does: 'vital signs and values as key: value', edits: measurementEdits },
  { name: 'layout', does: 'columns, blanks and blank lines in order', edits: layoutEdits },
];

export interface CleanedText {
  readonly text: string;
  /** Leads from spans of `text` back to spans of the raw text, with `spanBefore`. */
  readonly map: OffsetMap;
  /** As the step of that name found them, where it ran: spans of `text`. */
  readonly headers?: readonly FoundHeader[];
}

export interface CleanOptions {
  /** Names of steps to leave out. */
  readonly skip?: readonly string[];
  /** Called after every step that changed something. */
  readonly onStep?: (step: ExplainedStep) => void;
}

/** What one step did. */
export interface ExplainedStep {
  readonly name: string;
  readonly does: string;
  readonly changes: readonly {
    /** Where it happened in the raw text. */
    readonly raw: Span;
    readonly before: string;
    readonly after: string;
  }[];
}

export function cleanText(raw: string, options: CleanOptions = {}): CleanedText {
  let text = raw;
  let map: OffsetMap = IDENTITY;
  let headers: readonly FoundHeader[] | undefined;
  for (const step of CLEAN_STEPS) {
    if (options.skip?.includes(step.name) === true) continue;
    if (step.name === HEADERS) headers = findHeaders(text);
    const next = applyEdits(text, step.edits(text));
    if (next.map.length === 0) continue;
    options.onStep?.(explainStep(step, { before: { text, map }, ...next }));
    const inverse = invertMap(next.map);
    headers = headers?.map((header) => moveHeader(header, { text: next.text, inverse }));
    text = next.text;
    map = composeMaps(map, next.map);
  }
  return { text, map, ...(headers === undefined ? {} : { headers }) };
}

function moveHeader(
  header: FoundHeader,
  { text, inverse }: { text: string; inverse: OffsetMap },
): FoundHeader {
  const span = trimSpan(text, spanBefore(inverse, header.span));
  return { ...header, span, hasColon: text[span.end - 1] === ':' };
}

function explainStep(
  { name, does }: CleanStep,
  { before, text, map }: { before: CleanedText; text: string; map: OffsetMap },
): ExplainedStep {
  return {
    name,
    does,
    changes: map.map(({ fromStart, fromEnd, toStart, toEnd }) => ({
      raw: spanBefore(before.map, { start: fromStart, end: fromEnd }),
      before: before.text.slice(fromStart, fromEnd),
      after: text.slice(toStart, toEnd),
    })),
  };
}
