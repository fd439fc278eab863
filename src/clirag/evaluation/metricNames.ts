/** The metrics of `clirag eval` by name: what each means, and whether more is better. */

export interface MetricDescription {
  readonly name: string;
  readonly meaning: string;
  readonly better: 'higher' | 'lower' | 'neither';
  /** In the paper's Table 1. */
  readonly inTable1?: boolean;
}

export const METRICS = [
  {
    name: 'bleu',
    meaning: 'sacrebleu corpus BLEU of all notes, 13a tokens, from 0 to 1',
    better: 'higher',
    inTable1: true,
  },
  {
    name: 'bleu-nltk',
    meaning: "mean of nltk's sentence BLEU-4, smoothing method 1",
    better: 'higher',
    inTable1: true,
  },
  { name: 'rouge-1', meaning: 'ROUGE-1 F1, stemmed unless --unstemmed', better: 'higher', inTable1: true },
  { name: 'rouge-2', meaning: 'ROUGE-2 F1, the same way', better: 'higher', inTable1: true },
  { name: 'rouge-l', meaning: 'ROUGE-L F1, the same way', better: 'higher', inTable1: true },
  {
    name: 'similarity',
    meaning: "cosine of note and gold, each cut at the embedder's limit as sentence-transformers does",
    better: 'higher',
    inTable1: true,
  },
  {
    name: 'soap-sections',
    meaning: 'SOAP sections that say something, of 4',
    better: 'higher',
    inTable1: true,
  },
  {
    name: 'length-ratio',
    meaning: 'words of the note by words of the gold note',
    better: 'neither',
    inTable1: true,
  },
  {
    name: 'temporal-gold',
    meaning: 'cosine of gold notes of adjacent visits, cut the same way',
    better: 'neither',
    inTable1: true,
  },
  {
    name: 'temporal',
    meaning: 'cosine of notes of adjacent visits; copying forward raises it',
    better: 'neither',
    inTable1: true,
  },
  { name: 'alignment-ratio', meaning: 'temporal by temporal-gold', better: 'neither', inTable1: true },
  {
    name: 'preference',
    meaning: 'share of visits where the judge prefers the note to the gold one in both orders',
    better: 'higher',
    inTable1: true,
  },
  { name: 'similarity-whole', meaning: 'cosine of note and gold, read to the end', better: 'higher' },
  { name: 'temporal-gold-whole', meaning: 'temporal-gold, notes read to the end', better: 'neither' },
  { name: 'temporal-whole', meaning: 'temporal, notes read to the end', better: 'neither' },
  { name: 'fact-recall', meaning: 'required facts that the note states', better: 'higher' },
  { name: 'right-section', meaning: 'of those, the ones in their section', better: 'higher' },
  { name: 'forbidden', meaning: 'forbidden facts that the note states', better: 'lower' },
  { name: 'undated', meaning: 'earlier or corrected facts that it states as if they held', better: 'lower' },
  { name: 'supported', meaning: 'statements that the chart supports (clirag check)', better: 'higher' },
  { name: 'contradicted', meaning: 'statements that the chart contradicts', better: 'lower' },
  { name: 'stale', meaning: 'statements that held once and do no longer', better: 'lower' },
  {
    name: 'copied',
    meaning: "statements repeated word by word from the system's note of the visit before",
    better: 'lower',
  },
] as const satisfies readonly MetricDescription[];

export type MetricName = (typeof METRICS)[number]['name'];

export const METRIC_LIST: readonly (MetricDescription & { readonly name: MetricName })[] = METRICS;

export function describeMetric(name: MetricName): MetricDescription {
  const found = METRIC_LIST.find((metric) => metric.name === name);
  if (found === undefined) throw new Error(`no metric ${name}`);
  return found;
}

export function isMetricName(name: string): name is MetricName {
  return METRIC_LIST.some((metric) => metric.name === name);
}

export function metricHelp(): string {
  return METRIC_LIST.map(({ name, meaning }) => `  ${name.padEnd(20)} ${meaning}`).join('\n');
}
