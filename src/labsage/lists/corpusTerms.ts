/** The words of a question for documents that are left when its frame is gone → the runs of words to look for. */

import { isFunctionWord } from '../../core/keywordIndex.js';

export interface Segment {
  /** Side by side in the question. */
  readonly words: readonly string[];
  /** A code (`GEN-F-004`), a name or number (`Atellica CH 930`), or words. */
  readonly kind: 'code' | 'name' | 'words';
  /** The word that joins it to the segment before, if one does. */
  readonly joint?: 'and' | 'or';
  /** The question has a "no" right before it ("has no critical value"): the line has it too. */
  readonly negated: boolean;
  /** "don't mention": the document must not have it. */
  readonly excluded: boolean;
}

/** Verbs and nouns with which people ask what documents say; they are not what is looked for. */
const FRAME_WORDS = new Set(
  `mention mentions mentioned mentioning cite cites cited citing refer refers referred referring references
  referenced contain contains contained containing list lists listed state states stated say says said warn warns
  describe describes described cover covers covered discuss discusses discussed deal deals involve involves include includes
  included appear appears appeared come comes find finds found need needs needed require requires required run runs running
  apply applies applied measure measures measured perform performs performed done tell tells talk talks
  show shows stand stands occur occurs rely relies depend depends specify specifies allow allows accept accepts employ
  employs employing utilize utilise utilizes involve involving work works concern concerns relate relates related regarding
  name names named something anything everything please thanks isn't aren't doesn't don't does sop sops procedure procedures
  document documents protocol protocols policy policies instruction instructions our us them also else even whether anywhere
  somewhere speak speaks spoken currently today across within without via per through against towards every each any all list lists give
  question library corpus index still always ever text word words term phrase there here want kind sort
  explicitly specifically directly itself themselves`.split(/\s+/u),
);

/** Words that stand beside what is looked for and need not be in the documents. */
const GENERIC = new Set(
  `form forms log logs reagent reagents control controls material materials sample samples specimen specimens tube tubes
  test tests testing assay assays method methods analyser analyzer analysers analyzers instrument instruments result results
  value values device devices machine machines kit kits item items product products patient patients run runs record records
  sheet sheets laboratory lab module system systems backup level levels analyte analytes people person date dates
  stop stops stopped fail fails failed affect affects affected read reads serve serves break breaks keep kept store stored
  travel travels check checks checked send sends sent report reports reported review reviews reviewed happen happens`.split(
    /\s+/u,
  ),
);

/** "don't mention", "never use", "without mentioning", "but not", up to the next comma. */
const NOT_MENTIONED =
  /\b(?:(?:do|does|did|are|is)\s*(?:n't|not)|don't|doesn't|never|without)\s+(?:any\s+)?(?:mention|use|cite|refer|contain|name|have|need|require|include|run|depend|rel(?:y|ied)|call|list|say|state|describe|cover|affect)(?:s|d|ed|ing|ning|ring)?(?:\s+(?:to|on|by|for|with|any|anything|about))*\b/giu;
const BUT_NOT = /\b(?:but|and|though)\s+not\b|\b(?:except|excluding|other than|apart from)\b/giu;
const EXCLUDES = 'EXCLUDES';

/** "must travel", "have to be spun": which verb the documents use can't be known. */
const NEEDED_VERB =
  /\b(?:(?:have|has|had|need|needs|ought|supposed|meant|allowed|required)\s+to|must|should|shall|may|can|cannot|can't)\s+(?:not\s+)?(?:be\s+|get\s+)?\p{Ll}+\b/giu;
const CLAUSE_OF_DOUBT =
  /,?\s*\b(?:even if|even when|although|though|no matter|regardless|but only|if only|not just|not only)\b.*$/iu;

/** Without the verbs that say what must be done, unless nothing else is asked for ("which tests must be centrifuged"). */
export function splitSegments(text: string): Segment[] {
  const asked = text
    .replace(/\([^)]*\)/gu, ' , ')
    .replace(/[?!]+/gu, ' , ')
    .replace(CLAUSE_OF_DOUBT, ' , ')
    .replace(/\b(?:calls?|called) for\b|\breference to\b/giu, ' , ')
    .replace(NOT_MENTIONED, ` ${EXCLUDES} `)
    .replace(BUT_NOT, ` , ${EXCLUDES} `);
  const short = cutSegments(asked.replace(NEEDED_VERB, ' , '));
  return short.some(isSpecific) ? short.filter(isSpecific) : keepSpecific(cutSegments(asked));
}

function cutSegments(text: string): Segment[] {
  const segments: Segment[] = [];
  let words: string[] = [];
  let joint: Pick<Segment, 'joint' | 'negated'> = { negated: false };
  let excluded = false;
  const add = (segmentWords: readonly string[], kind: Segment['kind']): void => {
    segments.push({ words: segmentWords, kind, ...joint, excluded });
    joint = { negated: false };
  };
  const close = (): void => {
    const codes = words.filter(isCode);
    // "the temperature log GEN-F-009": the words name the code, and a document may give the code alone.
    if (codes.length > 0) add(codes, 'code');
    else if (words.length > 0) add(words, words.some((word) => /^\p{Lu}/u.test(word)) ? 'name' : 'words');
    words = [];
  };
  for (const { quoted, word } of readWords(text)) {
    if (quoted !== undefined) {
      close();
      add([quoted], 'name');
    } else if (word === undefined) {
      close();
      excluded = false;
    } else if (word === EXCLUDES) {
      close();
      excluded = true;
    } else if (/^(?:and|or)$/iu.test(word)) {
      close();
      if (segments.length > 0) joint = { ...joint, joint: /^or$/iu.test(word) ? 'or' : 'and' };
    } else if (/^(?:no|without)$/iu.test(word)) {
      close();
      joint = { ...joint, negated: true };
    } else if (isFrame(word, words.length > 0)) close();
    else words.push(word);
  }
  close();
  return segments;
}

interface AskedWord {
  readonly quoted?: string;
  readonly word?: string;
  readonly mark?: string;
}

function readWords(text: string): AskedWord[] {
  const pattern = /["“”„]([^"“”„]+)["“”„]|([\p{L}\p{N}\p{M}µ%°][\p{L}\p{N}\p{M}µ%°./:'’®™#-]*)|([,;()–—])/gu;
  return [...text.matchAll(pattern)].map(([, quoted, word, mark]) => ({
    ...(quoted === undefined ? {} : { quoted: quoted.trim() }),
    ...(word === undefined ? {} : { word: word.replace(/[.:'’-]+$/u, '') }),
    ...(mark === undefined ? {} : { mark }),
  }));
}

/** A capital inside a sentence makes even a common word part of a name ("XN CHECK", "Daily Clean"). */
function isFrame(word: string, isInRun: boolean): boolean {
  const lower = word.toLowerCase();
  if (isCode(word)) return false;
  const isName = /^\p{Lu}{2,}$/u.test(word) || (isInRun && /^\p{Lu}/u.test(word));
  if (isName && !/^(?:SOPS?|AND|OR|NOT|THE|IN|OF|ON)$/iu.test(word)) return false;
  return isFunctionWord(lower) || FRAME_WORDS.has(lower);
}

/** Letters and digits in one word, or digits parted by a colon: nobody writes these differently. */
function isCode(word: string): boolean {
  return /\d/u.test(word) && (/\p{L}/u.test(word) || /\d[:/-]\d/u.test(word));
}

/** Segments of nothing but generic words ("their control", "a reagent") count only if there is nothing else. */
function keepSpecific(segments: readonly Segment[]): Segment[] {
  const specific = segments.filter(isSpecific);
  return specific.length === 0 ? [...segments] : specific;
}

function isSpecific({ words }: Segment): boolean {
  return words.some((word) => !isGenericWord(word));
}

export function isGenericWord(word: string): boolean {
  return GENERIC.has(word.toLowerCase());
}
