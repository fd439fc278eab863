/** The shared reference values, where this machine has them → a `test` that runs on them, or a named skip. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { packageRoot } from '../../../src/core/config.js';

type Overlap = Readonly<Record<'precision' | 'recall' | 'fmeasure', number>>;
type RougeKey = 'rouge1' | 'rouge2' | 'rougeL' | 'rougeLsum';

export interface GoldenPair {
  readonly id: string;
  readonly reference: string;
  readonly candidate: string;
  readonly rouge: Readonly<
    Record<'use_stemmer_false' | 'use_stemmer_true', Readonly<Record<RougeKey, Overlap>>>
  >;
  readonly sentence_bleu: {
    readonly score_1: number;
    readonly counts: readonly number[];
    readonly totals: readonly number[];
    readonly precisions_100: readonly number[];
    readonly bp: number;
    readonly sys_len: number;
    readonly ref_len: number;
  };
  readonly tokens_13a: { readonly reference: readonly string[]; readonly candidate: readonly string[] };
  readonly bleu4_nltk_method1: number;
  readonly words: { readonly reference: number; readonly candidate: number };
  readonly length_ratio: number | null;
}

export interface GoldenRagasCase {
  readonly id: string;
  readonly retrieved_contexts: readonly string[];
  readonly reference_contexts: readonly string[];
  readonly response: string;
  readonly reference: string;
  readonly retrieved_context_ids: readonly (string | number)[];
  readonly reference_context_ids: readonly (string | number)[];
  /** Values, and for each null the reason under its key + `_null_reason`. */
  readonly expected: Readonly<Record<string, number | string | null>>;
  readonly variants: Readonly<Record<string, number | string | null>>;
  readonly levenshtein_similarity_matrix: { readonly values: readonly (readonly number[])[] };
}

interface RetrievalValues {
  readonly expected: Readonly<Record<string, number>>;
}

export interface Golden {
  readonly pairs: readonly GoldenPair[];
  readonly porter_stems: { readonly stems: Readonly<Record<string, string>> };
  readonly corpus_bleu: { readonly score_100: number };
  readonly ragas: {
    readonly cases: readonly GoldenRagasCase[];
    readonly extra_bleu_rouge_wrappers: readonly {
      readonly reference: string;
      readonly response: string;
      readonly bleu_score: number;
      readonly rouge_score_rougeL_f: number;
      readonly plain_sacrebleu_sentence_bleu_1: number;
      readonly first_response_piece_vs_all_reference_pieces_corpus_bleu_1: number;
    }[];
    readonly arithmetic: {
      readonly llm_context_recall: readonly {
        readonly verdicts: readonly number[];
        readonly expected_collections: number | null;
      }[];
      readonly llm_context_precision: readonly {
        readonly verdicts_in_rank_order: readonly number[];
        readonly expected_collections: number | null;
      }[];
      readonly context_entity_recall: readonly {
        readonly reference_entities: readonly string[];
        readonly context_entities: readonly string[];
        readonly expected_collections: number;
      }[];
      readonly answer_accuracy_collections: readonly {
        readonly judge1_ratings: readonly unknown[];
        readonly judge2_ratings: readonly unknown[];
        readonly note: string;
        readonly expected: number | null;
      }[];
    };
  };
  readonly retrieval: {
    readonly cases: readonly (RetrievalValues & {
      readonly id: string;
      readonly qrels: Readonly<Record<string, number>>;
      readonly ranking: readonly string[];
    })[];
    readonly mean_over_12_cases: Readonly<Record<string, number>>;
    readonly empty_ranking_probe: {
      readonly qrels: Readonly<Record<string, number>>;
      readonly ranking: readonly string[];
      readonly ir_measures: Readonly<Record<string, number>>;
    };
  };
}

const shared = process.env['LABSAGE_SHARED'] ?? join(packageRoot, '..', 'shared');
const path = join(shared, 'golden', 'metrics.json');

/** Decimals of toBeCloseTo that stand for an absolute tolerance of 1e-6 (it accepts half of 10^-decimals). */
const DECIMALS = 6;

export function goldenTest(name: string, check: (golden: Golden) => void): void {
  if (existsSync(path)) test(name, () => check(JSON.parse(readFileSync(path, 'utf8')) as Golden));
  else test.skip(`${name} (skipped: no golden/metrics.json under LABSAGE_SHARED)`, () => undefined);
}

/** Agreement to 1e-6, value by value; the label tells which golden case disagrees. */
export function expectClose(actual: unknown, expected: unknown, options: { readonly label: string }): void {
  const { label } = options;
  if (typeof actual === 'number' && typeof expected === 'number') {
    expect({ label, value: actual }).toEqual({ label, value: expect.closeTo(expected, DECIMALS) });
  } else expect({ label, value: actual }).toEqual({ label, value: expected ?? undefined });
}
