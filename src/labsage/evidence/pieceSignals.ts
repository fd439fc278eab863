/** A question + pieces of the retrieved sections → what their words, numbers and places say for each of them. */

import { isFunctionWord, keywordTerms, termOf } from '../../core/keywordIndex.js';
import { countWords, splitWords } from '../../core/text.js';
import type { Evidence } from './evidence.js';
import { asksNextStep, askedKinds, fitsKind } from '../question/questionKind.js';
import { holdsTerm, type QuestionTerm } from '../question/questionTerms.js';

/** All 0 to about 1; what the model says (`dense`) is added by `scoreEvidence`. */
export interface PieceSignals {
  /** Its best search unit's score against the best section's; 0 for the best. */
  readonly unit: number;
  /** Its section's score against the best section's. */
  readonly context: number;
  /** Share in its headings, title and column names, where its own words have not got it. */
  readonly around: number;
  /** Share of what tells the pieces apart. */
  readonly inside: number;
  /** Share of the asking sentence's weight in its own words. */
  readonly asking: number;
  /** Share in its whole section, with headings and title. */
  readonly section: number;
  /** Share of its own words that are the question's. */
  readonly precise: number;
  /** The same for a table row's first cell. */
  readonly label: number;
  /** It has a number in a unit that the question has a number in. */
  readonly sameUnit: number;
  /** It states a limit in the unit of the question's number, and names the rarest thing that the question names. */
  readonly limit: number;
  /** Where the next step is asked: the share in the step before. */
  readonly follows: number;
  /** It has the kind of words that the question asks for. */
  readonly kind: number;
  /** It is of a list of references, related documents or versions, and the question isn't. */
  readonly aside: number;
  /** It begins with a condition, and the question tells a situation. */
  readonly condition: number;
  readonly row: number;
  /** Fewer than 8 words: a fragment. */
  readonly short: number;
  /** More than 30 words. */
  readonly long: number;
}

/** A piece of fewer words is a fragment. */
const FRAGMENT_WORDS = 8;
const LONG_WORDS = 30;

const ASIDE =
  /\b(?:revision|history|references?|related documents?|see also|document control|attachments?|records?|appendi\w+)\b/iu;
const ASKS_ASIDE =
  /\b(?:version|revision|changed?|reference|insert|guideline|document|sop|procedure|form|record|kept|file[ds]?)\b/iu;
const LIMIT =
  /[<>≤≥]|\b(?:below|above|under|over|at least|at most|less than|more than|or more|or less|or higher|or lower|up to|exceeds?)\b/iu;
const CONDITION =
  /^(?:[-•*]\s+|\(?[0-9a-zA-Z.]{1,5}[.)]?\s+)?(?:if|when|for|with|after|unless|above|below|until|before)\b/iu;

export function signalPieces(
  question: { readonly text: string; readonly asking: string; readonly terms: readonly QuestionTerm[] },
  pieces: readonly Evidence[],
): PieceSignals[] {
  const { text, terms } = question;
  const stems = pieces.map((piece) => new Set(keywordTerms(piece.text)));
  const around = pieces.map(
    ({ heading, document, columns }) => new Set([heading, document.title, columns].flatMap(keywordTerms)),
  );
  const sections = sectionStems(pieces, stems);
  const weightOf = (own: ReadonlySet<string>): number => sum(terms.filter((term) => holdsTerm(own, term)));
  const total = Math.max(sum(terms), Number.MIN_VALUE);
  const askingStems = new Set(keywordTerms(question.asking));
  const askingTerms = terms.filter(({ word }) => askingStems.has(termOf(word)));
  const askingTotal = Math.max(sum(askingTerms), Number.MIN_VALUE);
  const rarity = new Map(
    terms.map((term) => [
      term,
      Math.log((pieces.length + 1) / (stems.filter((own) => holdsTerm(own, term)).length + 0.5)),
    ]),
  );
  const insideOf = (own: ReadonlySet<string>): number =>
    terms
      .filter((term) => holdsTerm(own, term))
      .reduce((all, term) => all + term.weight * Math.max(0, rarity.get(term) ?? 0), 0);
  const allInside = Math.max(
    terms.reduce(
      (all, term) =>
        all +
        (stems.some((own) => holdsTerm(own, term)) ? term.weight * Math.max(0, rarity.get(term) ?? 0) : 0),
      0,
    ),
    Number.MIN_VALUE,
  );
  const shares = stems.map((own) => weightOf(own) / total);
  const kinds = askedKinds(text);
  const hasNumber = /\d/u.test(text);
  const units = unitsOf(text);
  const rarest = terms.filter(({ known }) => known).sort((a, b) => b.weight - a.weight)[0];
  const next = asksNextStep(text);
  const best = Math.max(...pieces.map(({ ranked }) => ranked.score), 0.001);
  return pieces.map((piece, at) => {
    const own = stems[at] ?? new Set();
    const near = around[at] ?? new Set();
    const previous = pieces[at - 1];
    const follows = next && previous?.ranked === piece.ranked && previous.heading === piece.heading;
    const words = countWords(piece.text);
    const hasSameUnit = units.size > 0 && shareIn(unitsOf(`${piece.text} ${piece.columns}`), units) > 0;
    return {
      unit: unitScore(piece) / best - 1,
      context: piece.ranked.score / best - 1,
      around: sum(terms.filter((term) => !holdsTerm(own, term) && holdsTerm(near, term))) / total,
      inside: insideOf(own) / allInside,
      asking: sum(askingTerms.filter((term) => holdsTerm(own, term))) / askingTotal,
      section: weightOf(new Set([...(sections.get(piece.ranked) ?? []), ...near])) / total,
      precise: precision(piece.text, terms),
      label: piece.kind === 'row' ? precision(piece.text.split(' | ')[0] ?? '', terms) : 0,
      sameUnit: hasSameUnit ? 1 : 0,
      limit: hasSameUnit && LIMIT.test(piece.text) && rarest !== undefined && holdsTerm(own, rarest) ? 1 : 0,
      follows: follows ? (shares[at - 1] ?? 0) : 0,
      kind: kinds.some((kind) => fitsKind(piece.text, kind)) ? 1 : 0,
      aside: ASIDE.test(piece.heading) && !ASKS_ASIDE.test(text) ? 1 : 0,
      condition: CONDITION.test(piece.text) && (next || kinds.includes('action') || hasNumber) ? 1 : 0,
      row: piece.kind === 'row' ? 1 : 0,
      short: Math.max(0, Math.log(FRAGMENT_WORDS / Math.max(1, words))),
      long: Math.max(0, Math.log(words / LONG_WORDS)),
    };
  });
}

function sectionStems(
  pieces: readonly Evidence[],
  stems: readonly ReadonlySet<string>[],
): Map<Evidence['ranked'], Set<string>> {
  const sections = new Map<Evidence['ranked'], Set<string>>();
  pieces.forEach(({ ranked }, at) => {
    const section = sections.get(ranked) ?? new Set();
    for (const stem of stems[at] ?? []) section.add(stem);
    sections.set(ranked, section);
  });
  return sections;
}

function sum(terms: readonly QuestionTerm[]): number {
  return terms.reduce((total, { weight }) => total + weight, 0);
}

/** The best search unit that holds the piece; a piece that no scored unit holds counts like a weak one of its section. */
function unitScore({ ranked, span, holders }: Evidence): number {
  const scores = ranked.hits.filter(({ unitId }) => holders.includes(unitId)).map(({ score }) => score);
  return scores.length === 0 || span.end === span.start ? 0.6 * ranked.score : Math.max(...scores);
}

/** Share of a text's content words that are the question's. */
function precision(text: string, terms: readonly QuestionTerm[]): number {
  const own = splitWords(text).filter((word) => !isFunctionWord(word.text) && /\p{L}/u.test(word.text));
  if (own.length === 0) return 0;
  const asked = new Set(terms.flatMap(({ term, also }) => [term, ...also.flat()]));
  return own.filter((word) => asked.has(termOf(word.text))).length / own.length;
}

const UNIT =
  /\d\s*(%|°?\s?C\b|[µuμmn]?[mM]ol\/L|[µuμmn]?L\b|g\/[dm]?L|[mµuμn]g\/[dm]?L|s\b|sec|min|hours?|hrs?\b|h\b|days?|weeks?|months?|years?|mm\b|x ?g\b|SD\b)/giu;

function unitsOf(text: string): Set<string> {
  return new Set([...text.matchAll(UNIT)].map(([, unit = '']) => unit.toLowerCase().replace(/[uμ]/u, 'µ')));
}

function shareIn(have: ReadonlySet<string>, wanted: ReadonlySet<string>): number {
  if (wanted.size === 0) return 0;
  return [...wanted].filter((value) => have.has(value)).length / wanted.size;
}
