/** A system's notes beside the gold ones → its metrics with intervals over whole patients. */

import { corpusBleu, nltkBleu } from '../../core/metrics/bleu.js';
import { bootstrapMean } from '../../core/metrics/bootstrap.js';
import { rouge } from '../../core/metrics/rouge.js';
import { lengthRatio } from '../../core/metrics/whitespace.js';
import type { NoteType } from '../../core/types.js';
import type { EvaluatedNote } from './evaluatedNote.js';
import type { MetricName } from './metricNames.js';
import { cosine } from './noteVectors.js';
import type { Vote } from './preference.js';

export interface MetricScore {
  readonly mean: number;
  /** Of 95 %, drawing whole patients; absent for a figure of all notes together. */
  readonly low?: number;
  readonly high?: number;
  /** Notes, pairs of visits, facts or statements that it is over. */
  readonly count: number;
}

export interface SystemScores {
  readonly name: string;
  readonly notes: number;
  /** Visits for which it gave none. */
  readonly missing: number;
  readonly metrics: Readonly<Partial<Record<MetricName, MetricScore>>>;
  readonly votes?: Readonly<Record<Vote, number>>;
  /** How often the summary of the visit before was gold, generated or stored. */
  readonly priorFrom: Readonly<Record<string, number>>;
  readonly proved: Readonly<Partial<Record<NoteType, number>>>;
}

/** `gold` is absent where the chart has no progress note of the visit. */
export interface PairedNote {
  readonly patient: string;
  readonly note: EvaluatedNote;
  readonly gold: EvaluatedNote | undefined;
  readonly vote?: Vote;
}

/** Enough that the ends of an interval move little from seed to seed. */
const RESAMPLES = 2000;

export function scoreSystem(
  name: string,
  {
    pairs,
    missing,
    seed,
    stem,
  }: { pairs: readonly PairedNote[]; missing: number; seed: number; stem: boolean },
): SystemScores {
  const metrics: Partial<Record<MetricName, MetricScore>> = {};
  const set = (metric: MetricName, rows: readonly { patient: string; value: number | undefined }[]): void => {
    const interval = bootstrapMean(
      rows.map(({ value }) => value),
      { seed, resamples: RESAMPLES, clusters: rows.map(({ patient }) => patient) },
    );
    if (interval !== undefined)
      metrics[metric] = {
        mean: interval.mean,
        low: interval.low,
        high: interval.high,
        count: interval.count,
      };
  };
  const each = (
    metric: MetricName,
    valueOf: (note: EvaluatedNote, gold: EvaluatedNote) => number | undefined,
  ): void =>
    set(
      metric,
      pairs.flatMap(({ patient, note, gold }) =>
        gold === undefined ? [] : [{ patient, value: valueOf(note, gold) }],
      ),
    );
  const withGold = pairs.flatMap(({ note, gold }) => (gold === undefined ? [] : [{ note, gold }]));
  if (withGold.length > 0) {
    const { score } = corpusBleu(
      withGold.map(({ note, gold }) => ({ candidate: note.plain, references: [gold.plain] })),
    );
    metrics.bleu = { mean: score, count: withGold.length };
  }
  const rouges = new Map(withGold.map(({ note, gold }) => [note, rouge(gold.plain, note.plain, { stem })]));
  each('bleu-nltk', (note, gold) => nltkBleu(gold.plain, note.plain));
  each('rouge-1', (note) => rouges.get(note)?.rouge1.f1);
  each('rouge-2', (note) => rouges.get(note)?.rouge2.f1);
  each('rouge-l', (note) => rouges.get(note)?.rougeL.f1);
  each('similarity', (note, gold) => similarity(note, gold, 'first'));
  each('similarity-whole', (note, gold) => similarity(note, gold, 'whole'));
  each('length-ratio', (note, gold) => lengthRatio(gold.plain, note.plain));
  set(
    'soap-sections',
    pairs.map(({ patient, note }) => ({ patient, value: note.sections })),
  );
  scoreTime(pairs, set);
  const { temporal, 'temporal-gold': goldTemporal } = metrics;
  if (temporal !== undefined && goldTemporal !== undefined && goldTemporal.mean !== 0)
    metrics['alignment-ratio'] = { mean: temporal.mean / goldTemporal.mean, count: temporal.count };
  scoreTruth(pairs, metrics);
  const votes = countVotes(pairs);
  const judged = votes === undefined ? 0 : votes.note + votes.gold + votes.tie;
  if (votes !== undefined && judged > 0)
    set(
      'preference',
      pairs.flatMap(({ patient, vote }) =>
        vote === undefined || vote === 'failed' ? [] : [{ patient, value: vote === 'note' ? 1 : 0 }],
      ),
    );
  return {
    name,
    notes: pairs.length,
    missing,
    metrics,
    ...(votes === undefined ? {} : { votes }),
    priorFrom: tally(pairs.map(({ note }) => note.priorFrom ?? 'none')),
    proved: sumTypes(pairs.map(({ note }) => note)),
  };
}

type SetMetric = (
  metric: MetricName,
  rows: readonly { patient: string; value: number | undefined }[],
) => void;

/** Adjacent visits of one patient; the gold ones over the same pairs of visits. */
function scoreTime(pairs: readonly PairedNote[], set: SetMetric): void {
  const adjacent = pairs.flatMap((pair, at) => {
    const before = pairs[at - 1];
    return before?.patient === pair.patient && before.note.visit.ordinal === pair.note.visit.ordinal - 1
      ? [{ before, pair, patient: pair.patient }]
      : [];
  });
  for (const [suffix, which] of [
    ['', 'first'],
    ['-whole', 'whole'],
  ] as const) {
    set(
      `temporal${suffix}`,
      adjacent.map(({ patient, before, pair }) => ({
        patient,
        value: similarity(before.note, pair.note, which),
      })),
    );
    set(
      `temporal-gold${suffix}`,
      adjacent.flatMap(({ patient, before, pair }) =>
        before.gold === undefined || pair.gold === undefined
          ? []
          : [{ patient, value: similarity(before.gold, pair.gold, which) }],
      ),
    );
  }
  set(
    'copied',
    adjacent.map(({ patient, before, pair }) => {
      const known = new Set(before.note.keys);
      const { keys } = pair.note;
      return {
        patient,
        value: keys.length === 0 ? undefined : keys.filter((key) => known.has(key)).length / keys.length,
      };
    }),
  );
}

/** Shares of all facts and of all statements. */
function scoreTruth(pairs: readonly PairedNote[], metrics: Partial<Record<MetricName, MetricScore>>): void {
  const share = (metric: MetricName, part: number, whole: number): void => {
    if (whole > 0) metrics[metric] = { mean: part / whole, count: whole };
  };
  const sum = (valueOf: (note: EvaluatedNote) => number): number =>
    pairs.reduce((total, { note }) => total + valueOf(note), 0);
  share(
    'fact-recall',
    sum(({ facts }) => facts?.found ?? 0),
    sum(({ facts }) => facts?.required ?? 0),
  );
  share(
    'right-section',
    sum(({ facts }) => facts?.right ?? 0),
    sum(({ facts }) => facts?.found ?? 0),
  );
  share(
    'forbidden',
    sum(({ facts }) => facts?.stated ?? 0),
    sum(({ facts }) => facts?.forbidden ?? 0),
  );
  share(
    'undated',
    sum(({ facts }) => facts?.undated ?? 0),
    sum(({ facts }) => facts?.dated ?? 0),
  );
  const all = sum(({ counts }) => Object.values(counts).reduce((total, count) => total + count, 0));
  share(
    'supported',
    sum(({ counts }) => counts.supported),
    all,
  );
  share(
    'contradicted',
    sum(({ counts }) => counts.contradicted),
    all,
  );
  share(
    'stale',
    sum(({ counts }) => counts.stale),
    all,
  );
}

export function similarity(a: EvaluatedNote, b: EvaluatedNote, which: 'first' | 'whole'): number | undefined {
  return a.vectors === undefined || b.vectors === undefined
    ? undefined
    : cosine(a.vectors[which], b.vectors[which]);
}

function countVotes(pairs: readonly PairedNote[]): Record<Vote, number> | undefined {
  if (pairs.every(({ vote }) => vote === undefined)) return undefined;
  const votes = { note: 0, gold: 0, tie: 0, failed: 0 };
  for (const { vote } of pairs) if (vote !== undefined) votes[vote]++;
  return votes;
}

function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

export function sumTypes(notes: readonly EvaluatedNote[]): Partial<Record<NoteType, number>> {
  const sums: Partial<Record<NoteType, number>> = {};
  for (const { proved } of notes)
    for (const [type, count] of Object.entries(proved) as [NoteType, number][])
      sums[type] = (sums[type] ?? 0) + count;
  return sums;
}

export interface Consistency {
  readonly systems: readonly [string, string];
  readonly visits: number;
  /** Of whole notes. */
  readonly similarity: number;
  readonly rougeL: number;
}

/** How alike two systems' notes of the same visits are. */
export function compareSystems(
  [a, b]: readonly [
    { name: string; notes: ReadonlyMap<string, EvaluatedNote> },
    { name: string; notes: ReadonlyMap<string, EvaluatedNote> },
  ],
  { stem }: { stem: boolean },
): Consistency | undefined {
  const both = [...a.notes].flatMap(([visit, note]) => {
    const other = b.notes.get(visit);
    return other === undefined ? [] : [{ note, other }];
  });
  if (both.length === 0) return undefined;
  const mean = (valueOf: (pair: (typeof both)[number]) => number): number =>
    both.reduce((sum, pair) => sum + valueOf(pair), 0) / both.length;
  return {
    systems: [a.name, b.name],
    visits: both.length,
    similarity: mean(({ note, other }) => similarity(note, other, 'whole') ?? 0),
    rougeL: mean(({ note, other }) => rouge(note.plain, other.plain, { stem }).rougeL.f1),
  };
}
