/** An embedder's indexes → the systems as an evaluation asks them: what each reads, and what it quotes from that. */

import type { Answer, Embedder } from '../../core/types.js';
import { answerAsked } from '../lists/corpusAnswer.js';
import type { RankedContext } from '../retrieve.js';
import type { SopIndex } from '../sopIndex.js';
import { quoteFromContexts } from './baselineAnswer.js';
import type { ContextText } from './containment.js';
import {
  STANDARD_CHUNKS,
  labsageSystem,
  readContext,
  standardSystem,
  type RetrievalSystem,
  type RetrievedContext,
} from './systems.js';
import type { SystemName } from './systemNames.js';

/** Contexts that are looked at to fill the largest number of words. */
export const RANKED_CONTEXTS = 60;
/** Sections that LabSage puts in order by their best piece before the rest follows as retrieved. */
const ORDERED_SECTIONS = 10;

/** What a system answers without a language model. */
export interface Quoted {
  /** What a generator reads. */
  readonly contexts: readonly RetrievedContext[];
  /** What is printed, quote by quote. */
  readonly quotes: readonly ContextText[];
  /** As printed, with marks, or the line of a refusal. */
  readonly text: string;
  readonly answered: boolean;
  /** Absent where a system states none. */
  readonly confidence?: number;
  /** Documents that a whole-corpus question is answered with. */
  readonly listed: readonly string[];
}

export interface EvaluatedSystem {
  readonly name: SystemName;
  /** Finds k contexts and no more: what retrieval alone costs. */
  search(question: string, k: number): Promise<readonly RetrievedContext[]>;
  /** What a generator reads at k. */
  read(question: string, k: number): Promise<readonly RetrievedContext[]>;
  /** Reads and quotes. */
  quote(question: string, k: number): Promise<Quoted>;
  /** Enough contexts to fill the largest number of words, in the order in which they are read. */
  rank(question: string): Promise<readonly RetrievedContext[]>;
}

export interface SystemSource {
  readonly embedder: Embedder;
  /** Of the default preset. */
  readonly index: SopIndex;
  /** Of the paper preset; needed for `paper` only. */
  readonly paperIndex: SopIndex | undefined;
  /** ISO date that decides which versions are in force. */
  readonly today: string;
}

export async function openSystem(
  name: Exclude<SystemName, 'none'>,
  source: SystemSource,
): Promise<EvaluatedSystem> {
  const { index, paperIndex, embedder, today } = source;
  switch (name) {
    case 'standard':
    case 'standard+title': {
      const chunks = { ...STANDARD_CHUNKS, title: name === 'standard+title' };
      return baseline(name, await standardSystem(name, { index, embedder, today }, chunks), {
        index,
        embedder,
      });
    }
    case 'paper': {
      if (paperIndex === undefined) throw new Error('the paper system needs an index of the paper preset');
      const system = labsageSystem(name, { index: paperIndex, embedder }, { preset: 'paper', today });
      return baseline(name, system, { index: paperIndex, embedder });
    }
    case 'labsage':
      return product({ index, embedder, today });
  }
}

/** Always answers, from its first k contexts. */
function baseline(
  name: SystemName,
  system: RetrievalSystem,
  source: { index: SopIndex; embedder: Embedder },
): EvaluatedSystem {
  return {
    name,
    search: (question, k) => system.retrieve(question, k),
    read: (question, k) => system.retrieve(question, k),
    rank: (question) => system.retrieve(question, RANKED_CONTEXTS),
    async quote(question, k) {
      const contexts = await system.retrieve(question, k);
      const quotes = await quoteFromContexts(question, contexts, source);
      return {
        contexts,
        quotes,
        text: quotes.map(({ text }) => text).join('\n'),
        answered: quotes.length > 0,
        listed: [...new Set(contexts.map(({ document }) => document))],
      };
    },
  };
}

/** LabSage as `labsage ask` runs it. */
function product(source: { index: SopIndex; embedder: Embedder; today: string }): EvaluatedSystem {
  const { index, today } = source;
  const readAll = (contexts: readonly RankedContext[]): Promise<RetrievedContext[]> =>
    Promise.all(contexts.map((ranked) => readContext(ranked, index)));
  const system = labsageSystem('labsage', source, { today });
  return {
    name: 'labsage',
    search: (question, k) => system.retrieve(question, k),
    async read(question, k) {
      return readAll((await answerAsked(question, source, { today, k })).contexts);
    },
    async rank(question) {
      const first = await readAll(
        (await answerAsked(question, source, { today, k: ORDERED_SECTIONS })).contexts,
      );
      const ordered = new Set(first.map(({ ranked }) => ranked.context.id));
      const others = await system.retrieve(question, RANKED_CONTEXTS);
      return [...first, ...others.filter(({ ranked }) => !ordered.has(ranked.context.id))];
    },
    async quote(question, k) {
      const { answer, contexts, list } = await answerAsked(question, source, { today, k });
      return {
        contexts: await readAll(contexts),
        quotes: quotesOf(answer),
        text: answer.text,
        answered: answer.answered,
        confidence: answer.confidence,
        listed: list?.documents.map(({ document }) => document.path) ?? [
          ...new Set(contexts.map(({ document }) => document.path)),
        ],
      };
    },
  };
}

function quotesOf({ answered, citations }: Answer): ContextText[] {
  if (!answered) return [];
  return citations.flatMap(({ document, quotes }) =>
    quotes.map(({ text }) => ({ document: document.path, text })),
  );
}
