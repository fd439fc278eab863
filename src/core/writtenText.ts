/** What a language model wrote, once it is checked → why a sentence is not proved, and whether the server read the prompt whole. */

import type { Grounding, Omitted } from './types.js';

const REASONS = {
  uncited: 'cites no source',
  'not-found': 'its source does not say so',
  contradicted: 'its source says otherwise',
} as const;

/** Empty for a supported sentence. */
export function whyUnproved({
  verdict,
  reasons,
}: Pick<Grounding['sentences'][number], 'verdict' | 'reasons'>): readonly string[] {
  if (verdict === 'supported') return [];
  return reasons.length > 0 ? reasons : [REASONS[verdict]];
}

/**
 * A server that counts less than this share of what was sent has cut it. Tokenizers of language models count 0.99 to 1.21 of
 * our tokens in SOPs and charts (SmolLM2, cl100k, o200k; bench/generated shows a server's), and a chat template adds some.
 */
const SEEN_SHARE = 0.9;

/** `the server read 900 of about 2000 tokens: …`, or undefined where it read all, or does not say. */
export function serverCut({ sent, countedByServer }: Omitted): string | undefined {
  if (countedByServer === undefined || countedByServer >= SEEN_SHARE * sent) return undefined;
  return `the server read ${countedByServer} of about ${sent} tokens: give its window with --context-tokens`;
}
