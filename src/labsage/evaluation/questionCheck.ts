/** Question files + the documents that they are about → what is wrong in them, and how much questions echo their answers. */

import { isFunctionWord, termOf } from '../../core/keywordIndex.js';
import { collapseBlanks, splitWords } from '../../core/text.js';
import type { Document } from '../../core/types.js';
import { bareWords } from './containment.js';
import { findQuote, findSections } from './groundTruth.js';
import type { Question } from './questions.js';

export interface QuestionFault {
  readonly id: string;
  readonly fault: string;
}

export interface EchoReport {
  /** Of the answer's distinct content stems, the share that the question has too: mean, median, and 9 in 10 are below `high`. */
  readonly mean: number;
  readonly median: number;
  readonly high: number;
  /** Questions that echo more than `HIGH_ECHO` of their answers, most first. */
  readonly most: readonly { readonly id: string; readonly echo: number }[];
}

export interface QuestionReport {
  readonly questions: number;
  readonly kinds: Readonly<Record<string, number>>;
  readonly splits: Readonly<Record<string, number>>;
  readonly faults: readonly QuestionFault[];
  /** No faults, but worth a look. */
  readonly notes: readonly QuestionFault[];
  readonly echo: EchoReport | null;
  /** Questions without an answer whose every content word stands in the corpus: the hard ones. */
  readonly unanswerable: { readonly count: number; readonly ofKnownWords: number };
}

const HIGH_ECHO = 0.6;
/** An answer of fewer content stems is echoed by any question about it. */
const LEAST_STEMS = 4;

/** `documents` by path. */
export function checkQuestions(
  questions: readonly Question[],
  documents: ReadonlyMap<string, Document>,
): QuestionReport {
  const faults: QuestionFault[] = [];
  const notes: QuestionFault[] = [];
  const asked = new Map<string, string>();
  for (const question of questions) {
    const { id } = question;
    const words = bareWords(question.question);
    const earlier = asked.get(words);
    if (earlier !== undefined) faults.push({ id, fault: `repeats the question of ${earlier}` });
    asked.set(words, id);
    faults.push(...evidenceFaults(question, documents).map((fault) => ({ id, fault })));
    faults.push(...shapeFaults(question, documents).map((fault) => ({ id, fault })));
    notes.push(...sectionNotes(question, documents).map((fault) => ({ id, fault })));
  }
  const withoutAnswer = questions.filter((one) => one.evidence.length === 0 && one.documents === undefined);
  const known = knownStems(documents);
  return {
    questions: questions.length,
    kinds: countBy(questions, ({ kind }) => kind ?? 'none stated'),
    splits: countBy(questions, ({ split }) => split ?? 'none stated'),
    faults,
    notes,
    echo: measureEcho(questions),
    unanswerable: {
      count: withoutAnswer.length,
      ofKnownWords: withoutAnswer.filter(({ question }) => isOfKnownWords(question, known)).length,
    },
  };
}

/** Each quote stands word for word in the file that it names, and the answer is made of quotes. */
function evidenceFaults({ evidence, answer }: Question, documents: ReadonlyMap<string, Document>): string[] {
  const faults = evidence.flatMap((entry) => {
    const document = documents.get(entry.document);
    if (document === undefined) return [`there is no document ${entry.document}`];
    if (findQuote(document, entry) !== undefined) return [];
    return [`${entry.document} does not say "${shorten(entry.quote)}"${nearMiss(document, entry.quote)}`];
  });
  if (
    evidence.length > 0 &&
    !isMadeOf(
      answer,
      evidence.map(({ quote }) => quote),
    )
  )
    faults.push('the answer is not made of its quotes');
  return faults;
}

/** The quote's words stand there, only marks between them differ: how the document writes it. */
function nearMiss(document: Document, quote: string): string {
  const words = splitWords(quote).map(({ text }) => text.replace(/[\\^$.*+?()[\]{}|]/gu, '\\$&'));
  if (words.length < 2) return '';
  const found = new RegExp(words.join('[^\\p{L}\\p{N}]{1,12}'), 'iu').exec(document.text)?.[0];
  return found === undefined ? '' : `, but "${shorten(found)}"`;
}

/** The answer is the quotes in some order, each perhaps cut at its sentences, joined by blanks. */
function isMadeOf(answer: string, quotes: readonly string[]): boolean {
  const all = quotes.map(collapseBlanks).join(' ');
  const flat = collapseBlanks(answer);
  if (all.includes(flat)) return true;
  let left = flat;
  for (const quote of [...quotes].map(collapseBlanks).sort((a, b) => b.length - a.length))
    left = left.replace(quote, ' ');
  return left
    .split(/(?<=[.;|])\s|\s{2,}/u)
    .map((part) => part.trim())
    .every((part) => !/[\p{L}\p{N}]/u.test(part) || all.includes(part));
}

function shapeFaults(
  { kind, evidence, documents: wanted }: Question,
  documents: ReadonlyMap<string, Document>,
): string[] {
  const named = new Set(evidence.map(({ document }) => document));
  return [
    ...(kind === 'multi-section' && evidence.length < 2 ? ['a multi-section question needs two quotes'] : []),
    ...(kind === 'multi-document' && named.size < 2 ? ['a multi-document question needs two documents'] : []),
    ...(wanted ?? []).filter((path) => !documents.has(path)).map((path) => `there is no document ${path}`),
    ...(wanted !== undefined && new Set(wanted).size < wanted.length ? ['it names a document twice'] : []),
  ];
}

/** The quote is there, but not under the heading that the question file names. */
function sectionNotes({ evidence }: Question, documents: ReadonlyMap<string, Document>): string[] {
  return evidence.flatMap((entry) => {
    const document = documents.get(entry.document);
    const place = document === undefined ? undefined : findQuote(document, entry);
    if (document === undefined || place === undefined || entry.section === undefined) return [];
    if (bareWords(document.title) === bareWords(entry.section)) return [];
    const sections = findSections(document, entry.section);
    if (sections.length === 0) return [`${entry.document} has no heading "${shorten(entry.section)}"`];
    const isUnder = sections.some((span) => span.start <= place.start && place.end <= span.end);
    return isUnder ? [] : [`"${shorten(entry.quote)}" does not stand under "${shorten(entry.section)}"`];
  });
}

function measureEcho(questions: readonly Question[]): EchoReport | null {
  const echoes = questions
    .filter(({ evidence }) => evidence.length > 0)
    .flatMap(({ id, question, answer }) => {
      const wanted = new Set(contentStems(answer));
      if (wanted.size < LEAST_STEMS) return [];
      const asked = new Set(contentStems(question));
      return [{ id, echo: [...wanted].filter((stem) => asked.has(stem)).length / wanted.size }];
    })
    .sort((a, b) => a.echo - b.echo);
  if (echoes.length === 0) return null;
  const at = (share: number): number => echoes[Math.floor(share * (echoes.length - 1))]?.echo ?? 0;
  return {
    mean: echoes.reduce((sum, { echo }) => sum + echo, 0) / echoes.length,
    median: at(0.5),
    high: at(0.9),
    most: echoes.filter(({ echo }) => echo > HIGH_ECHO).reverse(),
  };
}

function knownStems(documents: ReadonlyMap<string, Document>): Set<string> {
  return new Set([...documents.values()].flatMap(({ text, title }) => contentStems(`${title}\n${text}`)));
}

/** A hyphenated word is known as a whole or by its parts. */
function isOfKnownWords(question: string, known: ReadonlySet<string>): boolean {
  return splitWords(question)
    .filter(({ text }) => !isFunctionWord(text))
    .every(({ text }) => known.has(termOf(text)) || wordParts(text).every((part) => known.has(termOf(part))));
}

function contentStems(text: string): string[] {
  return splitWords(text)
    .flatMap(({ text: word }) => [word, ...wordParts(word)])
    .filter((word) => !isFunctionWord(word))
    .map(termOf);
}

function wordParts(word: string): string[] {
  return word.split(/[-/]/u).filter((part) => part !== '' && !isFunctionWord(part));
}

function countBy(
  questions: readonly Question[],
  keyOf: (question: Question) => string,
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const question of questions) counts[keyOf(question)] = (counts[keyOf(question)] ?? 0) + 1;
  return counts;
}

function shorten(text: string): string {
  const flat = collapseBlanks(text);
  return flat.length > 90 ? `${flat.slice(0, 90)}…` : flat;
}
