/** What an index folder holds: the types of its manifest and data files, and how a document's units lie in them. */

import type { Publication } from '../../core/store/publication.js';
import type {
  Boilerplate,
  Block,
  ContextUnit,
  DocumentControl,
  EmbedderFingerprint,
  Origin,
  Span,
} from '../../core/types.js';

export const FORMAT_VERSION = 2;

export type Preset = 'labsage' | 'paper';

/** What decides how documents are cut; another value means that every document is cut anew. */
export interface Chunking {
  readonly preset: Preset;
  readonly contextTokens: number;
  readonly unitTokens: number;
  readonly embedTokens: number;
  /** Of the program that cut them. */
  readonly producer: string;
}

/** The same corpus, program and settings give the same manifest, byte for byte: it holds no time and no machine. */
export interface Manifest extends Publication {
  readonly formatVersion: number;
  readonly embedder: EmbedderFingerprint;
  readonly chunking: Chunking;
  /** `chroma:URL/COLLECTION` where the units' vectors lie on a server; without it they are in the file `vectors`. */
  readonly store?: string;
  readonly documents: readonly {
    readonly id: string;
    readonly path: string;
    readonly sha256: string;
    readonly units: number;
  }[];
}

/**
 * File roles in `Manifest.files`; `terms` is a `TermTable`. With a server, `hashes` stands in place of `vectors`: an array,
 * for each unit in index order the hash of its embedded text.
 */
export type FileRole = 'units' | 'documents' | 'vectors' | 'hashes' | 'headings' | 'terms';

/** `units` file: an array of these. All that a search needs; a document's words lie in the `documents` file. */
export interface IndexedDocument {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly sha256: string;
  readonly control: DocumentControl;
  /** Where its `DocumentRecord` lies in the `documents` file, in bytes, and the hash of those bytes. */
  readonly record: { readonly at: number; readonly bytes: number; readonly sha256: string };
  readonly contexts: readonly ContextUnit[];
  readonly units: readonly IndexedUnit[];
}

export interface IndexedUnit {
  readonly id: string;
  /** ψ: index into the document's `contexts`. */
  readonly context: number;
  readonly span: Span;
  readonly carried: readonly Span[];
  readonly tokens: number;
  /** From the major section down to the heading right above the unit. */
  readonly headingPath: readonly string[];
}

/** `documents` file: one JSON line each. */
export interface DocumentRecord {
  readonly id: string;
  readonly text: string;
  readonly blocks: readonly Omit<Block, 'docId' | 'text'>[];
  readonly origins: readonly Origin[];
  readonly boilerplate: readonly Boilerplate[];
  readonly notes: readonly string[];
  readonly pages?: number;
}
