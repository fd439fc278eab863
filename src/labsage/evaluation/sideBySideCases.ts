/** An evaluation's cases → the paper's Table 4: questions side by side, what each system retrieved and answered. */

import { collapseBlanks } from '../../core/text.js';
import type { AskedCase } from './cases.js';
import type { ResultTable } from '../../core/evaluationOutput.js';
import type { SystemName } from './systemNames.js';

/** A question with its case at every system. */
export interface CaseGroup {
  readonly id: string;
  readonly cases: readonly AskedCase[];
}

/** Successes and failures that Table 4 shows of each. */
const SHOWN = 2;
const SHOWN_CHARS = 360;

export function groupCases(cases: readonly AskedCase[]): CaseGroup[] {
  const groups = new Map<string, AskedCase[]>();
  for (const one of cases) {
    const key = `${one.group} ${one.id}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].map((of) => ({ id: of[0]?.id ?? '', cases: of }));
}

/**
 * The first questions (of different documents) that ours answers and the other does not, then the first that it does not
 * answer itself. Chosen by rule, so that nobody picks the flattering ones.
 */
export function chooseCases(
  cases: readonly AskedCase[],
  { against }: { against: SystemName },
): { successes: CaseGroup[]; failures: CaseGroup[] } {
  const groups = groupCases(cases.filter(({ group }) => group === 'answerable'));
  const of = (group: CaseGroup, system: SystemName): AskedCase | undefined =>
    group.cases.find((one) => one.system === system);
  const isComplete = (one: AskedCase | undefined): boolean =>
    one !== undefined && one.printed === one.statements;
  const first = (wanted: (group: CaseGroup) => boolean): CaseGroup[] => {
    const documents = new Set<string>();
    return groups.filter(wanted).filter((group) => {
      const document = group.cases[0]?.wanted[0]?.document ?? '';
      if (documents.has(document) || documents.size === SHOWN) return false;
      documents.add(document);
      return true;
    });
  };
  return {
    successes: first((group) => isComplete(of(group, 'labsage')) && of(group, against)?.printed === 0),
    failures: first((group) => !isComplete(of(group, 'labsage'))),
  };
}

/** Nothing where ours or the other system was not asked. */
export function table4(cases: readonly AskedCase[]): ResultTable | undefined {
  const others = (['standard', 'standard+title', 'paper'] as const).filter((name) =>
    cases.some(({ system }) => system === name),
  );
  const [against] = others;
  if (against === undefined || !cases.some(({ system }) => system === 'labsage')) return undefined;
  const { successes, failures } = chooseCases(cases, { against });
  const row =
    (outcome: string) =>
    (group: CaseGroup): string[] => {
      const [any] = group.cases;
      const wanted = (any?.wanted ?? []).map(({ quote = '' }) => collapseBlanks(quote)).join(' ¶ ');
      return [
        `${outcome}\n${group.id}\n\n${any?.question ?? ''}\n\nGround truth: ${shorten(wanted)}`,
        ...[against, 'labsage'].map((name) =>
          describeCase(group.cases.find(({ system }) => system === name)),
        ),
      ];
    };
  return {
    title: 'Table 4: questions side by side',
    note: `The first of the questions that labsage answers and ${against} does not, and the first that labsage does not answer wholly.`,
    head: ['question', against, 'labsage'],
    rows: [...successes.map(row('success')), ...failures.map(row('failure'))],
  };
}

function describeCase(one: AskedCase | undefined): string {
  if (one === undefined) return '–';
  const best = one.contexts.find(({ isUseful }) => isUseful) ?? one.contexts[0];
  const place =
    best === undefined ? 'nothing' : `${best.document}${best.heading === '' ? '' : ` › ${best.heading}`}`;
  const found = `${one.retrieved} of ${one.statements} retrieved, ${one.printed} printed`;
  return `${found}\n\nRetrieved: ${place}\n${shorten(best?.snippet ?? '')}\n\nAnswer: ${shorten(one.answer)}`;
}

function shorten(text: string): string {
  const flat = collapseBlanks(text);
  return flat.length > SHOWN_CHARS ? `${flat.slice(0, SHOWN_CHARS)}…` : flat;
}
