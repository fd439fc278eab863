/** A claim's words → those that the evidence denies, affirms, forbids for a while, or tells of the past or of a relative. */

import { weighPlaces } from './binding.js';
import { rankCandidates, type Comparison, type Finding } from './comparison.js';
import { COMPLEMENTARY } from './facets.js';
import { LASTING_CONDITIONS } from './namedThings.js';
import type { Polarity } from './negation.js';
import type { PlacedTerm, Statement } from './statements.js';

/** Share of the best fit that an agreeing occurrence needs. */
const NEAR_BEST = 0.75;
/** Share of the best statement's words that a statement needs for its denial to count. */
const NEAR_STATEMENT = 0.35;

/** `complements`: statements whose limit the claim tells from its other side, and so what is done from its other side too. */
export function checkPolarities(comparison: Comparison, complements: ReadonlySet<number>): Finding[] {
  const { claim, evidence, rename, shares } = comparison;
  return claim.terms.flatMap((term): Finding[] => {
    if (!term.isContent && !VERBS.has(term.term)) return [];
    if (
      claim.facets.some(
        ({ kind, start, end }) =>
          (kind === 'side' || COMPLEMENTARY.has(kind)) && start <= term.start && term.end <= end,
      )
    )
      return [];
    if (term.term === 'left' || term.term === 'right') return [];
    const name = rename(term.term);
    const found = rankCandidates(comparison, {
      item: term,
      itemsOf: (statement) =>
        statement.terms.filter((other) => other.term === name || other.term === term.term),
    });
    if (found.some(({ statement }) => complements.has(statement))) return [];
    const [best] = found;
    if (best === undefined) return [];
    const near = found.filter(({ score }) => score >= best.score * NEAR_BEST);
    const clashOf = ({ item, statement }: { item: PlacedTerm; statement: number }): string | undefined =>
      describeClash(comparison, { term, other: { source: evidence.statements[statement], term: item } });
    const clashes = near.map(clashOf);
    const isDoubtful = clashes.includes(undefined);
    const all = found.map((candidate) => ({ candidate, clash: clashOf(candidate) }));
    const nearest = Math.max(...shares, 0);
    const against = all.find(
      ({ clash, candidate }) =>
        clash !== undefined && (shares[candidate.statement] ?? 0) >= nearest * NEAR_STATEMENT,
    );
    const agreeing = all.find(({ clash }) => clash === undefined);
    if (against?.clash === undefined) return [];
    const finding: Finding = { verdict: 'contradicted', reason: against.clash };
    if (agreeing === undefined) return [finding];
    // Of two places that speak of it, one denying and one affirming, the claim's other words tell which is meant.
    const told = weighPlaces(comparison, {
      item: term,
      own: agreeing.candidate,
      rival: against.candidate,
      isAlone: true,
    });
    const isClash = isDoubtful ? told.rival > 0 && told.own === 0 : !(told.own > 0 && told.rival === 0);
    return isClash ? [finding] : [];
  });
}

/** Function words that an order can deny. */
const VERBS = new Set(['use', 'take', 'give', 'make', 'let']);

interface TermIn {
  readonly claim: Statement;
  readonly term: PlacedTerm;
}

/** Whether another statement of the source that is near to the claim makes it wait: "only after both levels pass, …". */
function isGatedElsewhere({ evidence, shares }: Comparison): boolean {
  const best = Math.max(...shares, 0);
  return evidence.statements.some(({ text }, i) => (shares[i] ?? 0) >= best * NEAR_BEST && GATED.test(text));
}

const GATED = /(?<![\p{L}])(?:only|until|unless|not|before|once)(?![\p{L}])/iu;

function describeClash(
  comparison: Comparison,
  { term, other }: { term: PlacedTerm; other: { source: Statement | undefined; term: PlacedTerm } },
): string | undefined {
  const { claim } = comparison;
  const mine = term.polarity;
  const theirs = other.term.polarity;
  const word = term.text;
  if (mine.isUnsure !== theirs.isUnsure && (mine.denied === 'yes' || theirs.denied === 'yes')) {
    return mine.isUnsure
      ? `leaves ${word} open, the source denies it`
      : `denies ${word}, the source leaves it open`;
  }
  const isSoft = (statement: Statement | undefined, at: PlacedTerm): boolean =>
    statement !== undefined && SOFT_DENIAL.test(clauseAt(statement.text, at.start));
  if (isSoft(isDenied(mine) ? other.source : claim, isDenied(mine) ? other.term : term)) return undefined;
  // "When it cannot be measured in time" tells the source's limit from its other side.
  if (isDenied(mine) && IMPOSSIBLE.test(claim.text.slice(0, term.start))) return undefined;
  if (isDenied(mine) && isAsserted(theirs)) return `denies "${word}", the source affirms it`;
  if (isAsserted(mine) && isDenied(theirs)) return `affirms "${word}", the source denies it`;
  if (mine.isGated !== theirs.isGated && (isAsserted(mine) || isAsserted(theirs))) {
    const open = mine.isGated ? other.source : claim;
    if (
      open !== undefined &&
      !WAITING.test(open.text) &&
      !(mine.isGated && isGatedElsewhere(comparison)) &&
      (/(?<![\p{L}])(?:until|unless|till)(?![\p{L}])/iu.test(open.text) || !CONDITION.test(open.text))
    ) {
      return mine.isGated
        ? `forbids "${word}" for so long, the source orders it`
        : `orders "${word}", the source forbids it for so long`;
    }
  }
  if (
    theirs.isFamily &&
    !mine.isFamily &&
    !/mother|father|brother|sister|family|aunt|uncle|grand/iu.test(claim.text)
  )
    return `says "${word}" of the patient, the source of a relative`;
  if (
    mine.isFamily &&
    !theirs.isFamily &&
    !/mother|father|brother|sister|family|aunt|uncle|grand/iu.test(other.source?.text ?? '')
  )
    return `says "${word}" of a relative, the source of the patient`;
  return describePast({ claim, term }, other);
}

/** Words of a clause that may deny what it says in a way that no trigger reads. */
const SOFT_DENIAL =
  /(?<![\p{L}])(?:(?:fail(?:s|ed|ure)?|unsuccessful)(?=\s*(?:to(?![\p{L}])|$))|unable|impossible|nothing|nobody|neither|refus\p{L}*|omit\p{L}*|skip\p{L}*|unsuitable|inappropriate|instead|prevent\p{L}*|prohibit\p{L}*|forbid\p{L}*|forbidden|contraindicat\p{L}*|disqualif\p{L}*|exempt\p{L}*|left out|stay away|keep away|other than|lacking)(?![\p{L}])/iu;

const IMPOSSIBLE =
  /(?<![\p{L}])(?:if|when|where|whenever|should)(?![\p{L}])[^.;]*(?<![\p{L}])(?:cannot|can not|can['’]t|could not|couldn['’]t)(?![\p{L}])[^.;,]*$/iu;

function clauseAt(text: string, at: number): string {
  const start = Math.max(...[';', ',', '. '].map((mark) => text.lastIndexOf(mark, at)), -1) + 1;
  const next = /[;,]|\.\s/u.exec(text.slice(at));
  return text.slice(start, next === null ? text.length : at + next.index);
}

const WAITING =
  /(?<![\p{L}])(?:wait|hold|held|defer|deferred|delay|delayed|postponed?|withheld)(?![\p{L}])/iu;
/** "Report only after review" carries the condition of "do not report until review". */
const CONDITION =
  /(?<![\p{L}])(?:only|after|once|when|if|before|provided|first|then|with|upon|following|as soon as|must|wait|hold|held|defer|deferred|delayed|postponed|needs?|have to|has to|required?)(?![\p{L}])/iu;
const PAST_TENSE =
  /(?<![\p{L}])(?:was|were|had|ago|previous(?:ly)?|prior|past|former(?:ly)?|earlier|resolved|history|h\/o|hx|s\/p|status post|last|PMH|old|residual|remote|after|following|since|underwent|arrived|went|gone|subsided|disappeared|no longer)(?![\p{L}])/iu;

function describePast(
  { claim, term }: TermIn,
  other: { source: Statement | undefined; term: PlacedTerm },
): string | undefined {
  if (
    LASTING_CONDITIONS.has(term.term) ||
    term.polarity.denied !== 'no' ||
    other.term.polarity.denied !== 'no'
  )
    return undefined;
  if (other.term.polarity.isPast && !term.polarity.isPast && !PAST_TENSE.test(claim.text))
    return `says "${term.text}" of now, the source of the past`;
  if (
    term.polarity.isPast &&
    !other.term.polarity.isPast &&
    other.source !== undefined &&
    !PAST_TENSE.test(other.source.text)
  ) {
    return `says "${term.text}" of the past, the source of now`;
  }
  return undefined;
}

function isDenied({ denied, isGated, isUnsure }: Polarity): boolean {
  return denied === 'yes' && !isGated && !isUnsure;
}

function isAsserted({ denied, isGated }: Polarity): boolean {
  return denied === 'no' && !isGated;
}
