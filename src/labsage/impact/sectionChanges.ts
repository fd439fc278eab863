/** Two versions of a document → its sections that were changed, added, removed, renamed, with the words that differ. */

import { diffWords, type DiffRun } from '../../core/wordDiff.js';
import type { Document } from '../../core/types.js';
import { documentSections, type DocumentSection } from '../documentSections.js';

/** `renamed`: other heading or number, same words; `changed` may have another heading too (`before.path`). */
export type SectionChangeKind = 'changed' | 'added' | 'removed' | 'renamed';

export interface SectionChange {
  readonly kind: SectionChangeKind;
  readonly before?: DocumentSection;
  readonly after?: DocumentSection;
  /** Of the words under the heading. */
  readonly diff: readonly DiffRun[];
}

/** Sections whose words have this share in common are one section under another heading. */
const SAME_SECTION = 0.5;

/** In the order of the new version; what was removed stands where it stood. */
export function compareSections(before: Document, after: Document): SectionChange[] {
  const old = documentSections(before);
  const current = documentSections(after);
  const partners = pairSections(old, current);
  const changes: { change: SectionChange; at: number }[] = [];
  for (const [at, section] of current.entries()) {
    const partner = partners.get(section);
    const change = partner === undefined ? addition(section) : compareSection(partner, section);
    if (change !== undefined) changes.push({ change, at });
  }
  const paired = new Set(partners.values());
  for (const [oldAt, section] of old.entries()) {
    if (paired.has(section)) continue;
    const follows = current.findIndex((one) => old.indexOf(partners.get(one) ?? section) > oldAt);
    changes.push({
      change: { kind: 'removed', before: section, diff: diffWords(section.text, '') },
      at: follows === -1 ? current.length : follows - 0.5,
    });
  }
  return changes.sort((a, b) => a.at - b.at).map(({ change }) => change);
}

function addition(section: DocumentSection): SectionChange {
  return { kind: 'added', after: section, diff: diffWords('', section.text) };
}

function compareSection(before: DocumentSection, after: DocumentSection): SectionChange | undefined {
  const isSameText = flat(before.text) === flat(after.text);
  const isSamePath = pathKey(before) === pathKey(after);
  if (isSameText && isSamePath) return undefined;
  return {
    kind: isSameText ? 'renamed' : 'changed',
    before,
    after,
    diff: diffWords(before.text, after.text),
  };
}

/** New section → old section: same heading path, then the same without numbers, then the same or similar words. */
function pairSections(
  old: readonly DocumentSection[],
  current: readonly DocumentSection[],
): Map<DocumentSection, DocumentSection> {
  const partners = new Map<DocumentSection, DocumentSection>();
  const free = new Set(old);
  const pair = (after: DocumentSection, before: DocumentSection): void => {
    partners.set(after, before);
    free.delete(before);
  };
  for (const keyOf of [pathKey, unnumberedKey, lastKey]) {
    const byKey = new Map<string, DocumentSection[]>();
    for (const section of free) {
      const key = keyOf(section);
      byKey.set(key, [...(byKey.get(key) ?? []), section]);
    }
    for (const section of current) {
      if (partners.has(section)) continue;
      const before = byKey.get(keyOf(section))?.shift();
      if (before !== undefined) pair(section, before);
    }
  }
  for (const section of current) {
    if (partners.has(section)) continue;
    let best: { before: DocumentSection; share: number } | undefined;
    for (const before of free) {
      const share = wordsInCommon(before.text, section.text);
      if (share >= SAME_SECTION && share > (best?.share ?? 0)) best = { before, share };
    }
    if (best !== undefined) pair(section, best.before);
  }
  return partners;
}

function pathKey({ path }: DocumentSection): string {
  return path.map(flat).join(' › ');
}

function unnumberedKey({ path }: DocumentSection): string {
  return path.map(withoutNumber).join(' › ');
}

/** The heading alone, for a subsection that moved under another section. */
function lastKey({ path }: DocumentSection): string {
  return withoutNumber(path.at(-1) ?? '');
}

function withoutNumber(heading: string): string {
  return flat(heading).replace(/^(?:section |appendix )?(?:\d+(?:\.\d+)*|[a-z]|[ivx]{1,5})[.):]?\s+/u, '');
}

function flat(text: string): string {
  return text.replace(/\s+/gu, ' ').trim().toLowerCase();
}

/** Share of the distinct words of both that both have (Jaccard), 0 to 1. */
function wordsInCommon(a: string, b: string): number {
  const words = (text: string): Set<string> => new Set(flat(text).match(/[\p{L}\p{N}]+/gu) ?? []);
  const [first, second] = [words(a), words(b)];
  const common = [...first].filter((word) => second.has(word)).length;
  return first.size + second.size === 0 ? 0 : common / (first.size + second.size - common);
}
