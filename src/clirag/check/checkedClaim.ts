/** What checking a note gives, and how what the chart says is quoted in it. */

import type { Grounding, NoteType, Span } from '../../core/types.js';
import { quoteFor, type ChartSource, type Library } from './chartSources.js';
import type { NoteClaim } from './noteClaims.js';

/** `stale`: the chart said so, on an earlier day or until it was corrected, and the note does not tell. */
export const CHECK_VERDICTS = ['supported', 'contradicted', 'stale', 'not-found'] as const;
export type CheckVerdict = (typeof CHECK_VERDICTS)[number];

/** What the chart says to a statement: verbatim from a note's raw TEXT, up to what cleaning changes. */
export interface ChartQuote {
  readonly noteId: string;
  readonly type: NoteType;
  readonly date: string;
  /** HH:MM. */
  readonly time?: string;
  readonly text: string;
  /** In the raw TEXT of that note. */
  readonly span: Span;
}

export interface CheckedClaim extends NoteClaim {
  readonly verdict: CheckVerdict;
  readonly sources: readonly ChartQuote[];
  /** In plain words; empty where supported. */
  readonly reasons: readonly string[];
  /** What a reader should know of a supported statement. */
  readonly remarks: readonly string[];
}

export interface CheckedNote {
  readonly patientId: string;
  readonly visitId: string;
  readonly asOf: string;
  readonly claims: readonly CheckedClaim[];
  readonly counts: Readonly<Record<CheckVerdict, number>>;
}

/** What grounding says of one statement. */
export type Grounded = Grounding['sentences'][number];

export function sourcesOf(grounded: Grounded, library: Library): ChartSource[] {
  return grounded.citations.flatMap((key) => library.source(key) ?? []);
}

export function quotesOf(claim: string, sources: readonly ChartSource[]): ChartQuote[] {
  return sources.map((source) => ({ ...placeOf(source), ...quoteFor(claim, source) }));
}

export function placeOf({
  chunk,
}: Pick<ChartSource, 'chunk'>): Pick<ChartQuote, 'noteId' | 'type' | 'date' | 'time'> {
  const { noteId, type, date, time } = chunk;
  return { noteId, type, date, ...(time === undefined ? {} : { time: time.slice(0, 5) }) };
}
