/** What a revision changes → what a person reads in a terminal, and one JSON object. */

import type { ChalkInstance } from 'chalk';
import { coarsenDiff, type DiffRun } from '../../core/wordDiff.js';
import { answerWords, type AnswerChange, type AnswerChangeKind } from '../records/answerChanges.js';
import { nameDocument } from '../describe.js';
import type { DocumentChange } from './documentChanges.js';
import type { Impact } from './impact.js';
import type { SectionChange } from './sectionChanges.js';
import { sideBySide } from './sideBySide.js';

export interface ImpactRenderOptions {
  readonly color: ChalkInstance;
  readonly columns: number;
}

/** Words shown on each side of a change. */
const CONTEXT_WORDS = 8;

const ANSWER_WORDS: Readonly<Record<AnswerChangeKind, string>> = {
  same: 'same answer',
  changed: 'another answer',
  answered: 'answered now, refused before',
  refused: 'refused now, answered before',
};

export function renderImpact(impact: Impact, options: ImpactRenderOptions): string[] {
  const { color } = options;
  const changed = impact.answers.filter(({ kind }) => kind !== 'same');
  return [
    ...impact.documents.flatMap((change) => renderDocument(change, color)),
    ...changed.flatMap((change) => renderAnswerChange(change, options)),
    color.bold(summarizeImpact(impact)),
  ];
}

/** `2 documents differ: 3 sections changed, 1 added. 4 of 30 saved questions are answered differently.` */
export function summarizeImpact({ documents, answers }: Impact): string {
  const sections = documents.flatMap((change) => change.sections);
  const many = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
  const counts = (['changed', 'added', 'removed', 'renamed'] as const)
    .map((kind) => ({ kind, count: sections.filter((change) => change.kind === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${many(count, 'section')} ${kind}`);
  const whole = (['added', 'removed'] as const)
    .map((kind) => ({ kind, count: documents.filter((change) => change.kind === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${many(count, 'document')} ${kind}`);
  const parts = [...whole, ...counts];
  const differ =
    documents.length === 0
      ? 'No document differs.'
      : `${many(documents.length, 'document')} differ${documents.length === 1 ? 's' : ''}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}.`;
  if (answers.length === 0) return differ;
  const changed = answers.filter(({ kind }) => kind !== 'same').length;
  return `${differ} ${changed} of ${many(answers.length, 'saved question')} ${changed === 1 ? 'is' : 'are'} answered differently.`;
}

function renderDocument(change: DocumentChange, color: ChalkInstance): string[] {
  const { kind, before, after, control, sections } = change;
  const document = after ?? before;
  if (document === undefined) return [];
  const moved = before !== undefined && after !== undefined && before.path !== after.path;
  return [
    `${color.cyan(nameDocument(document))} ${kind === 'changed' ? '' : color.yellow(kind)}`.trimEnd(),
    color.dim(`  ${moved ? `${before.path} → ` : ''}${document.path}`),
    ...control.map(
      ({ field, before: then, after: now }) =>
        `  ${field}: ${color.red(then ?? '(not stated)')} → ${color.green(now ?? '(not stated)')}`,
    ),
    ...sections.flatMap((section) => renderSection(section, color)),
    '',
  ];
}

function renderSection({ kind, before, after, diff }: SectionChange, color: ChalkInstance): string[] {
  const path = describePath(after ?? before);
  const was =
    before !== undefined && after !== undefined && describePath(before) !== path
      ? ` (was ${describePath(before)})`
      : '';
  const head = `  ${color.yellow(kind.padEnd(8))} ${path}${was}`;
  return kind === 'renamed' ? [head] : [head, ...renderDiff(diff, color).map((line) => `    ${line}`)];
}

function describePath(section: { readonly path: readonly string[] } | undefined): string {
  const path = section?.path ?? [];
  return path.length === 0 ? '(before the first section)' : path.join(' › ');
}

/** `[-…-]` and `{+…+}`, so that it can be read without colours too; long shared runs are cut to what is around a change. */
function renderDiff(diff: readonly DiffRun[], color: ChalkInstance): string[] {
  const runs = coarsenDiff(diff);
  return runs
    .map(({ kind, text }, at) => {
      if (kind === 'removed') return markRun(text, { open: '[-', close: '-]', paint: color.red });
      if (kind === 'added') return markRun(text, { open: '{+', close: '+}', paint: color.green });
      return shortenRun(text, { isFirst: at === 0, isLast: at === runs.length - 1 });
    })
    .join('')
    .trim()
    .split(/\n+/u);
}

/** Blanks around the words stay outside the mark; each line is marked on its own. */
function markRun(
  text: string,
  mark: { open: string; close: string; paint: (words: string) => string },
): string {
  return text.replace(/[^\n]*\S[^\n]*/gu, (line) => {
    const words = line.trim();
    const at = line.indexOf(words);
    return `${line.slice(0, at)}${mark.paint(`${mark.open}${words}${mark.close}`)}${line.slice(at + words.length)}`;
  });
}

function shortenRun(text: string, { isFirst, isLast }: { isFirst: boolean; isLast: boolean }): string {
  const pieces = text.match(/\s*\S+/gu) ?? [];
  const tail = text.slice(pieces.join('').length);
  const head = isFirst ? 0 : CONTEXT_WORDS;
  const end = isLast ? 0 : CONTEXT_WORDS;
  if (pieces.length <= head + end + 2) return text;
  const last = pieces.slice(pieces.length - end);
  return `${pieces.slice(0, head).join('')} …${end === 0 ? '' : last.join('')}${tail}`;
}

function renderAnswerChange(
  { question, kind, before, after }: AnswerChange,
  { color, columns }: ImpactRenderOptions,
): string[] {
  return [
    `${color.bold(question)} ${color.yellow(`(${ANSWER_WORDS[kind]})`)}`,
    ...sideBySide(answerWords(before), answerWords(after), { columns }),
    '',
  ];
}

export function impactRecord(impact: Impact): object {
  return {
    documents: impact.documents.map(({ kind, before, after, control, sections, sameVersion }) => ({
      kind,
      before: before === undefined ? null : documentRecord(before),
      after: after === undefined ? null : documentRecord(after),
      control,
      sameVersion: sameVersion ?? null,
      sections: sections.map((section) => ({
        kind: section.kind,
        before: section.before?.path ?? null,
        after: section.after?.path ?? null,
        diff: section.diff,
      })),
    })),
    answers: impact.answers.map(({ id, question, kind, before, after }) => ({
      id,
      question,
      kind,
      before: answerRecord(before),
      after: answerRecord(after),
    })),
    skipped: impact.skipped,
    embedded: impact.embedded,
  };
}

function documentRecord({ id, path, title, control }: NonNullable<DocumentChange['after']>): object {
  return { id, path, title, control };
}

function answerRecord({ answered, text, citations }: AnswerChange['before']): object {
  return { answered, text, citations };
}
