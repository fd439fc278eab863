/**
 * Text → the section headers that stand at the beginning of its lines. A colon, capitals and layout are hints that add
 * up, none is a condition; the table of known headers counts most.
 */

import type { Span } from '../../core/types.js';
import { ACCEPT, candidateOf, type Candidate } from './headerCandidates.js';
import { isAllCapitals, splitNoteLines, type NoteLine } from './noteLines.js';
import { PROBLEM_STEPS, headerKey, type HeaderEntry } from './sectionHeaders.js';

export interface FoundHeader {
  /** The header's own words, colon included. */
  readonly span: Span;
  /** Without the colon. */
  readonly words: string;
  readonly entry?: HeaderEntry;
  /** 2 for systems, steps of a problem and studies of an objective part, wherever they stand. */
  readonly level: 1 | 2;
  readonly hasColon: boolean;
  /** Nothing else stands on its line. */
  readonly isAlone: boolean;
}

/** Of its lines, so many begin small where the author writes so. */
const SMALL_SHARE = 0.4;
/** What each neighbouring line that begins with a header, or nearly, adds to a score. */
const NEIGHBOUR = 0.2;
/** A candidate that counts as one for its neighbours. */
const NEARLY = 0.25;

export function findHeaders(text: string): FoundHeader[] {
  const lines = splitNoteLines(text);
  const usesCase = (text.match(/\p{Lu}/gu)?.length ?? 0) > 0.01 * text.length;
  const beginsSmall =
    lines.filter(({ text: line }) => /^\p{Ll}/u.test(line)).length > SMALL_SHARE * lines.length;
  const candidates = lines.map((_, at) => candidateOf(lines, { at, usesCase, beginsSmall }));
  const inFields = fieldLines(lines, candidates);
  const style = styleScore(candidates);
  const accepted: Candidate[] = [];
  // The section that is open, and whether the note goes by systems without an examination around them.
  let open: HeaderEntry | undefined;
  let goesBySystems = false;
  candidates.forEach((candidate, at) => {
    if (candidate === undefined || inFields.has(at) || candidate.score <= 0) return;
    const { entry } = candidate;
    const isRunIn = !candidate.hasColon && !candidate.isAlone;
    const score =
      candidate.score + neighbourScore(candidates, at) + (isRunIn ? style + contextScore(open, entry) : 0);
    if (score < ACCEPT || isFieldOf(open, candidate, { goesBySystems })) return;
    accepted.push(candidate);
    if (isNested(open, entry)) return;
    goesBySystems ||= entry?.level === 2;
    open = entry;
  });
  return assignLevels(accepted);
}

/** An author who puts colons after headers does so throughout, and one who does not, does not. */
function styleScore(candidates: readonly (Candidate | undefined)[]): number {
  const inLine = candidates.filter((candidate) => candidate !== undefined && !candidate.isAlone);
  const colons = inLine.filter(
    (candidate) => candidate?.hasColon === true && candidate.score >= ACCEPT,
  ).length;
  const others = inLine.filter(
    (candidate) => candidate?.hasColon === false && candidate.score >= NEARLY,
  ).length;
  if (colons === 0 || others > 2 * colons) return 0.2;
  return colons >= 2 && colons >= others ? -0.25 : 0;
}

/** What each section that may hold this one, while it is open, adds. */
const CONTEXT = 0.2;

/** An examination goes on from system to system, an objective part from study to study. */
function contextScore(open: HeaderEntry | undefined, entry: HeaderEntry | undefined): number {
  return open?.holdsSystems === true && isNested(open, entry) ? CONTEXT : 0;
}

/** Lines before and after that begin with a header, or nearly: systems stand in rows. */
function neighbourScore(candidates: readonly (Candidate | undefined)[], line: number): number {
  const isRow = (candidate: Candidate | undefined): boolean =>
    candidate !== undefined && !candidate.isAlone && candidate.score >= NEARLY;
  return NEIGHBOUR * [line - 1, line + 1].filter((at) => isRow(candidates[at])).length;
}

/** Systems lie inside an examination; vital signs, examination and results lie inside an objective part. */
function isNested(open: HeaderEntry | undefined, entry: HeaderEntry | undefined): boolean {
  if (open?.holdsSystems !== true) return false;
  if (entry === undefined) return false;
  return (
    entry.level === 2 ||
    (open.title === 'Objective' && (entry.isModality || PARTS_OF_OBJECTIVE.has(entry.title)))
  );
}

const PARTS_OF_OBJECTIVE = new Set([
  'Vital Signs',
  'Physical Exam',
  'Laboratory Data',
  'Imaging',
  'Data',
  'Blood Gases',
  'Microbiology',
  'Intake and Output',
  'Ventilation',
  'Hemodynamics',
  'Findings',
]);

/** A line of the open section and no section: `Vent: …` in an objective part, `Nutrition: …` in a plan by problems. */
function isFieldOf(
  open: HeaderEntry | undefined,
  { entry, hasColon, isAlone, words, score }: Candidate,
  { goesBySystems }: { goesBySystems: boolean },
): boolean {
  if (open === undefined || isAlone) return false;
  const isCapitals = isAllCapitals(words);
  if (entry === undefined) {
    const holdsLines = open.holdsSystems || FIELD_SECTIONS.has(open.title);
    const isStudy = score > ACCEPT && (open.holdsSystems || open.title === 'Laboratory Data');
    return holdsLines && !isStudy && (hasColon || !isCapitals);
  }
  if (PLAN_TITLES.has(open.title) && !goesBySystems) {
    return !isCapitals && (entry.level === 2 || PROBLEM_TITLES.has(entry.title));
  }
  if (!open.holdsSystems) return false;
  return FIELDS_OF_OBJECTIVE.has(entry.title);
}

const FIELD_SECTIONS = new Set([
  'Data',
  'Laboratory Data',
  'Family History',
  'Assessment',
  'Assessment and Plan',
  'Plan',
  'Demographics',
  'Ventilation',
  'Lung Sounds',
  'Discharge Medications',
]);
/** Under these a system's name heads a problem, not a section. */
const PLAN_TITLES = new Set(['Plan', 'Assessment and Plan', 'Recommendations']);
const PROBLEM_TITLES = new Set([
  'Nutrition',
  'Disposition',
  'Medications',
  'Communication',
  'Prophylaxis',
  'Code Status',
  'Lines',
  'Diet',
  'Activity',
  'Secretions',
]);
const FIELDS_OF_OBJECTIVE = new Set(['Ventilation', 'Intake and Output', 'Secretions', 'Comments']);

/** The fields of an echo's `PATIENT/TEST INFORMATION`, up to the next blank line, are no headers. */
function fieldLines(
  lines: readonly NoteLine[],
  candidates: readonly (Candidate | undefined)[],
): ReadonlySet<number> {
  const fields = new Set<number>();
  candidates.forEach((candidate, at) => {
    if (candidate?.entry?.title !== 'Test Information') return;
    for (let next = at + 1; next < lines.length && lines[next]?.isBlankBefore === false; next++)
      fields.add(next);
  });
  return fields;
}

function assignLevels(accepted: readonly Candidate[]): FoundHeader[] {
  const goesByProblems = ['action', 'response'].every((step) =>
    accepted.some(({ words }) => headerKey(words) === step),
  );
  let open: HeaderEntry | undefined;
  const isStepAt = (at: number): boolean =>
    goesByProblems && PROBLEM_STEPS.has(headerKey(accepted[at]?.words ?? ''));
  return accepted.map(({ entry, words, start, end, hasColon, isAlone }, at) => {
    const isStep = isStepAt(at);
    // `Pain control` over `Assessment:` names a problem, not a system.
    const isProblem = !isStep && isAlone && isStepAt(at + 1);
    // A study that no table knows, in an objective part.
    const isStudy = entry === undefined && open?.holdsSystems === true && !isAlone;
    const isInner = isStep || isStudy || entry?.level === 2 || isNested(open, entry);
    const level = isInner && !isProblem ? 2 : 1;
    if (level === 1) open = entry;
    return {
      span: { start, end },
      words,
      level,
      hasColon,
      isAlone,
      ...(entry === undefined ? {} : { entry }),
    };
  });
}
