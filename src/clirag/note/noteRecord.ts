/** The record of a SOAP progress note and its parts: types alone. */

import type { ExclusionReason } from '../visits.js';
import type { Span, NoteType, Grounding, Omitted } from '../../core/types.js';

/** A sentence of a note with what it cites. */
export interface SoapSentence {
  /** Verbatim from the cleaned note, or as a language model wrote it; without its marks. */
  readonly text: string;
  /** Title of the problem or report part under which it stands. */
  readonly label?: string;
  readonly citations: readonly string[];
  /** HH:MM, of the note. */
  readonly time?: string;
  /** A value alone (`Hct 26.3`), cut from its sentence; `time` is the value's. */
  readonly isValue?: boolean;
  /** Of what a language model wrote: why it is not proved; absent where it is. */
  readonly unproved?: readonly string[];
}

/** Quoted from the chart, and where it stands there. */
export interface QuotedSentence extends SoapSentence {
  readonly noteId: string;
  /** In the raw TEXT of that note. */
  readonly span: Span;
  readonly date: string;
  readonly type: NoteType;
}

/** A chunk that a note cites. */
export interface NoteSource {
  readonly key: string;
  readonly unitId: string;
  readonly noteId: string;
  readonly type: NoteType;
  readonly date: string;
  readonly time?: string;
  readonly header: string;
  readonly ordinal: number;
  /** In the raw TEXT of the note. */
  readonly span: Span;
  readonly text: string;
}

/** What became of a value or a drug since the visit before. */
export interface VisitChange {
  readonly text: string;
  readonly citations: readonly string[];
}

/** Orders of one visit that contradict each other, in the order of their times. */
export interface OrderConflict {
  readonly drug: string;
  readonly sentences: readonly QuotedSentence[];
}

/** `date` is that of its note, or of the visit where a language model wrote it. */
export type PriorSentence = SoapSentence & Pick<QuotedSentence, 'date'> & Partial<QuotedSentence>;

/** What the visit before was about; its sentences keep their sources in the earlier notes. */
export interface PriorSummary {
  readonly visitId: string;
  readonly date: string;
  readonly from: 'stored' | 'generate' | 'gold';
  readonly text: string;
  readonly sentences: readonly PriorSentence[];
}

export type SoapSectionName = 'subjective' | 'objective' | 'assessment' | 'plan';

/** A SOAP progress note with the proof of each sentence. */
export interface SoapNote {
  readonly visitId: string;
  readonly patientId: string;
  readonly date: string;
  readonly asOf: string;
  /** The body, citation marks included. */
  readonly text: string;
  readonly sources: readonly NoteSource[];
  readonly sections: Readonly<Record<SoapSectionName, { readonly sentences: readonly SoapSentence[] }>>;
  readonly changes: {
    readonly new: readonly VisitChange[];
    readonly changed: readonly VisitChange[];
    readonly resolved: readonly VisitChange[];
    readonly conflicting: readonly OrderConflict[];
  };
  readonly priorSummary?: PriorSummary;
  /** Notes of the visit that are no evidence, by reason. */
  readonly excluded: Readonly<Partial<Record<ExclusionReason, number>>>;
  readonly grounding: Grounding;
  /** A language model's reply as it came, where one wrote the note. */
  readonly reply?: string;
  /** That reply stopped at the limit of its length. */
  readonly isCut?: boolean;
  /** The server says that another model than the one named wrote it. */
  readonly servedBy?: string;
  /** Unproved sentences that `--strict` kept out of the text. */
  readonly withheld?: readonly string[];
  /** Of the body, without citation marks and headings. */
  readonly words: number;
  /** Passages of very long notes that were not read. */
  readonly leftOut?: number;
  readonly omitted: Omitted;
  readonly model: { readonly embedder: string; readonly generator: string };
  readonly auditId?: string;
}
