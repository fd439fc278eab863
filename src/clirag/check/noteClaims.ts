/** Any progress note → its statements one by one, each with its place in the text, its SOAP section and what it cites. */

import { collapseBlanks, splitSentences, trimSpan } from '../../core/text.js';
import type { SoapPart, Span } from '../../core/types.js';
import { applyEdits, sortDisjoint, spanBefore } from '../clean/offsetMap.js';
import { cleanText } from '../clean.js';
import { splitSections } from '../sections.js';

export interface NoteClaim {
  /** Cleaned as the chart is, without list marks, citations and the time and type that clirag puts before a quotation. */
  readonly text: string;
  /** The same as it was written. */
  readonly written: string;
  /** In the note's text. */
  readonly span: Span;
  /** Undefined where the note's headings do not say. `AP`: under one heading for both. */
  readonly section?: SoapPart | 'AP';
  /** Keys in the order written. */
  readonly citations: readonly string[];
}

export interface CitedSource {
  readonly key: string;
  readonly noteId: string;
}

export interface ReadNote {
  readonly claims: readonly NoteClaim[];
  /** SOAP sections that say something. */
  readonly sections: readonly SoapPart[];
  /** From the note's own list of sources, if it ends with one as clirag writes it. */
  readonly sources: readonly CitedSource[];
  /** What it says, without marks, list signs and its list of sources: for comparing notes with each other. */
  readonly plain: string;
}

const KEYS = String.raw`[SP]\d{1,4}(?:\s*(?:[,;&]|and|-|–)\s*[SP]\d{1,4})*`;
const MARK = new RegExp(String.raw`\[\s*(${KEYS})\s*\]`, 'gu');
const UNPROVED = /\(⚠ not proved: [^()]*(?:\([^()]*\)[^()]*)*\)/gu;
const MARKDOWN_HEADING = /^#{1,6}[ \t]+(.*?)[ \t#]*$/u;
const OWN_TITLE = /^Progress note, patient .+, visit .+$/u;
const SOURCE_LINE = /^- \[([SP]\d+)\] .*\bnote ([^\s,|]+)/u;
/** `- 08:15 nursing:`, as clirag leads in what it quotes. */
const LEAD =
  /^(?:\d{4}-\d{2}-\d{2} )?(?:\d{2}:\d{2}|no time) (?:case management|consult|discharge summary|ecg|echo|general|nursing(?: other)?|nutrition|pharmacy|physician|progress notes|radiology|rehab services|respiratory|social work): /iu;
const OWN_LABEL = /^(?:Latest values|New|Changed|Ended|Orders that differ \([^)]*\)): /u;
const OWN_CHANGE = /^\W*(?:New|Changed|Ended): /u;
const NOTHING = /^Nothing charted\.?$/u;

/** `text`: beneath the header, Markdown or plain. */
export function readNoteClaims(text: string): ReadNote {
  const claims: NoteClaim[] = [];
  const sources: CitedSource[] = [];
  const sections = new Set<SoapPart>();
  const plain: string[] = [];
  for (const block of splitBlocks(text)) {
    if (/^(?:sources|references)$/iu.test(block.title ?? '')) {
      sources.push(...readSources(text.slice(block.span.start, block.span.end)));
      continue;
    }
    if (OWN_TITLE.test(block.title ?? '')) continue;
    const own = readBlock(text, block);
    claims.push(...own);
    if (block.title !== undefined) plain.push(block.title);
    plain.push(plainText(text.slice(block.span.start, block.span.end)));
    for (const { section } of own)
      for (const part of section === 'AP' ? (['A', 'P'] as const) : section === undefined ? [] : [section])
        sections.add(part);
  }
  return { claims, sources, sections: [...sections], plain: plain.join('\n').trim() };
}

interface Block {
  readonly title?: string;
  readonly span: Span;
}

/** What stands beneath each Markdown heading; a plain text is one block. */
function splitBlocks(text: string): Block[] {
  const blocks: { title?: string; start: number; end: number }[] = [{ start: 0, end: text.length }];
  let at = 0;
  for (const line of text.split('\n')) {
    const title = MARKDOWN_HEADING.exec(line.replace(/\r$/u, ''))?.[1];
    if (title !== undefined) {
      const last = blocks.at(-1);
      if (last !== undefined) last.end = at;
      blocks.push({ title, start: at + line.length + 1, end: text.length });
    }
    at += line.length + 1;
  }
  return blocks
    .filter(({ start, end }) => end > start)
    .map(({ title, start, end }) => ({ ...(title === undefined ? {} : { title }), span: { start, end } }));
}

const TITLES: readonly (readonly [RegExp, SoapPart | 'AP'])[] = [
  [/^(?:a\s*[/&]\s*p|assessment\s*(?:and|&|\/)\s*plan|impression\s*(?:and|&|\/)\s*plan)\b/iu, 'AP'],
  [/^(?:s|subjective)\b/iu, 'S'],
  [/^(?:o|objective)\b/iu, 'O'],
  [/^(?:a|assessment|impression)\b/iu, 'A'],
  [/^(?:p|plan)\b/iu, 'P'],
];

function partOf(title: string | undefined): SoapPart | 'AP' | undefined {
  return TITLES.find(([pattern]) => pattern.test(title?.replace(/^\*+|\*+$/gu, '') ?? ''))?.[1];
}

function readBlock(text: string, { title, span }: Block): NoteClaim[] {
  const raw = text.slice(span.start, span.end);
  const marks = [...raw.matchAll(MARK)].map(({ index, 0: whole, 1: keys = '' }) => ({
    start: index,
    end: index + whole.length,
    keys: keys.match(/[SP]\d+/gu) ?? [],
  }));
  const bare = withoutMarks(raw);
  const cleaned = cleanText(bare.text);
  const found = splitSections({ id: '' }, cleaned);
  const headers = found.flatMap(({ headerSpan }) => headerSpan ?? []);
  const claims: NoteClaim[] = [];
  for (const whole of splitSentences(cleaned.text)) {
    for (const clause of splitClauses(cleaned.text, withoutHeader(whole, headers))) {
      const rawSpan = spanBefore(bare.map, spanBefore(cleaned.map, clause));
      const said = withoutLead(collapseBlanks(cleaned.text.slice(clause.start, clause.end)));
      if (!isClaim(said)) continue;
      const inside = found.filter((one) => one.span.start <= clause.start && clause.start < one.span.end);
      const level1 = inside.find(({ level }) => level === 1);
      const section = partOf(title) ?? partOf(level1?.header) ?? level1?.soap;
      claims.push({
        text: said,
        written: withoutLead(collapseBlanks(withoutMarks(raw.slice(rawSpan.start, rawSpan.end)).text)),
        span: { start: span.start + rawSpan.start, end: span.start + rawSpan.end },
        ...(section === undefined ? {} : { section }),
        citations: [],
      });
    }
  }
  return claims.map((claim, at) => {
    const from = claim.span.start - span.start;
    const to = (claims[at + 1]?.span.start ?? span.end) - span.start;
    const keys = marks.filter(({ start }) => start >= from && start < to).flatMap((mark) => mark.keys);
    return { ...claim, citations: [...new Set(keys)] };
  });
}

/** Without citations, clirag's warnings and emphasis, and the way back. */
function withoutMarks(text: string): ReturnType<typeof applyEdits> {
  const found = [UNPROVED, MARK, /\*\*|__/gu].flatMap((pattern) => [...text.matchAll(pattern)]);
  return applyEdits(
    text,
    sortDisjoint(found.map(({ index, 0: whole }) => ({ start: index, end: index + whole.length, text: '' }))),
  );
}

function withoutHeader(span: Span, headers: readonly Span[]): Span {
  const header = headers.find(
    ({ start, end }) => start >= span.start && start <= span.start + 4 && end <= span.end,
  );
  return header === undefined ? span : { start: header.end, end: span.end };
}

/** A semicolon, or the stroke between orders that clirag shows side by side. */
const CLAUSE_END = /;(?=\s)|\/(?= (?:\d{4}-\d{2}-\d{2} )?(?:\d{2}:\d{2}|no time) [a-z ]+: )/gu;

/** A line of findings is several claims. */
function splitClauses(text: string, span: Span): Span[] {
  if (OWN_CHANGE.test(text.slice(span.start, span.end))) return [trimSpan(text, span)];
  const clauses: Span[] = [];
  let start = span.start;
  for (const { index } of text.slice(span.start, span.end).matchAll(CLAUSE_END)) {
    const end = span.start + index;
    if (isClaim(text.slice(start, end)) && isClaim(text.slice(end + 1, span.end))) {
      clauses.push({ start, end });
      start = end + 1;
    }
  }
  return [...clauses, { start, end: span.end }].map((clause) => trimSpan(text, clause));
}

function withoutLead(text: string): string {
  const bare = text
    .replace(/^(?:[-•*o+>]\s+|\(?\d{1,2}[.)]\s+)+/u, '')
    .replace(OWN_LABEL, '')
    .replace(LEAD, '');
  return bare.replace(/\s+([.,;:!?])(?=\s|$)/gu, '$1').trim();
}

/** Two words, or a word and a figure, at the least; a line that only names what follows is none. */
function isClaim(text: string): boolean {
  const words = text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return words >= 2 && /\p{L}/u.test(text) && !/:\s*$/u.test(text) && !NOTHING.test(text.trim());
}

function readSources(text: string): CitedSource[] {
  return text.split('\n').flatMap((line) => {
    const [, key, noteId] = SOURCE_LINE.exec(line.trim()) ?? [];
    return key === undefined || noteId === undefined ? [] : [{ key, noteId }];
  });
}

function plainText(text: string): string {
  return withoutMarks(text)
    .text.split('\n')
    .map((line) => collapseBlanks(line.replace(/^\s*[-•*]\s+/u, '')).replace(/\s+([.,;:!?])(?=\s|$)/gu, '$1'))
    .filter((line) => line !== '')
    .join('\n');
}
