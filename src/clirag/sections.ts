/** A cleaned note → its sections, bounded by headers; what stands under none is `Unlabeled` (paper 001, 2.2). */

import { sha256Hex, slugify, trimSpan, uniqueId, type GivenIds } from '../core/text.js';
import type { Section, Span } from '../core/types.js';
import type { CleanedText } from './clean.js';
import { titleCase } from './clean/headerCase.js';
import { findHeaders, type FoundHeader } from './headers/headerLines.js';
import { PROBLEM_STEPS, UNLABELED, headerKey } from './headers/sectionHeaders.js';

/**
 * Sections of level 1 cover all that is not blank, in text order; those of level 2 follow the one that they lie in.
 * Ids: note, header and, where a header comes again in the note, a piece of the section's hash.
 */
export function splitSections(
  note: { readonly id: string },
  cleaned: Pick<CleanedText, 'text' | 'headers'>,
): Section[] {
  const { text, headers = findHeaders(text) } = cleaned;
  const levels = placeLevels(headers);
  const drafts: Draft[] = [];
  const first = headers[0]?.span.start ?? text.length;
  if (text.slice(0, first).trim() !== '') drafts.push(draftOf(text, { start: 0, end: first }));
  // From the last to the first: where the next section, and the next header of any level, begins.
  let nextSection = text.length;
  let nextHeader = text.length;
  for (let at = headers.length - 1; at >= 0; at--) {
    const header = headers[at];
    if (header === undefined) continue;
    const level = levels[at] ?? 1;
    const { start } = header.span;
    drafts.push({ ...draftOf(text, { start, end: level === 1 ? nextSection : nextHeader }), header, level });
    nextHeader = start;
    if (level === 1) nextSection = start;
  }
  return nameSections(
    note.id,
    drafts.sort((a, b) => a.span.start - b.span.start || b.span.end - a.span.end),
  );
}

/**
 * A sub-heading lies in an examination or the like, or a step in its problem; where none is open, as in a nursing note that
 * goes by systems, it bounds a section itself.
 */
function placeLevels(headers: readonly FoundHeader[]): (1 | 2)[] {
  let isHeld = false;
  return headers.map(({ level, entry, isAlone }, at) => {
    if (level === 2 && isHeld) return 2;
    const next = headers[at + 1];
    const isProblem = isAlone && next?.level === 2 && PROBLEM_STEPS.has(headerKey(next.words));
    isHeld = entry?.holdsSystems === true || isProblem;
    return 1;
  });
}

interface Draft {
  readonly span: Span;
  readonly text: string;
  readonly header?: FoundHeader;
  readonly level?: 1 | 2;
}

function draftOf(text: string, span: Span): Draft {
  const trimmed = trimSpan(text, span);
  return { span: trimmed, text: text.slice(trimmed.start, trimmed.end) };
}

function nameSections(noteId: string, drafts: readonly Draft[]): Section[] {
  const titles = drafts.map(({ header }) => titleOf(header));
  const counts = new Map<string, number>();
  for (const title of titles) counts.set(slugify(title), (counts.get(slugify(title)) ?? 0) + 1);
  const ids: GivenIds = new Map();
  let parentId: string | undefined;
  return drafts.map(({ span, text, header }, at) => {
    const title = titles[at] ?? UNLABELED;
    const slug = slugify(title);
    const id = uniqueId(
      `${noteId}/${slug}${(counts.get(slug) ?? 0) > 1 ? `-${sha256Hex(text).slice(0, 6)}` : ''}`,
      ids,
    );
    const level = drafts[at]?.level ?? 1;
    if (level === 1) parentId = id;
    const soap = header?.entry?.soap;
    return {
      id,
      noteId,
      header: title,
      level,
      ...(level === 2 && parentId !== undefined ? { parentId } : {}),
      span,
      ...(header === undefined ? {} : { headerSpan: header.span }),
      ...(soap === undefined ? {} : { soap }),
      text,
    };
  });
}

/** The table's title, or the author's words where the table has none. */
function titleOf(header: FoundHeader | undefined): string {
  if (header === undefined) return UNLABELED;
  const title = header.entry?.title ?? '';
  return title === '' ? titleCase(header.words) : title;
}
