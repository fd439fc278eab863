/** What notes are written with in tests: the bundled questions and an embedder that compares words. */

import { readQuestionSets } from '../../src/clirag/retrieval/questionSets.js';
import type { SoapNoteOptions } from '../../src/clirag/soapNote.js';
import { loadTokenCounter } from '../../src/core/tokenCounter.js';
import { wordEmbedder } from '../wordEmbedder.js';

export async function wordOptions(prior: 'none' | 'generate'): Promise<SoapNoteOptions> {
  const embedder = wordEmbedder();
  return {
    questions: await readQuestionSets(),
    fingerprint: embedder.fingerprint,
    openEmbedder: () => Promise.resolve(embedder),
    countTokens: await loadTokenCounter(),
    prior,
  };
}
