/** A question about a document's version or standing + an index → which versions there are and how each stands. */

import { sliceSpan, splitSentences } from '../../core/text.js';
import type { Answer, Citation, Document } from '../../core/types.js';
import { documentReference, nameDocument } from '../describe.js';
import { locate } from '../document.js';
import { describeStatus, isSearchable } from '../documents/documentControl.js';
import type { IndexedDocument } from '../index/indexFormat.js';
import { matchesDocument, type RankedContext, type RetrieveOptions } from '../retrieve.js';
import type { SopIndex } from '../sopIndex.js';

/** "Which version of HE-020 is in force?", "is HE-020 superseded?", "when does CH-014 need its review?" */
const ASKS_STANDING =
  /\b(?:(?:which|what|current|latest|newest|valid|old|older|earlier|previous)\b[^.?!]{0,30}\b(?:version|revision|rev)|(?:version|revision|rev)\b[^.?!]{0,40}\b(?:in force|valid|current|effective)|superseded|withdrawn|obsolete|in force|still valid|not yet effective|still current|out of date|up to date|supersedes?|replaced)\b/iu;

/** Where documents say it of themselves: short lines before the first section, or in a table of control data. */
const STATES_STANDING = /\b(?:version|revision|status|effective|supersedes?|superseded|withdrawn|review)\b/iu;
const CONTROL_LINE_CHARS = 200;
const CONTROL_BLOCKS = 20;

/** Undefined unless the question names a document number of the index and asks how that document stands. */
export async function versionAnswer(
  question: string,
  index: SopIndex,
  { today, preset }: RetrieveOptions,
): Promise<{ answer: Answer; contexts: readonly RankedContext[] } | undefined> {
  if (preset === 'paper' || !ASKS_STANDING.test(question)) return undefined;
  const versions = index.documents.filter(({ control }) => names(question, control.number));
  if (versions.length === 0) return undefined;
  const ordered = [...versions].sort(
    (a, b) =>
      Number(isSearchable(b.control, today)) - Number(isSearchable(a.control, today)) ||
      (b.control.effective ?? '').localeCompare(a.control.effective ?? ''),
  );
  const lines = ordered.map((document, at) => `${describeStanding(document, { index, today })} [S${at + 1}]`);
  let end = -1;
  const sentences = lines.map((line, at) => {
    const start = end + 1;
    end = start + line.length;
    return {
      span: { start, end },
      citations: [`S${at + 1}`],
      verdict: 'supported' as const,
      reasons: ["the document's own control data"],
    };
  });
  const citations = await Promise.all(
    ordered.map(async (document, at): Promise<Citation> => ({
      key: `S${at + 1}`,
      unitId: document.contexts[0]?.id ?? document.id,
      document: documentReference(document),
      headingPath: [],
      quotes: controlLines(await index.readDocument(document.id)),
    })),
  );
  const contexts = ordered.flatMap((document, at): RankedContext[] => {
    const context = document.contexts[0];
    return context === undefined ? [] : [{ document, context, score: 0, rank: at + 1, hits: [] }];
  });
  const answer: Answer = {
    question,
    text: lines.join('\n'),
    answered: true,
    confidence: 1,
    needsReview: false,
    warnings: [],
    missingTerms: [],
    citations,
    grounding: { sentences },
    sources: [],
    omitted: { intended: 0, sent: 0 },
    model: { embedder: index.manifest.embedder.id, generator: 'control data' },
    timingsMs: {},
  };
  return { answer, contexts };
}

function controlLines(document: Document): Citation['quotes'] {
  return document.blocks
    .slice(0, CONTROL_BLOCKS)
    .flatMap(({ span }) => splitSentences(document.text, span))
    .map((span) => ({ span, text: sliceSpan(document.text, span) }))
    .filter(({ text }) => text.length <= CONTROL_LINE_CHARS && STATES_STANDING.test(text.slice(0, 40)))
    .slice(0, 6)
    .map(({ span, text }) => ({ text, span, location: locate(document, span) }));
}

/** Names that a filter asks for and that nothing in force has: why they are kept but not searched, a line each. */
export function unsearchedVersions(index: SopIndex, { filters, today }: RetrieveOptions): string[] {
  return (filters?.documents ?? []).flatMap((name) => {
    const named = index.documents.filter((document) => matchesDocument(document, [name]));
    if (named.some(({ control }) => isSearchable(control, today))) return [];
    return named.map((document) => `not searched: ${describeStanding(document, { index, today })}`);
  });
}

/** `HE-020 Prothrombin Time, version 4.0: superseded; in force is version 5.1, effective 2026-02-16`. */
export function describeStanding(
  document: IndexedDocument,
  { index, today }: { index: SopIndex; today: string },
): string {
  const { control } = document;
  const facts = [
    isSearchable(control, today) ? inForce(control) : describeStatus(control, today),
    ...(isSearchable(control, today) && control.review !== undefined
      ? [control.review < today ? `review overdue since ${control.review}` : `review by ${control.review}`]
      : []),
    ...(control.supersedes === undefined ? [] : [`supersedes ${control.supersedes}`]),
  ];
  const current = index.documents.find(
    (other) =>
      other !== document &&
      control.number !== undefined &&
      other.control.number === control.number &&
      isSearchable(other.control, today),
  );
  if (!isSearchable(control, today) && current !== undefined) {
    facts.push(
      `in force is version ${current.control.version ?? '(not stated)'}, ${effectiveOf(current.control)}`,
    );
  }
  return `${nameDocument(document)}: ${facts.join('; ')}`;
}

function inForce(control: IndexedDocument['control']): string {
  return `in force, ${effectiveOf(control)}`;
}

function effectiveOf({ effective }: IndexedDocument['control']): string {
  return effective === undefined ? 'no effective date stated' : `effective ${effective}`;
}

/** As a word of its own, hyphens and blanks alike: `HE020`, `he 020`. */
function names(question: string, number: string | undefined): boolean {
  if (number === undefined || !/\d/u.test(number)) return false;
  const parts = number.match(/\p{L}+|\d+/gu) ?? [];
  return new RegExp(String.raw`(?<![\p{L}\d])${parts.join(String.raw`[\s\-‑–.]?`)}(?![\p{L}\d])`, 'iu').test(
    question,
  );
}
