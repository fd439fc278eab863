/** The figures of paper 001 (CLI-RAG), Table 1, to be shown beside ours: measured on another cohort with other models. */

import type { MetricName } from './metricNames.js';

/** Said wherever one of the figures is shown. */
export const PAPER_NOTE =
  "Columns marked * are the paper's own: 1,108 visits of 56 patients of MIMIC-III, LLaMA-3 70B or Mistral-7B, all-mpnet-base-v2. Another cohort and other models: no comparison with ours. Its implementation of BLEU is not told.";

export const PAPER_MODELS = ['LLaMA-3 70B', 'Mistral-7B'] as const;

/** In the order of PAPER_MODELS; undefined where the paper has none. */
export const PAPER_TABLE_1: Readonly<Partial<Record<MetricName, readonly [number, number | undefined]>>> = {
  'bleu-nltk': [0.0116, 0.0004],
  'rouge-1': [0.2738, 0.1783],
  'rouge-2': [0.0743, 0.0312],
  'rouge-l': [0.1102, 0.0676],
  similarity: [0.7398, 0.7511],
  'soap-sections': [4, 4],
  'length-ratio': [1.1975, undefined],
  'temporal-gold': [0.807, 0.9126],
  temporal: [0.877, 0.8248],
  'alignment-ratio': [1.089, 0.9038],
  preference: [0.96, 0.935],
};
