/** The figures of paper 000 (LabSage), Tables 1 to 3, to be shown beside ours: measured on another corpus with other models. */

export interface PaperFigures {
  readonly contextRecall?: number;
  readonly contextPrecision?: number;
  readonly entityRecall?: number;
  readonly answerAccuracy: number;
}

/** Said wherever one of the figures is shown. */
export const PAPER_NOTE =
  "Columns marked * are the paper's own: its 20 SOPs, 100 of its 685 questions, text-embedding-3-large, Qwen-2.5-7B or Llama-3.1-8B, GPT-4o as judge. Another corpus and other models: no comparison with ours.";

type Strategy = 'none' | 'standard' | 'labsage';

/** Table 1, k = 3; retrieval does not depend on the language model. */
export const PAPER_TABLE_1: Readonly<
  Record<'Qwen-2.5-7B' | 'Llama-3.1-8B', Readonly<Record<Strategy, PaperFigures>>>
> = {
  'Qwen-2.5-7B': {
    none: { answerAccuracy: 0.107 },
    standard: { contextRecall: 0.86, contextPrecision: 0.871, entityRecall: 0.302, answerAccuracy: 0.72 },
    labsage: { contextRecall: 0.909, contextPrecision: 0.901, entityRecall: 0.216, answerAccuracy: 0.78 },
  },
  'Llama-3.1-8B': {
    none: { answerAccuracy: 0.1 },
    standard: { contextRecall: 0.86, contextPrecision: 0.871, entityRecall: 0.302, answerAccuracy: 0.607 },
    labsage: { contextRecall: 0.909, contextPrecision: 0.901, entityRecall: 0.216, answerAccuracy: 0.708 },
  },
};

/** Table 2, Qwen-2.5-7B, k = 3. */
export const PAPER_TABLE_2: Readonly<
  Record<'OpenAI' | 'MedCPT', Readonly<Record<Exclude<Strategy, 'none'>, PaperFigures>>>
> = {
  OpenAI: {
    standard: { contextRecall: 0.86, contextPrecision: 0.871, entityRecall: 0.302, answerAccuracy: 0.72 },
    labsage: { contextRecall: 0.909, contextPrecision: 0.901, entityRecall: 0.216, answerAccuracy: 0.78 },
  },
  MedCPT: {
    standard: { contextRecall: 0.399, contextPrecision: 0.44, entityRecall: 0.19, answerAccuracy: 0.398 },
    labsage: { contextRecall: 0.566, contextPrecision: 0.61, entityRecall: 0.218, answerAccuracy: 0.502 },
  },
};

/** Table 3, Qwen-2.5-7B with LabSage, by k. */
export const PAPER_TABLE_3: ReadonlyMap<number, PaperFigures> = new Map([
  [1, { contextRecall: 0.771, contextPrecision: 0.8, answerAccuracy: 0.715 }],
  [3, { contextRecall: 0.909, contextPrecision: 0.901, answerAccuracy: 0.78 }],
  [5, { contextRecall: 0.929, contextPrecision: 0.93, answerAccuracy: 0.795 }],
  [10, { contextRecall: 0.949, contextPrecision: 0.96, answerAccuracy: 0.818 }],
]);
