/** A note of any system, or a gold note → what is measured of it alone: its text, sections, facts, proof and vectors. */

import type { NoteType, Visit } from '../../core/types.js';
import type { ChartSources } from '../check/chartSources.js';
import type { CheckVerdict } from '../check/checkedClaim.js';
import { checkNote } from '../check/checkNote.js';
import { readNoteClaims } from '../check/noteClaims.js';
import { copyKey } from '../note/soundSentences.js';
import { countFacts, type Fact, type FactCounts, type Said } from './facts.js';
import { embedNote, type NoteVectors } from './noteVectors.js';
import type { CountTokens } from '../../core/tokenCounter.js';
import type { Embedder } from '../../core/types.js';

export interface EvaluatedNote {
  readonly visit: Visit;
  /** Without citations and list marks. */
  readonly plain: string;
  readonly sections: number;
  readonly vectors: NoteVectors | undefined;
  readonly counts: Readonly<Record<CheckVerdict, number>>;
  /** Statements by the type of the note that proves them. */
  readonly proved: Readonly<Partial<Record<NoteType, number>>>;
  /** Its statements, to find those that the next note repeats. */
  readonly keys: readonly string[];
  readonly facts?: FactCounts;
  readonly priorFrom?: string;
  /** Statements that the chart does not support, for the page. */
  readonly faults: readonly {
    readonly text: string;
    readonly verdict: CheckVerdict;
    readonly reasons: readonly string[];
  }[];
}

/** Shortest statement, in words, whose repetition is a copy and not a habit. */
const COPIED_WORDS = 5;

export interface ReadingTools {
  readonly embedder: Embedder;
  readonly countTokens: CountTokens;
}

/** `said`: its sentences with their parts, where they are known better than from its headings; `plain` likewise. */
export async function readEvaluatedNote(
  text: string,
  {
    visit,
    sources,
    tools,
    facts,
    ...known
  }: {
    visit: Visit;
    sources: ChartSources;
    tools: ReadingTools;
    facts: readonly Fact[] | undefined;
    said?: readonly Said[];
    plain?: string;
    priorFrom?: string;
  },
): Promise<EvaluatedNote> {
  const read = readNoteClaims(text);
  const plain = known.plain ?? read.plain;
  const { claims, counts } = checkNote(read, sources);
  const proved: Partial<Record<NoteType, number>> = {};
  for (const claim of claims.filter(({ verdict }) => verdict === 'supported'))
    for (const type of new Set(claim.sources.map((source) => source.type)))
      proved[type] = (proved[type] ?? 0) + 1;
  const said = known.said ?? read.claims.map((claim): Said => ({ part: claim.section, text: claim.text }));
  return {
    visit,
    plain,
    sections: read.sections.length,
    vectors: await embedNote(plain, tools),
    counts,
    proved,
    keys: read.claims
      .map((claim) => copyKey(claim.text))
      .filter((key) => key.split(' ').length >= COPIED_WORDS),
    ...(facts === undefined ? {} : { facts: countFacts(facts, said) }),
    ...(known.priorFrom === undefined ? {} : { priorFrom: known.priorFrom }),
    faults: claims
      .filter(({ verdict }) => verdict !== 'supported')
      .map(({ written, verdict, reasons }) => ({ text: written, verdict, reasons })),
  };
}
