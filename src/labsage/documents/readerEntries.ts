/** The shape that every reader turns its file into, before anything depends on the format no more. Types only. */

import type { BlockKind, Boilerplate, DocumentControl } from '../../core/types.js';

/** Where a piece of text stands in its file, 1-based. */
export interface Position {
  readonly line?: number;
  readonly page?: number;
  readonly paragraph?: number;
}

/** A stretch of text from one place of the file, blanks as they stand. */
export interface Run {
  readonly text: string;
  readonly position: Position;
}

/** Words with single blanks between them; from `at` on they stem from `position`. Table rows are parted by newlines. */
export interface Words {
  readonly text: string;
  readonly marks: readonly { readonly at: number; readonly position: Position }[];
}

/** A physical line as a reader sees it; `text` is without its indentation. */
export interface SourceLine extends Run {
  /** Columns of blanks before the text. */
  readonly indent: number;
  /** Each of its words is set in bold type or larger type. */
  readonly bold?: boolean;
  /** Height of its type in points, where the format shows it. */
  readonly size?: number;
  /** A row of a table whose lines are drawn: the words of its cells. `text` holds them with wide blanks between. */
  readonly cells?: readonly string[];
  /** The layout shows that a new block starts here (true) or that the line before goes on (false). */
  readonly starts?: boolean;
}

/** One heading, paragraph, list item or table as the file's format or its line layout parts them. */
export interface ReaderEntry {
  readonly words: Words;
  /** What the format itself says it is; `text` leaves it to the words. `code` is never a heading, whatever its words. */
  readonly given: 'heading' | 'item' | 'table' | 'warning' | 'code' | 'text';
  /** Rank of a given heading, depth of a given list item; 1 and deeper. */
  readonly level?: number;
  /** Columns of blanks before it, where the layout has columns. */
  readonly indent?: number;
  readonly bold?: boolean;
  /** Height of its first line's type in points, where the format shows it. */
  readonly size?: number;
  readonly underlined?: '=' | '-';
  /** A blank line or the format's own paragraph border stands before it. */
  readonly apart: boolean;
  /** Physical lines that it was joined from. */
  readonly lines: number;
  /** Tables: how many of its rows are column names and units. */
  readonly headerRows?: number;
  /** Tables: their cells, for control data. */
  readonly cells?: readonly (readonly string[])[];
}

/** Lines and pairs in which control data may stand, in the order of trust. */
export interface ControlHints {
  /** Key and value as given by front matter, `<meta>` or document properties. */
  readonly pairs: readonly (readonly [string, string])[];
  /** Running heads and feet, with the wide blanks that part their fields. */
  readonly running: readonly string[];
}

export interface ReaderResult {
  readonly entries: readonly ReaderEntry[];
  readonly boilerplate: readonly Boilerplate[];
  readonly hints: ControlHints;
  /** As stated outside the text: front matter, `<title>`. */
  readonly title?: string;
  readonly pages?: number;
  readonly notes: readonly string[];
}

/** A block before it has a place in the canonical text. */
export interface ReaderBlock {
  readonly kind: BlockKind;
  readonly level?: number;
  readonly words: Words;
  /** Tables: length of the header rows within `words.text`. */
  readonly headerLength?: number;
}

/** What the entries of one file come to. */
export interface ReaderBlocks {
  readonly blocks: readonly ReaderBlock[];
  readonly title?: string;
  readonly control: DocumentControl;
  readonly notes: readonly string[];
}
