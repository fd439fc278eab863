/** An output's sentences and the sources they cite → for each sentence, whether its sources say so, and what differs. */

import { blankCitations, citedKeys, findCitations, leadingMarksLength } from './grounding/citations.js';
import { checkClaim, type ClaimCheck } from './grounding/claimCheck.js';
import { joinEvidence, readEvidence, type Evidence } from './grounding/evidence.js';
import { keywordTerms } from './keywordIndex.js';
import { splitSentences } from './text.js';
import type { Grounding, Source, Span } from './types.js';

export interface GroundingOptions {
  /** The parts of the output that make claims; headings and closing lines are left out by the caller. Default: all of it. */
  readonly spans?: readonly Span[];
  /** Check sentences without citation against every source; otherwise their verdict is `uncited`. */
  readonly searchAll?: boolean;
}

type GroundedSentence = Grounding['sentences'][number];
/** `place`: where in its source the sentence stands. */
type PlacedSentence = GroundedSentence & { readonly place?: number };

/** Sources that a sentence without citation is checked against one by one, best first, and then together. */
const SEARCHED_SOURCES = 6;
/** By so much more of a sentence's words a contradicting source outweighs a supporting one. */
const CLEARLY_NEARER = 0.2;

/**
 * Each sentence of `output` with its citations (`[S3]`, `[S1, S4]`, `[S2][S5]`; marks after the full stop belong to it),
 * its verdict and, unless supported, the reasons in plain words. No language model, no network; the sources' texts decide.
 * A sentence found by `searchAll` gets the key of the source that has it.
 */
export function groundText(
  output: string,
  sources: readonly Pick<Source, 'key' | 'text'>[],
  options: GroundingOptions = {},
): Grounding {
  return groundIn(output, createLibrary(sources), options);
}

export interface GroundingLibrary {
  /** As `groundText`; `keys`: of these sources alone. */
  ground(output: string, options?: GroundingOptions & { readonly keys?: ReadonlySet<string> }): Grounding;
}

/** For many outputs that are compared with the same sources: each source is read once. */
export function openGroundingLibrary(sources: readonly Pick<Source, 'key' | 'text'>[]): GroundingLibrary {
  const whole = createLibrary(sources);
  return {
    ground: (output, { keys, ...options } = {}) =>
      groundIn(output, keys === undefined ? whole : whole.limit(keys), options),
  };
}

function groundIn(output: string, library: Library, options: GroundingOptions): Grounding {
  const spans = options.spans ?? [{ start: 0, end: output.length }];
  const cited = spans.flatMap((span) => splitCited(output, span));
  const isRenumbered = hasOwnNumbers(cited.map((span) => output.slice(span.start, span.end)));
  const sentences = cited.map((span) => groundSentence(output, { span, library, options, isRenumbered }));
  return {
    sentences: isRenumbered
      ? markExchangedSteps(output, sentences)
      : sentences.map(({ place: _, ...sentence }) => sentence),
  };
}

interface Library {
  evidenceOf(key: string): Evidence | undefined;
  /** Keys of the sources that share most with the sentence, best first. */
  rank(sentence: string): string[];
  /** Of these keys alone; what was read stays read. */
  limit(keys: ReadonlySet<string>): Library;
}

/** What was read of sources, by key. */
interface Read {
  readonly evidence: Map<string, Evidence>;
  readonly terms: Map<string, ReadonlySet<string>>;
}

/** Sources are read when first needed: a chart has hundreds, an answer cites three. */
function createLibrary(
  sources: readonly Pick<Source, 'key' | 'text'>[],
  read: Read = { evidence: new Map(), terms: new Map() },
): Library {
  const texts = new Map(sources.map(({ key, text }) => [key, text]));
  const { evidence, terms } = read;
  return {
    limit: (keys) =>
      createLibrary(
        sources.filter(({ key }) => keys.has(key)),
        read,
      ),
    evidenceOf(key) {
      const text = texts.get(key);
      if (text === undefined) return undefined;
      const known = evidence.get(key) ?? readEvidence(text);
      evidence.set(key, known);
      return known;
    },
    rank(sentence) {
      const wanted = [...new Set(keywordTerms(sentence))];
      const rarity = new Map<string, number>();
      for (const [key, text] of texts) {
        if (!terms.has(key)) terms.set(key, new Set(keywordTerms(text)));
        for (const term of wanted)
          if (terms.get(key)?.has(term) === true) rarity.set(term, (rarity.get(term) ?? 0) + 1);
      }
      return [...texts.keys()]
        .map((key) => ({
          key,
          score: wanted.reduce(
            (sum, term) =>
              sum +
              (terms.get(key)?.has(term) === true ? Math.log(1 + texts.size / (rarity.get(term) ?? 1)) : 0),
            0,
          ),
        }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score)
        .map(({ key }) => key);
    },
  };
}

/** Sentences; marks that stand after a sentence's full stop are part of it. */
function splitCited(output: string, span: Span): Span[] {
  const sentences: Span[] = [];
  for (const sentence of splitSentences(output, span)) {
    const marks = leadingMarksLength(output.slice(sentence.start, sentence.end));
    const previous = sentences.at(-1);
    if (marks === 0 || previous === undefined || output.slice(previous.end, sentence.start).includes('\n')) {
      sentences.push(sentence);
      continue;
    }
    sentences[sentences.length - 1] = { start: previous.start, end: sentence.start + marks };
    const rest = splitSentences(output, { start: sentence.start + marks, end: sentence.end });
    sentences.push(...rest);
  }
  return sentences;
}

function groundSentence(
  output: string,
  {
    span,
    library,
    options,
    isRenumbered,
  }: { span: Span; library: Library; options: GroundingOptions; isRenumbered: boolean },
): PlacedSentence {
  const written = output.slice(span.start, span.end);
  const citations = citedKeys(findCitations(written));
  const sentence = blankCitations(written)
    .replace(/\s+([.;,!?])(?!\d)/gu, '$1')
    .trimEnd();
  if (citations.length === 0) {
    if (options.searchAll !== true)
      return { span, citations, verdict: 'uncited', reasons: ['cites no source'] };
    return { span, ...searchSources(sentence, library) };
  }
  const invented = citations.filter((key) => library.evidenceOf(key) === undefined);
  const reasons = invented.map((key) => `cites ${key}, which does not exist`);
  const parts = citations.flatMap((key) => library.evidenceOf(key) ?? []);
  if (parts.length === 0) return { span, citations, verdict: 'not-found', reasons };
  const check = checkTogether(sentence, parts, { isRenumbered });
  const verdict = check.verdict === 'supported' && reasons.length > 0 ? 'not-found' : check.verdict;
  return {
    span,
    citations,
    verdict,
    reasons: [...reasons, ...check.reasons],
    ...(check.place === undefined ? {} : { place: check.place }),
  };
}

/** Supported by one of the sources alone, or by what they say together. */
function checkTogether(
  sentence: string,
  parts: readonly Evidence[],
  options: { isRenumbered: boolean },
): ClaimCheck {
  const together = checkClaim(sentence, joinEvidence(parts), options);
  if (together.verdict === 'supported' || parts.length === 1) return together;
  return (
    parts.map((part) => checkClaim(sentence, part, options)).find(({ verdict }) => verdict === 'supported') ??
    together
  );
}

function searchSources(sentence: string, library: Library): Omit<GroundedSentence, 'span'> {
  const keys = library.rank(sentence).slice(0, SEARCHED_SOURCES);
  const checks = keys.flatMap((key) => {
    const evidence = library.evidenceOf(key);
    return evidence === undefined ? [] : [{ key, evidence, check: checkClaim(sentence, evidence) }];
  });
  checks.sort((a, b) => b.check.coverage - a.check.coverage);
  const [nearest] = checks;
  if (nearest === undefined)
    return { citations: [], verdict: 'not-found', reasons: ['no source speaks of it'] };
  const found = checks.find(({ check }) => check.verdict === 'supported');
  const against = checks.find(({ check }) => check.verdict === 'contradicted');
  const isOutweighed = (found?.check.coverage ?? 0) + CLEARLY_NEARER < (against?.check.coverage ?? 0);
  if (found !== undefined && !isOutweighed)
    return { citations: [found.key], verdict: 'supported', reasons: [] };
  if (against !== undefined && (isOutweighed || against === nearest)) {
    return { citations: [against.key], verdict: 'contradicted', reasons: against.check.reasons };
  }
  const together = supportTogether(sentence, checks);
  if (together.length > 0) return { citations: together, verdict: 'supported', reasons: [] };
  const { verdict, reasons } = nearest.check;
  return { citations: verdict === 'contradicted' ? [nearest.key] : [], verdict, reasons };
}

/** The few sources that support a sentence only together; none where all of them do not. */
function supportTogether(
  sentence: string,
  parts: readonly { readonly key: string; readonly evidence: Evidence }[],
): string[] {
  const isEnough = (some: typeof parts): boolean =>
    some.length > 0 &&
    checkClaim(sentence, joinEvidence(some.map(({ evidence }) => evidence))).verdict === 'supported';
  if (!isEnough(parts)) return [];
  let needed = parts;
  for (const part of [...parts].reverse()) {
    const fewer = needed.filter((other) => other !== part);
    if (isEnough(fewer)) needed = fewer;
  }
  return needed.map(({ key }) => key);
}

const LIST_NUMBER = /^\s*(\d{1,2})[.)]\s/u;

/** True for a list that counts 1, 2, 3: it may number a source's steps anew. */
function hasOwnNumbers(sentences: readonly string[]): boolean {
  const numbers = sentences.flatMap((sentence) => LIST_NUMBER.exec(sentence)?.[1] ?? []).map(Number);
  return numbers.length > 1 && numbers.every((number, i) => number === i + 1);
}

/** … but not exchange them: a step that stands in its source before the step listed before it is contradicted. */
function markExchangedSteps(output: string, sentences: readonly PlacedSentence[]): GroundedSentence[] {
  let last: { citations: string; place: number } | undefined;
  return sentences.map(({ place, ...sentence }) => {
    if (
      place === undefined ||
      sentence.verdict !== 'supported' ||
      !LIST_NUMBER.test(output.slice(sentence.span.start, sentence.span.end))
    ) {
      return sentence;
    }
    const citations = sentence.citations.join();
    const isExchanged = last?.citations === citations && place < last.place;
    last = { citations, place };
    return isExchanged
      ? { ...sentence, verdict: 'contradicted', reasons: ['the source has the steps in the other order'] }
      : sentence;
  });
}
