/** Cut documents → which stems stand where, their words and abbreviations, as one binary file; and the file read again. */

import { keywordTerms } from '../../core/keywordIndex.js';
import { splitWords } from '../../core/text.js';
import { findAbbreviations, type Abbreviation } from '../question/abbreviations.js';

/**
 * Layout: magic (4), terms, units, documents, header bytes (4 each), header JSON padded to 4; then as uint32, little endian:
 * documents of each term; starts of the terms' unit postings (terms + 1); the postings; starts and postings of titles alike;
 * words of each unit. A unit posting is `unit × 256 + occurrences` (255 at most).
 */
const MAGIC = 0x3254534c;
const FIXED_BYTES = 20;
const MAX_OCCURRENCES = 255;

export interface TermTable {
  readonly units: number;
  readonly documents: number;
  /** In how many documents (title included) each stem stands. */
  readonly counts: ReadonlyMap<string, number>;
  /** Words of letters as the corpus writes them, lower case → in how many units. */
  readonly words: ReadonlyMap<string, number>;
  /** Those that the corpus explains itself, sorted. */
  readonly abbreviations: readonly Abbreviation[];
  /** Calls back for every unit that contains the stem, by the unit's position in the whole index. */
  eachUnit(term: string, visit: (unit: number, occurrences: number) => void): void;
  /** Positions of the documents whose title or number contains the stem. */
  titlesWith(term: string): readonly number[];
  /** Stems in the unit, headings not counted. */
  unitLength(unit: number): number;
}

export interface TermSource {
  /** Title and document number. */
  readonly title: string;
  readonly units: readonly { readonly headings: string; readonly words: string }[];
}

/** Units and documents in index order. A heading's stem counts once in each unit below it. */
export function encodeTermTable(documents: readonly TermSource[]): Buffer {
  const postings = new Map<string, { units: number[]; titles: number[]; documents: number; last: number }>();
  const entryOf = (term: string, document: number): { units: number[]; titles: number[] } => {
    let entry = postings.get(term);
    if (entry === undefined) postings.set(term, (entry = { units: [], titles: [], documents: 0, last: -1 }));
    if (entry.last !== document) {
      entry.last = document;
      entry.documents++;
    }
    return entry;
  };
  const lengths: number[] = [];
  documents.forEach(({ title, units }, document) => {
    for (const term of new Set(keywordTerms(title))) entryOf(term, document).titles.push(document);
    for (const { headings, words } of units) {
      const occurrences = new Map<string, number>();
      const own = keywordTerms(words);
      for (const term of [...own, ...new Set(keywordTerms(headings))]) {
        occurrences.set(term, (occurrences.get(term) ?? 0) + 1);
      }
      for (const [term, count] of occurrences) {
        entryOf(term, document).units.push(lengths.length * 256 + Math.min(count, MAX_OCCURRENCES));
      }
      lengths.push(own.length);
    }
  });
  const terms = [...postings].sort(([a], [b]) => (a < b ? -1 : 1));
  const header = Buffer.from(
    JSON.stringify({ terms: terms.map(([term]) => term), ...vocabularyOf(documents) }),
    'utf8',
  );
  const padding = Buffer.alloc((4 - (header.length % 4)) % 4, ' ');
  const fixed = [MAGIC, terms.length, lengths.length, documents.length, header.length + padding.length];
  const entries = terms.map(([, entry]) => entry);
  return Buffer.concat([
    uint32Buffer(fixed),
    header,
    padding,
    uint32Buffer(entries.map((entry) => entry.documents)),
    ...postingBuffers(entries.map(({ units }) => units)),
    ...postingBuffers(entries.map(({ titles }) => titles)),
    uint32Buffer(lengths),
  ]);
}

interface Header {
  readonly terms: readonly string[];
  readonly words: readonly (readonly [string, number])[];
  readonly abbreviations: readonly Abbreviation[];
}

/** Sorted, so that the file depends on the words alone. */
function vocabularyOf(documents: readonly TermSource[]): Omit<Header, 'terms'> {
  const words = new Map<string, number>();
  const abbreviations = new Map<string, Abbreviation>();
  for (const { title, units } of documents) {
    for (const text of [title, ...units.map(({ headings, words: own }) => `${headings}\n${own}`)]) {
      const letters = splitWords(text).filter((word) => /^\p{L}+$/u.test(word.text));
      for (const word of new Set(letters.map((each) => each.text.toLowerCase())))
        words.set(word, (words.get(word) ?? 0) + 1);
      for (const found of findAbbreviations(text))
        abbreviations.set(`${found.short}\n${found.long.toLowerCase()}`, found);
    }
  }
  const sorted = <Value>(map: ReadonlyMap<string, Value>): [string, Value][] =>
    [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  return { words: sorted(words), abbreviations: sorted(abbreviations).map(([, found]) => found) };
}

function postingBuffers(lists: readonly (readonly number[])[]): Buffer[] {
  const starts = [0];
  for (const list of lists) starts.push((starts.at(-1) ?? 0) + list.length);
  return [uint32Buffer(starts), uint32Buffer(lists.flat())];
}

function uint32Buffer(values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4);
  values.forEach((value, at) => buffer.writeUInt32LE(value, at * 4));
  return buffer;
}

/** Throws if the bytes are no term table. */
export function decodeTermTable(buffer: Buffer): TermTable {
  if (buffer.length < FIXED_BYTES || buffer.readUInt32LE(0) !== MAGIC) throw new Error('not a term table');
  const [termCount, unitCount, documentCount, headerBytes] = [4, 8, 12, 16].map((at) =>
    buffer.readUInt32LE(at),
  );
  if (
    termCount === undefined ||
    unitCount === undefined ||
    documentCount === undefined ||
    headerBytes === undefined
  ) {
    throw new Error('term table without its counts');
  }
  const { terms, words, abbreviations } = JSON.parse(
    buffer.toString('utf8', FIXED_BYTES, FIXED_BYTES + headerBytes),
  ) as Header;
  let at = FIXED_BYTES + headerBytes;
  const take = (count: number): ((index: number) => number) => {
    const start = at;
    at += count * 4;
    return (index) => buffer.readUInt32LE(start + index * 4);
  };
  const counts = take(termCount);
  const unitStarts = take(termCount + 1);
  const unitPostings = take(unitStarts(termCount));
  const titleStarts = take(termCount + 1);
  const titlePostings = take(titleStarts(termCount));
  const lengths = take(unitCount);
  const placeOf = new Map(terms.map((term, place) => [term, place]));
  return {
    units: unitCount,
    documents: documentCount,
    counts: new Map(terms.map((term, place) => [term, counts(place)])),
    words: new Map(words),
    abbreviations,
    eachUnit(term, visit) {
      const place = placeOf.get(term);
      if (place === undefined) return;
      for (let posting = unitStarts(place); posting < unitStarts(place + 1); posting++) {
        const value = unitPostings(posting);
        visit(value >>> 8, value & MAX_OCCURRENCES);
      }
    },
    titlesWith(term) {
      const place = placeOf.get(term);
      if (place === undefined) return [];
      const [from, to] = [titleStarts(place), titleStarts(place + 1)];
      return Array.from({ length: to - from }, (_, index) => titlePostings(from + index));
    },
    unitLength: lengths,
  };
}
