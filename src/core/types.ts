/** The types that cross borders between modules: plain, readonly, JSON-safe (vectors aside). No code. */

/** `[start, end)` in UTF-16 code units of the owning text: `text.slice(start, end)` is the quote. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where a quote stands in its file: 1-based lines (text formats) or pages (PDF) or paragraphs (DOCX). */
export interface Location {
  readonly file: string;
  /** First and last line, 1-based, inclusive. */
  readonly lines?: readonly [number, number];
  /** First and last page, 1-based, inclusive. */
  readonly pages?: readonly [number, number];
  /** First and last paragraph, 1-based, inclusive. */
  readonly paragraphs?: readonly [number, number];
}

export type DocumentStatus = 'current' | 'superseded' | 'withdrawn' | 'draft';

/** What a controlled document states about itself. Dates are ISO (YYYY-MM-DD). */
export interface DocumentControl {
  readonly number?: string;
  readonly version?: string;
  readonly effective?: string;
  readonly review?: string;
  readonly owner?: string;
  readonly approval?: string;
  readonly approvedBy?: string;
  /** As the document states it; what depends on today's date is decided when a question is asked. */
  readonly status: DocumentStatus;
  readonly supersedes?: string;
}

export type BlockKind = 'heading' | 'paragraph' | 'step' | 'table' | 'warning';

/** A structural piece of one document; blocks are in text order and do not overlap. */
export interface Block {
  readonly docId: string;
  readonly kind: BlockKind;
  /** Headings: 1 (major section) and deeper. Steps: nesting depth, 1 and deeper. */
  readonly level?: number;
  readonly span: Span;
  readonly text: string;
  /** Tables only: the header row(s), column names and units included. */
  readonly header?: Span;
}

/** From canonical offset `at` on, the text stems from this line, page or paragraph of the file. */
export interface Origin {
  readonly at: number;
  readonly line?: number;
  readonly page?: number;
  readonly paragraph?: number;
}

/** A running head, page number or table of contents: taken out of the text, kept here. */
export interface Boilerplate {
  readonly text: string;
  readonly kind: 'running-head' | 'page-number' | 'contents' | 'navigation';
  readonly line?: number;
  readonly page?: number;
}

/** One SOP file. `text` is canonical: every quote is cut from it verbatim. */
export interface Document {
  readonly id: string;
  /** Path as it will be shown, `/`-separated, relative to the folder that was indexed. */
  readonly path: string;
  readonly title: string;
  readonly text: string;
  /** Of the file's bytes. */
  readonly sha256: string;
  readonly control: DocumentControl;
  readonly blocks: readonly Block[];
  /** Sorted by `at`. */
  readonly origins: readonly Origin[];
  readonly boilerplate: readonly Boilerplate[];
  readonly pages?: number;
  /** What the reader had to guess or could not keep, a line each. */
  readonly notes?: readonly string[];
}

/** A complete section: what is read to answer. Paper 000, U. */
export interface ContextUnit {
  readonly id: string;
  readonly docId: string;
  /** From the major section down; `[]` for what stands before the first heading. */
  readonly headingPath: readonly string[];
  /** Its own words, heading line included. */
  readonly span: Span;
  /** Introduction and warnings repeated from the section that it was cut from. */
  readonly carried: readonly Span[];
  readonly tokens: number;
  readonly sha256: string;
}

/** A small overlapping piece of one context unit: what is embedded and searched. Paper 000, S; ψ is `contextId`. */
export interface SearchUnit {
  readonly id: string;
  readonly contextId: string;
  readonly span: Span;
  /** A table's header row. */
  readonly carried: readonly Span[];
  /** title › heading path, then carried and own words. */
  readonly embedText: string;
  readonly tokens: number;
}

export type HitVia = 'dense' | 'keyword' | 'fused' | 'reranked';

/** A scored search unit or chunk; `rank` is 1-based. */
export interface Hit {
  readonly unitId: string;
  readonly score: number;
  readonly rank: number;
  readonly via: HitVia;
  /** The addends of the score by name. */
  readonly parts?: Readonly<Record<string, number>>;
}

/** A numbered text in a prompt and the target of citations. */
export interface Source {
  readonly key: string;
  readonly unitId: string;
  /** The search units that led to it, best first. */
  readonly hits: readonly Hit[];
  readonly span: Span;
  readonly text: string;
  readonly location: Location;
}

export type Verdict = 'supported' | 'contradicted' | 'not-found' | 'uncited';

/** What checking each sentence of an output against its cited sources gave. */
export interface Grounding {
  readonly sentences: readonly {
    readonly span: Span;
    readonly citations: readonly string[];
    readonly verdict: Verdict;
    readonly reasons: readonly string[];
  }[];
}

/** Texts → unit vectors. Each text is embedded alone, so that its vector does not depend on its neighbours. */
export interface Embedder {
  readonly fingerprint: EmbedderFingerprint;
  /** One normalised vector of `fingerprint.dims` float32 values a text, in order. */
  embed(texts: readonly string[], role: 'query' | 'passage'): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** All that decides what a vector means; two indexes with equal fingerprints can be compared. */
export interface EmbedderFingerprint {
  readonly id: string;
  readonly dims: number;
  readonly pooling: 'mean' | 'cls';
  readonly prefixes: { readonly query: string; readonly passage: string };
  readonly weightsSha256: string;
  /** Longest input in the model's own tokens, special tokens included. */
  readonly maxTokens: number;
}

/** A mark in an answer: which quoted words stand where. */
export interface Citation {
  readonly key: string;
  readonly unitId: string;
  readonly document: {
    readonly id: string;
    readonly path: string;
    readonly title: string;
    readonly number?: string;
    readonly version?: string;
  };
  readonly headingPath: readonly string[];
  readonly quotes: readonly Quote[];
}

/** Words of a document, verbatim. */
export interface Quote {
  readonly text: string;
  readonly span: Span;
  readonly location: Location;
  /** Headings between the citation's section and the words, outermost first; absent if there are none. */
  readonly subheadings?: readonly string[];
}

/** What was left out of the model's context, in tokens; for the extractive generator nothing is. */
export interface Omitted {
  readonly intended: number;
  readonly sent: number;
  readonly countedByServer?: number;
}

/** The record of one answered or refused question. */
export interface Answer {
  readonly question: string;
  /** What is printed as the answer, citation marks included, without the closing line. */
  readonly text: string;
  readonly answered: boolean;
  /** 0 to 1: how likely the quoted words hold the whole answer, calibrated; of a refusal, the words that were not quoted. */
  readonly confidence: number;
  /** The confidence is low: a person is to review it. Never of a refusal. */
  readonly needsReview: boolean;
  readonly warnings: readonly string[];
  /** Words of the question that no document contains. */
  readonly missingTerms: readonly string[];
  readonly citations: readonly Citation[];
  readonly grounding: Grounding;
  readonly sources: readonly Source[];
  readonly omitted: Omitted;
  readonly model: { readonly embedder: string; readonly generator: string };
  readonly timingsMs: Readonly<Record<string, number>>;
  readonly auditId?: string;
}

/** The kinds of chart notes: MIMIC-III's fifteen categories and, apart from them, what is to be written. */
export type NoteType =
  | 'case_management'
  | 'consult'
  | 'discharge_summary'
  | 'ecg'
  | 'echo'
  | 'general'
  | 'nursing'
  | 'nursing_other'
  | 'nutrition'
  | 'pharmacy'
  | 'physician'
  | 'progress_notes'
  | 'radiology'
  | 'rehab_services'
  | 'respiratory'
  | 'social_work';

/** Where in a SOAP note something belongs. */
export type SoapPart = 'S' | 'O' | 'A' | 'P';

/** One note of a chart; `text` is raw, exactly as it was charted. Times are the chart's local ones. */
export interface Note {
  readonly id: string;
  readonly patientId: string;
  /** `patientId/date`. */
  readonly visitId: string;
  readonly admissionId?: string;
  /** YYYY-MM-DD. */
  readonly date: string;
  /** Charted at, HH:MM:SS; absent where the chart has only the date. */
  readonly time?: string;
  /** Stored at, YYYY-MM-DD HH:MM:SS; later than charted for a late entry. */
  readonly stored?: string;
  readonly type: NoteType;
  readonly description?: string;
  readonly author?: string;
  /** Of an addendum: the note that it adds to, where one was found. */
  readonly parentId?: string;
  readonly isAddendum?: boolean;
  readonly text: string;
}

/** What a progress note is written for: one patient on one date or, with an admission id, that admission. */
export interface Visit {
  /** `patientId/date`, or `patientId/admissionId`. */
  readonly id: string;
  readonly patientId: string;
  /** First charted day. */
  readonly date: string;
  /** Last charted day: `date` itself, unless the visit is an admission. */
  readonly lastDate: string;
  readonly admissionId?: string;
  /** 1-based, in the order of dates. */
  readonly ordinal: number;
  readonly noteIds: readonly string[];
}

/**
 * A header-bounded part of one cleaned note. Sections of level 1 cover the note without overlap; a section of level 2
 * (a sub-heading) lies inside one of level 1.
 */
export interface Section {
  readonly id: string;
  readonly noteId: string;
  /** The table's title where the header is known, else the author's words; "Unlabeled" where none stands. */
  readonly header: string;
  readonly level: 1 | 2;
  readonly parentId?: string;
  /** Indexes the cleaned text, header included. */
  readonly span: Span;
  /** The header's own words, colon included. */
  readonly headerSpan?: Span;
  readonly soap?: SoapPart;
  readonly text: string;
}

/** An embeddable piece of one section of level 1. */
export interface Chunk {
  readonly id: string;
  readonly sectionId: string;
  readonly noteId: string;
  readonly patientId: string;
  readonly visitId: string;
  readonly date: string;
  readonly time?: string;
  readonly type: NoteType;
  readonly header: string;
  /** Sub-headings whose words stand in it. */
  readonly subheaders: readonly string[];
  readonly soap?: SoapPart;
  /** 1-based within the section. */
  readonly ordinal: number;
  /** Indexes the cleaned text of the note. */
  readonly span: Span;
  /** The same place in `Note.text`. */
  readonly rawSpan: Span;
  readonly text: string;
  readonly tokens: number;
}
